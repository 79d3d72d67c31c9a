package emit

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/tileir"
)

// maxViewAxes limits the axes of views and the dimensions of tiles. Further axes, along which a tile has one element, move the first
// element of a view instead.
const maxViewAxes = 4

// window is a view of memory and the tile of it that a block accesses.
type window struct {
	ptr   *tileir.Value // to the element for which all axes are 0
	view  *tileir.Value // nil for a place that depends on no axis
	along []int         // the axes of the view
	shape []int         // of its tiles
	into  bool          // for stores
	dims  uint64        // the dimensions of tiles that it has
}

// view makes a window of memory at a place that is a sum of multiples of axes: one for which viewable holds. The view has the axes
// without a dimension first.
func (e *emitter) view(ptr *tileir.Value, t dtype.Type, at index.Expr, padding tileir.Padding) window {
	return e.viewAs(ptr, t, at, padding, e.dims)
}

// viewInto is view for the result: where the last two tiles overlap, the last one stores what both have.
func (e *emitter) viewInto(ptr *tileir.Value, t dtype.Type, at index.Expr) window {
	return e.windowOf(ptr, t, at, tileir.NoPadding, e.dims, true)
}

// viewAs is view with the dimensions of its tiles in another order, or others.
func (e *emitter) viewAs(ptr *tileir.Value, t dtype.Type, at index.Expr, padding tileir.Padding, dims []int) window {
	return e.windowOf(ptr, t, at, padding, dims, false)
}

func (e *emitter) windowOf(ptr *tileir.Value, t dtype.Type, at index.Expr, padding tileir.Padding, dims []int, into bool) (w window) {
	w.into = into
	factors, _ := at.Affine()
	var along []int
	for i := range e.axes {
		if factors[i] != 0 && !slices.Contains(dims, i) {
			along = append(along, i)
		}
	}
	first, moved := e.number(int(at.Const)), at.Const != 0
	move := func(n *tileir.Value, factor int64) {
		first, moved = e.AddI(first, e.MulI(n, e.number(int(factor)))), true
	}
	for _, i := range e.moved(at, dims) {
		move(e.at[i], factors[i])
		along = slices.DeleteFunc(along, func(a int) bool { return a == i })
	}
	for d, i := range dims {
		if factors[i] != 0 {
			along, w.dims = append(along, i), w.dims|1<<d
			switch {
			case e.axes[i].shift && into:
				move(e.ofLast(i, e.axes[i].extent-e.axes[i].tile, e.number(0)), factors[i])
			case e.axes[i].shift:
				move(e.start(i), factors[i])
			}
		}
	}
	w.ptr = ptr
	if moved {
		w.ptr = e.Offset(ptr, first)
	}
	if len(along) == 0 {
		return w
	}
	var dynamic []*tileir.Value
	tensor := &tileir.TensorViewType{Elem: irElem(t)}
	partition := &tileir.PartitionViewType{Tensor: tensor, Padding: padding}
	for n, i := range along {
		extent := int64(e.axes[i].extent)
		switch a := &e.axes[i]; {
		case a.shift && into:
			extent = tileir.Dynamic
			dynamic = append(dynamic, e.ofLast(i, a.tile, e.number(a.extent-a.tile)))
		case a.shift:
			extent = int64(a.tile)
		}
		tensor.Shape = append(tensor.Shape, extent)
		tensor.Strides = append(tensor.Strides, factors[i])
		partition.Tile = append(partition.Tile, e.axes[i].tile)
		partition.DimMap = append(partition.DimMap, n)
	}
	w.along = along
	w.view, w.shape = e.MakePartitionView(e.MakeTensorView(w.ptr, dynamic, nil, tensor), partition), partition.Tile
	return w
}

// moved lists the axes without a dimension that move the first element of a view, which has no room for them: the first ones, as a block
// goes in loops along the last ones.
func (e *emitter) moved(at index.Expr, dims []int) []int {
	factors, _ := at.Affine()
	var along []int
	for i := range e.axes {
		if factors[i] != 0 && !slices.Contains(dims, i) {
			along = append(along, i)
		}
	}
	return along[:min(len(along), max(0, len(along)+len(dims)-maxViewAxes))]
}

// tile gives the place of the tile that a block is at among those of a window.
func (e *emitter) tile(w window) (at []*tileir.Value) {
	for _, i := range w.along {
		switch {
		case e.axes[i].shift && w.into:
			at = append(at, e.ofLast(i, 0, e.at[i]))
		case e.axes[i].shift:
			at = append(at, e.number(0))
		default:
			at = append(at, e.at[i])
		}
	}
	return at
}

// ofLast is a number for the last tile along an axis, and another one for others.
func (e *emitter) ofLast(axis, last int, other *tileir.Value) *tileir.Value {
	is := e.CmpI(e.at[axis], e.number(e.axes[axis].tiles()-1), tileir.CompareEqual, tileir.Signed)
	return e.Select(is, e.number(last), other)
}

// loadWindow loads the tile of a window.
func (e *emitter) loadWindow(w window) *tileir.Value {
	var v *tileir.Value
	if w.view == nil {
		v, _ = e.LoadPtrTko(w.ptr, tileir.MemoryWeak)
	} else {
		v, _ = e.LoadViewTko(w.view, e.tile(w), tileir.MemoryWeak)
	}
	return v
}

// viewable reports whether a place is a sum of positive multiples of axes.
func viewable(at index.Expr) bool {
	factors, ok := at.Affine()
	for _, f := range factors {
		ok = ok && f > 0
	}
	return ok && at.Const >= 0
}
