package ir

import (
	"fmt"
	"slices"
)

// GatherAttr is the attribute of [Gather], in XLA's terms: the result has the axes of indices but for IndexAxis, and among them,
// at OffsetAxes, those of a slice of the operand that are not in Collapsed. The vectors along IndexAxis of the indices hold where
// the slice starts along the axes StartMap of the operand. Slices have SliceSizes; starts are clamped so that they lie inside.
type GatherAttr struct {
	OffsetAxes, Collapsed, StartMap []int
	IndexAxis                       int // the rank of the indices: each is a vector of one
	SliceSizes                      []int
}

// String returns the attribute's fields.
func (a GatherAttr) String() string {
	return fmt.Sprintf("offset=%v collapsed=%v start=%v index_axis=%d sizes=%v", a.OffsetAxes, a.Collapsed, a.StartMap, a.IndexAxis, a.SliceSizes)
}

// Gather takes slices of an array from where integers say. (XLA, operation semantics, Gather.)
func (g *Graph) Gather(x, indices *Node, a GatherAttr) (*Node, error) {
	if !indices.Elem.IsInt() {
		return nil, fmt.Errorf("indices are %s, expected integers", indices.Type())
	}
	if a.IndexAxis < 0 || a.IndexAxis > indices.Rank() {
		return nil, fmt.Errorf("index axis %d of indices %s, expected 0 to %d", a.IndexAxis, indices.Type(), indices.Rank())
	}
	count := 1
	batch := slices.Clone(indices.Shape)
	if a.IndexAxis < indices.Rank() {
		count = indices.Shape[a.IndexAxis]
		batch = slices.Delete(batch, a.IndexAxis, a.IndexAxis+1)
	}
	start, err := axesOf(a.StartMap, x)
	if err != nil {
		return nil, err
	}
	collapsed, err := axesOf(a.Collapsed, x)
	if err != nil {
		return nil, err
	}
	if len(start) != count || len(a.SliceSizes) != x.Rank() {
		return nil, fmt.Errorf("indices %s have %d numbers each, for the axes %v of %s; slices are of size %v: expected a number for each of these axes, and a size for each axis",
			indices.Type(), count, a.StartMap, x.Type(), a.SliceSizes)
	}
	var rest []int
	for i, n := range a.SliceSizes {
		if n < 0 || n > x.Shape[i] || slices.Contains(collapsed, i) && n != 1 {
			return nil, fmt.Errorf("slices have %d elements along axis %d of %s, expected at most %d, and 1 along the axes %v, which the result lacks",
				n, i, x.Type(), x.Shape[i], a.Collapsed)
		}
		if !slices.Contains(collapsed, i) {
			rest = append(rest, n)
		}
	}
	offset, err := AxesIn(a.OffsetAxes, len(batch)+len(rest), func() string { return "the result" })
	if err != nil {
		return nil, err
	}
	if len(offset) != len(rest) || !slices.IsSorted(offset) {
		return nil, fmt.Errorf("%v are the axes of the slices in the result, expected %d in ascending order", a.OffsetAxes, len(rest))
	}
	shape := make([]int, 0, len(batch)+len(rest))
	for i := range cap(shape) {
		if slices.Contains(offset, i) {
			shape, rest = append(shape, rest[0]), rest[1:]
		} else {
			shape, batch = append(shape, batch[0]), batch[1:]
		}
	}
	return g.add(Node{Op: Gather, In: []*Node{x, indices}, Elem: x.Elem, Shape: shape,
		Attr: GatherAttr{offset, collapsed, start, a.IndexAxis, slices.Clone(a.SliceSizes)}})
}

// TakeAlong takes the element whose index along an axis is that in indices, and along the other axes its own. Indices are clamped.
func (g *Graph) TakeAlong(x, indices *Node, axis int) (*Node, error) {
	axis, err := AxisOf(axis, x)
	if err != nil {
		return nil, err
	}
	if !indices.Elem.IsInt() || indices.Rank() != x.Rank() {
		return nil, fmt.Errorf("indices are %s, expected integers of rank %d", indices.Type(), x.Rank())
	}
	for i, d := range indices.Shape {
		if i != axis && d > x.Shape[i] || d > 0 && x.Shape[i] == 0 {
			return nil, fmt.Errorf("indices %s and the array %s, expected no greater extents but along axis %d", indices.Type(), x.Type(), axis)
		}
	}
	return g.add(Node{Op: TakeAlong, In: []*Node{x, indices}, Elem: x.Elem, Shape: indices.Shape, Attr: AxisAttr{axis}})
}

// DynamicSlice takes a slice of the given sizes that starts where integers say, one for each axis, of rank 0. Starts are
// clamped so that the slice lies inside the array.
func (g *Graph) DynamicSlice(x *Node, starts []*Node, sizes []int) (*Node, error) {
	if err := checkStarts(x, starts, sizes); err != nil {
		return nil, err
	}
	return g.add(Node{Op: DynamicSlice, In: append([]*Node{x}, starts...), Elem: x.Elem, Shape: sizes})
}

// DynamicUpdate replaces the slice that starts where integers say, clamped as for DynamicSlice.
func (g *Graph) DynamicUpdate(x, update *Node, starts []*Node) (*Node, error) {
	if update.Elem != x.Elem || update.Rank() != x.Rank() {
		return nil, fmt.Errorf("the update is %s, the array %s: expected the same element type and rank", update.Type(), x.Type())
	}
	if err := checkStarts(x, starts, update.Shape); err != nil {
		return nil, err
	}
	return g.add(Node{Op: DynamicUpdate, In: append([]*Node{x, update}, starts...), Elem: x.Elem, Shape: x.Shape})
}

func checkStarts(x *Node, starts []*Node, sizes []int) error {
	if len(starts) != x.Rank() || len(sizes) != x.Rank() {
		return fmt.Errorf("%d starts and sizes %v for %s, expected one of each for each axis", len(starts), sizes, x.Type())
	}
	for i, s := range starts {
		if !s.Elem.IsInt() || s.Rank() != 0 {
			return fmt.Errorf("start %d is %s, expected an integer of rank 0", i+1, s.Type())
		}
		if sizes[i] < 0 || sizes[i] > x.Shape[i] {
			return fmt.Errorf("%d elements along axis %d of %s, expected 0 to %d", sizes[i], i, x.Type(), x.Shape[i])
		}
	}
	return nil
}

// ScatterAttr is the attribute of [Scatter], in XLA's terms: the counterpart of [GatherAttr]. The updates have the axes of the
// indices but for IndexAxis, and among them, at WindowAxes, those of the operand that are not in Inserted. Updates that would lie
// outside are dropped. Where several fall on one element they are folded in row-major order of the updates; Fold nil keeps the last.
type ScatterAttr struct {
	WindowAxes, Inserted, StartMap []int
	IndexAxis                      int
	Fold                           *Fold
}

// String returns the attribute's fields.
func (a ScatterAttr) String() string {
	return fmt.Sprintf("window=%v inserted=%v start=%v index_axis=%d", a.WindowAxes, a.Inserted, a.StartMap, a.IndexAxis)
}

// Scatter folds slices into an array where integers say. (XLA, operation semantics, Scatter.)
func (g *Graph) Scatter(x, indices, updates *Node, a ScatterAttr) (*Node, error) {
	if !indices.Elem.IsInt() {
		return nil, fmt.Errorf("indices are %s, expected integers", indices.Type())
	}
	if updates.Elem != x.Elem {
		return nil, fmt.Errorf("updates are %s and the array %s, expected the same element type", updates.Type(), x.Type())
	}
	if a.Fold != nil && !a.Fold.Takes.Has(x.Elem) {
		return nil, fmt.Errorf("the array is %s, expected %s", x.Type(), a.Fold.Takes)
	}
	inserted, err := axesOf(a.Inserted, x)
	if err != nil {
		return nil, err
	}
	start, err := axesOf(a.StartMap, x)
	if err != nil {
		return nil, err
	}
	window, err := axesOf(a.WindowAxes, updates)
	if err != nil {
		return nil, err
	}
	count := 1
	batch := slices.Clone(indices.Shape)
	if a.IndexAxis < 0 || a.IndexAxis > indices.Rank() {
		return nil, fmt.Errorf("index axis %d of indices %s, expected 0 to %d", a.IndexAxis, indices.Type(), indices.Rank())
	}
	if a.IndexAxis < indices.Rank() {
		count = indices.Shape[a.IndexAxis]
		batch = slices.Delete(batch, a.IndexAxis, a.IndexAxis+1)
	}
	if len(start) != count || len(window)+len(inserted) != x.Rank() || len(window)+len(batch) != updates.Rank() || !slices.IsSorted(window) {
		return nil, fmt.Errorf("array %s, indices %s, updates %s with %v: the numbers of axes do not fit", x.Type(), indices.Type(), updates.Type(), a)
	}
	at := 0
	for i, d := range updates.Shape {
		if !slices.Contains(window, i) {
			if d != batch[at] {
				return nil, fmt.Errorf("axis %d of the updates %s has extent %d, expected %d as in the indices %s", i, updates.Type(), d, batch[at], indices.Type())
			}
			at++
		}
	}
	at = 0
	for i, d := range x.Shape {
		if !slices.Contains(inserted, i) {
			if n := updates.Shape[window[at]]; n > d {
				return nil, fmt.Errorf("axis %d of the updates %s has extent %d, expected at most %d as in the array %s", window[at], updates.Type(), n, d, x.Type())
			}
			at++
		}
	}
	return g.add(Node{Op: Scatter, In: []*Node{x, indices, updates}, Elem: x.Elem, Shape: x.Shape,
		Attr: ScatterAttr{window, inserted, start, a.IndexAxis, a.Fold}})
}

// Moves reports whether the indices say where windows begin along an axis of the updates, for an array of the given rank.
func (a ScatterAttr) Moves(rank, axis int) bool {
	k := slices.Index(a.WindowAxes, axis)
	for i := range rank {
		if slices.Contains(a.Inserted, i) {
			continue
		}
		if k == 0 {
			return slices.Contains(a.StartMap, i)
		}
		k--
	}
	return false
}
