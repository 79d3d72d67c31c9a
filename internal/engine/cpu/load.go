package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// generateLoadView compiles load_view_tko: one check for the tile, then copies of rows.
func generateLoadView(c *compiler, op *tileir.Op) (step, error) {
	a, err := c.newLoad(op)
	if err != nil {
		return nil, err
	}
	d := c.off(op.Results[0])
	c.copiesView(a)
	return func(f *frame) signal {
		var r region
		if !a.locate(f, &r) {
			return sigFault
		}
		a.fetch(f, &r, unsafe.Add(f.mem, d))
		if a.watch != nil {
			a.watch.acquire(f, a, &r)
		}
		return sigNext
	}, nil
}

// newLoad prepares the access of a load.
func (c *compiler) newLoad(op *tileir.Op) (*access, error) {
	return c.newLoadAt(op, op.Operands[0], op.Group(1))
}

// newLoadAt prepares the access of a load by copies of its view and its indices.
func (c *compiler) newLoadAt(op *tileir.Op, view *tileir.Value, index []*tileir.Value) (*access, error) {
	a := c.newAccess(op, view, index)
	ok := false
	if a.pad, ok = lane.Padding(a.elem, a.padding); !ok {
		return nil, unsupported(op, op.Operands[0].Type, "it does not have this padding value for this element type")
	}
	return a, nil
}

// fetch copies a region to a tile, whose other elements become the padding value.
func (a *access) fetch(f *frame, r *region, tile ptr) {
	if !r.whole {
		f.fillInParts(tile, ptr(&a.pad), a.size, a.elems)
	}
	if !r.empty {
		a.transfer(f, r, tile, true)
	}
	if a.elem == tileir.I1 {
		f.normalise(slice[uint8](tile, a.elems))
	}
}

// normalise makes every nonzero byte 1.
func (f *frame) normalise(d []uint8) {
	f.eachPart(len(d), func(lo, n int) bool {
		part := d[lo:][:n]
		for i, v := range part {
			part[i] = truth(v != 0)
		}
		return true
	})
}

// generateStoreView compiles store_view_tko.
func generateStoreView(c *compiler, op *tileir.Op) (step, error) {
	a := c.newAccess(op, op.Operands[1], op.Group(2))
	src, behind := c.need(op.Operands[0]), c.behindProduct(op)
	c.copiesView(a)
	return func(f *frame) signal {
		if behind && f.stored {
			f.stored = false
			return sigNext
		}
		var r region
		if !a.locate(f, &r) {
			return sigFault
		}
		if !r.empty {
			a.transfer(f, &r, unsafe.Add(f.mem, src), false)
		}
		return sigNext
	}, nil
}

// transfer copies a region between a tile and memory.
func (a *access) transfer(f *frame, r *region, tile ptr, load bool) {
	if a.halves {
		a.transferHalves(f, r, tile, load)
		return
	}
	if a.sparse >= 0 {
		a.transferSparse(f, r, tile, load)
		return
	}
	var shape, stride [maxRank]int
	rank := len(a.tile)
	inTile, inMemory := 0, r.zero
	for i := range rank {
		shape[i], stride[i] = r.hi[i]-r.lo[i], r.stride[i]
		inTile += r.lo[i] * a.dense[i]
		inMemory += (int(r.start[i]) + r.lo[i]) * r.stride[i]
	}
	t, m := unsafe.Add(tile, inTile*a.size), unsafe.Add(r.memory, inMemory*a.size)
	switch {
	case rank == 0:
		copyElems(t, m, a.size, 1, 1, 1, load)
	case load:
		a.copies.copyLayout(f, layout{shape[:rank], a.dense, stride[:rank]}, t, m, a.size)
	default:
		a.copies.copyLayout(f, layout{shape[:rank], stride[:rank], a.dense}, m, t, a.size)
	}
}

// transferSparse copies run by run, in the order of the tile: where indices repeat, the last store stays.
func (a *access) transferSparse(f *frame, r *region, tile ptr, load bool) {
	a.each(f, r, 0, 0, r.zero, func(inTile, inMemory, n, stride int) {
		t, m := unsafe.Add(tile, inTile*a.size), unsafe.Add(r.memory, inMemory*a.size)
		copyElems(t, m, a.size, n, 1, stride, load)
	})
}

// copyElems copies a run between a tile and memory.
func copyElems(t, m ptr, size, n, tileStride, memoryStride int, load bool) {
	l := layout{shape: []int{n}, dst: []int{tileStride}, src: []int{memoryStride}}
	if load {
		l.copy(t, m, size)
		return
	}
	l.dst, l.src = l.src, l.dst
	l.copy(m, t, size)
}
