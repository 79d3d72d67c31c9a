package cpu

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// A tensor view lies in the arena as its address, its extents and its strides, all 64-bit.

// maxRank is the most dimensions a view may have here.
const maxRank = 8

// generateMakeTensorView compiles make_tensor_view.
func generateMakeTensorView(c *compiler, op *tileir.Op) (step, error) {
	t := op.Results[0].Type.(*tileir.TensorViewType)
	if len(t.Shape) > maxRank {
		return nil, unsupported(op, t, fmt.Sprintf("its rank is above %d", maxRank))
	}
	d, base := c.off(op.Results[0]), c.off(op.Operands[0])
	fixed, dynamic := c.viewFields(t.Shape, op.Group(1), 0)
	f2, d2 := c.viewFields(t.Strides, op.Group(2), len(t.Shape))
	fixed, dynamic = append(fixed, f2...), append(dynamic, d2...)
	checks := c.strideChecks(op, t.Strides)
	return func(f *frame) signal {
		view := tile[int64](f, d, 1+2*len(t.Shape))
		view[0] = *at[int64](f, base)
		for i := range fixed {
			view[fixed[i].index] = fixed[i].value
		}
		for i := range dynamic {
			view[dynamic[i].index] = dynamic[i].read(f, dynamic[i].off)
		}
		for i := range checks {
			if extent := view[1+checks[i].axis]; extent != 1 && checks[i].check(f) != sigNext {
				return sigFault
			}
		}
		return sigNext
	}, nil
}

// viewField is an extent or stride: a number, or where to read it.
type viewField struct {
	index int
	value int64
	read  func(*frame, slot) int64
	off   slot
}

func (c *compiler) viewFields(values []int64, operands []*tileir.Value, first int) (fixed, dynamic []viewField) {
	for i, v := range values {
		if v != tileir.Dynamic {
			fixed = append(fixed, viewField{index: 1 + first + i, value: v})
			continue
		}
		dynamic = append(dynamic, viewField{index: 1 + first + i, read: c.reader(operands[0], true), off: c.off(operands[0])})
		operands = operands[1:]
	}
	return fixed, dynamic
}

// generateGetTensorShape compiles get_tensor_shape.
func generateGetTensorShape(c *compiler, op *tileir.Op) (step, error) {
	src := c.off(op.Operands[0])
	return c.storeInts(op, func(f *frame, i int) int64 { return *at[int64](f, src+slot(8+8*i)) }), nil
}

// generateGetIndexSpaceShape compiles get_index_space_shape: how many tiles begin inside the tensor.
func generateGetIndexSpaceShape(c *compiler, op *tileir.Op) (step, error) {
	src := c.off(op.Operands[0])
	v := viewOf(op.Operands[0].Type.(tileir.ViewType))
	return c.storeInts(op, func(f *frame, i int) int64 {
		extent := *at[int64](f, src+slot(8+8*v.axes[i].Dim))
		return ceilDiv(max(0, extent), v.axes[i].Step)
	}), nil
}

// storeInts writes one number to each result.
func (c *compiler) storeInts(op *tileir.Op, number func(f *frame, i int) int64) step {
	offs, size := make([]slot, len(op.Results)), 8
	for i, r := range op.Results {
		offs[i], size = c.off(r), tileType(r).Elem.Bytes()
	}
	return func(f *frame) signal {
		for i, s := range offs {
			writeInt(f, s, size, number(f, i))
		}
		return sigNext
	}
}

// tileView is what a type says about the tiles of a view.
type tileView struct {
	tile    []int
	axes    []tileir.ViewAxis
	sparse  int // the axis that is indexed element by element, or -1
	padding tileir.Padding
	elem    tileir.Elem
	rank    int // of the tensor
}

func viewOf(t tileir.ViewType) tileView {
	isSparse := func(a tileir.ViewAxis) bool { return a.Sparse }
	axes := t.Axes()
	return tileView{t.TileType().Shape, axes, slices.IndexFunc(axes, isSparse), t.PaddingValue(), t.TensorView().Elem, len(t.TensorView().Shape)}
}

// access is a load, store or atomic reduction through a view.
type access struct {
	tileView
	op       *tileir.Op
	view     slot
	index    []slot
	read     []func(*frame, slot) int64
	inbounds []bool // promises, nil if they are not checked
	size     int    // bytes of an element of the tile
	halves   bool   // elements take half a byte of memory
	dense    []int  // strides of the tile
	order    []int  // its dimensions, as they lie in the arena from the outermost on
	elems    int    // of the tile
	pad      uint64 // what a load finds outside the tensor
	pick     func(*frame, slot, int) int64
	copies   *nativeCopy // nil if elements are copied by Go code
	watch    *watcher    // nil if the device does not check
}

// newAccess prepares the access of an operation. Its tile has the rank of its tensor view, which is at most maxRank.
func (c *compiler) newAccess(op *tileir.Op, view *tileir.Value, index []*tileir.Value) *access {
	a := &access{tileView: viewOf(view.Type.(tileir.ViewType)), op: op, view: c.off(view), watch: c.watcher(op)}
	a.halves = a.elem.PerByte() > 1
	a.size, a.elems = a.elem.Bytes(), 1
	a.dense, a.order = c.plan.turned.turn(op, a.tile)
	for _, n := range a.tile {
		a.elems *= n
	}
	for i, v := range index {
		a.index = append(a.index, c.need(v))
		a.read = append(a.read, c.reader(v, true))
		if i == a.sparse {
			a.pick = picker(tileType(v).Elem.Bytes())
		}
	}
	if in, ok := op.Attr("inbounds").(tileir.Bools); ok && c.device.assumes {
		a.inbounds = in
	}
	a.copies = c.copiesOfView(a, view.Type.(tileir.ViewType).TensorView())
	return a
}

// picker reads the i-th integer of a tile.
func picker(size int) func(f *frame, s slot, i int) int64 {
	switch size {
	case 1:
		return func(f *frame, s slot, i int) int64 { return int64(*at[int8](f, s+slot(i))) }
	case 2:
		return func(f *frame, s slot, i int) int64 { return int64(*at[int16](f, s+slot(2*i))) }
	case 4:
		return func(f *frame, s slot, i int) int64 { return int64(*at[int32](f, s+slot(4*i))) }
	}
	return func(f *frame, s slot, i int) int64 { return *at[int64](f, s+slot(8*i)) }
}

// region is the part of a tile that lies inside the tensor.
type region struct {
	lo, hi [maxRank]int   // in the tile
	start  [maxRank]int64 // the tensor's index of the tile's first element
	stride [maxRank]int   // in memory, in elements
	whole  bool
	empty  bool
	memory ptr // the region's element with the lowest address
	zero   int // from there to the element with index zero in all dimensions, in elements
}

// locate finds the region of an access, checks that all of it lies in memory, and watches it where that was asked for. It
// reports false after a fault.
func (a *access) locate(f *frame, r *region) bool {
	if f.watch == nil || a.watch == nil {
		return a.find(f, r)
	}
	return a.find(f, r) && a.watch.note(f, a, r)
}

func (a *access) find(f *frame, r *region) bool {
	view := tile[int64](f, a.view, 1+2*a.rank)
	r.whole, r.empty = true, false
	for i, n := range a.tile {
		extent, stride := view[1+a.axes[i].Dim], view[1+a.rank+a.axes[i].Dim]
		r.stride[i] = int(stride)
		if i == a.sparse {
			r.lo[i], r.hi[i] = 0, n
			continue
		}
		k := a.read[i](f, a.index[i])
		start := k * a.axes[i].Step
		if k > math.MaxInt64/a.axes[i].Step || k < math.MinInt64/a.axes[i].Step {
			start = math.MinInt64 / 2
		}
		r.start[i] = start
		lo, hi := max(0, -start), min(int64(n), extent-start)
		if start < -int64(n) || start >= extent {
			lo, hi = 0, 0
		}
		r.lo[i], r.hi[i] = int(lo), int(max(lo, hi))
		inside := lo == 0 && hi == int64(n)
		r.whole, r.empty = r.whole && inside, r.empty || lo >= hi
		if !inside && i < len(a.inbounds) && a.inbounds[i] {
			f.fail(a.op, "%s promised to be in bounds: index %d of dimension %d is %s of %d",
				spoken.Op(a.op), k, i, a.elements(i, k), extent)
			return false
		}
	}
	if r.empty {
		return true
	}
	return a.check(f, view, r)
}

// elements says which elements of a dimension a tile at an index has, also where their numbers do not fit 64 bits.
func (a *access) elements(dim int, index int64) string {
	first := new(big.Int).Mul(big.NewInt(index), big.NewInt(a.axes[dim].Step))
	last := new(big.Int).Add(first, big.NewInt(int64(a.tile[dim])-1))
	return fmt.Sprintf("elements %d to %d", first, last)
}

// check finds the lowest and highest element of a region and makes sure that both lie in one allocation.
func (a *access) check(f *frame, view []int64, r *region) bool {
	lowest, highest, size := int64(0), int64(0), 0.0
	for i := range a.tile {
		first, last := r.start[i]+int64(r.lo[i]), r.start[i]+int64(r.hi[i])-1
		if i == a.sparse {
			var any bool
			if first, last, any = a.sparseRange(f, view, r, i); !any {
				r.whole, r.empty = false, true
				return true
			}
		}
		s := int64(r.stride[i])
		lowest, highest = lowest+min(first*s, last*s), highest+max(first*s, last*s)
		size += math.Abs(float64(last)) * math.Abs(float64(s))
	}
	base := uint64(view[0])
	if size > offsetBias {
		f.fail(a.op, "%s", outside(spoken.Op(a.op), a.elem, fmt.Sprintf("an element index of about %.3g", size)))
		return false
	}
	if base&upperHalf != 0 {
		f.fail(a.op, "%s of %s from the middle of the byte at address %#x", spoken.Op(a.op), a.elem, base&^upperHalf)
		return false
	}
	if base&uint64(a.size-1) != 0 {
		f.fail(a.op, "%s of %s at address %#x, which is not aligned to %d bytes", spoken.Op(a.op), a.elem, base, a.size)
		return false
	}
	unit := int64(a.size)
	from, bytes := lowest*unit, (highest-lowest+1)*unit
	if a.halves {
		from = lowest >> 1
		bytes = highest>>1 - from + 1
		unit = 0
	}
	p, text := f.resolve(base+uint64(from), bytes, unit)
	if text != "" {
		f.fail(a.op, "%s", outside(spoken.Op(a.op), a.elem, fmt.Sprintf("elements %d to %d from the view's base are %s", lowest, highest, text)))
		return false
	}
	if r.memory, r.zero = p, int(-lowest); a.halves {
		r.zero = int(-2 * from)
	}
	return true
}

// sparseRange finds the least and greatest index that lies inside the tensor, and whether there is any.
func (a *access) sparseRange(f *frame, view []int64, r *region, dim int) (first, last int64, any bool) {
	extent := view[1+dim]
	for j := range a.tile[dim] {
		if j%pollElems == 0 {
			f.poll()
		}
		k := a.pick(f, a.index[dim], j)
		if k < 0 || k >= extent {
			r.whole = false
			continue
		}
		if !any {
			first, last, any = k, k, true
		}
		first, last = min(first, k), max(last, k)
	}
	return first, last, any
}

// each calls visit for every run of a region along the last dimension that is not sparse: where it is in the tile, and
// in memory, both in elements, how long it is and how far apart its elements are. With a sparse last dimension runs
// have one element. Long runs are visited in parts, with a look whether the launch is to end before each.
func (a *access) each(f *frame, r *region, dim, inTile, inMemory int, visit func(inTile, inMemory, n, stride int)) {
	last := dim == len(a.tile)-1
	if dim == a.sparse {
		extent := *at[int64](f, a.view+slot(8+8*dim))
		for j := range a.tile[dim] {
			if j%pollElems == 0 {
				f.poll()
			}
			k := a.pick(f, a.index[dim], j)
			switch {
			case k < 0 || k >= extent:
			case last:
				visit(inTile+j, inMemory+int(k)*r.stride[dim], 1, 1)
			default:
				a.each(f, r, dim+1, inTile+j*a.dense[dim], inMemory+int(k)*r.stride[dim], visit)
			}
		}
		return
	}
	if last {
		for lo := r.lo[dim]; lo < r.hi[dim]; lo += pollElems {
			f.poll()
			visit(inTile+lo, inMemory+(int(r.start[dim])+lo)*r.stride[dim], min(pollElems, r.hi[dim]-lo), r.stride[dim])
		}
		return
	}
	for j := r.lo[dim]; j < r.hi[dim]; j++ {
		a.each(f, r, dim+1, inTile+j*a.dense[dim], inMemory+(int(r.start[dim])+j)*r.stride[dim], visit)
	}
}
