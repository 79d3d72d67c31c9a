package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/dtype"
)

// maxKnown is the greatest number of elements of an array that is computed while a graph is built.
const maxKnown = 1 << 14

// known is an array whose elements are known while a graph is built, such as a shape: integers and bools are in ints, floats in
// floats.
type known struct {
	elem   dtype.Type
	shape  []int
	ints   []int64
	floats []float64
}

// size multiplies extents.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// knowable reports whether arrays of an element type can be known: uint64 does not fit int64.
func knowable(t dtype.Type) bool {
	switch t {
	case dtype.F16, dtype.BF16, dtype.F32, dtype.F64:
		return true
	case dtype.U64:
		return false
	}
	return t.IsInt() || t == dtype.Bool
}

func newKnown(elem dtype.Type, shape []int) *known {
	k := &known{elem: elem, shape: shape}
	if elem.IsFloat() {
		k.floats = make([]float64, size(shape))
	} else {
		k.ints = make([]int64, size(shape))
	}
	return k
}

// len gives the number of elements.
func (k *known) len() int { return len(k.ints) + len(k.floats) }

// float gives an element as a float64.
func (k *known) float(i int) float64 {
	if k.elem.IsFloat() {
		return k.floats[i]
	}
	return float64(k.ints[i])
}

// text is an element as messages have it, with all its digits.
func (k *known) text(i int) string {
	if k.elem.IsFloat() {
		return fmt.Sprint(k.floats[i])
	}
	return fmt.Sprint(k.ints[i])
}

// set rounds a float, or wraps an integer around, so that it is an element.
func (k *known) setFloat(i int, x float64) { k.floats[i] = k.elem.FloatFromBits(k.elem.FloatBits(x)) }

func (k *known) setInt(i int, x int64) {
	if k.elem == dtype.Bool {
		k.ints[i] = x & 1
		return
	}
	drop := 64 - 8*k.elem.Size()
	if k.elem.IsSigned() {
		k.ints[i] = x << drop >> drop
	} else {
		k.ints[i] = int64(uint64(x) << drop >> drop)
	}
}

// pick gives an array of other elements: element i is the element at index(i) of k.
func (k *known) pick(shape []int, index func(i int) int) *known {
	out := newKnown(k.elem, shape)
	for i := range out.len() {
		if k.elem.IsFloat() {
			out.floats[i] = k.floats[index(i)]
		} else {
			out.ints[i] = k.ints[index(i)]
		}
	}
	return out
}

// convert converts elements as graph.Convert does.
func (k *known) convert(to dtype.Type) *known {
	out := newKnown(to, k.shape)
	for i := range k.len() {
		switch {
		case to.IsFloat():
			out.setFloat(i, k.float(i))
		case to == dtype.Bool:
			if k.float(i) != 0 {
				out.ints[i] = 1
			}
		case k.elem.IsFloat():
			out.ints[i] = saturated(k.floats[i], to)
		default:
			out.setInt(i, k.ints[i])
		}
	}
	return out
}

// saturated rounds a float to zero, to the nearest integer that the type has; a NaN to 0.
func saturated(x float64, t dtype.Type) int64 {
	bits := 8 * t.Size()
	lo, hi := int64(0), int64(1)<<min(bits, 62)-1
	if t.IsSigned() {
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	switch {
	case math.IsNaN(x):
		return 0
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	}
	return int64(x)
}

// fromBytes takes elements as they lie in memory.
func fromBytes(elem dtype.Type, shape []int, data []byte) *known {
	k := newKnown(elem, shape)
	n := elem.Size()
	for i := range k.len() {
		var b [8]byte
		copy(b[:], data[i*n:(i+1)*n])
		bits := binary.LittleEndian.Uint64(b[:])
		if elem.IsFloat() {
			k.floats[i] = elem.FloatFromBits(bits)
		} else {
			k.setInt(i, int64(bits))
		}
	}
	return k
}

// bytes gives the elements as they lie in memory.
func (k *known) bytes() []byte {
	n := k.elem.Size()
	out := make([]byte, 0, n*k.len())
	for i := range k.len() {
		var b [8]byte
		if k.elem.IsFloat() {
			binary.LittleEndian.PutUint64(b[:], k.elem.FloatBits(k.floats[i]))
		} else {
			binary.LittleEndian.PutUint64(b[:], uint64(k.ints[i]))
		}
		out = append(out, b[:n]...)
	}
	return out
}

// scalarFunc is a function of one or two elements (the first is the condition of three for "where"): of integers and bools, and of
// floats. tests marks those whose result is a bool.
type scalarFunc struct {
	ints   func(a, b int64) int64
	floats func(a, b float64) float64
	tests  bool
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func test(ints func(a, b int64) bool, floats func(a, b float64) bool) scalarFunc {
	return scalarFunc{func(a, b int64) int64 { return truth(ints(a, b)) }, func(a, b float64) float64 { return float64(truth(floats(a, b))) }, true}
}

// scalarFuncs are the functions of elements that known arrays can have, by the names that the operators have.
var scalarFuncs = map[string]scalarFunc{
	"Add": {func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b }, false},
	"Sub": {func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b }, false},
	"Mul": {func(a, b int64) int64 { return a * b }, func(a, b float64) float64 { return a * b }, false},
	"Div": {func(a, b int64) int64 {
		switch b {
		case 0:
			return -1
		case -1:
			return -a
		}
		return a / b
	}, func(a, b float64) float64 { return a / b }, false},
	"Mod": {func(a, b int64) int64 {
		if b == 0 || b == -1 {
			return a * truth(b == 0)
		}
		r := a % b
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r
	}, nil, false},
	"Max":            {func(a, b int64) int64 { return max(a, b) }, func(a, b float64) float64 { return max(a, b) }, false},
	"Min":            {func(a, b int64) int64 { return min(a, b) }, func(a, b float64) float64 { return min(a, b) }, false},
	"And":            {func(a, b int64) int64 { return a & b }, nil, false},
	"Or":             {func(a, b int64) int64 { return a | b }, nil, false},
	"Xor":            {func(a, b int64) int64 { return a ^ b }, nil, false},
	"Equal":          test(func(a, b int64) bool { return a == b }, func(a, b float64) bool { return a == b }),
	"Less":           test(func(a, b int64) bool { return a < b }, func(a, b float64) bool { return a < b }),
	"LessOrEqual":    test(func(a, b int64) bool { return a <= b }, func(a, b float64) bool { return a <= b }),
	"Greater":        test(func(a, b int64) bool { return a > b }, func(a, b float64) bool { return a > b }),
	"GreaterOrEqual": test(func(a, b int64) bool { return a >= b }, func(a, b float64) bool { return a >= b }),
	"Neg":            {func(a, _ int64) int64 { return -a }, func(a, _ float64) float64 { return -a }, false},
	"Abs":            {func(a, _ int64) int64 { return max(a, -a) }, func(a, _ float64) float64 { return math.Abs(a) }, false},
	"Floor":          {nil, func(a, _ float64) float64 { return math.Floor(a) }, false},
	"Ceil":           {nil, func(a, _ float64) float64 { return math.Ceil(a) }, false},
	"Sqrt":           {nil, func(a, _ float64) float64 { return math.Sqrt(a) }, false},
}

// apply applies a function to arrays of one element type that are broadcast already. It gives nil if it cannot.
func apply(name string, args ...*known) *known {
	f, ok := scalarFuncs[name]
	a := args[0]
	b := args[len(args)-1]
	if !ok || a.elem != b.elem || a.elem.IsFloat() && f.floats == nil || !a.elem.IsFloat() && (f.ints == nil || a.elem == dtype.Bool && name == "Neg") {
		return nil
	}
	elem := a.elem
	if f.tests {
		elem = dtype.Bool
	}
	out := newKnown(elem, a.shape)
	for i := range a.len() {
		switch {
		case a.elem.IsFloat() && f.tests:
			out.ints[i] = int64(f.floats(a.floats[i], b.floats[i]))
		case a.elem.IsFloat():
			out.setFloat(i, f.floats(a.floats[i], b.floats[i]))
		default:
			out.setInt(i, f.ints(a.ints[i], b.ints[i]))
		}
	}
	return out
}
