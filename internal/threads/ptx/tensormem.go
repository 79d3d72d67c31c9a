package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// tensorInit writes what a kernel with products in tensor memory begins with: one warp allocates columns, and one thread, which will also begin
// the products, makes the barriers.
func (w *writer) tensorInit(in *ir.Instr) {
	w.one = w.temp(simt.Pred)
	w.emit("elect.sync", []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}, w.one}, simt.I(-1))
	first := w.firstWarp()
	w.to(w.one, "and.pred", w.one, first)
	w.only(first, func() {
		w.emit("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", nil, w.address(in.Mem), simt.I(in.Imm))
		w.emit("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", nil)
	})
	w.only(w.one, func() {
		for _, b := range in.Bufs {
			for at := 0; at < b.Bytes; at += 8 {
				w.emit("mbarrier.init.shared.b64", nil, simt.AtName("smem", int64(b.Offset+at)), simt.I(1))
			}
		}
		w.emit("fence.mbarrier_init.release.cluster", nil)
	})
}

// firstWarp is a predicate that the threads of the first warp have.
func (w *writer) firstWarp() simt.Operand {
	return w.make(simt.Pred, "setp.lt.u32", w.make(simt.B32, "mov.u32", simt.S("%tid.x")), simt.I(32))
}

// only lets threads that have a predicate do something.
func (w *writer) only(p simt.Operand, do func()) {
	over := w.b.NewLabel()
	w.at()
	w.b.BranchIf(p.Reg, false, over)
	w.shared = append(w.shared, map[ir.Value]simt.Operand{})
	do()
	w.shared = w.shared[:len(w.shared)-1]
	w.b.Place(over)
}

func (w *writer) tensorFree(in *ir.Instr) {
	at := w.reg(in.Src[0])
	w.only(w.firstWarp(), func() { w.emit("tcgen05.dealloc.cta_group::1.sync.aligned.b32", nil, at, simt.I(in.Imm)) })
}

// tensorKinds are the kinds of tcgen05.mma by the elements of the first factor, with the number that instruction descriptors have for them
// (PTX ISA, section "Instruction descriptor").
var tensorKinds = map[tileir.Elem]struct {
	kind   string
	number uint32
}{
	tileir.F16: {"f16", 0}, tileir.BF16: {"f16", 1}, tileir.TF32: {"tf32", 2}, tileir.I8: {"i8", 0}, // 1 with a sign
	tileir.F8E4M3FN: {"f8f6f4", 0}, tileir.F8E5M2: {"f8f6f4", 1}, tileir.F4E2M1FN: {"mxf4", 1},
}

// scaleTypes are the numbers of the types of factors of elements there.
var scaleTypes = map[tileir.Elem]uint32{tileir.F8E4M3FN: 0, tileir.F8E8M0FNU: 1}

// tensorSums are the numbers of the types of sums there.
var tensorSums = map[tileir.Elem]uint32{tileir.F32: 1, tileir.I32: 2}

// instruction is the instruction descriptor of a step of a product. That of one with factors of elements has the bytes where these begin.
func instruction(in *ir.Instr, s *ir.Step) uint32 {
	u := in.Unit
	desc := uint32(u.N/8)<<17 | uint32(u.M/16)<<24
	if in.Scales != nil {
		desc |= scaleTypes[u.Scale]<<23 | uint32(s.Scales[0].Byte)<<29 | uint32(s.Scales[1].Byte)<<4
	} else {
		desc |= tensorSums[u.Acc] << 4
	}
	for i, e := range []tileir.Elem{u.A, u.B} {
		number := tensorKinds[e].number
		if u.Signed[i] {
			number = 1
		}
		desc |= number << (7 + 3*i)
		if []*ir.Matrix{in.Left, in.Right}[i].Across {
			desc |= 1 << (15 + i)
		}
	}
	return desc
}

// multiplyTensor writes the instructions of a product: one thread executes them, and has its barrier told when all have ended.
func (w *writer) multiplyTensor(in *ir.Instr) {
	name := "tcgen05.mma.cta_group::1.kind::" + tensorKinds[in.Unit.A].kind
	if in.Scales != nil {
		name = "tcgen05.mma.cta_group::1." + scaledKind(in.Unit)
	}
	sums, adds, always := w.reg(in.Src[0]), w.reg(in.Src[1]), w.always()
	w.only(w.one, func() {
		if in.Other != nil {
			w.await(in.Other, in.Src[2])
		}
		w.emit("tcgen05.fence::after_thread_sync", nil)
		left, right := w.descriptor(in.Left, in.Unit.Kind), w.descriptor(in.Right, in.Unit.Kind)
		descs, scales := map[uint32]simt.Operand{}, map[ir.ScalePlace]simt.Operand{}
		for _, s := range in.Steps {
			number := instruction(in, &s)
			desc, ok := descs[number]
			if !ok {
				desc = w.make(simt.B32, "mov.b32", simt.B(uint64(number)))
				descs[number] = desc
			}
			p := always
			if s.First {
				p = adds
			}
			src := []simt.Operand{simt.At(sums.Reg, int64(s.Sums)), left.at(s.Left), right.at(s.Right), desc}
			if in.Scales != nil {
				src = append(src, w.scalesAt(in.Scales, s.Scales[0], scales), w.scalesAt(in.Scales, s.Scales[1], scales))
			}
			w.emit(name, nil, append(src, p)...)
		}
		w.commit(in.Mem)
	})
}

// scalesAt is the address of factors of elements, of those that are known or a new one. It has the byte where they begin, too, in its uppermost bits.
func (w *writer) scalesAt(s *ir.Scales, place ir.ScalePlace, known map[ir.ScalePlace]simt.Operand) simt.Operand {
	at, ok := known[place]
	if !ok {
		at = w.make(simt.B32, "add.s32", w.reg(s.At), simt.I(int64(int32(uint32(place.Byte)<<30|uint32(place.Column)))))
		known[place] = at
	}
	return simt.At(at.Reg, 0)
}

func (w *writer) commitTensor(in *ir.Instr) { w.only(w.one, func() { w.commit(in.Mem) }) }

// commit has an mbarrier told when all products have ended that the thread has begun.
func (w *writer) commit(m *ir.Access) {
	w.emit("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", nil, w.address(m))
}

// tensorShape is the shape of loads and stores of sums by their rows: a thread has a row of 128, or of 64 what mma gives it.
type tensorShape struct {
	name          string
	regs, columns int // of the smallest one
}

var tensorShapes = map[int]tensorShape{128: {"32x32b", 1, 1}, 64: {"16x256b", 4, 8}}

// tensorRegs is how many registers are moved at once, which must be neighbours.
const tensorRegs = 32

// tensorMove calls f with the name of each part of a load or a store, the column that it begins at and its registers.
func (w *writer) tensorMove(what string, u *ir.Unit, regs []simt.Operand, f func(name string, column int64, regs simt.Operand)) {
	s := tensorShapes[u.M]
	w.emit("tcgen05.fence::after_thread_sync", nil)
	for i := 0; i < len(regs); i += tensorRegs {
		part := regs[i:min(i+tensorRegs, len(regs))]
		f(fmt.Sprintf("tcgen05.%s.sync.aligned.%s.x%d.b32", what, s.name, len(part)/s.regs), int64(i/s.regs*s.columns), simt.V(part...))
	}
	w.emit("tcgen05.wait::"+what+".sync.aligned", nil)
	w.emit("tcgen05.fence::before_thread_sync", nil)
}

func (w *writer) tensorLoad(in *ir.Instr) {
	var regs []simt.Operand
	for _, v := range in.Dst {
		regs = append(regs, w.result(v))
	}
	at := w.reg(in.Src[0])
	w.tensorMove("ld", in.Unit, regs, func(name string, column int64, part simt.Operand) {
		w.emit(name, []simt.Operand{part}, simt.At(at.Reg, column))
	})
}

func (w *writer) tensorStore(in *ir.Instr) {
	var regs []simt.Operand
	for _, v := range in.Src[1:] {
		regs = append(regs, w.reg(v))
	}
	at := w.reg(in.Src[0])
	w.tensorMove("st", in.Unit, regs, func(name string, column int64, part simt.Operand) {
		w.emit(name, nil, simt.At(at.Reg, column), part)
	})
}
