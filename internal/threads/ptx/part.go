package ptx

import (
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// part writes the programs of the producer's warp and of the others, those of the others first.
func (w *writer) part(in *ir.Instr) {
	w.emit("fence.mbarrier_init.release.cluster", nil)
	w.emit("bar.sync", nil, simt.I(0))
	thread := w.make(simt.B32, "mov.u32", simt.S("%tid.x"))
	lane := w.make(simt.B32, "and.b32", thread, simt.I(warpLanes-1))
	w.leader = w.make(simt.Pred, "setp.eq.s32", lane, simt.I(0))
	producer, end := w.b.NewLabel(), w.b.NewLabel()
	w.b.BranchIf(w.make(simt.Pred, "setp.ge.s32", thread, simt.I(int64(w.k.Threads))).Reg, true, producer)
	w.block(in.Body[1])
	w.emit("ret", nil)
	w.b.Place(producer)
	w.b.BranchIf(w.leader.Reg, false, end)
	w.block(in.Body[0])
	w.b.Place(end)
}
