package x86

import (
	"bytes"
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// parts are the virtual registers of one register of a function: one for each register of the machine that it takes.
type parts []mach.Reg

// selector chooses instructions for a function.
type selector struct {
	*level
	f        *vec.Func
	code     *mach.Code
	regs     []parts
	spare    parts // room for more
	defs     []int // how often each register is assigned
	def      []int // the last assignment
	last     []int // the last instruction that needs a register
	open     []region
	at       int  // the instruction
	roomUsed bool // lanes are in the frame at times
	suspends bool // the function may suspend itself
	fault    error
}

// region is a region that is not closed yet.
type region struct {
	op    vec.Op
	begin int64 // label of a loop's first instruction
	next  int64 // label of what decides whether a loop has another turn; -1 if nothing jumps there
	end   int64 // label behind it, or of the other side of a branch
	in    *vec.Instr
}

func newSelector(lv *level, f *vec.Func, code *mach.Code) *selector {
	code.Reset()
	s := &selector{level: lv, f: f, code: code, regs: make([]parts, len(f.Regs)), defs: make([]int, len(f.Regs)), def: make([]int, len(f.Regs))}
	for i := range f.Body {
		if d := f.Body[i].Dst; d != 0 {
			s.defs[d]++
			s.def[d] = i
		}
		s.suspends = s.suspends || f.Body[i].Op.Suspends()
	}
	s.last = f.LastUses()
	code.Cold = f.Cold()
	return s
}

// run goes through the function.
func (s *selector) run() error {
	for i := range s.f.Body {
		s.at = i
		s.instr(&s.f.Body[i])
		if s.fault != nil {
			return s.fault
		}
	}
	s.add(leave, imm(0))
	return nil
}

// instr chooses instructions by rule, or those of the table.
func (s *selector) instr(in *vec.Instr) {
	switch e := &s.entries[in.Op][in.Type]; {
	case e.rule != nil:
		e.rule(s, in)
	case e.op != 0:
		s.simple(in, e)
	default:
		s.lacks(in)
	}
}

// lacks notes that there is no code for an instruction.
func (s *selector) lacks(in *vec.Instr) {
	if s.fault == nil {
		s.fault = &Unsupported{Level: s.name, Instr: s.f.Text(in)}
	}
}

// simple writes the same for each part.
func (s *selector) simple(in *vec.Instr, e *entry) {
	d, view := s.dst(in), s.view(in)
	for i := range d {
		out := s.op(e.op, def(view, d[i]), use(view, s.regs[in.Src[0]][i]))
		if e.args == 2 {
			out.Append(use(view, s.regs[in.Src[1]][i]))
		}
		if e.swap {
			out.Args[1], out.Args[2] = out.Args[2], out.Args[1]
		}
		if e.imm {
			out.Append(imm(in.Imm | e.bits))
		}
	}
}

// shape says how a class of registers lies in the machine's.
func (s *selector) shape(c vec.Class) shape { return s.shapes[c] }

// view is how the registers of the result are seen.
func (s *selector) view(in *vec.Instr) uint8 { return s.shape(s.f.Class(in.Dst)).view }

// parts gives the registers of an operand.
func (s *selector) parts(r vec.Reg) parts { return s.regs[r] }

// one gives the only register of an operand.
func (s *selector) one(r vec.Reg) mach.Reg { return s.regs[r][0] }

// dst gives the registers of the result, new ones at the first assignment.
func (s *selector) dst(in *vec.Instr) parts {
	if s.regs[in.Dst] == nil {
		s.regs[in.Dst] = s.fresh(s.f.Class(in.Dst))
	}
	return s.regs[in.Dst]
}

func (s *selector) fresh(c vec.Class) parts {
	sh := s.shape(c)
	p := s.newParts(sh.n)
	for i := range p {
		p[i] = s.code.New(sh.file)
	}
	return p
}

// newParts makes room for n registers.
func (s *selector) newParts(n int) parts {
	if len(s.spare)+n > cap(s.spare) {
		s.spare = make(parts, 0, 256)
	}
	at := len(s.spare)
	s.spare = s.spare[:at+n]
	return s.spare[at : at+n : at+n]
}

// uniform gives one register for all parts of a result whose lanes are alike. It reports how many of the parts the caller
// must fill: one if nothing else is ever assigned to the register, so that the parts can share it.
func (s *selector) uniform(in *vec.Instr) (d parts, fill int) {
	if s.defs[in.Dst] != 1 {
		d = s.dst(in)
		return d, len(d)
	}
	sh := s.shape(s.f.Class(in.Dst))
	d = s.newParts(sh.n)
	d[0] = s.code.New(sh.file)
	for i := range d {
		d[i] = d[0]
	}
	s.regs[in.Dst] = d
	return d, 1
}

// dies reports whether an operand is not needed after the current instruction.
func (s *selector) dies(r vec.Reg) bool { return s.last[r] <= s.at }

// vector makes a vector register for a value on its way.
func (s *selector) vector() mach.Reg { return s.code.New(mach.Vector) }

// integer makes a general register for a value on its way.
func (s *selector) integer() mach.Reg { return s.code.New(mach.Int) }

// calc writes an instruction whose result is a new vector register. All operands are seen in the same way.
func (s *selector) calc(op amd64.Op, view uint8, x ...mach.Reg) mach.Reg {
	t := s.vector()
	out := s.op(op, def(view, t))
	for _, r := range x {
		out.Append(use(view, r))
	}
	return t
}

// calcImm is calc for an instruction on one register with an immediate.
func (s *selector) calcImm(op amd64.Op, to, from uint8, n int64, x mach.Reg) mach.Reg {
	t := s.vector()
	s.op(op, def(to, t), use(from, x), imm(n))
	return t
}

// calcConst is calc for an instruction whose second operand is a number of so many bytes in all lanes.
func (s *selector) calcConst(op amd64.Op, view uint8, x mach.Reg, n int64, bytes int) mach.Reg {
	t := s.vector()
	s.op(op, def(view, t), use(view, x), repeated(n, bytes, view))
	return t
}

// put lets a register have the value of one that nothing else needs: the last instruction makes it there if it made it, else
// it is copied.
func (s *selector) put(view uint8, d, t mach.Reg) {
	last := &s.code.Instrs[len(s.code.Instrs)-1]
	if last.N > 0 && last.Args[0] == def(last.Args[0].View, t) {
		last.Args[0].Reg = d
		return
	}
	s.add(moveVector, def(view, d), use(view, t))
}

// op writes an instruction of package amd64.
func (s *selector) op(op amd64.Op, args ...mach.Arg) *mach.Instr { return s.add(int32(op), args...) }

func (s *selector) add(op int32, args ...mach.Arg) *mach.Instr {
	return s.code.Add(op, int32(s.at), args...)
}

func use(view uint8, r mach.Reg) mach.Arg { return mach.Arg{Kind: mach.RegArg, View: view, Reg: r} }
func def(view uint8, r mach.Reg) mach.Arg {
	return mach.Arg{Kind: mach.RegArg, View: view, Reg: r, Access: mach.Def}
}
func useDef(view uint8, r mach.Reg) mach.Arg {
	return mach.Arg{Kind: mach.RegArg, View: view, Reg: r, Access: mach.UseDef}
}
func imm(n int64) mach.Arg   { return mach.Arg{Kind: mach.ImmArg, Imm: n} }
func label(l int64) mach.Arg { return mach.Arg{Kind: mach.LabelArg, Imm: l} }

// data is memory with the given bytes.
func data(b []byte) mach.Arg { return mach.Arg{Kind: mach.ConstArg, Data: string(b)} }

// repeated is memory with a number of so many bytes in all lanes.
func repeated(n int64, size int, view uint8) mach.Arg {
	return data(bytes.Repeat(element(n, size), bytesOf(view)/size))
}

// element is a constant of the given number of bytes.
func element(bits int64, bytes int) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(bits))
	return b[:bytes]
}

// memory is the memory of an instruction, a number of bytes further.
func (s *selector) memory(m vec.Mem, plus int) mach.Arg {
	a := mach.Arg{Kind: mach.MemArg, Reg: s.one(m.Base), Disp: m.Disp + int32(plus)}
	if m.Index != 0 {
		a.Index, a.Indexed, a.Scale = s.one(m.Index), true, uint8(m.Scale)
	}
	return a
}
