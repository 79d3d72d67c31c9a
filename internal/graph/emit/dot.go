package emit

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// dot multiplies tiles of two arrays, in loops along the axes of the sum.
func (e *emitter) dot(x *loops.Expr) value {
	left, right, sum := -1, -1, -1 // the axes that tiles have
	for i, a := range e.kernel.Axes {
		switch {
		case e.axes[i].tile == 1:
		case a.Role == loops.DotLeft:
			left = i
		case a.Role == loops.DotRight:
			right = i
		case a.Role == loops.DotSum:
			sum = i
		}
	}
	size := func(i int) int {
		if i < 0 {
			return 1
		}
		return e.axes[i].tile
	}
	m, n, k := size(left), size(right), size(sum)
	l, r := x.Args[0], x.Args[1]
	start := e.Constant(tileir.SplatConstant(tileir.Tile(irElem(x.Elem), m, n), 0))
	out := e.loop(e.looped(x.Along), []*tileir.Value{start}, func(carried []*tileir.Value) []*tileir.Value {
		a := e.factor(l, [2]int{left, sum}, []int{m, k})
		b := e.factor(r, [2]int{sum, right}, []int{k, n})
		if l.Elem.IsFloat() {
			return []*tileir.Value{e.MmaF(a, b, carried[0])}
		}
		return []*tileir.Value{e.MmaI(a, b, carried[0], signOf(l.Elem), signOf(r.Elem))}
	})
	var dims uint64
	for _, i := range []int{left, right} {
		if i >= 0 {
			dims |= 1 << e.axes[i].dim
		}
	}
	return value{e.reshape(out[0], e.shape(dims)), x.Elem, dims}
}

// factor loads a matrix: its rows and columns lie along two axes, of which one may be -1 for a single row or column.
func (e *emitter) factor(x *loops.Expr, matrix [2]int, shape []int) *tileir.Value {
	factors, _ := x.At.Affine()
	var along []int
	for i := range e.axes {
		if factors[i] != 0 && e.axes[i].tile == 1 {
			along = append(along, i)
		}
	}
	ptr := e.pointers[x.Buffer]
	if x.At.Const != 0 {
		ptr = e.Offset(ptr, e.number(int(x.At.Const)))
	}
	for len(along) > maxViewAxes-2 {
		ptr = e.Offset(ptr, e.MulI(e.at[along[0]], e.number(int(factors[along[0]]))))
		along = along[1:]
	}
	for _, i := range matrix {
		if i >= 0 && factors[i] != 0 {
			along = append(along, i)
		}
	}
	return e.matrix(ptr, x.Elem, along, factors, matrix, shape)
}

// matrix loads the tile of a view along axes, and gives it the shape of a matrix, also where it does not depend on an axis of the
// matrix: there it is repeated.
func (e *emitter) matrix(ptr *tileir.Value, t dtype.Type, along []int, factors map[int]int64, matrix [2]int, shape []int) *tileir.Value {
	tensor := &tileir.TensorViewType{Elem: irElem(t)}
	partition := &tileir.PartitionViewType{Tensor: tensor, Padding: tileir.PadZero}
	var tile []*tileir.Value
	for n, i := range along {
		tensor.Shape = append(tensor.Shape, int64(e.axes[i].extent))
		tensor.Strides = append(tensor.Strides, factors[i])
		partition.Tile = append(partition.Tile, e.axes[i].tile)
		partition.DimMap = append(partition.DimMap, n)
		tile = append(tile, e.at[i])
	}
	kept := []int{1, 1}
	for d, i := range matrix {
		if i >= 0 && factors[i] != 0 {
			kept[d] = shape[d]
		}
	}
	var v *tileir.Value
	if len(along) == 0 {
		v, _ = e.LoadPtrTko(ptr, tileir.MemoryWeak)
	} else {
		v, _ = e.LoadViewTko(e.MakePartitionView(e.MakeTensorView(ptr, nil, nil, tensor), partition), tile, tileir.MemoryWeak)
	}
	v = e.reshape(v, kept)
	if kept[0] != shape[0] || kept[1] != shape[1] {
		v = e.Broadcast(v, shape...)
	}
	return v
}
