package words

import (
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// move is a copy of n neighbours from a coordinate on.
type move struct {
	*call
	src, dst *emit.Tensor
	at       layout.Tuple
	n        int
	pred     *simt.Operand
	regs     []simt.Operand // those of the one that is in registers, where they need not be neighbours there
}

// guard makes an instruction depend on the predicate.
func (m *move) guard(in *simt.Instr) {
	if m.pred != nil {
		in.Guard, in.Unless = m.pred.Reg, m.pred.Not
	}
}

// element copies one.
func (m *move) element() {
	if m.pred == nil {
		m.StoreElem(m.dst, m.at, m.LoadElem(m.src, m.at))
		return
	}
	e := m.src.Elem
	var v emit.Value
	if m.src.Space == emit.Rmem {
		v = m.LoadReg(m.src, m.at)
	} else {
		v = m.loaded(m.src, e)
	}
	if m.dst.Space == emit.Rmem {
		p := m.NewNum(emit.Bool)
		p.Reg = m.pred.Reg
		m.StoreReg(m.dst, m.at, m.Choose(p, v, m.LoadReg(m.dst, m.at), e))
		return
	}
	at := m.call.Element(m.dst, m.at)
	m.guard(m.B.Emit("st."+string(m.dst.Space)+"."+e.StoreType(), nil, at, m.InMemory(v, e)))
}

// loaded is an element of a tensor in memory, 0 where the predicate does not hold.
func (m *move) loaded(t *emit.Tensor, e *emit.Elem) emit.Value {
	at := m.call.Element(t, m.at)
	class, typ := e.RegClass(e.Bits == 64), e.LoadType()
	if e == emit.Bool {
		class = simt.B32
	}
	if e.Bits == 16 {
		class, typ = simt.B16, "b16"
	}
	r := m.B.Value(class, "mov."+class.String(), simt.I(0))
	m.guard(m.B.Emit("ld."+string(t.Space)+"."+typ, []simt.Operand{r}, at))
	switch {
	case e == emit.Bool:
		return m.Emit(e, "setp.ne.s32", r, simt.I(0))
	case e.IsInt() && e.Bits == 16:
		return m.Emit(e, "cvt."+e.Suffix+"."+map[bool]string{true: "s16", false: "u16"}[e.Signed], r)
	}
	n := m.NewNum(e)
	n.Reg = r.Reg
	return n
}

// vector copies words of 32 or 64 bits, up to 128 bits at once.
func (m *move) vector() {
	var regs []simt.Operand
	switch {
	case m.src.Space == emit.Rmem:
		regs = m.wordsAt(m.src)
	case m.dst.Space == emit.Rmem:
		m.access("ld", m.src, m.wordsAt(m.dst))
		return
	default:
		class := m.wordClass()
		for range m.words() {
			regs = append(regs, m.B.Value(class, "mov."+class.String(), simt.I(0)))
		}
		m.access("ld", m.src, regs)
	}
	if m.dst.Space != emit.Rmem {
		m.access("st", m.dst, regs)
		return
	}
	for i, w := range m.wordsAt(m.dst) {
		m.guard(m.B.Emit("mov."+m.wordClass().String(), []simt.Operand{w}, regs[i]))
	}
}

// wordClass is that of the registers that hold elements; words is how many they are.
func (m *move) wordClass() simt.Class { return wordClass(m.src.Elem) }
func (m *move) words() int            { return m.n * m.src.Elem.Bits / m.wordClass().Bits() }

func wordClass(e *emit.Elem) simt.Class {
	if e.Bits == 64 {
		return simt.B64
	}
	return simt.B32
}

// wordsAt are the registers of neighbours in a tensor in registers.
func (m *move) wordsAt(t *emit.Tensor) []simt.Operand {
	if m.regs != nil {
		return m.regs
	}
	first, part := m.Word(t, m.at)
	if part != 0 {
		panic("BUG: eval: a vector begins inside of a register")
	}
	regs := make([]simt.Operand, m.words())
	for i := range regs {
		regs[i] = simt.R(t.Regs.Words[first+i])
	}
	return regs
}

// access loads or stores words in memory.
func (m *move) access(op string, t *emit.Tensor, regs []simt.Operand) {
	at := m.call.Element(t, m.at)
	name, data := op+"."+string(t.Space), regs[0]
	if len(regs) > 1 {
		name += map[int]string{2: ".v2", 4: ".v4"}[len(regs)]
		data = simt.V(regs...)
	}
	name += "." + m.wordClass().String()
	if op == "ld" {
		m.guard(m.B.Emit(name, []simt.Operand{data}, at))
		return
	}
	m.guard(m.B.Emit(name, nil, at, data))
}

// cpAsync starts an asynchronous copy; where the predicate does not hold it writes zero.
func (m *move) cpAsync(op string) {
	bytes := int64(m.n * m.src.Elem.Bits / 8)
	ops := []simt.Operand{m.call.Element(m.dst, m.at), m.call.Element(m.src, m.at), simt.I(bytes)}
	if m.pred != nil {
		ops = append(ops, m.B.Value(simt.B32, "selp.b32", simt.I(bytes), simt.I(0), *m.pred))
	}
	m.B.Emit(op, nil, ops...)
}

// asyncOps are the asynchronous copies: those of 16 bytes go past L1.
var asyncOps = map[bool]string{true: "cp.async.cg.shared.global", false: "cp.async.ca.shared.global"}
