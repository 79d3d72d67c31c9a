package emit

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// Code is a kernel as Tile IR. Its parameters are [Args].
type Code struct {
	Module *tileir.Module
	Entry  string
	Grid   [3]uint32
}

// value is a tile. It has the extent of its axis along the dimensions in dims, and 1 along the others.
type value struct {
	v    *tileir.Value
	elem dtype.Type
	dims uint64
}

// emitter writes one kernel.
type emitter struct {
	*tileir.Builder
	kernel *loops.Kernel
	axes   []axis
	dims   []int           // the axis of each dimension of tiles
	at     []*tileir.Value // the tile along each axis, a number; nil outside of the loop of a folded axis
	arrays map[*loops.Buffer]array
	scopes []map[int]known // by the numbers of expressions, one map for each loop
	bound  []int           // for each axis the loop that its tile comes from, 0 for none
	loops  int             // so far
}

// known is a value that has been computed, and from which loops its axes had their tiles.
type known struct {
	value
	bound []int
}

// Kernel writes a kernel with tiles of the given sizes.
func Kernel(k *loops.Kernel, sizes Sizes) (*Code, error) {
	e := &emitter{Builder: tileir.NewBuilder(), kernel: k, arrays: map[*loops.Buffer]array{}}
	e.axes, e.dims = sizes.divide(k)
	code, args := &Code{Entry: k.Name()}, Args(k)
	params := make([]tileir.Type, len(args))
	for i, a := range args {
		params[i] = tileir.PointerTile(irElem(a.Buffer.Elem()))
	}
	e.Entry(code.Entry, params, func(params []*tileir.Value) {
		for i, a := range args {
			e.arrays[a.Buffer] = array{params[i], a.First}
		}
		code.Grid = e.blocks()
		e.scopes, e.bound = []map[int]known{{}}, make([]int, len(e.axes))
		if k.Scatter {
			e.scatter()
		} else {
			e.store()
		}
		e.Return()
	})
	m, err := e.Build(tileir.Newest)
	if err != nil {
		return nil, fmt.Errorf("BUG: graph: %w in\n%v", err, k)
	}
	code.Module = m
	return code, nil
}

// irElem gives the element type of Tile IR.
func irElem(t dtype.Type) tileir.Elem { return irElems[t] }

var irElems = func() map[dtype.Type]tileir.Elem {
	m := map[dtype.Type]tileir.Elem{}
	for _, t := range dtype.Types() {
		m[t], _ = tileir.ElemByName(elem.Table[t].IR)
	}
	return m
}()

// blocks finds the tile of a block along each axis that blocks divide, and gives the grid.
func (e *emitter) blocks() [3]uint32 {
	e.at = make([]*tileir.Value, len(e.axes))
	var divided []int // axes with several tiles, the last first
	for i := len(e.axes) - 1; i >= 0; i-- {
		switch role := e.kernel.Axes[i].Role; {
		case e.axes[i].tiles() == 1:
			e.at[i] = e.number(0)
		case role == loops.Grid || role == loops.DotLeft || role == loops.DotRight:
			divided = append(divided, i)
		}
	}
	grid := [3]uint32{1, 1, 1}
	if len(divided) == 0 {
		return grid
	}
	ids := make([]*tileir.Value, 3)
	ids[0], ids[1], ids[2] = e.GetTileBlockId()
	for d, i := range divided {
		n := e.axes[i].tiles()
		if d < 2 || len(divided) == 3 && d == 2 {
			grid[d], e.at[i] = uint32(n), ids[d]
			continue
		}
		grid[2] *= uint32(n) // the last dimension of the grid counts all other axes
		if d == len(divided)-1 {
			e.at[i] = ids[2]
			continue
		}
		e.at[i] = e.RemI(ids[2], e.number(n), tileir.Signed)
		ids[2] = e.DivI(ids[2], e.number(n), tileir.Signed)
	}
	return grid
}

// store computes the kernel's value and stores it, in loops along the axes that a block goes along.
func (e *emitter) store() {
	var along []int
	for i, a := range e.axes {
		if a.looped && e.kernel.Axes[i].Role == loops.Row {
			along = append(along, i)
		}
	}
	if scan := e.scanIn(e.kernel.Value); scan != nil && slices.Contains(along, scan.Along[0]) {
		others := slices.DeleteFunc(along, func(i int) bool { return i == scan.Along[0] })
		e.loop(others, nil, func([]*tileir.Value) []*tileir.Value {
			e.longScan(scan, scan.Along[0])
			return nil
		})
		return
	}
	e.hoist(e.kernel.Value, axesOf(along))
	e.loop(along, nil, func([]*tileir.Value) []*tileir.Value {
		e.write(e.eval(e.kernel.Value))
		return nil
	})
}

// scanIn finds the scan of a kernel.
func (e *emitter) scanIn(x *loops.Expr) *loops.Expr {
	for x.Kind == loops.Convert {
		x = x.Args[0]
	}
	if x.Kind == loops.Scan {
		return x
	}
	return nil
}

// write stores a tile of the result.
func (e *emitter) write(x value) {
	ptr, at := e.place(e.kernel.Into, e.kernel.At)
	v := e.viewInto(ptr, e.kernel.Into.Elem(), at)
	x = e.expand(x, v.dims)
	if v.view == nil {
		e.StorePtrTko(v.ptr, e.reshape(x.v, nil), tileir.MemoryWeak)
		return
	}
	e.StoreViewTko(e.reshape(x.v, v.shape), v.view, e.tile(v), tileir.MemoryWeak)
}

// loop runs body for each tile along axes, with carried values.
func (e *emitter) loop(along []int, carried []*tileir.Value, body func([]*tileir.Value) []*tileir.Value) []*tileir.Value {
	if len(along) == 0 {
		return body(carried)
	}
	i := along[0]
	old, bound := e.at[i], e.bound
	turn := func(at *tileir.Value, carried []*tileir.Value) []*tileir.Value {
		e.loops++
		e.at[i], e.bound = at, slices.Clone(bound)
		e.bound[i] = e.loops
		e.scopes = append(e.scopes, map[int]known{})
		carried = e.loop(along[1:], carried, body)
		e.scopes = e.scopes[:len(e.scopes)-1]
		return carried
	}
	if e.unrolls(along) {
		for n := range e.axes[i].tiles() {
			carried = turn(e.number(n), carried)
		}
	} else {
		carried = e.For(e.number(0), e.number(e.axes[i].tiles()), e.number(1), carried, func(at *tileir.Value, carried []*tileir.Value) {
			e.Continue(turn(at, carried)...)
		})
	}
	e.at[i], e.bound = old, bound
	return carried
}

// mostUnrolled is the most turns of loops that are written out. A window of 5 by 5 elements has that many.
const mostUnrolled = 25

// unrolls reports whether the turns of nested loops are written out: of those along windows of few elements, which do little each, so that
// engines keep what a turn hands on to the next one in registers.
func (e *emitter) unrolls(along []int) bool {
	turns := 1
	for _, i := range along {
		if !e.axes[i].short {
			return false
		}
		turns *= e.axes[i].tiles()
	}
	return turns <= mostUnrolled
}

// hoist computes what does not depend on axes before the loops along them begin.
func (e *emitter) hoist(x *loops.Expr, along loops.Axes) {
	if along == 0 {
		return
	}
	if x.Uses&along == 0 {
		if x.Kind != loops.Const && e.placed(x) {
			e.eval(x)
		}
		return
	}
	if x.Kind == loops.Dot { // its factors are matrices
		return
	}
	for _, a := range x.Args {
		e.hoist(a, along)
	}
}

// placed reports whether all axes that an expression depends on have tiles now.
func (e *emitter) placed(x *loops.Expr) bool {
	for i, at := range e.at {
		if at == nil && x.Uses.Has(i) {
			return false
		}
	}
	return true
}

func axesOf(list []int) (a loops.Axes) {
	for _, i := range list {
		a |= 1 << i
	}
	return a
}

// shape gives the extents of a tile that has those dimensions.
func (e *emitter) shape(dims uint64) []int {
	shape := make([]int, len(e.dims))
	for d, i := range e.dims {
		shape[d] = 1
		if dims>>d&1 != 0 {
			shape[d] = e.axes[i].tile
		}
	}
	return shape
}

// expand repeats a tile along further dimensions.
func (e *emitter) expand(x value, dims uint64) value {
	if x.dims|dims == x.dims {
		return x
	}
	dims |= x.dims
	return value{e.Broadcast(x.v, e.shape(dims)...), x.elem, dims}
}

// reshape gives a tile another shape.
func (e *emitter) reshape(v *tileir.Value, shape []int) *tileir.Value {
	if slices.Equal(v.Type.(*tileir.TileType).Shape, shape) {
		return v
	}
	return e.Reshape(v, shape...)
}

// number is an integer of 32 bits.
func (e *emitter) number(n int) *tileir.Value {
	return e.Constant(tileir.IntConstant(tileir.Tile(tileir.I32), int64(n)))
}

// splat is a tile of one element.
func (e *emitter) splat(t dtype.Type, bits uint64) value {
	return value{e.Constant(tileir.SplatConstant(tileir.Tile(irElem(t), e.shape(0)...), bits)), t, 0}
}
