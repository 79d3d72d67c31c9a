package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
)

// The views of registers: how many of its bits an instruction sees.
const (
	r64 uint8 = iota
	r32
	r16
	r8
	xmm
	ymm
	zmm
	kreg
	writeMask // a mask register that says which lanes the instruction writes
)

// bytesOf is the number of bytes of a view of a vector register.
func bytesOf(view uint8) int { return 16 << (view - xmm) }

// viewOf is the view of a vector register for so many bytes.
func viewOf(bytes int) uint8 {
	switch {
	case bytes <= 16:
		return xmm
	case bytes <= 32:
		return ymm
	}
	return zmm
}

// Operations that are several instructions or none by the look of their operands, beside those of package amd64.
const (
	moveInt int32 = 1<<16 + iota
	moveVector
	moveMask
	setInt    // to a number
	setVector // to a constant, in all elements
	setZero
	setOnes // all bits of a vector
	setMask // to all lanes or none
	leave   // return with a number
	// Swaps a register into memory where another one, which becomes what was there, is that. The last operand is memory without an
	// index.
	compareSwap
)

var moveOps = []int32{moveInt, moveVector, moveMask}
var constOps = []int32{setInt, setVector, setZero, setOnes, setMask}

// emitter writes instructions on physical registers.
type emitter struct {
	asm    *amd64.Assembler
	labels []amd64.Label // 0 for one that is not used yet
	state  int           // see [vec.Func.State]
	stream bool          // the function writes past the caches
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
	var room [6]amd64.Operand
	args := room[:0]
	mask := 0
	for i := range in.Args[:in.N] {
		g := &in.Args[i]
		if g.Kind == mach.RegArg && g.View == writeMask {
			mask = int(g.Reg)
			continue
		}
		args = append(args, e.operand(g))
	}
	switch {
	case mask != 0 && in.Zero:
		args[0] = args[0].Zero(mask)
	case mask != 0:
		args[0] = args[0].Mask(mask)
	}
	if in.Op < 1<<16 {
		e.asm.Emit(amd64.Op(in.Op), args...)
		return
	}
	e.special(in, args)
}

func (e *emitter) special(in *mach.Instr, args []amd64.Operand) {
	switch in.Op {
	case moveInt:
		e.asm.Emit(amd64.MOV, args...)
	case moveVector:
		e.asm.Emit(amd64.VMOVAPS, args...)
	case moveMask:
		e.asm.Emit(amd64.KMOVW, args...)
	case setInt:
		e.setInt(args[0], in.Args[1].Imm)
	case setVector:
		e.asm.Emit(amd64.Op(in.Args[2].Imm), args[:2]...)
	case setZero:
		x := amd64.X(args[0].Reg().Number()) // which clears the rest as well
		if x.Reg().Number() > 15 {
			e.asm.Emit(amd64.VPXORD, args[0], args[0], args[0])
			return
		}
		e.asm.Emit(amd64.VPXOR, x, x, x)
	case setOnes:
		e.asm.Emit(amd64.VPCMPEQD, args[0], args[0], args[0])
	case setMask:
		op := amd64.KXORW
		if in.Args[1].Imm != 0 {
			op = amd64.KXNORW
		}
		e.asm.Emit(op, args[0], args[0], args[0])
	case compareSwap:
		e.compareSwap(in)
	case leave:
		e.leave(in.Args[0].Imm)
	}
}

// leave returns with a number. What was written past the caches comes before all that others see of the caller then.
func (e *emitter) leave(n int64) {
	if e.stream {
		e.asm.Emit(amd64.SFENCE)
	}
	e.setInt(amd64.R64(amd64.RAX), n)
	e.asm.Emit(amd64.RET)
}

// compareSwap has the machine compare with RAX, whose value is in the register of the result meanwhile.
func (e *emitter) compareSwap(in *mach.Instr) {
	const rax = 0
	d := in.Args[0].Reg
	if d == rax {
		e.asm.Emit(amd64.LOCK_CMPXCHG, e.operand(&in.Args[2]), e.operand(&in.Args[1]))
		return
	}
	for i := 1; i < 3; i++ {
		if in.Args[i].Reg == rax {
			in.Args[i].Reg = d
		}
	}
	e.asm.Emit(amd64.XCHG, register(r64, rax), register(r64, d))
	e.asm.Emit(amd64.LOCK_CMPXCHG, e.operand(&in.Args[2]), e.operand(&in.Args[1]))
	e.asm.Emit(amd64.XCHG, register(r64, rax), register(r64, d))
}

// setInt fills a register with a number in the shortest way that leaves the flags alone.
func (e *emitter) setInt(r amd64.Operand, n int64) {
	if n == int64(uint32(n)) {
		r = amd64.R32(r.Reg())
	}
	e.asm.Emit(amd64.MOV, r, amd64.Imm(n))
}

func (e *emitter) label(n int64) amd64.Label {
	if e.labels[n] == 0 {
		e.labels[n] = e.asm.Label()
	}
	return e.labels[n]
}

// general are the general registers by their numbers here, which are the machine's.
func general(n mach.Reg) amd64.Reg { return amd64.RAX + amd64.Reg(n) }

func register(view uint8, n mach.Reg) amd64.Operand {
	switch view {
	case r64:
		return amd64.R64(general(n))
	case r32:
		return amd64.R32(general(n))
	case r16:
		return amd64.R16(general(n))
	case r8:
		return amd64.R8L(general(n))
	case xmm:
		return amd64.X(int(n))
	case ymm:
		return amd64.Y(int(n))
	case zmm:
		return amd64.Z(int(n))
	}
	return amd64.K(int(n))
}

func (e *emitter) operand(g *mach.Arg) amd64.Operand {
	switch g.Kind {
	case mach.RegArg:
		return register(g.View, g.Reg)
	case mach.ImmArg:
		return amd64.Imm(g.Imm)
	case mach.LabelArg:
		return amd64.To(e.label(g.Imm))
	case mach.ConstArg:
		align := 1
		for align < len(g.Data) && align < 64 {
			align *= 2
		}
		return amd64.AtLabel(e.asm.Const([]byte(g.Data), align), 0)
	}
	m := amd64.Mem{Base: amd64.RDI, Disp: g.Disp, Bcast: g.Bcast, Size: g.Size}
	if !g.Frame {
		m.Base = general(g.Reg)
	}
	if g.Indexed {
		m.Index, m.Scale = register(g.View, g.Index).Reg(), g.Scale
	}
	return m.Op()
}

// spillArea is where values lie in the frame that no register holds.
type spillArea struct {
	ops   [mach.Files]slotOp
	start int // in bytes
	size  int // of a slot: a vector register's
}

func (s *spillArea) at(slot int32) mach.Arg {
	return mach.Arg{Kind: mach.MemArg, Frame: true, Disp: int32(s.start) + slot*int32(s.size)}
}

// Load implements mach.Slots.
func (s *spillArea) Load(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return mach.Instr{Op: s.ops[f].move, N: 2, Args: [6]mach.Arg{{Kind: mach.RegArg, Reg: r, View: s.ops[f].view, Access: mach.Def}, s.at(slot)}}
}

// Store implements mach.Slots.
func (s *spillArea) Store(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return mach.Instr{Op: s.ops[f].move, N: 2, Args: [6]mach.Arg{s.at(slot), {Kind: mach.RegArg, Reg: r, View: s.ops[f].view}}}
}

// fromMemory says which operand of an instruction may be memory in place of a general register. The view of the register is the
// size of what is read.
var fromMemory = map[amd64.Op]int{
	amd64.ADD: 1, amd64.SUB: 1, amd64.AND: 1, amd64.OR: 1, amd64.XOR: 1, amd64.IMUL: 1, amd64.CMP: 1, amd64.CMOVG: 1, amd64.CMOVL: 1,
	amd64.MOVSXD: 1, amd64.VPBROADCASTD: 1, amd64.VPBROADCASTQ: 1,
}

// Operand implements mach.Slots.
func (s *spillArea) Operand(in *mach.Instr, i int, slot int32) bool {
	g := &in.Args[i]
	if at, ok := fromMemory[amd64.Op(in.Op)]; !ok || at != i || g.View > r32 {
		return false
	}
	size := uint8(8)
	if g.View == r32 {
		size = 4
	}
	*g = s.at(slot)
	g.Size = size
	return true
}
