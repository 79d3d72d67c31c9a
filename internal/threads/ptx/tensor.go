package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// mapBytes and mapAlign are those of a tensor map (PTX ISA, section "Tensor-map").
const mapBytes, mapAlign = 128, 64

// tensors adds the parameters that are tensor maps, and computes their addresses before all else.
func (w *writer) tensors() {
	for i, t := range w.k.Tensors {
		p := simt.TensorParam{Param: len(w.f.Params), Type: fmt.Sprintf("u%d", 8*t.Bytes), Base: t.Base, Swizzle: t.Width}
		for _, d := range t.Dims {
			p.Dims = append(p.Dims, simt.TensorDim{Extent: number(d.Extent), Stride: number(d.Stride), Box: d.Box})
		}
		w.f.Tensors = append(w.f.Tensors, p)
		name := fmt.Sprintf("tensor%d", i)
		w.f.Params = append(w.f.Params, simt.Param{Name: name, Type: "b8", Bytes: mapBytes, Align: mapAlign})
		at, generic := w.temp(simt.B64), w.temp(simt.B64)
		for _, in := range []simt.Instr{
			{Op: "mov.u64", Dst: []simt.Operand{at}, Src: []simt.Operand{simt.Sym(name)}},
			{Op: "cvta.param.u64", Dst: []simt.Operand{generic}, Src: []simt.Operand{at}},
		} {
			in.Guard = simt.NoReg
			w.head = append(w.head, in)
		}
		w.maps = append(w.maps, generic)
	}
}

func number(n ir.Number) simt.Number {
	return simt.Number{Value: n.Value, Param: n.Param, Bits: n.Bits}
}

// counters makes mbarriers, or ends their use.
func (w *writer) counters(in *ir.Instr) {
	m := *in.Mem
	for range in.Imm {
		if in.Op == ir.InitCounters {
			w.emit("mbarrier.init.shared.b64", nil, w.address(&m), simt.I(int64(in.Arrivals)))
		} else {
			w.emit("mbarrier.inval.shared.b64", nil, w.address(&m))
		}
		m.Disp += 8
	}
	if in.Op == ir.InitCounters && !w.k.Producer { // part does it once for all
		w.emit("fence.mbarrier_init.release.cluster", nil)
	}
}

func (w *writer) expectBytes(in *ir.Instr) {
	sink := simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}
	w.emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, w.address(in.Mem), simt.I(in.Imm))
}

func (w *writer) copyBox(in *ir.Instr) {
	at := w.corner(in)
	to := "shared::cluster"
	if w.arch.SM >= 100 { // whose PTX has it: else ptxas makes code for the case that the address is another block's
		to = "shared::cta"
	}
	name := fmt.Sprintf("cp.async.bulk.tensor.%dd.%s.global.tile.mbarrier::complete_tx::bytes", len(at), to)
	w.emit(name, nil, w.address(in.Mem), simt.At(w.maps[in.Imm].Reg, 0), simt.V(at...), w.address(in.Other))
}

// corner is the position of a box.
func (w *writer) corner(in *ir.Instr) (at []simt.Operand) {
	for _, v := range in.Src {
		at = append(at, w.reg(v))
	}
	return at
}

func (w *writer) storeBox(in *ir.Instr) {
	at := w.corner(in)
	name := fmt.Sprintf("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group", len(at))
	w.emit(name, nil, simt.At(w.maps[in.Imm].Reg, 0), simt.V(at...), w.address(in.Mem))
}

func (w *writer) waitBoxes(in *ir.Instr) {
	name := "cp.async.bulk.wait_group"
	if in.Imm != 0 {
		name += ".read"
	}
	w.emit(name, nil, simt.I(0))
}

func (w *writer) fenceAsync(in *ir.Instr) {
	name := "fence.proxy.async"
	if in.Imm == 0 {
		name += ".shared::cta"
	}
	w.emit(name, nil)
}

// arrive tells an mbarrier that the lanes of the warp are here.
func (w *writer) arrive(in *ir.Instr) {
	w.emit("bar.warp.sync", nil, simt.I(-1))
	guard := w.leader
	if in.Mem.Guard != 0 {
		guard = w.make(simt.Pred, "and.pred", guard, w.reg(in.Mem.Guard))
	}
	sink := simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}
	w.emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, w.address(in.Mem)).Guard = guard.Reg
}

func (w *writer) awaitBytes(in *ir.Instr) { w.await(in.Mem, in.Src[0]) }

// await waits until the phase of an mbarrier that has a parity is over.
func (w *writer) await(m *ir.Access, p ir.Value) {
	at, parity := w.address(m), w.use(p)
	again := w.b.NewLabel()
	w.b.Place(again)
	done := w.make(simt.Pred, "mbarrier.try_wait.parity.shared.b64", at, parity)
	w.b.BranchIf(done.Reg, false, again)
}
