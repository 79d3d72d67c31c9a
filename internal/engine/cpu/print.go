package cpu

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/emulate/cformat"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// printed is a tile that a print writes.
type printed struct {
	off   slot
	shape []int
	size  int
	elem  tileir.Elem
	ptr   bool
}

// generatePrint compiles print_tko. The text of one print is written at once.
func generatePrint(c *compiler, op *tileir.Op) (step, error) {
	format, _ := op.Attr("str").(tileir.String)
	if hit, ok := cover.Reached(string(format)); ok {
		return func(*frame) signal {
			hit()
			return sigNext
		}, nil
	}
	pieces, err := cformat.Parse(string(format))
	if err != nil {
		return nil, &CompileError{Loc: op.Loc, Text: fmt.Sprintf("the format %q: %v", format, err)}
	}
	var args []printed
	for _, v := range op.Group(0) {
		t := tileType(v)
		args = append(args, printed{c.need(v), t.Shape, elemBytes(t), t.Elem, t.Pointer})
	}
	if len(args) != len(pieces)-1 {
		return nil, &CompileError{Loc: op.Loc, Text: fmt.Sprintf("the format %q has %d conversions for %d values", format, len(pieces)-1, len(args))}
	}
	if err := c.printRoom(op, pieces); err != nil {
		return nil, err
	}
	most := c.device.limits.Print
	return func(f *frame) signal {
		f.text = f.text[:0]
		for i, p := range pieces {
			f.text = append(f.text, p.Text...)
			if p.Verb != 0 {
				f.text = args[i].tile(f, f.text, &p, 0, 0)
			}
			if int64(len(f.text)) > most { // numbers of 300 digits
				return f.fail(op, "print: its text takes more than %d bytes: print less, or %s", most, limit.Hint("Print"))
			}
		}
		err := f.kernel.device.print(f.text, f.stop.Load)
		if err == errUnwritten {
			f.poll()
		}
		if err != nil {
			return f.fail(op, "print: %v", err)
		}
		return sigNext
	}, nil
}

// maxNumber is about the length of a number as it is printed without a width, with what stands between two. That %f may need
// 309 digits shows when the kernel runs.
const maxNumber = 32

// printRoom refuses a print whose text would take too much memory.
func (c *compiler) printRoom(op *tileir.Op, pieces []cformat.Piece) error {
	most := c.device.limits.Print
	total := int64(0)
	for i, p := range pieces {
		total += int64(len(p.Text))
		if p.Verb == 0 {
			continue
		}
		each := int64(max(p.Width, p.Prec, 0))
		if each > most {
			return &CompileError{Loc: op.Loc, Text: fmt.Sprintf("print: a width or precision of %d in its format is too large: %s", each, limit.Hint("Print"))}
		}
		total += int64(tileType(op.Group(0)[i]).Size()) * (each + maxNumber)
	}
	if total > most {
		return &CompileError{Loc: op.Loc, Text: fmt.Sprintf("print: its text may take %d bytes, more than %d: print less, or %s", total, most, limit.Hint("Print"))}
	}
	return nil
}

// tile appends the elements of a dimension, in brackets.
func (a *printed) tile(f *frame, out []byte, p *cformat.Piece, dim, first int) []byte {
	if dim == len(a.shape) {
		v := a.value(f, first)
		if n, ok := v.(int64); ok && a.size < 8 && strings.IndexByte("uoxX", p.Verb) >= 0 {
			v = n & (1<<(8*a.size) - 1) // unsigned conversions see the element's own width
		}
		return p.Append(out, v)
	}
	step := 1
	for _, n := range a.shape[dim+1:] {
		step *= n
	}
	out = append(out, '[')
	for i := range a.shape[dim] {
		if i&255 == 0 {
			f.poll()
			if int64(len(out)) > f.kernel.device.limits.Print {
				return out
			}
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		out = a.tile(f, out, p, dim+1, first+i*step)
	}
	return append(out, ']')
}

// value reads an element as int64, uint64 for pointers, or float64.
func (a *printed) value(f *frame, i int) any {
	at := unsafe.Add(f.mem, int(a.off)+i*a.size)
	switch {
	case a.ptr:
		return *(*uint64)(at)
	case a.elem.IsInt() && a.elem.Bits() < 8:
		return int64(*(*uint8)(at))
	case a.elem.IsInt():
		return picker(a.size)(f, a.off, i)
	case a.elem == tileir.F16:
		return (*(*dtype.Float16)(at)).Float64()
	case a.elem == tileir.BF16:
		return (*(*dtype.BFloat16)(at)).Float64()
	}
	var v float64
	toFloat64[a.elem](ptr(&v), at, nil, nil, 1)
	return v
}
