package persistent

import "github.com/cutile-go/cutile/cute"

// output is where results go.
type output[E cute.Num] struct {
	c     *cute.Tensor[E]
	d     cute.Tensor[E]
	store *cute.TensorMap // nil: threads write, and what follows is not there
	smem  cute.Tensor[E]  // two buffers: (BM, columns, 2)
	put   cute.ThrCopy    // from registers to a buffer
	next  int             // the buffer that is written next
	tile  cute.Shape      // of a buffer
	epi   Epilogue
}

// write finishes a tile of the result.
func (out output[E]) write(g Config, me cute.ThrMma, acc cute.Tensor[float32], at cute.Coord, tid int) output[E] {
	done := out.finish(g, me, acc, at)
	if out.store != nil {
		return out.stage(g, done, at, tid)
	}
	to := cute.PartitionC(me, cute.LocalTile(out.d, cute.S(g.BM, g.BN), at))
	crd := g.places(out.d.Shape(), me, at)
	for i := range cute.Unroll(done.Size()) {
		if cute.ElemLess(crd.At(i), out.d.Shape()) {
			to.Set(done.At(i), i)
		}
	}
	return out
}

// places is where the thread's accumulators are in the result.
func (g Config) places(d cute.Shape, me cute.ThrMma, at cute.Coord) cute.CoordTensor {
	return cute.PartitionC(me, cute.LocalTile(cute.Identity(d), cute.S(g.BM, g.BN), at))
}

// finish is the thread's results, in registers.
func (out output[E]) finish(g Config, me cute.ThrMma, acc cute.Tensor[float32], at cute.Coord) cute.Tensor[E] {
	done := cute.MakeRmemLayout[E](acc.Layout())
	if out.c == nil {
		for i := range cute.Unroll(acc.Size()) {
			done.Set(E(out.epi(acc.At(i))), i)
		}
		return done
	}
	c, crd := cute.PartitionC(me, cute.LocalTile(*out.c, cute.S(g.BM, g.BN), at)), g.places(out.d.Shape(), me, at)
	for i := range cute.Unroll(acc.Size()) {
		v := acc.At(i)
		if cute.ElemLess(crd.At(i), out.d.Shape()) {
			v += float32(c.At(i))
		}
		done.Set(E(out.epi(v)), i)
	}
	return done
}

// stage writes results through shared memory, a few columns at a time; a copy runs while the next columns are written.
func (out output[E]) stage(g Config, done cute.Tensor[E], at cute.Coord, tid int) output[E] {
	from, to := cute.Retile(out.put, done), cute.PartitionD(out.put, out.smem) // (value, rows, columns) and the buffer
	all, columns := cute.NamedBarrier{ID: 1, Threads: g.Groups * group}, out.tile.At(1)
	for part := range cute.Unroll(g.BN / columns) {
		if tid == 0 {
			cute.BulkWaitRead(1)
		}
		all.Sync()
		steps := to.Size(2)
		for i := range cute.Unroll(steps) {
			cute.CopyWith(out.put, from.Slice(cute.All, cute.All, cute.I(part*steps+i)), to.Slice(cute.All, cute.All, cute.I(i), cute.I(out.next)))
		}
		cute.FenceAsyncShared()
		all.Sync()
		if tid == 0 {
			cute.TensorStore(*out.store, out.smem.Slice(cute.All, cute.All, cute.I(out.next)), at.At(1)*g.BN+part*columns, at.At(0)*g.BM)
			cute.BulkCommit()
		}
		out.next = 1 - out.next
	}
	return out
}
