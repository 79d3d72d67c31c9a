package gemm

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/amd64"
)

// x86 is the machine of amd64, with registers of 32 bytes (AVX2) or 64 bytes (AVX-512). The last vector register is for masks
// and for steps that need a spare one.
type x86 struct {
	amd64.Assembler
	lane  int  // bytes
	wide  bool // registers have 64 bytes
	a     amd64.Reg
	aRow  int // bytes of A from row to row, and from step to step
	aStep int
}

// withAVX2 is what the code of level AVX2 may use. Without it, the assembler might choose forms of AVX-512.
const withAVX2 = amd64.AVX | amd64.AVX2 | amd64.FMA | amd64.F16C | amd64.AVXVNNI | amd64.BMI1 | amd64.BMI2

func newAVX2(lane int) machine {
	m := &x86{lane: lane}
	m.Allowed = withAVX2
	return m
}

func newAVX512(lane int) machine { return &x86{lane: lane, wide: true} }

// x86Regs are the general registers; RDI has the address of the frame.
var x86Regs = [numRegs]amd64.Reg{amd64.RAX, amd64.RBX, amd64.RCX, amd64.RDX, amd64.RSI, amd64.R8, amd64.R9, amd64.R10, amd64.R11,
	amd64.R12, amd64.R13, amd64.R14, amd64.R15}

func x64(r reg) amd64.Operand { return amd64.R64(x86Regs[r]) }

func at64(base reg, disp int) amd64.Operand { return amd64.At(x86Regs[base], int32(disp)) }

func inFrame(offset uintptr) amd64.Operand { return amd64.At(amd64.RDI, int32(offset)) }

func (m *x86) label() label  { return label(m.Label()) }
func (m *x86) bind(l label)  { m.Bind(amd64.Label(l)) }
func (m *x86) jump(to label) { m.Emit(amd64.JMP, amd64.To(amd64.Label(to))) }
func (m *x86) alignLoop()    { m.Align(32) }

func (m *x86) finish() ([]byte, error) { return m.Finish() }

func (m *x86) ret() {
	m.Emit(amd64.XOR, amd64.R32(amd64.RAX), amd64.R32(amd64.RAX))
	m.Emit(amd64.RET)
}

func (m *x86) unless(offset uintptr, to label) {
	m.Emit(amd64.CMP, inFrame(offset).Sized(8), amd64.Imm(0))
	m.Emit(amd64.JE, amd64.To(amd64.Label(to)))
}

var x86Jumps = [...]amd64.Op{zero: amd64.JE, notZero: amd64.JNE, negative: amd64.JL, notNegative: amd64.JGE}

func (m *x86) count(r reg, n int, when condition, to label) {
	switch {
	case n == 0:
		m.Emit(amd64.TEST, x64(r), x64(r))
	case n == -1:
		m.Emit(amd64.DEC, x64(r))
	case n < 0:
		m.Emit(amd64.SUB, x64(r), amd64.Imm(int64(-n)))
	default:
		m.Emit(amd64.ADD, x64(r), amd64.Imm(int64(n)))
	}
	m.Emit(x86Jumps[when], amd64.To(amd64.Label(to)))
}

func (m *x86) set(r reg, n int)    { m.Emit(amd64.MOV, x64(r), amd64.Imm(int64(n))) }
func (m *x86) mov(dst, src reg)    { m.Emit(amd64.MOV, x64(dst), x64(src)) }
func (m *x86) addReg(r, other reg) { m.Emit(amd64.ADD, x64(r), x64(other)) }

func (m *x86) add(r reg, n int) {
	if n != 0 {
		m.Emit(amd64.ADD, x64(r), amd64.Imm(int64(n)))
	}
}

func (m *x86) index(dst, base, index reg, times int) {
	m.Emit(amd64.LEA, x64(dst), amd64.AtIndex(x86Regs[base], x86Regs[index], uint8(times), 0))
}

func (m *x86) field(dst reg, offset uintptr)  { m.Emit(amd64.MOV, x64(dst), inFrame(offset)) }
func (m *x86) addField(r reg, offset uintptr) { m.Emit(amd64.ADD, x64(r), inFrame(offset)) }
func (m *x86) raise(offset uintptr, r reg)    { m.Emit(amd64.ADD, inFrame(offset), x64(r)) }

var x86Prefetches = [...]amd64.Op{nearest: amd64.PREFETCHT0, second: amd64.PREFETCHT1}

func (m *x86) prefetch(base reg, disp int, c cache) { m.Emit(x86Prefetches[c], at64(base, disp)) }

func (m *x86) prefetchIndex(base, index reg, disp int, c cache) {
	m.Emit(x86Prefetches[c], amd64.AtIndex(x86Regs[base], x86Regs[index], 1, int32(disp)))
}

// v is the vector register n with all its bytes.
func (m *x86) v(n int) amd64.Operand {
	if m.wide {
		return amd64.Z(n)
	}
	return amd64.Y(n)
}

func (m *x86) zero(r int) {
	if r < 16 {
		m.Emit(amd64.VXORPS, amd64.X(r), amd64.X(r), amd64.X(r))
	} else {
		m.Emit(amd64.VPXORD, m.v(r), m.v(r), m.v(r))
	}
}

// x86Lanes has the instructions that depend on the bytes of a lane; the loads and stores of ymm with a mask take it from a
// register.
var x86Lanes = map[int]struct{ move, masked, broadcast amd64.Op }{
	4: {amd64.VMOVUPS, amd64.VMASKMOVPS, amd64.VBROADCASTSS},
	8: {amd64.VMOVUPD, amd64.VMASKMOVPD, amd64.VBROADCASTSD},
}

func (m *x86) load(r int, base reg, disp, lanes int) {
	from, ops := at64(base, disp), x86Lanes[m.lane]
	switch {
	case lanes == 0:
		m.Emit(ops.move, m.v(r), from)
	case m.wide:
		m.Emit(ops.move, m.v(r).Zero(1), from)
	default:
		m.Emit(ops.masked, m.v(r), amd64.Y(15), from)
	}
}

func (m *x86) store(r int, base reg, disp, lanes int) {
	to, ops := at64(base, disp), x86Lanes[m.lane]
	switch {
	case lanes == 0:
		m.Emit(ops.move, to, m.v(r))
	case m.wide:
		m.Emit(ops.move, to.Mask(1), m.v(r))
	default:
		m.Emit(ops.masked, to, amd64.Y(15), m.v(r))
	}
}

// prepareEdge sets the mask register of AVX-512.
func (m *x86) prepareEdge(lanes int) {
	if m.wide && lanes > 0 {
		m.Emit(amd64.MOV, amd64.R32(amd64.RAX), amd64.Imm(1<<lanes-1))
		m.Emit(amd64.KMOVW, amd64.K(1), amd64.R32(amd64.RAX))
	}
}

// mask sets the vector register that has the mask for AVX2: ones in the first lanes.
func (m *x86) mask(lanes int) {
	if m.wide || lanes == 0 {
		return
	}
	b := make([]byte, 32)
	for i := range lanes * m.lane {
		b[i] = 0xFF
	}
	m.Emit(amd64.VMOVUPS, amd64.Y(15), amd64.AtLabel(m.Const(b, 32), 0))
}

func (m *x86) startA(at reg, _ int, row, step int, _ int) {
	m.a, m.aRow, m.aStep = x86Regs[at], row, step
}

// factor takes two registers in turn where there are enough.
func (m *x86) factor(r int, row, ahead int) factor {
	if m.wide {
		r += row & 1
	}
	m.Emit(x86Lanes[m.lane].broadcast, m.v(r), amd64.At(m.a, int32(row)*int32(m.aRow)+int32(ahead)*int32(m.aStep)))
	return factor{reg: r}
}

func (m *x86) nextA(steps int) {
	if n := steps * m.aStep; n != 0 {
		m.Emit(amd64.ADD, amd64.R64(m.a), amd64.Imm(int64(n)))
	}
}

// x86Steps has the instruction of each step. In all of them A is the first source, so that the same one of two NaNs goes to the
// result in every kernel; but VNNI takes bytes without a sign first.
var x86Steps = map[step]struct {
	op     amd64.Op
	bFirst bool
}{
	stepF32:   {op: amd64.VFMADD231PS},
	stepF64:   {op: amd64.VFMADD231PD},
	stepU8S8:  {op: amd64.VPDPBUSD},
	stepS8U8:  {op: amd64.VPDPBUSD, bFirst: true},
	stepPairs: {op: amd64.VDPBF16PS},
}

func (m *x86) multiply(s step, acc int, a factor, b int) {
	first, second := m.v(a.reg), m.v(b)
	if s == stepWords {
		spare := m.v(m.spare())
		m.Emit(amd64.VPMADDWD, spare, first, second)
		m.Emit(amd64.VPADDD, m.v(acc), m.v(acc), spare)
		return
	}
	row := x86Steps[s]
	if row.bFirst {
		first, second = second, first
	}
	m.Emit(row.op, m.v(acc), first, second)
}

func (m *x86) spare() int {
	if m.wide {
		return 31
	}
	return 15
}

func (m *x86) subtract(acc, b int) { m.Emit(amd64.VPSUBD, m.v(acc), m.v(acc), m.v(b)) }

// lanes32 is a constant that repeats 32 bits in all lanes of 32 bytes.
func (m *x86) lanes32(x uint32) amd64.Operand {
	var b []byte
	for range 8 {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return amd64.AtLabel(m.Const(b, 32), 0)
}
