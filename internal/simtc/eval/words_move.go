package eval

import (
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// move is a copy of n neighbours from a coordinate on.
type move struct {
	*ctx
	src, dst *tensor
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
		m.storeElem(m.dst, m.at, m.loadElem(m.src, m.at))
		return
	}
	e := m.src.elem
	var v value
	if m.src.space == rmem {
		v = m.loadReg(m.src, m.at)
	} else {
		v = m.loaded(m.src, e)
	}
	if m.dst.space == rmem {
		p := m.newNum(boolElem)
		p.reg = m.pred.Reg
		m.storeReg(m.dst, m.at, m.choose(p, v, m.loadReg(m.dst, m.at), e))
		return
	}
	at := m.ctx.element(m.dst, m.at)
	m.guard(m.b.Emit("st."+string(m.dst.space)+"."+e.storeType(), nil, at, m.inMemory(v, e)))
}

// loaded is an element of a tensor in memory, 0 where the predicate does not hold.
func (m *move) loaded(t *tensor, e *Elem) value {
	at := m.ctx.element(t, m.at)
	class, typ := e.regClass(e.Bits == 64), e.loadType()
	if e == boolElem {
		class = simt.B32
	}
	if e.Bits == 16 {
		class, typ = simt.B16, "b16"
	}
	r := m.b.Value(class, "mov."+class.String(), simt.I(0))
	m.guard(m.b.Emit("ld."+string(t.space)+"."+typ, []simt.Operand{r}, at))
	switch {
	case e == boolElem:
		return m.emit(e, "setp.ne.s32", r, simt.I(0))
	case e.isInt() && e.Bits == 16:
		return m.emit(e, "cvt."+e.Suffix+"."+map[bool]string{true: "s16", false: "u16"}[e.Signed], r)
	}
	n := m.newNum(e)
	n.reg = r.Reg
	return n
}

// vector copies words of 32 or 64 bits, up to 128 bits at once.
func (m *move) vector() {
	var regs []simt.Operand
	switch {
	case m.src.space == rmem:
		regs = m.wordsAt(m.src)
	case m.dst.space == rmem:
		m.access("ld", m.src, m.wordsAt(m.dst))
		return
	default:
		class := m.wordClass()
		for range m.words() {
			regs = append(regs, m.b.Value(class, "mov."+class.String(), simt.I(0)))
		}
		m.access("ld", m.src, regs)
	}
	if m.dst.space != rmem {
		m.access("st", m.dst, regs)
		return
	}
	for i, w := range m.wordsAt(m.dst) {
		m.guard(m.b.Emit("mov."+m.wordClass().String(), []simt.Operand{w}, regs[i]))
	}
}

// wordClass is that of the registers that hold elements; words is how many they are.
func (m *move) wordClass() simt.Class { return wordClass(m.src.elem) }
func (m *move) words() int            { return m.n * m.src.elem.Bits / m.wordClass().Bits() }

func wordClass(e *Elem) simt.Class {
	if e.Bits == 64 {
		return simt.B64
	}
	return simt.B32
}

// wordsAt are the registers of neighbours in a tensor in registers.
func (m *move) wordsAt(t *tensor) []simt.Operand {
	if m.regs != nil {
		return m.regs
	}
	first, part := m.word(t, m.at)
	if part != 0 {
		panic("BUG: eval: a vector begins inside of a register")
	}
	regs := make([]simt.Operand, m.words())
	for i := range regs {
		regs[i] = simt.R(t.regs.words[first+i])
	}
	return regs
}

// access loads or stores words in memory.
func (m *move) access(op string, t *tensor, regs []simt.Operand) {
	at := m.ctx.element(t, m.at)
	name, data := op+"."+string(t.space), regs[0]
	if len(regs) > 1 {
		name += map[int]string{2: ".v2", 4: ".v4"}[len(regs)]
		data = simt.V(regs...)
	}
	name += "." + m.wordClass().String()
	if op == "ld" {
		m.guard(m.b.Emit(name, []simt.Operand{data}, at))
		return
	}
	m.guard(m.b.Emit(name, nil, at, data))
}

// cpAsync starts an asynchronous copy; where the predicate does not hold it writes zero.
func (m *move) cpAsync(op string) {
	bytes := int64(m.n * m.src.elem.Bits / 8)
	ops := []simt.Operand{m.ctx.element(m.dst, m.at), m.ctx.element(m.src, m.at), simt.I(bytes)}
	if m.pred != nil {
		ops = append(ops, m.b.Value(simt.B32, "selp.b32", simt.I(bytes), simt.I(0), *m.pred))
	}
	m.b.Emit(op, nil, ops...)
}

// asyncOps are the asynchronous copies: those of 16 bytes go past L1.
var asyncOps = map[bool]string{true: "cp.async.cg.shared.global", false: "cp.async.ca.shared.global"}
