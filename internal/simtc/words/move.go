package words

import (
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// move is a copy of n elements that are contiguous in both tensors, from the coordinate at on.
type move struct {
	*call
	src, dst *emit.Tensor
	at       layout.Tuple
	n        int
	pred     *simt.Operand
	regs     []simt.Operand // of the tensor in registers, if they were chosen already
}

// guard makes an instruction depend on the predicate.
func (m *move) guard(in *simt.Instr) {
	if m.pred != nil {
		in.Guard, in.Unless = m.pred.Reg, m.pred.Not
	}
}

// element copies one element.
func (m *move) element() {
	if m.pred == nil {
		m.StoreElem(m.dst, m.at, m.LoadElem(m.src, m.at))
		return
	}
	// With a predicate a load or store depends on it, and the value must exist in any case.
	e := m.src.Elem
	var v emit.Value
	if m.src.Space == emit.Rmem {
		v = m.LoadReg(m.src, m.at)
	} else {
		// The address may be outside of the tensor if the predicate does not hold, so the load
		// depends on it.
		v = m.loaded(m.src, e)
	}
	// Part of a register cannot be written under a predicate, so the old element is chosen and
	// written again.
	if m.dst.Space == emit.Rmem {
		p := m.NewNum(emit.Bool)
		p.Reg = m.pred.Reg
		m.StoreReg(m.dst, m.at, m.Choose(p, v, m.LoadReg(m.dst, m.at), e))
		return
	}
	at := m.call.Element(m.dst, m.at)
	m.guard(m.B.Emit("st."+string(m.dst.Space)+"."+e.StoreType(), nil, at, m.InMemory(v, e)))
}

// loaded reads an element of a tensor in memory, and gives 0 if the predicate does not hold. The
// register is set to 0 before the load, which the predicate guards.
func (m *move) loaded(t *emit.Tensor, e *emit.Elem) emit.Value {
	at := m.call.Element(t, m.at)
	class, typ := e.RegClass(e.Bits == 64), e.LoadType()
	if e == emit.Bool {
		// Predicates cannot be loaded.
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
	// Between two memories the words go through registers. They are 0 at first, in case that the
	// predicate does not hold.
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

// wordClass gives the class of the registers that hold the elements. words gives how many of them
// there are.
func (m *move) wordClass() simt.Class { return wordClass(m.src.Elem) }
func (m *move) words() int            { return m.n * m.src.Elem.Bits / m.wordClass().Bits() }

// wordClass gives the class of the registers of a tensor in registers.
func wordClass(e *emit.Elem) simt.Class {
	if e.Bits == 64 {
		return simt.B64
	}
	return simt.B32
}

// wordsAt gives the registers of the elements in a tensor in registers.
func (m *move) wordsAt(t *emit.Tensor) []simt.Operand {
	if m.regs != nil {
		return m.regs
	}
	first, part := m.Word(t, m.at)
	if part != 0 {
		panic("BUG: words: a vector begins inside of a register")
	}
	regs := make([]simt.Operand, m.words())
	for i := range regs {
		// Contiguous elements of a tensor in registers fill consecutive words.
		regs[i] = simt.R(t.Regs.Words[first+i])
	}
	return regs
}

// access loads or stores words in memory with one instruction.
func (m *move) access(op string, t *emit.Tensor, regs []simt.Operand) {
	at := m.call.Element(t, m.at)
	name, data := op+"."+string(t.Space), regs[0]
	if len(regs) > 1 {
		// An access has one, two or four registers.
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

// cpAsync starts an asynchronous copy. If the predicate does not hold, it reads nothing and writes
// zeros.
func (m *move) cpAsync(op string) {
	bytes := int64(m.n * m.src.Elem.Bits / 8)
	ops := []simt.Operand{m.call.Element(m.dst, m.at), m.call.Element(m.src, m.at), simt.I(bytes)}
	if m.pred != nil {
		// The last operand tells how many bytes to read; zeros fill the others.
		ops = append(ops, m.B.Value(simt.B32, "selp.b32", simt.I(bytes), simt.I(0), *m.pred))
	}
	m.B.Emit(op, nil, ops...)
}

// asyncOps lists the asynchronous copies. Only that of 16 bytes can bypass L1.
var asyncOps = map[bool]string{true: "cp.async.cg.shared.global", false: "cp.async.ca.shared.global"}
