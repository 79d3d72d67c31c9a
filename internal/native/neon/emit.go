package neon

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Operations that are several instructions or depend on their operands, beside those of package arm64.
const (
	moveInt int32 = 1<<16 + iota
	moveVector
	setInt    // to a number
	setVector // to 16 bytes
	leave     // return with a number
	// Swaps the second register into memory at the third where the first one, which becomes what was there, is that.
	compareSwap
)

// The kinds of immediates, which are the views of their operands.
const (
	number    uint8 = iota
	lslBy           // a shift of the register before
	sxtwBy          // an extension and a shift of the register before
	condition       // a condition of package arm64
	prefetch        // into the nearest cache
)

// emitter writes instructions on physical registers.
type emitter struct {
	asm    *arm64.Assembler
	labels []arm64.Label // 0 where there is none yet
	state  int           // see [vec.Func.State]
	stops  []stop
}

func (e *emitter) emit(in *mach.Instr) {
	if in.Op == mach.Bind {
		e.asm.Bind(e.label(in.Args[0].Imm))
		return
	}
	if in.Op == mach.Suspend {
		e.suspend(in)
		return
	}
	var room [6]arm64.Operand
	args, list := room[:0], listed(arm64.Op(in.Op))
	for i := range in.Args[:in.N] {
		args = append(args, e.operand(&in.Args[i], i == list))
	}
	switch in.Op {
	case moveInt:
		e.asm.Emit(arm64.MOV, args...)
	case moveVector:
		e.asm.Emit(arm64.MOV, args...)
	case setInt:
		e.asm.MovImm64(args[0].Reg(), uint64(in.Args[1].Imm))
	case setVector:
		e.setVector(int(in.Args[0].Reg), in.Args[1].Data)
	case compareSwap:
		e.compareSwap(args, vec.Type(in.Args[3].Imm))
	case leave:
		e.asm.MovImm64(arm64.X0, uint64(in.Args[0].Imm))
		e.asm.Emit(arm64.RET)
	default:
		e.asm.Emit(arm64.Op(in.Op), args...)
	}
}

// exclusives are the instructions that swap, by type.
var exclusives = map[vec.Type]struct{ load, store, unsigned arm64.Op }{
	vec.I16: {arm64.LDAXRH, arm64.STLXRH, arm64.UXTH}, vec.I32: {arm64.LDAXR, arm64.STLXR, 0}, vec.I64: {arm64.LDAXR, arm64.STLXR, 0},
}

// compareSwap tries until nothing comes between reading and writing. X17 has what was read, and then whether something came.
func (e *emitter) compareSwap(args []arm64.Operand, t vec.Type) {
	x, d, n, at := exclusives[t], args[0], args[1], arm64.At(args[2].Reg(), 0)
	old, failed := arm64.Register(17, d.Reg().View()).Op(), arm64.Register(17, arm64.ViewW).Op()
	again, other, done := e.asm.Label(), e.asm.Label(), e.asm.Label()
	if x.unsigned != 0 { // as the load gives it
		e.asm.Emit(x.unsigned, d, d)
	}
	e.asm.Bind(again)
	e.asm.Emit(x.load, old, at)
	e.asm.Emit(arm64.CMP, old, d)
	e.asm.Emit(arm64.BCOND, arm64.NE.Op(), arm64.To(other))
	e.asm.Emit(x.store, failed, n, at)
	e.asm.Emit(arm64.CBNZ, failed, arm64.To(again))
	e.asm.Emit(arm64.BRANCH, arm64.To(done))
	e.asm.Bind(other)
	e.asm.Emit(arm64.MOV, d, old)
	e.asm.Bind(done)
}

// listed gives the operand of an operation that is written as a list of one register, -1 if none is.
func listed(op arm64.Op) int {
	switch op {
	case arm64.LD1, arm64.ST1, arm64.LD1R:
		return 0
	case arm64.TBL, arm64.TBX:
		return 1
	}
	return -1
}

func (e *emitter) label(n int64) arm64.Label {
	if e.labels[n] == 0 {
		e.labels[n] = e.asm.Label()
	}
	return e.labels[n]
}

func (e *emitter) operand(g *mach.Arg, list bool) arm64.Operand {
	switch g.Kind {
	case mach.RegArg:
		return register(g, list)
	case mach.ImmArg:
		return immediate(g)
	case mach.LabelArg:
		return arm64.To(e.label(g.Imm))
	case mach.MemArg:
		return e.memory(g)
	}
	return arm64.Operand{} // of setVector, which takes the bytes
}

// register is a register, or the element whose number is one less than the immediate.
func register(g *mach.Arg, list bool) arm64.Operand {
	o := arm64.Register(int(g.Reg), arm64.View(g.View)).Op()
	if list {
		o = o.List(1)
	}
	if g.Imm > 0 {
		o = o.Lane(int(g.Imm - 1))
	}
	return o
}

func immediate(g *mach.Arg) arm64.Operand {
	switch n := int(g.Imm); g.View {
	case lslBy:
		return arm64.LSLBy.By(n)
	case sxtwBy:
		return arm64.SXTWBy.By(n)
	case condition:
		return arm64.Cond(n).Op()
	case prefetch:
		return arm64.PLDL1KEEP.Op()
	}
	return arm64.Imm(g.Imm)
}

// nearFrame is the offset in bytes from which on the frame is addressed by way of X17: loads of 8 bytes reach so far.
const nearFrame = 8 << 12

func (e *emitter) memory(g *mach.Arg) arm64.Operand {
	base := arm64.Register(int(g.Reg), arm64.ViewX)
	switch {
	case g.Frame && g.Disp >= nearFrame:
		e.asm.MovImm64(arm64.X17, uint64(g.Disp))
		return arm64.AtIndex(arm64.X0, arm64.X17, arm64.LSLBy, 0)
	case g.Frame:
		return arm64.At(arm64.X0, g.Disp)
	case g.Indexed:
		return arm64.AtIndex(base, arm64.Register(int(g.Index), arm64.ViewX), arm64.LSLBy, bits.TrailingZeros8(g.Scale))
	}
	return arm64.At(base, g.Disp)
}
