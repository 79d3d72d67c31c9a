package persistent

import "github.com/cutile-go/cutile/cute"

// output writes results, some columns at a time.
type output[E cute.Num] struct {
	c, d cute.Tensor[E]
	add  bool // c is added to the product
	epi  Epilogue
	tile cute.Tile     // tile of a step
	mma  cute.TiledMma // holds the results of a step

	staged bool // results go through shared memory; otherwise the following fields are not set
	store  cute.TensorMap
	smem   cute.Tensor[E]    // two buffers: (rows, columns, 2)
	next   int               // the buffer that is written next
	put    cute.ThrCopy      // from registers to a buffer
	all    cute.NamedBarrier // for the threads that multiply
}

// write completes a tile of the result.
func (out output[E]) write(g Config, acc cute.Tensor[float32], at cute.Coord, tid int) output[E] {
	me, shape := out.mma.Slice(tid), out.d.Shape()
	steps := cute.ZippedDivide(cute.MakeLayout(cute.S(g.BM, g.BN)), out.tile).Size(1)
	for step := range cute.Unroll(steps) {
		part := cute.S(at.At(0), at.At(1)*steps+step)
		places := cute.LocalTile(cute.Identity(shape), out.tile, part)
		crd := cute.PartitionC(me, places)
		c, d := cute.PartitionC(me, cute.LocalTile(out.c, out.tile, part)), cute.PartitionC(me, cute.LocalTile(out.d, out.tile, part))
		done := cute.MakeFragmentC(out.mma, d)
		for i := range cute.Unroll(done.Size()) {
			values := done.Size(0)
			v := acc.At(step*values+i%values, i/values, 0)
			inside := cute.ElemLess(crd.At(i), shape)
			if out.add && inside {
				v += float32(c.At(i))
			}
			done.Set(E(out.epi(v)), i)
			if !out.staged && inside {
				d.Set(done.At(i), i)
			}
		}
		if out.staged {
			out = out.stage(done, places.At(0), tid)
		}
	}
	return out
}

// stage writes the results of a step to a buffer, which is copied while the next one is written.
func (out output[E]) stage(done cute.Tensor[E], corner cute.Coord, tid int) output[E] {
	if tid == 0 {
		cute.BulkWaitRead(1)
	}
	out.all.Sync()
	to := out.smem.Slice(cute.All, cute.All, cute.I(out.next))
	cute.CopyWith(out.put, cute.Retile(out.put, done), cute.PartitionD(out.put, to))
	cute.FenceAsyncShared()
	out.all.Sync()
	if tid == 0 {
		cute.TensorStore(out.store, to, corner.At(1), corner.At(0))
		cute.BulkCommit()
	}
	out.next = 1 - out.next
	return out
}
