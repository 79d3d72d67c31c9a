package ir

import (
	"fmt"
	"slices"
)

// AxesAttr is a list of axes.
type AxesAttr struct{ Axes []int }

// String returns axes=[0 2].
func (a AxesAttr) String() string { return fmt.Sprintf("axes=%v", a.Axes) }

// SliceAttr is the attribute of [Slice]: along axis i the elements Start[i], Start[i]+Stride[i], and so on.
type SliceAttr struct{ Start, Stride []int }

// String returns start=[0 1] stride=[1 2].
func (a SliceAttr) String() string { return fmt.Sprintf("start=%v stride=%v", a.Start, a.Stride) }

// Broadcast repeats an array: axis i of x is axis axes[i] of the result, which has the same extent, or x has the extent 1.
func (g *Graph) Broadcast(x *Node, shape, axes []int) (*Node, error) {
	if len(axes) != x.Rank() {
		return nil, fmt.Errorf("%d axes %v for %s, expected one for each of its axes", len(axes), axes, x.Type())
	}
	axes, err := axesOf(axes, &Node{Elem: x.Elem, Shape: shape})
	if err != nil {
		return nil, err
	}
	for i, a := range axes {
		if x.Shape[i] != 1 && x.Shape[i] != shape[a] {
			return nil, fmt.Errorf("axis %d of %s has extent %d, axis %d of the result %v has %d: expected the same, or 1", i, x.Type(), x.Shape[i], a, shape, shape[a])
		}
	}
	if slices.Equal(x.Shape, shape) && slices.IsSorted(axes) {
		return x, nil
	}
	return g.add(Node{Op: Broadcast, In: []*Node{x}, Elem: x.Elem, Shape: shape, Attr: AxesAttr{axes}})
}

// Reshape gives an array another shape; the elements keep their row-major order.
func (g *Graph) Reshape(x *Node, shape []int) (*Node, error) {
	if slices.Equal(x.Shape, shape) {
		return x, nil
	}
	if slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) || size(shape) != x.Len() {
		return nil, fmt.Errorf("%s has %d elements, the shape %v does not", x.Type(), x.Len(), shape)
	}
	return g.add(Node{Op: Reshape, In: []*Node{x}, Elem: x.Elem, Shape: shape})
}

// Transpose permutes axes: axis i of the result is axis axes[i] of x.
func (g *Graph) Transpose(x *Node, axes []int) (*Node, error) {
	if len(axes) != x.Rank() {
		return nil, fmt.Errorf("%d axes %v for %s, expected each axis once", len(axes), axes, x.Type())
	}
	axes, err := axesOf(axes, x)
	if err != nil {
		return nil, err
	}
	if x.Op == Transpose { // one instead of two, or none
		for i, a := range axes {
			axes[i] = x.Attr.(AxesAttr).Axes[a]
		}
		x = x.In[0]
	}
	if slices.IsSorted(axes) {
		return x, nil
	}
	shape := make([]int, len(axes))
	for i, a := range axes {
		shape[i] = x.Shape[a]
	}
	return g.add(Node{Op: Transpose, In: []*Node{x}, Elem: x.Elem, Shape: shape, Attr: AxesAttr{axes}})
}

// Copy gives an array memory of its own, so that what uses it finds its elements in row-major order, next to each other.
func (g *Graph) Copy(x *Node) (*Node, error) {
	if x.Op == Copy || x.Op == Concat && x.Order == nil || x.Op == Parameter {
		return x, nil
	}
	return g.add(Node{Op: Copy, In: []*Node{x}, Elem: x.Elem, Shape: x.Shape})
}

// Slice takes the elements from start up to limit, not including limit, along each axis; every stride[i]-th of them.
func (g *Graph) Slice(x *Node, start, limit, stride []int) (*Node, error) {
	if stride == nil {
		stride = slices.Repeat([]int{1}, x.Rank())
	}
	if len(start) != x.Rank() || len(limit) != x.Rank() || len(stride) != x.Rank() {
		return nil, fmt.Errorf("starts %v, limits %v and strides %v for %s, expected one of each for each axis", start, limit, stride, x.Type())
	}
	shape := make([]int, x.Rank())
	whole := true
	for i, d := range x.Shape {
		if start[i] < 0 || start[i] > limit[i] || limit[i] > d || stride[i] < 1 {
			return nil, fmt.Errorf("%d to %d by %d along axis %d of %s, expected 0 ≤ start ≤ limit ≤ %d and a positive stride",
				start[i], limit[i], stride[i], i, x.Type(), d)
		}
		shape[i] = ceil(limit[i]-start[i], stride[i])
		whole = whole && shape[i] == d
	}
	if whole {
		return x, nil
	}
	return g.add(Node{Op: Slice, In: []*Node{x}, Elem: x.Elem, Shape: shape, Attr: SliceAttr{slices.Clone(start), slices.Clone(stride)}})
}

// Reverse turns the order of elements along axes around.
func (g *Graph) Reverse(x *Node, axes []int) (*Node, error) {
	axes, err := axesOf(axes, x)
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return x, nil
	}
	return g.add(Node{Op: Reverse, In: []*Node{x}, Elem: x.Elem, Shape: x.Shape, Attr: AxesAttr{axes}})
}

// PadMode says what lies outside of an array.
type PadMode uint8

// The modes of [Graph.Pad].
const (
	PadConstant  PadMode = iota // the fill value
	PadEdge                     // the nearest element
	PadReflect                  // the elements mirrored at the outermost one, which is not repeated
	PadSymmetric                // the elements mirrored at the edge
	PadWrap                     // the elements again from the other end
)

var padNames = []string{"constant", "edge", "reflect", "symmetric", "wrap"}

// String returns the mode's name.
func (m PadMode) String() string {
	if int(m) >= len(padNames) {
		return fmt.Sprintf("mode(%d)", uint8(m))
	}
	return padNames[m]
}

// PadAttr is the attribute of [Pad]: for each axis the number of elements before, behind, and between any two.
type PadAttr struct {
	Low, High, Interior []int
	Mode                PadMode
}

// String returns low=[1 0] high=[1 0], with interior and mode where they are not the usual ones.
func (a PadAttr) String() string {
	s := fmt.Sprintf("low=%v high=%v", a.Low, a.High)
	if slices.Max(append([]int{0}, a.Interior...)) > 0 {
		s += fmt.Sprintf(" interior=%v", a.Interior)
	}
	if a.Mode != PadConstant {
		s += " " + a.Mode.String()
	}
	return s
}

// Pad surrounds an array. fill, of rank 0, is for [PadConstant] alone, which also takes interior elements, and negative numbers
// before and behind, which drop elements. interior may be nil.
func (g *Graph) Pad(x, fill *Node, low, high, interior []int, mode PadMode) (*Node, error) {
	if interior == nil {
		interior = make([]int, x.Rank())
	}
	if len(low) != x.Rank() || len(high) != x.Rank() || len(interior) != x.Rank() {
		return nil, fmt.Errorf("%v before, %v behind and %v between for %s, expected one number of each for each axis", low, high, interior, x.Type())
	}
	in := []*Node{x}
	if mode == PadConstant {
		if fill.Elem != x.Elem || fill.Rank() != 0 {
			return nil, fmt.Errorf("the fill value of %s is %s, expected elements of %v and rank 0", x.Type(), fill.Type(), x.Elem)
		}
		in = append(in, fill)
	}
	if int(mode) >= len(padNames) {
		return nil, fmt.Errorf("there is no mode %d", mode)
	}
	shape := make([]int, x.Rank())
	same := true
	for i, d := range x.Shape {
		if err := padAxis(i, d, low[i], high[i], interior[i], mode); err != nil {
			return nil, err
		}
		if shape[i] = low[i] + high[i] + d + max(0, d-1)*interior[i]; shape[i] < 0 {
			return nil, fmt.Errorf("%d before and %d behind remove more elements than %s has along axis %d", low[i], high[i], x.Type(), i)
		}
		same = same && low[i] == 0 && high[i] == 0 && interior[i] == 0
	}
	if same {
		return x, nil
	}
	return g.add(Node{Op: Pad, In: in, Elem: x.Elem, Shape: shape,
		Attr: PadAttr{slices.Clone(low), slices.Clone(high), slices.Clone(interior), mode}})
}

func padAxis(axis, extent, low, high, interior int, mode PadMode) error {
	most := max(low, high)
	switch {
	case max(most, -min(low, high), interior) > MaxElements:
		return fmt.Errorf("%d elements before, %d behind and %d between along axis %d, expected at most %d", low, high, interior, axis, MaxElements)
	case interior < 0:
		return fmt.Errorf("%d elements between any two along axis %d, expected 0 or more", interior, axis)
	case mode == PadConstant:
		return nil
	case interior != 0 || min(low, high) < 0:
		return fmt.Errorf("mode %v along axis %d takes no elements between others and no negative numbers", mode, axis)
	case extent == 0 && most > 0:
		return fmt.Errorf("mode %v needs elements along axis %d, which has none", mode, axis)
	}
	return nil
}

// WindowAttr is the attribute of [Window].
type WindowAttr struct{ Size, Stride, Dilation []int }

// String returns size=[3 3] stride=[2 2] dilation=[1 1].
func (a WindowAttr) String() string {
	return fmt.Sprintf("size=%v stride=%v dilation=%v", a.Size, a.Stride, a.Dilation)
}

// Window views an array as windows: for an array of rank r, axis i of the result counts windows and axis r+i the elements of a
// window along axis i, which lie dilation[i] apart. Windows start stride[i] apart and lie inside the array.
func (g *Graph) Window(x *Node, size, stride, dilation []int) (*Node, error) {
	r := x.Rank()
	if len(size) != r || len(stride) != r || len(dilation) != r {
		return nil, fmt.Errorf("sizes %v, strides %v and dilations %v for %s, expected one of each for each axis", size, stride, dilation, x.Type())
	}
	shape := make([]int, 2*r)
	for i, d := range x.Shape {
		if min(size[i], stride[i], dilation[i]) < 1 || max(size[i], stride[i], dilation[i]) > MaxElements {
			return nil, fmt.Errorf("size %d, stride %d, dilation %d along axis %d, expected 1 to %d", size[i], stride[i], dilation[i], i, MaxElements)
		}
		shape[i], shape[r+i] = max(0, (d-(size[i]-1)*dilation[i]-1+stride[i])/stride[i]), size[i]
		if d < (size[i]-1)*dilation[i]+1 {
			shape[i] = 0
		}
	}
	return g.add(Node{Op: Window, In: []*Node{x}, Elem: x.Elem, Shape: shape,
		Attr: WindowAttr{slices.Clone(size), slices.Clone(stride), slices.Clone(dilation)}})
}

// Concat joins arrays along an axis.
func (g *Graph) Concat(axis int, in ...*Node) (*Node, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("no arrays, expected at least one")
	}
	axis, err := AxisOf(axis, in[0])
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(in[0].Shape)
	shape[axis] = 0
	for i, x := range in {
		same := x.Elem == in[0].Elem && x.Rank() == len(shape)
		for j := range shape {
			same = same && (j == axis || x.Shape[j] == shape[j])
		}
		if !same {
			return nil, fmt.Errorf("array 1 is %s and array %d %s, expected the same but for axis %d", in[0].Type(), i+1, x.Type(), axis)
		}
		shape[axis] += x.Shape[axis]
	}
	if len(in) == 1 {
		return in[0], nil
	}
	return g.add(Node{Op: Concat, In: in, Elem: in[0].Elem, Shape: shape, Attr: AxisAttr{axis}})
}

func ceil(a, b int) int {
	n := a / b // a+b may be too large
	if a%b > 0 {
		n++
	}
	return n
}
