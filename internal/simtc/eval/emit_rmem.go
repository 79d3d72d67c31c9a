package eval

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// regs are the registers of a tensor in registers: words of 32 bits, or 64 for elements of 64.
type regs struct {
	fn    *simt.Func
	words []simt.Reg
}

// newRmem makes a tensor in registers.
func (em *emitter) newRmem(e *Elem, typ types.Type, l layout.Layout) *tensor {
	size, err := l.Cosize()
	em.refused(err)
	n, ok := size.Static()
	em.Must(ok, em.pos, "a tensor in registers must have a static layout, not %s", l)
	em.Must(n <= maxArray, em.pos, "a tensor in registers of %d elements is too large", n)
	r := &regs{fn: em.b.Func, words: make([]simt.Reg, (n*e.Bits+31)/32)}
	class := simt.B32
	if e.Bits == 64 {
		r.words, class = r.words[:n], simt.B64
	}
	for i := range r.words {
		r.words[i] = em.b.Value(class, "mov."+class.String(), simt.I(0)).Reg
	}
	return &tensor{space: rmem, elem: e, typ: typ, lay: &layoutVal{Layout: l}, align: 16, regs: r}
}

// word finds an element in the registers: the word, and its place there.
func (em *emitter) word(t *tensor, crd layout.Tuple) (w, part int) {
	n, ok := t.off.Add(em.index(t.lay, crd)).Static()
	em.Must(ok, em.pos, "a tensor in registers has no elements at a dynamic coordinate: loop with cute.Unroll, or put it in shared memory")
	per := max(32/t.elem.Bits, 1)
	em.Must(0 <= n && n/per < len(t.regs.words), em.pos, "coordinate %s is outside of %s", crd, t.describe())
	em.Must(t.regs.fn == em.b.Func, em.pos, "a tensor in registers belongs to the function that made it: a kernel cannot take it as an argument")
	return n / per, n % per
}

// loadReg reads an element of a tensor in registers.
func (em *emitter) loadReg(t *tensor, crd layout.Tuple) value {
	i, part := em.word(t, crd)
	w := t.regs.words[i]
	e := t.elem
	switch {
	case e == boolElem:
		return em.emit(boolElem, "setp.ne.s32", em.b.Value(simt.B32, "bfe.u32", simt.R(w), simt.I(int64(8*part)), simt.I(8)), simt.I(0))
	case e.Class == simt.B16:
		lo, hi := simt.R(em.b.NewReg(simt.B16)), simt.R(em.b.NewReg(simt.B16))
		em.b.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, simt.R(w))
		n := em.newNum(e)
		n.reg = [2]simt.Reg{lo.Reg, hi.Reg}[part]
		return n
	case e.Bits < 32:
		kind := "bfe.u32"
		if e.Signed && e.isInt() {
			kind = "bfe.s32"
		}
		return em.emit(e, kind, simt.R(w), simt.I(int64(part*e.Bits)), simt.I(int64(e.Bits)))
	}
	n := em.newNum(e)
	n.reg = em.move(n.class(), simt.R(w))
	return n
}

// storeReg writes an element of a tensor in registers.
func (em *emitter) storeReg(t *tensor, crd layout.Tuple, v value) {
	i, part := em.word(t, crd)
	w := simt.R(t.regs.words[i])
	e := t.elem
	switch {
	case e.Class == simt.B16:
		lo, hi := simt.R(em.b.NewReg(simt.B16)), simt.R(em.b.NewReg(simt.B16))
		em.b.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, w)
		halves := [2]simt.Operand{lo, hi}
		halves[part] = em.inReg(v, e)
		em.b.Emit("mov.b32", []simt.Operand{w}, simt.V(halves[0], halves[1]))
	case e.Bits < 32:
		x := em.stored(v, e)
		em.b.Emit("bfi.b32", []simt.Operand{w}, x, w, simt.I(int64(part*e.Bits)), simt.I(int64(e.Bits)))
	default:
		em.b.Emit("mov."+movSuffix(e.regClass(e.Bits == 64)), []simt.Operand{w}, em.operand(v, e, e.Bits == 64))
	}
}
