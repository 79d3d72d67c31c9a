package tiletest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
)

// Tolerance says how far an element may be from the wanted one. One bound that holds is enough; the zero Tolerance wants
// equal elements. NaN is right where NaN is wanted, whatever its bits, and infinities only where the same are wanted; zeros
// of both signs are equal. Elements that are no floats are right if Abs or Rel holds, or if they are equal.
type Tolerance struct {
	Abs float64 // |got - want| ≤ Abs
	Rel float64 // |got - want| ≤ Rel·|want|
	// ULP is how many numbers of the element type may lie between got and want, plus 1: 1 allows the neighbours.
	ULP uint64
}

// Difference says how elements differ from wanted ones.
type Difference struct {
	Len   int    // all elements
	Wrong int    // those outside the tolerance
	Worst int    // the index of the worst in row-major order: the one with the greatest error, NaN and infinities before others
	Index []int  // the same, along each axis
	Text  string // all of it for people
}

// String returns the text.
func (d *Difference) String() string { return d.Text }

// Compare compares elements in row-major order with those that are wanted; both must have the length that the shape says. Without
// a shape there is one axis. It returns nil if all are within the tolerance. An error tells that nothing can be compared: the
// lengths differ, or a bound is negative or NaN.
func Compare[E dtype.Elem](got, want []E, tol Tolerance, shape ...int) (*Difference, error) {
	if len(shape) == 0 {
		shape = []int{len(want)}
	}
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	switch {
	case len(got) != len(want):
		return nil, fmt.Errorf("tiletest: there are %d elements, and %d are wanted", len(got), len(want))
	case n != len(want):
		return nil, fmt.Errorf("tiletest: the shape %v has %d elements, but there are %d", shape, n, len(want))
	case !(tol.Abs >= 0) || !(tol.Rel >= 0):
		return nil, fmt.Errorf("tiletest: the tolerance is %+v: expected bounds of 0 or more", tol)
	}
	c := comparer[E]{typ: dtype.Of[E](), tol: tol}
	d := &Difference{Len: n}
	worst := -1.0
	for i := range got {
		if off, wrong := c.off(got[i], want[i]); wrong {
			d.Wrong++
			if off > worst {
				worst, d.Worst = off, i
			}
		}
	}
	if d.Wrong == 0 {
		return nil, nil
	}
	d.Index = indexOf(d.Worst, shape)
	d.Text = c.text(d, got[d.Worst], want[d.Worst])
	return d, nil
}

// indexOf gives the index along each axis of a place in row-major order.
func indexOf(at int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = at % shape[axis]
		at /= shape[axis]
	}
	return index
}

// comparer compares elements of a type.
type comparer[E dtype.Elem] struct {
	typ dtype.Type
	tol Tolerance
}

// off gives how far an element is from the wanted one, and whether that is too far.
func (c *comparer[E]) off(got, want E) (off float64, wrong bool) {
	if got == want { // of floats of few bits, the same bits
		return 0, false
	}
	if !c.typ.IsFloat() && c.typ != dtype.Bool {
		d := distance(c.typ, bitsOf(got), bitsOf(want))
		return float64(d), float64(d) > c.tol.Abs && float64(d) > c.tol.Rel*math.Abs(valueOf(c.typ, bitsOf(want)))
	}
	g, w := valueOf(c.typ, bitsOf(got)), valueOf(c.typ, bitsOf(want))
	switch {
	case g == w || g != g && w != w:
		return 0, false
	case g != g || w != w || math.IsInf(g, 0) || math.IsInf(w, 0):
		return math.Inf(1), true
	}
	off = math.Abs(g - w)
	within := off <= c.tol.Abs || off <= c.tol.Rel*math.Abs(w) || c.typ.IsFloat() && c.ulps(got, want) <= c.tol.ULP
	return off, !within
}

// ulps counts the steps between neighbours from one number to another.
func (c *comparer[E]) ulps(a, b E) uint64 {
	x, y := c.rank(a), c.rank(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// rank numbers the finite numbers of the type in order: 0 is 0.
func (c *comparer[E]) rank(x E) int64 {
	f := elem.Table[c.typ].Format
	code := bitsOf(x) >> f.Pad
	if code&f.Sign() != 0 {
		return -int64(code &^ f.Sign())
	}
	return int64(code)
}

// text is the report.
func (c *comparer[E]) text(d *Difference, got, want E) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d elements are wrong; the worst is at %v: got %v, want %v", d.Wrong, d.Len, d.Index, got, want)
	if off, _ := c.off(got, want); c.typ != dtype.Bool && !math.IsInf(off, 0) {
		fmt.Fprintf(&b, ", an error of %.3g", off)
		if w := math.Abs(valueOf(c.typ, bitsOf(want))); w > 0 {
			fmt.Fprintf(&b, " (%.3g of it", off/w)
			if c.typ.IsFloat() {
				fmt.Fprintf(&b, ", %d ulps", c.ulps(got, want))
			}
			b.WriteString(")")
		}
	}
	if c.tol != (Tolerance{}) {
		fmt.Fprintf(&b, "; allowed are %s", c.tol)
	}
	return b.String()
}

// String writes the bounds that are not 0.
func (tol Tolerance) String() string {
	var parts []string
	if tol.Abs > 0 {
		parts = append(parts, fmt.Sprintf("%g", tol.Abs))
	}
	if tol.Rel > 0 {
		parts = append(parts, fmt.Sprintf("%g of the wanted element", tol.Rel))
	}
	if tol.ULP > 0 {
		parts = append(parts, fmt.Sprintf("%d ulps", tol.ULP))
	}
	if len(parts) == 0 {
		return "equal elements only"
	}
	return strings.Join(parts, " or ")
}

// Slices fails the test if elements are not within a tolerance of the wanted ones, and reports whether they are.
func Slices[E dtype.Elem](t testing.TB, got, want []E, tol Tolerance, shape ...int) bool {
	t.Helper()
	d, err := Compare(got, want, tol, shape...)
	switch {
	case err != nil:
		t.Error(err)
	case d != nil:
		t.Error(d)
	}
	return err == nil && d == nil
}

// Tensors waits for the work on two tensors and fails the test if their shapes differ, if the work gave an error, or if
// elements are not within a tolerance of the wanted ones. It reports whether they are.
func Tensors[E dtype.Elem](t testing.TB, got, want *cutile.Tensor[E], tol Tolerance) bool {
	t.Helper()
	g, err := got.Slice()
	if err != nil {
		t.Error(err)
		return false
	}
	w, err := want.Slice()
	if err != nil {
		t.Error(err)
		return false
	}
	if !slices.Equal(got.Shape(), want.Shape()) {
		t.Errorf("tiletest: the shape is %v, want %v", got.Shape(), want.Shape())
		return false
	}
	if got.Rank() == 0 {
		return Slices(t, g, w, tol)
	}
	return Slices(t, g, w, tol, got.Shape()...)
}
