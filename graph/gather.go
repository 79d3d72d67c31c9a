package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// GatherAxes describes a [GatherSlices] or [ScatterSlices] in XLA's terms (operation semantics, Gather and Scatter).
type GatherAxes struct {
	OffsetAxes []int // the axes of the result, or of the updates, that a slice has, in ascending order
	Collapsed  []int // the axes of the array that it lacks: slices have one element along them
	StartMap   []int // the axes of the array for which an index vector has numbers
	IndexAxis  int   // the axis of the indices along which vectors lie; their rank if each index is a vector of one
}

// GatherSlices takes slices of the given sizes from where vectors of integers say. Starts are clamped so that slices lie inside.
// The result has the axes of the indices without IndexAxis, and among them those of the slices.
func GatherSlices(x, indices *Value, axes GatherAxes, sizes []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		return g.Gather(in[0], in[1], ir.GatherAttr{OffsetAxes: axes.OffsetAxes, Collapsed: axes.Collapsed, StartMap: axes.StartMap, IndexAxis: axes.IndexAxis, SliceSizes: sizes})
	}, x, indices)
}

// Gather takes the parts of x at indices along an axis: the result has the axes of indices in place of that axis. Indices are
// clamped to those that the axis has. An embedding is Gather(table, tokens, 0).
func Gather(x, indices *Value, axis int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x, indices := in[0], in[1]
		axis, err := ir.AxisOf(axis, x)
		if err != nil {
			return nil, err
		}
		a := ir.GatherAttr{Collapsed: []int{axis}, StartMap: []int{axis}, IndexAxis: indices.Rank(), SliceSizes: slices.Clone(x.Shape)}
		if x.Shape[axis] == 0 && indices.Len() > 0 {
			return nil, fmt.Errorf("axis %d of %s has no elements", axis, x.Type())
		}
		a.SliceSizes[axis] = min(1, x.Shape[axis])
		for i := range x.Rank() + indices.Rank() - 1 {
			if i < axis || i >= axis+indices.Rank() {
				a.OffsetAxes = append(a.OffsetAxes, i)
			}
		}
		return g.Gather(x, indices, a)
	}, x, indices)
}

// TakeAlong takes the element whose index along an axis is that in indices, and along the other axes its own. Indices are clamped.
func TakeAlong(x, indices *Value, axis int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.TakeAlong(in[0], in[1], axis) }, x, indices)
}

// DynamicSlice takes a slice of the given sizes that starts where integers of rank 0 say, one for each axis. Starts are clamped so
// that the slice lies inside.
func DynamicSlice(x *Value, starts []*Value, sizes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.DynamicSlice(in[0], in[1:], sizes) }, append([]*Value{x}, starts...)...)
}

// DynamicUpdate replaces the slice of x that starts where integers of rank 0 say, clamped as by [DynamicSlice], by update.
func DynamicUpdate(x, update *Value, starts ...*Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.DynamicUpdate(in[0], in[1], in[2:]) }, append([]*Value{x, update}, starts...)...)
}

// Fold says how [ScatterSlices] joins elements.
type Fold string

// The folds.
const (
	FoldReplace Fold = "" // the last update stays
	FoldSum     Fold = "sum"
	FoldProd    Fold = "prod"
	FoldMax     Fold = "max"
	FoldMin     Fold = "min"
)

// ScatterSlices joins updates with the elements of x where vectors of integers say: the counterpart of [GatherSlices]. Updates that
// would lie outside, in part or as a whole, are dropped. Several for one element are joined in row-major order of the updates,
// and each result is rounded to the element type: convert arrays of short floats where many are added.
func ScatterSlices(x, indices, updates *Value, axes GatherAxes, fold Fold) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		a := ir.ScatterAttr{WindowAxes: axes.OffsetAxes, Inserted: axes.Collapsed, StartMap: axes.StartMap, IndexAxis: axes.IndexAxis}
		if fold != FoldReplace {
			if a.Fold = ir.FoldNamed(string(fold)); a.Fold == nil {
				return nil, fmt.Errorf("unknown fold %q", fold)
			}
		}
		return g.Scatter(in[0], in[1], in[2], a)
	}, x, indices, updates)
}

// ArgSort gives, for each place along an axis, the index of the element that belongs there when they are sorted, as int32. Equal
// elements keep their order; a NaN is greater than any number. An axis has at most 65536 elements.
func ArgSort(x *Value, axis int, descending bool) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		return g.ArgSort(in[0], ir.ArgSortAttr{Axis: axis, Descending: descending})
	}, x)
}

// Sort sorts elements along an axis of at most 65536 elements, as [ArgSort] does.
func Sort(x *Value, axis int, descending bool) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		order, err := g.ArgSort(in[0], ir.ArgSortAttr{Axis: axis, Descending: descending})
		if err != nil {
			return nil, err
		}
		return g.TakeAlong(in[0], order, axis)
	}, x)
}

// OneHot returns an array with one more axis, the last, of extent n: 1 at the index that x has there, else 0.
func OneHot(x *Value, n int, elem dtype.Type) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x := in[0]
		if err := elements(x, ir.Numbers); err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, fmt.Errorf("%d elements for each of %s, expected at least 0", n, x.Type())
		}
		shape := append(slices.Clone(x.Shape), n)
		at, err := g.Iota(x.Elem, shape, len(shape)-1)
		if err != nil {
			return nil, err
		}
		if x, err = g.Reshape(x, append(slices.Clone(x.Shape), 1)); err != nil {
			return nil, err
		}
		if x, err = expanded(g, x, shape); err != nil {
			return nil, err
		}
		if x, err = g.Pointwise("eq", x, at); err != nil {
			return nil, err
		}
		return g.Convert(x, elem)
	}, x)
}

// Split divides an array along an axis into parts of the given sizes.
func Split(x *Value, axis int, sizes ...int) []*Value {
	parts := make([]*Value, len(sizes))
	g, in, ok := nodes(x)
	bad := &Value{g: g}
	if ok {
		bad = g.splits(in[0], axis, sizes)
	}
	from := 0
	for i, n := range sizes {
		if parts[i] = bad; bad == nil {
			parts[i] = Narrow(x, axis, from, from+n)
		}
		from += n
	}
	return parts
}

// splits checks that the sizes of parts add up. The result is nil, or stands for a mistake.
func (g *Graph) splits(x *ir.Node, axis int, sizes []int) *Value {
	i, err := ir.AxisOf(axis, x)
	if err != nil {
		return g.fail(err)
	}
	left, fits := x.Shape[i], true
	for _, n := range sizes {
		left -= n
		fits = fits && n >= 0 && left >= 0
	}
	if !fits || left > 0 {
		return g.fail(fmt.Errorf("sizes %v along axis %d of %s, expected numbers that add up to %d", sizes, axis, x.Type(), x.Shape[i]))
	}
	return nil
}

// Stack joins arrays of one shape along a new axis.
func Stack(axis int, values ...*Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		first := in[0]
		shape, err := withAxes(first, []int{axis})
		if err != nil {
			return nil, err
		}
		for i, x := range in {
			if x.Elem != first.Elem || !slices.Equal(x.Shape, first.Shape) {
				return nil, fmt.Errorf("array 1 is %s and array %d %s, expected the same", first.Type(), i+1, x.Type())
			}
			if in[i], err = g.Reshape(x, shape); err != nil {
				return nil, err
			}
		}
		return g.Concat(axis, in...)
	}, values...)
}
