package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// control has the rules for scalars and control flow.
var control = map[vec.Op]rule{
	vec.Arg: func(s *selector, in *vec.Instr) {
		s.op(arm64.LDR, s.result(in), mach.Arg{Kind: mach.MemArg, Frame: true, Disp: int32(8 * in.Imm)})
	},
	vec.SConst:  func(s *selector, in *vec.Instr) { s.Add(setInt, s.result(in), isel.Imm(in.Imm)) },
	vec.SMove:   func(s *selector, in *vec.Instr) { s.Add(moveInt, s.result(in), s.scalar(in.Src[0])) },
	vec.SAdd:    scalars(arm64.ADD),
	vec.SSub:    scalars(arm64.SUB),
	vec.SMul:    scalars(arm64.MUL),
	vec.SAnd:    scalars(arm64.AND),
	vec.SOr:     scalars(arm64.ORR),
	vec.SXor:    scalars(arm64.EOR),
	vec.SAddImm: func(s *selector, in *vec.Instr) { s.addInt(s.Dst(in)[0], s.One(in.Src[0]), in.Imm) },
	vec.SShlImm: func(s *selector, in *vec.Instr) { s.op(arm64.LSL, s.result(in), s.scalar(in.Src[0]), isel.Imm(in.Imm)) },
	vec.SShrImm: func(s *selector, in *vec.Instr) { s.op(arm64.ASR, s.result(in), s.scalar(in.Src[0]), isel.Imm(in.Imm)) },
	vec.SExtend: func(s *selector, in *vec.Instr) {
		if in.Type == vec.I64 {
			s.Add(moveInt, s.result(in), s.scalar(in.Src[0]))
			return
		}
		s.op(scalarMemory[in.Type].extend, s.result(in), isel.Use(viewW, s.One(in.Src[0])))
	},
	vec.SMin: smaller(arm64.LT),
	vec.SMax: smaller(arm64.GT),
	vec.SLoad: func(s *selector, in *vec.Instr) {
		s.op(scalarMemory[in.Type].signed, s.result(in), s.single(in.Mem, in.Type.Bytes()))
	},
	vec.SLoadU: func(s *selector, in *vec.Instr) {
		m := scalarMemory[in.Type]
		s.op(m.unsigned, isel.Def(m.view, s.Dst(in)[0]), s.single(in.Mem, in.Type.Bytes()))
	},
	vec.SStore: func(s *selector, in *vec.Instr) {
		m := scalarMemory[in.Type]
		s.op(m.store, isel.Use(m.view, s.One(in.Src[0])), s.single(in.Mem, in.Type.Bytes()))
	},
	vec.SSwap: swap,

	vec.Loop: loop, vec.Repeat: repeat, vec.If: branch, vec.IfAny: anyBranch, vec.Else: otherwise, vec.End: end,
	vec.Break:   func(s *selector, in *vec.Instr) { s.op(arm64.BRANCH, isel.Label(s.Loop(in.Imm).End)) },
	vec.Next:    next,
	vec.Return:  func(s *selector, in *vec.Instr) { s.Add(leave, isel.Imm(in.Imm)) },
	vec.Suspend: func(s *selector, in *vec.Instr) { s.SuspendAt(in.Imm, 0) },
	vec.Poll:    func(s *selector, in *vec.Instr) { s.SuspendAt(vec.Polled, in.Imm) },
}

// scalarMemory says how integers are read and written.
var scalarMemory = map[vec.Type]struct {
	signed, unsigned, store arm64.Op
	view                    uint8 // of the register that is filled without sign or stored
	extend                  arm64.Op
}{
	vec.I8:  {arm64.LDRSB, arm64.LDRB, arm64.STRB, viewW, arm64.SXTB},
	vec.I16: {arm64.LDRSH, arm64.LDRH, arm64.STRH, viewW, arm64.SXTH},
	vec.I32: {arm64.LDRSW, arm64.LDR, arm64.STR, viewW, arm64.SXTW},
	vec.I64: {arm64.LDR, arm64.LDR, arm64.STR, viewX, 0},
}

// result is the result of an instruction that is a scalar.
func (s *selector) result(in *vec.Instr) mach.Arg { return isel.Def(viewX, s.Dst(in)[0]) }

// scalar is an operand that is a scalar.
func (s *selector) scalar(r vec.Reg) mach.Arg { return isel.Use(viewX, s.One(r)) }

// swap has what is expected in the register of the result.
func swap(s *selector, in *vec.Instr) {
	m, t, at := scalarMemory[in.Type], s.Integer(), s.address(in.Mem)
	s.Add(moveInt, isel.Def(viewX, t), s.scalar(in.Src[0]))
	s.Add(compareSwap, isel.UseDef(m.view, t), isel.Use(m.view, s.One(in.Src[1])), isel.Use(viewX, at), isel.Imm(int64(in.Type)))
	if in.Type == vec.I64 {
		s.Add(moveInt, s.result(in), isel.Use(viewX, t))
		return
	}
	s.op(m.extend, s.result(in), isel.Use(viewW, t))
}

func scalars(op arm64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		s.op(op, s.result(in), s.scalar(in.Src[0]), s.scalar(in.Src[1]))
	}
}

// smaller gives the first operand where the condition holds, else the second.
func smaller(c arm64.Cond) rule {
	return func(s *selector, in *vec.Instr) {
		a, b := s.scalar(in.Src[0]), s.scalar(in.Src[1])
		s.op(arm64.CMP, a, b)
		s.op(arm64.CSEL, s.result(in), a, b, cond(c))
	}
}

// jump goes to a label where a condition holds.
func (s *selector) jump(c arm64.Cond, to int64) { s.op(arm64.BCOND, cond(c), isel.Label(to)) }

// bind gives a label its place.
func (s *selector) bind(l int64) { s.Add(mach.Bind, isel.Label(l)) }

// loop tests before the first turn and behind each one.
func loop(s *selector, in *vec.Instr) {
	s.op(arm64.CMP, s.scalar(in.Src[0]), s.scalar(in.Src[1]))
	s.Add(moveInt, s.result(in), s.scalar(in.Src[0]))
	r := s.Open(in)
	s.jump(arm64.GE, r.End)
	s.Add(mach.LoopBegin)
	s.bind(r.Begin)
}

func repeat(s *selector, in *vec.Instr) {
	s.Add(mach.LoopBegin)
	s.bind(s.Open(in).Begin)
}

// next goes on with the next turn of a loop.
func next(s *selector, in *vec.Instr) {
	r := s.Loop(in.Imm)
	if r.Next < 0 {
		r.Next = s.Code.Label()
	}
	s.op(arm64.BRANCH, isel.Label(r.Next))
}

func end(s *selector, _ *vec.Instr) {
	r := s.Close()
	if r.Next >= 0 {
		s.bind(r.Next)
	}
	switch r.In.Op {
	case vec.Repeat:
		s.op(arm64.BRANCH, isel.Label(r.Begin))
		s.Add(mach.LoopEnd)
	case vec.Loop:
		i := s.One(r.In.Dst)
		s.addInt(i, i, r.In.Imm)
		s.op(arm64.CMP, isel.Use(viewX, i), s.scalar(r.In.Src[1]))
		s.jump(arm64.LT, r.Begin)
		s.Add(mach.LoopEnd)
	}
	s.bind(r.End)
}

// conditions are those of scalars.
var conditions = map[vec.Cond]arm64.Cond{
	vec.EQ: arm64.EQ, vec.NE: arm64.NE, vec.LT: arm64.LT, vec.LE: arm64.LE, vec.GT: arm64.GT, vec.GE: arm64.GE,
	vec.ULT: arm64.LO, vec.ULE: arm64.LS, vec.UGT: arm64.HI, vec.UGE: arm64.HS,
}

func branch(s *selector, in *vec.Instr) {
	s.op(arm64.CMP, s.scalar(in.Src[0]), s.scalar(in.Src[1]))
	s.jump(conditions[in.Cond].Not(), s.Open(in).End)
}

// anyBranch puts the four registers of a mask together and looks at the largest lanes.
func anyBranch(s *selector, in *vec.Instr) {
	m := s.Parts(in.Src[0])
	t := s.vectors(4)
	s.op(arm64.ORR, isel.Def(view16B, t[0]), isel.Use(view16B, m[0]), isel.Use(view16B, m[1]))
	s.op(arm64.ORR, isel.Def(view16B, t[1]), isel.Use(view16B, m[2]), isel.Use(view16B, m[3]))
	s.op(arm64.ORR, isel.Def(view16B, t[2]), isel.Use(view16B, t[0]), isel.Use(view16B, t[1]))
	s.op(arm64.UMAXP, isel.Def(view4S, t[3]), isel.Use(view4S, t[2]), isel.Use(view4S, t[2]))
	x := s.Integer()
	s.op(arm64.FMOV, isel.Def(viewX, x), isel.Use(viewD, t[3]))
	s.op(arm64.CBZ, isel.Use(viewX, x), isel.Label(s.Open(in).End))
}

func otherwise(s *selector, _ *vec.Instr) {
	begin, end := s.Other()
	s.op(arm64.BRANCH, isel.Label(end))
	s.bind(begin)
}
