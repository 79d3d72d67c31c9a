package device

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/arraytext"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// Format implements [fmt.Formatter]: fmt prints the elements, after the work on the tensor, in the layout of NumPy.
//
//	%v      numbers with the fewest digits that tell them apart, and at most 8 behind the point: [[1.  2.5] [3.  4. ]]
//	%+v     the same below a line with the text of [Tensor.String]
//	%.3v    at most 3 digits behind the point
//	%8v     columns of at least 8 characters; %-8v aligns them to the left
//	%.3f    each element as fmt prints it with this verb, in aligned columns; so with %e, %g, %d, %x, %t and others
//	%s, %q  the text of String, without waiting for the elements
//
// Floats of 16 bits and fewer are printed as numbers. Numbers that are very large, very small or far apart are printed with
// exponents, as NumPy does. Rows longer than 75 characters are broken. Of a tensor with more than 1000 elements,
// three indices at each end of each axis are printed, … stands for the others, and only what is printed is read from the
// device. An error, such as that of a kernel that was to make the elements, is printed as <error: …>.
func (t *Tensor[E]) Format(f fmt.State, verb rune) {
	switch {
	case f == nil: // there is nowhere to print to
		return
	case t == nil:
		fmt.Fprint(f, "<nil>")
		return
	}
	if verb == 's' || verb == 'q' {
		fmt.Fprintf(f, fmt.FormatString(f, verb), t.String())
		return
	}
	if verb == 'v' && f.Flag('+') {
		fmt.Fprintln(f, t.String())
	}
	xs, err := t.corners()
	if err != nil {
		fmt.Fprintf(f, "<error: %v>", err)
		return
	}
	fmt.Fprint(f, arraytext.Layout(texts(f, verb, xs), t.arg.View.Shape))
}

// corners waits for the elements that are printed and gives them in row-major order.
func (t *Tensor[E]) corners() ([]E, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	shown := arraytext.Shown(t.arg.View.Shape)
	packed, err := strided.RowMajor(shown)
	if err != nil {
		return nil, err
	}
	xs := make([]E, packed.Len())
	if len(xs) == 0 {
		return nil, t.Read(context.Background(), nil)
	}
	return xs, t.corner(xs, packed, t.arg.View, 0)
}

// corner reads what is shown of a view to a packed one, from an axis on: both ends of an axis of which the middle is left out.
func (t *Tensor[E]) corner(xs []E, packed, from strided.View, axis int) error {
	for ; axis < len(from.Shape); axis++ {
		whole, shown := from.Shape[axis], packed.Shape[axis]
		if whole == shown {
			continue
		}
		for _, end := range [2][2]int{{0, 0}, {whole - arraytext.Edge, shown - arraytext.Edge}} {
			part, err := from.Narrow(axis, end[0], end[0]+arraytext.Edge)
			if err != nil {
				return err
			}
			place, err := packed.Narrow(axis, end[1], end[1]+arraytext.Edge)
			if err != nil {
				return err
			}
			if err := t.corner(xs, place, part, axis+1); err != nil {
				return err
			}
		}
		return nil
	}
	return t.part(xs, packed, from)
}

// gap is how many bytes between elements are read with them, as one long read is faster than two short ones.
const gap = 4096

// part reads a view to a packed one. Memory that the program cannot address is read in pieces, where the elements lie far
// apart.
func (t *Tensor[E]) part(xs []E, packed, from strided.View) error {
	low, high := from.Range()
	if apart := high - low - from.Len(); apart*dtype.Of[E]().Size() > gap && !t.arg.Memory.Mapped() {
		for i := range from.Shape[0] { // more than one element: there is an axis
			next, err := from.Select(0, i)
			if err != nil {
				return err
			}
			place, err := packed.Select(0, i)
			if err != nil {
				return err
			}
			if err := t.part(xs, place, next); err != nil {
				return err
			}
		}
		return nil
	}
	read := &Tensor[E]{dev: t.dev, arg: core.Tensor{Memory: t.arg.Memory, View: from, Elem: t.arg.Elem}}
	dense := make([]E, from.Len())
	if err := read.Read(context.Background(), dense); err != nil {
		return err
	}
	strided.Scatter(xs, dense, packed)
	return nil
}

// texts prints elements as a verb asks.
func texts[E dtype.Elem](f fmt.State, verb rune, xs []E) []string {
	t := dtype.Of[E]()
	width, _ := f.Width()
	out := make([]string, len(xs))
	if verb == 'v' && t.IsFloat() && len(xs) > 0 {
		precision, asked := f.Precision()
		if !asked {
			precision = arraytext.Precision
		}
		floats := make([]arraytext.Float, len(xs))
		for i, x := range xs {
			floats[i] = arraytext.FloatOf(t, t.FloatFromBits(bitsOf(x)))
		}
		out = arraytext.Floats(floats, precision, arraytext.Large(t))
	} else {
		format := fmt.FormatString(f, verb)
		for i, x := range xs {
			var value any = x
			if t.IsFloat() { // those of 19 bits and fewer are integers in Go
				value = t.FloatFromBits(bitsOf(x))
			}
			out[i] = fmt.Sprintf(format, value)
		}
	}
	return arraytext.Aligned(out, width, f.Flag('-'))
}

// bitsOf gives the bits of an element.
func bitsOf[E dtype.Elem](x E) uint64 {
	var b [8]byte
	copy(b[:], bytesOf([]E{x}))
	return binary.LittleEndian.Uint64(b[:])
}

// elementOf gives the element that has these bits.
func elementOf[E dtype.Elem](bits uint64) E {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return elemsOf[E](b[:dtype.Of[E]().Size()])[0]
}
