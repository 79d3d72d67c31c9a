package ir

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cutile-go/cutile/dtype"
)

// ParameterAttr is the attribute of [Parameter].
type ParameterAttr struct{ Name string }

// String returns the name.
func (a ParameterAttr) String() string { return a.Name }

// ConstantAttr is the attribute of [Constant]: the elements in row-major order, little-endian, or one element for all.
type ConstantAttr struct {
	Data []byte
}

// Bits returns the bits of the element that fills an array of element type t, if Data has no more.
func (a ConstantAttr) Bits(t dtype.Type) (bits uint64, ok bool) {
	if len(a.Data) != t.Size() {
		return 0, false
	}
	for i, b := range a.Data {
		bits |= uint64(b) << (8 * i)
	}
	return bits, true
}

// AxisAttr is an axis.
type AxisAttr struct{ Axis int }

// String returns axis=1.
func (a AxisAttr) String() string { return fmt.Sprintf("axis=%d", a.Axis) }

// Parameter is an array that the caller gives.
func (g *Graph) Parameter(name string, elem dtype.Type, shape []int) (*Node, error) {
	if err := stored(elem); err != nil {
		return nil, err
	}
	return g.add(Node{Op: Parameter, Elem: elem, Shape: shape, Attr: ParameterAttr{name}})
}

// Constant is an array of known elements, little-endian, in row-major order; one element fills an array of any shape. It
// keeps data.
func (g *Graph) Constant(elem dtype.Type, data []byte, shape []int) (*Node, error) {
	if err := stored(elem); err != nil {
		return nil, err
	}
	if n := size(shape) * elem.Size(); len(data) != n && len(data) != elem.Size() {
		return nil, fmt.Errorf("%d bytes of elements, expected %d for %s", len(data), n, typeText(elem, shape))
	}
	return g.add(Node{Op: Constant, Elem: elem, Shape: shape, Attr: ConstantAttr{data}})
}

// Iota is an array whose elements are their index along an axis.
func (g *Graph) Iota(elem dtype.Type, shape []int, axis int) (*Node, error) {
	if !Numbers.Has(elem) {
		return nil, fmt.Errorf("elements of %v, expected %s", elem, Numbers)
	}
	axis, err := AxisOf(axis, &Node{Elem: elem, Shape: shape})
	if err != nil {
		return nil, err
	}
	return g.add(Node{Op: Iota, Elem: elem, Shape: shape, Attr: AxisAttr{axis}})
}

// Decimal writes a number as messages have it: a whole one of up to 30 digits with all of them, as integers are written.
func Decimal(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e30 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// NumberBits gives the bits of a number of an element type: floats are rounded to nearest, integers must be whole and fit.
func NumberBits(t dtype.Type, x float64) (uint64, error) {
	if t.IsFloat() {
		return t.FloatBits(x), nil
	}
	bits := 8 * t.Size()
	lo, hi := 0.0, math.Ldexp(1, bits)
	switch {
	case t == dtype.Bool:
		hi = 2
	case t.IsSigned():
		lo, hi = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	if !(x >= lo && x < hi) || x != math.Trunc(x) {
		return 0, fmt.Errorf("%s is no %v", Decimal(x), t)
	}
	if x < 0 {
		return uint64(int64(x)) & (1<<(bits-1)<<1 - 1), nil
	}
	return uint64(x), nil
}
