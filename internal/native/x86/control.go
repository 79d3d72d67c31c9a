package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// rule chooses instructions for one of a function.
type rule func(s *selector, in *vec.Instr)

// control has the rules for scalars and control flow, which are the same at all levels.
var control = map[vec.Op]rule{
	vec.Arg: func(s *selector, in *vec.Instr) {
		s.op(amd64.MOV, def(r64, s.dst(in)[0]), mach.Arg{Kind: mach.MemArg, Frame: true, Disp: int32(8 * in.Imm)})
	},
	vec.SConst: func(s *selector, in *vec.Instr) { s.add(setInt, def(r64, s.dst(in)[0]), imm(in.Imm)) },
	vec.SMove:  func(s *selector, in *vec.Instr) { s.copyInt(in, in.Src[0]) },
	vec.SAdd: func(s *selector, in *vec.Instr) {
		s.op(amd64.LEA, def(r64, s.dst(in)[0]), mach.Arg{Kind: mach.MemArg, Reg: s.one(in.Src[0]), Index: s.one(in.Src[1]), Indexed: true, Scale: 1})
	},
	vec.SAddImm: addImm,
	vec.SShlImm: shiftInt(amd64.SHL), vec.SShrImm: shiftInt(amd64.SAR),
	vec.SExtend: func(s *selector, in *vec.Instr) {
		if in.Type == vec.I64 {
			s.copyInt(in, in.Src[0])
			return
		}
		ld := scalarLoads[in.Type]
		s.op(ld.signed, def(r64, s.dst(in)[0]), use(ld.view, s.one(in.Src[0])))
	},
	vec.SSub: twoOperands(amd64.SUB),
	vec.SMul: func(s *selector, in *vec.Instr) {
		if n, ok := s.short(in.Src[1]); ok {
			s.op(amd64.IMUL, def(r64, s.dst(in)[0]), use(r64, s.one(in.Src[0])), n)
			return
		}
		twoOperands(amd64.IMUL)(s, in)
	},
	vec.SAnd: twoOperands(amd64.AND),
	vec.SOr:  twoOperands(amd64.OR),
	vec.SXor: twoOperands(amd64.XOR),
	vec.SMin: smaller(amd64.CMOVG),
	vec.SMax: smaller(amd64.CMOVL),

	vec.SLoad: func(s *selector, in *vec.Instr) {
		ld := scalarLoads[in.Type]
		s.op(ld.signed, def(r64, s.dst(in)[0]), s.sized(in, ld.bytes))
	},
	vec.SLoadU: func(s *selector, in *vec.Instr) {
		ld := scalarLoads[in.Type]
		s.op(ld.unsigned, def(ld.wide, s.dst(in)[0]), s.sized(in, ld.bytes))
	},
	vec.SStore: func(s *selector, in *vec.Instr) {
		s.op(amd64.MOV, s.memory(in.Mem, 0), use(scalarLoads[in.Type].view, s.one(in.Src[0])))
	},
	vec.SSwap: swap,

	vec.Loop: loop, vec.Repeat: repeat, vec.Break: leaveLoop, vec.Next: leaveLoop, vec.If: branch, vec.IfAny: func(s *selector, in *vec.Instr) { s.anyBranch(s, in) },
	vec.Else: otherwise, vec.End: end,
	vec.Return:  func(s *selector, in *vec.Instr) { s.add(leave, imm(in.Imm)) },
	vec.Suspend: func(s *selector, in *vec.Instr) { s.add(mach.Suspend, imm(in.Imm), imm(0)) },
	vec.Poll:    func(s *selector, in *vec.Instr) { s.add(mach.Suspend, imm(vec.Polled), imm(in.Imm)) },
}

// scalarLoads says how integers are read and written.
var scalarLoads = map[vec.Type]struct {
	signed, unsigned amd64.Op
	bytes            int
	wide, view       uint8 // of the register that is filled without sign, and of what is stored
}{
	vec.I8:  {amd64.MOVSX, amd64.MOVZX, 1, r32, r8},
	vec.I16: {amd64.MOVSX, amd64.MOVZX, 2, r32, r16},
	vec.I32: {amd64.MOVSXD, amd64.MOV, 4, r32, r32},
	vec.I64: {amd64.MOV, amd64.MOV, 8, r64, r64},
}

// sized is memory of a size that the operands do not tell.
func (s *selector) sized(in *vec.Instr, bytes int) mach.Arg {
	a := s.memory(in.Mem, 0)
	a.Size = uint8(bytes)
	return a
}

// swap takes three registers: what is expected is in that of the result.
func swap(s *selector, in *vec.Instr) {
	view, t, at := scalarLoads[in.Type].view, s.integer(), s.base(in.Mem)
	s.add(moveInt, def(r64, t), use(r64, s.one(in.Src[0])))
	s.add(compareSwap, useDef(view, t), use(view, s.one(in.Src[1])), at)
	if in.Type == vec.I64 {
		s.add(moveInt, def(r64, s.dst(in)[0]), use(r64, t))
		return
	}
	s.op(scalarLoads[in.Type].signed, def(r64, s.dst(in)[0]), use(view, t))
}

func addImm(s *selector, in *vec.Instr) {
	d := s.dst(in)[0]
	if in.Imm == int64(int32(in.Imm)) {
		s.op(amd64.LEA, def(r64, d), mach.Arg{Kind: mach.MemArg, Reg: s.one(in.Src[0]), Disp: int32(in.Imm)})
		return
	}
	n := s.integer()
	s.add(setInt, def(r64, n), imm(in.Imm))
	s.op(amd64.LEA, def(r64, d), mach.Arg{Kind: mach.MemArg, Reg: s.one(in.Src[0]), Index: n, Indexed: true, Scale: 1})
}

// copyInt fills the result with an operand, for instructions whose result is an operand as well. The other operand must not
// be the result.
func (s *selector) copyInt(in *vec.Instr, from vec.Reg) mach.Reg {
	d := s.dst(in)[0]
	if n, ok := s.number(from); ok {
		s.add(setInt, def(r64, d), imm(n))
	} else {
		s.add(moveInt, def(r64, d), use(r64, s.one(from)))
	}
	return d
}

// number gives the number that a scalar always is.
func (s *selector) number(r vec.Reg) (int64, bool) {
	in := &s.f.Body[s.def[r]]
	return in.Imm, s.defs[r] == 1 && in.Op == vec.SConst
}

// short gives the number that a scalar always is as an operand, if it fits.
func (s *selector) short(r vec.Reg) (mach.Arg, bool) {
	n, ok := s.number(r)
	return imm(n), ok && n == int64(int32(n))
}

// operand gives a scalar as an operand of an instruction: as a number, or in its register.
func (s *selector) operand(r vec.Reg) mach.Arg {
	if n, ok := s.short(r); ok {
		return n
	}
	return use(r64, s.one(r))
}

// second is the second operand of an instruction that writes the first: a number, or a register that is not the result's.
func (s *selector) second(in *vec.Instr) mach.Arg {
	if n, ok := s.short(in.Src[1]); ok {
		return n
	}
	return use(r64, s.apart(in, in.Src[1]))
}

// apart gives an operand in a register that is not the result's.
func (s *selector) apart(in *vec.Instr, r vec.Reg) mach.Reg {
	if r != in.Dst {
		return s.one(r)
	}
	t := s.integer()
	s.add(moveInt, def(r64, t), use(r64, s.one(r)))
	return t
}

func twoOperands(op amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		b := s.second(in)
		s.op(op, useDef(r64, s.copyInt(in, in.Src[0])), b)
	}
}

func shiftInt(op amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		s.op(op, useDef(r64, s.copyInt(in, in.Src[0])), imm(in.Imm))
	}
}

func smaller(move amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		b := s.second(in)
		d := s.copyInt(in, in.Src[0])
		s.op(amd64.CMP, use(r64, d), b)
		if b.Kind == mach.ImmArg {
			b = use(r64, s.one(in.Src[1]))
		}
		s.op(move, useDef(r64, d), b)
	}
}

// loop tests before the first turn and behind each one.
func loop(s *selector, in *vec.Instr) {
	hi := s.second(in)
	i := s.copyInt(in, in.Src[0])
	r := region{op: in.Op, begin: s.code.Label(), next: -1, end: s.code.Label(), in: in}
	s.op(amd64.CMP, use(r64, i), hi)
	s.op(amd64.JGE, label(r.end))
	s.add(mach.LoopBegin)
	s.add(mach.Bind, label(r.begin))
	s.open = append(s.open, r)
}

func repeat(s *selector, in *vec.Instr) {
	begin := s.code.Label()
	s.add(mach.LoopBegin)
	s.add(mach.Bind, label(begin))
	s.open = append(s.open, region{op: in.Op, begin: begin, next: -1, end: s.code.Label(), in: in})
}

// leaveLoop goes behind a loop, or on with its next turn.
func leaveLoop(s *selector, in *vec.Instr) {
	others := in.Imm
	for i := len(s.open) - 1; ; i-- {
		switch r := &s.open[i]; {
		case !r.op.Loops():
		case others > 0:
			others--
		case in.Op == vec.Break:
			s.op(amd64.JMP, label(r.end))
			return
		default:
			if r.next < 0 {
				r.next = s.code.Label()
			}
			s.op(amd64.JMP, label(r.next))
			return
		}
	}
}

func end(s *selector, _ *vec.Instr) {
	r := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if r.next >= 0 {
		s.add(mach.Bind, label(r.next))
	}
	switch r.op {
	case vec.Repeat:
		s.op(amd64.JMP, label(r.begin))
		s.add(mach.LoopEnd)
	case vec.Loop:
		i := s.one(r.in.Dst)
		s.op(amd64.ADD, useDef(r64, i), imm(r.in.Imm))
		s.op(amd64.CMP, use(r64, i), s.operand(r.in.Src[1]))
		s.op(amd64.JL, label(r.begin))
		s.add(mach.LoopEnd)
	}
	s.add(mach.Bind, label(r.end))
}

// notJumps are the jumps where a condition does not hold.
var notJumps = map[vec.Cond]amd64.Op{
	vec.EQ: amd64.JNE, vec.NE: amd64.JE, vec.LT: amd64.JGE, vec.LE: amd64.JG, vec.GT: amd64.JLE, vec.GE: amd64.JL,
	vec.ULT: amd64.JAE, vec.ULE: amd64.JA, vec.UGT: amd64.JBE, vec.UGE: amd64.JB,
}

func branch(s *selector, in *vec.Instr) {
	s.op(amd64.CMP, use(r64, s.one(in.Src[0])), s.operand(in.Src[1]))
	s.openBranch(in, notJumps[in.Cond])
}

// openBranch jumps to the other side.
func (s *selector) openBranch(in *vec.Instr, jump amd64.Op) {
	r := region{op: in.Op, next: -1, end: s.code.Label(), in: in}
	s.op(jump, label(r.end))
	s.open = append(s.open, r)
}

func otherwise(s *selector, _ *vec.Instr) {
	r := &s.open[len(s.open)-1]
	other := r.end
	r.end = s.code.Label()
	s.op(amd64.JMP, label(r.end))
	s.add(mach.Bind, label(other))
}
