package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// Fold is a function that joins two elements, in any order.
type Fold struct {
	Name       string
	Takes      Class
	Func       string // the function of elements
	Idempotent bool   // an element that takes part several times changes nothing
}

// Folds are the functions of reductions and scans. Sums and products of float16 and bfloat16 are computed in float32.
var Folds = []*Fold{
	{"sum", Numbers, "add", false}, {"prod", Numbers, "mul", false}, {"max", All, "max", true}, {"min", All, "min", true},
	{"and", Bits, "and", true}, {"or", Bits, "or", true}, {"xor", Bits, "xor", false},
}

// Of returns the fold for an element type: of bools, the greatest one is that of or, and the least one that of and.
func (f *Fold) Of(t dtype.Type) *Fold {
	if other := map[string]string{"max": "or", "min": "and"}[f.Name]; t == dtype.Bool && other != "" {
		return FoldNamed(other)
	}
	return f
}

// FoldNamed finds a fold: nil if there is none.
func FoldNamed(name string) *Fold {
	for _, f := range Folds {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Neutral returns the bits of the element of type t that changes no other one.
func (f *Fold) Neutral(t dtype.Type) uint64 {
	bits := 8 * t.Size()
	if t == dtype.Bool {
		bits = 1
	}
	ones := uint64(1)<<(bits-1)<<1 - 1
	switch f.Name {
	case "prod":
		if t.IsFloat() {
			return t.FloatBits(1)
		}
		return 1
	case "and":
		return ones
	case "max":
		switch {
		case t.IsFloat():
			return t.FloatBits(math.Inf(-1))
		case t.IsSigned():
			return 1 << (bits - 1)
		}
	case "min":
		switch {
		case t.IsFloat():
			return t.FloatBits(math.Inf(1))
		case t.IsSigned():
			return ones >> 1
		}
		return ones
	}
	return 0
}

// ReduceAttr is the attribute of [Reduce].
type ReduceAttr struct {
	Fold *Fold
	Axes []int // in ascending order
}

// String returns axes=[1].
func (a ReduceAttr) String() string { return fmt.Sprintf("axes=%v", a.Axes) }

// Reduce folds the elements along axes, which the result lacks. Without elements it is the neutral element: 0, 1, the least or
// the greatest number, or all bits.
func (g *Graph) Reduce(fold string, x *Node, axes []int) (*Node, error) {
	f := FoldNamed(fold)
	if f == nil {
		return nil, fmt.Errorf("%q is no function of reductions", fold)
	}
	if !f.Takes.Has(x.Elem) {
		return nil, fmt.Errorf("the array is %s, expected %s", x.Type(), f.Takes)
	}
	axes, err := axesOf(axes, x)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return x, nil
	}
	slices.Sort(axes)
	return g.add(Node{Op: Reduce, In: []*Node{x}, Elem: x.Elem, Shape: without(x.Shape, axes...), Attr: ReduceAttr{f, axes}})
}

// ArgReduceAttr is the attribute of [ArgReduce].
type ArgReduceAttr struct {
	Axis int
	Min  bool
	Last bool // of equal elements the last
}

// String returns axis=1 min.
func (a ArgReduceAttr) String() string {
	s := fmt.Sprintf("axis=%d", a.Axis)
	if a.Min {
		s += " min"
	}
	if a.Last {
		s += " last"
	}
	return s
}

// ArgReduce gives the index of the greatest or the least element along an axis, which the result lacks: of equal ones the
// first, or the last. NaN is greater and less than any number.
func (g *Graph) ArgReduce(x *Node, a ArgReduceAttr, elem dtype.Type) (*Node, error) {
	axis, err := AxisOf(a.Axis, x)
	if err != nil {
		return nil, err
	}
	if !Numbers.Has(x.Elem) || !elem.IsInt() {
		return nil, fmt.Errorf("the array is %s and the indices are %v, expected numbers and integers", x.Type(), elem)
	}
	if x.Shape[axis] == 0 {
		return nil, fmt.Errorf("axis %d of %s has no elements", axis, x.Type())
	}
	if bits := 8*elem.Size() - when(elem.IsSigned()); bits < 31 && x.Shape[axis]-1 >= 1<<bits {
		return nil, fmt.Errorf("indices up to %d do not fit %v", x.Shape[axis]-1, elem)
	}
	a.Axis = axis
	return g.add(Node{Op: ArgReduce, In: []*Node{x}, Elem: elem, Shape: without(x.Shape, axis), Attr: a})
}

// ScanAttr is the attribute of [Scan].
type ScanAttr struct {
	Fold    *Fold
	Axis    int
	Reverse bool // each element with all behind it
}

// String returns axis=1 reverse.
func (a ScanAttr) String() string {
	s := fmt.Sprintf("axis=%d", a.Axis)
	if a.Reverse {
		s += " reverse"
	}
	return s
}

// Scan folds each element with all before it along an axis.
func (g *Graph) Scan(fold string, x *Node, axis int, reverse bool) (*Node, error) {
	f := FoldNamed(fold)
	if f == nil {
		return nil, fmt.Errorf("%q is no function of scans", fold)
	}
	if !f.Takes.Has(x.Elem) {
		return nil, fmt.Errorf("the array is %s, expected %s", x.Type(), f.Takes)
	}
	axis, err := AxisOf(axis, x)
	if err != nil {
		return nil, err
	}
	return g.add(Node{Op: Scan, In: []*Node{x}, Elem: x.Elem, Shape: x.Shape, Attr: ScanAttr{f, axis, reverse}})
}

// ArgSortAttr is the attribute of [ArgSort].
type ArgSortAttr struct {
	Axis       int
	Descending bool
}

// String returns axis=1 descending.
func (a ArgSortAttr) String() string {
	s := fmt.Sprintf("axis=%d", a.Axis)
	if a.Descending {
		s += " descending"
	}
	return s
}

// MaxSorted is the greatest number of elements along an axis that [Graph.ArgSort] sorts.
const MaxSorted = 1 << 16

// ArgSort gives, for each place along an axis, the index of the element that belongs there when they are sorted. Equal elements
// keep their order. NaN is greater than any number, and -0 is equal to 0.
func (g *Graph) ArgSort(x *Node, a ArgSortAttr) (*Node, error) {
	axis, err := AxisOf(a.Axis, x)
	if err != nil {
		return nil, err
	}
	if !Numbers.Has(x.Elem) {
		return nil, fmt.Errorf("the array is %s, expected %s", x.Type(), Numbers)
	}
	if x.Shape[axis] > MaxSorted {
		return nil, fmt.Errorf("axis %d of %s has %d elements, expected at most %d", axis, x.Type(), x.Shape[axis], MaxSorted)
	}
	a.Axis = axis
	return g.add(Node{Op: ArgSort, In: []*Node{x}, Elem: dtype.I32, Shape: x.Shape, Attr: a})
}

// DotAttr is the attribute of [Dot]: pairs of axes of the two arrays.
type DotAttr struct {
	LeftBatch, RightBatch, LeftSum, RightSum []int
}

// String returns batch=[0]x[0] sum=[2]x[1].
func (a DotAttr) String() string {
	s := fmt.Sprintf("sum=%vx%v", a.LeftSum, a.RightSum)
	if len(a.LeftBatch) > 0 {
		s = fmt.Sprintf("batch=%vx%v %s", a.LeftBatch, a.RightBatch, s)
	}
	return s
}

// Dot multiplies arrays: the result has the batch axes, the other axes of l, and the other axes of r; products are added up along
// the axes of the sum. Elements of float16, bfloat16 and integers of 8 bits are added in float32 or int32: out says the element
// type of the result, which for others is that of the operands.
func (g *Graph) Dot(l, r *Node, a DotAttr, out dtype.Type) (*Node, error) {
	if l.Elem != r.Elem || !Numbers.Has(l.Elem) {
		return nil, fmt.Errorf("the arrays are %s and %s, expected the same element type, %s", l.Type(), r.Type(), Numbers)
	}
	if wide := DotSum(l.Elem); out != l.Elem && out != wide {
		return nil, fmt.Errorf("a result of %v for arrays of %v, expected %v or %v", out, l.Elem, l.Elem, wide)
	}
	if len(a.LeftBatch) != len(a.RightBatch) || len(a.LeftSum) != len(a.RightSum) {
		return nil, fmt.Errorf("%v: expected as many axes of one array as of the other", a)
	}
	left, err := axesOf(slices.Concat(a.LeftBatch, a.LeftSum), l)
	if err != nil {
		return nil, err
	}
	right, err := axesOf(slices.Concat(a.RightBatch, a.RightSum), r)
	if err != nil {
		return nil, err
	}
	var shape []int
	for i := range left {
		if l.Shape[left[i]] != r.Shape[right[i]] {
			return nil, fmt.Errorf("axis %d of %s has extent %d and axis %d of %s %d, expected the same", left[i], l.Type(), l.Shape[left[i]], right[i], r.Type(), r.Shape[right[i]])
		}
		if i < len(a.LeftBatch) {
			shape = append(shape, l.Shape[left[i]])
		}
	}
	shape = slices.Concat(shape, without(l.Shape, left...), without(r.Shape, right...))
	b := len(a.LeftBatch)
	return g.add(Node{Op: Dot, In: []*Node{l, r}, Elem: out, Shape: shape, Attr: DotAttr{left[:b:b], right[:b:b], left[b:], right[b:]}})
}

// DotSum gives the element type in which [Graph.Dot] adds products of elements of type t.
func DotSum(t dtype.Type) dtype.Type {
	switch t {
	case dtype.F16, dtype.BF16:
		return dtype.F32
	case dtype.I8, dtype.U8:
		return dtype.I32
	}
	return t
}

func without(shape []int, axes ...int) []int {
	out := make([]int, 0, len(shape))
	for i, d := range shape {
		if !slices.Contains(axes, i) {
			out = append(out, d)
		}
	}
	return out
}

func when(b bool) int {
	if b {
		return 1
	}
	return 0
}
