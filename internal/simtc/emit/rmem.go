package emit

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// regs holds the registers of a tensor in registers. A word has 32 bits, or 64 for elements of 64;
// several small elements share a word.
type regs struct {
	fn    *simt.Func
	Words []simt.Reg
}

// NewRmem makes a tensor in registers. The layout must be static, since an instruction names its
// registers.
func (em *Emitter) NewRmem(e *Elem, typ types.Type, l layout.Layout) *Tensor {
	size, err := l.Cosize()
	em.Refused(err)
	n, ok := size.Static()
	em.Must(ok, em.Pos, "a tensor in registers must have a static layout, not %s", l)
	em.Must(n <= maxArray, em.Pos, "a tensor in registers of %d elements is too large", n)
	r := &regs{fn: em.B.Func, Words: make([]simt.Reg, (n*e.Bits+31)/32)}
	class := simt.B32
	if e.Bits == 64 {
		// An element of 64 bits has a register of its own.
		r.Words, class = r.Words[:n], simt.B64
	}
	for i := range r.Words {
		// Go's variables are zero at first, and so are these.
		r.Words[i] = em.B.Value(class, "mov."+class.String(), simt.I(0)).Reg
	}
	return &Tensor{Space: Rmem, Elem: e, Type: typ, Layout: &Layout{Layout: l}, Align: 16, Regs: r}
}

// Word finds an element among the registers: the index of its word, and its index in the word.
func (em *Emitter) Word(t *Tensor, crd layout.Tuple) (w, part int) {
	n, ok := t.Off.Add(em.Index(t.Layout, crd)).Static()
	em.Must(ok, em.Pos, "an element of a tensor in registers must have a static coordinate, but this one is dynamic: loop with cute.Unroll, or put the tensor in shared memory")
	per := max(32/t.Elem.Bits, 1)
	em.Must(0 <= n && n/per < len(t.Regs.Words), em.Pos, "coordinate %s is outside of %s", crd, t.Describe())
	em.Must(t.Regs.fn == em.B.Func, em.Pos, "a tensor in registers belongs to the function that made it: a kernel cannot take it as an argument")
	return n / per, n % per
}

// LoadReg reads an element of a tensor in registers. It copies the register, as a later store
// changes it.
func (em *Emitter) LoadReg(t *Tensor, crd layout.Tuple) Value {
	i, part := em.Word(t, crd)
	w := t.Regs.Words[i]
	e := t.Elem
	switch {
	// A truth value takes a byte in registers, too.
	case e == Bool:
		return em.Emit(Bool, "setp.ne.s32", em.B.Value(simt.B32, "bfe.u32", simt.R(w), simt.I(int64(8*part)), simt.I(8)), simt.I(0))
	// PTX splits a word of 32 bits into registers of 16 with a mov.
	case e.Class == simt.B16:
		lo, hi := simt.R(em.B.NewReg(simt.B16)), simt.R(em.B.NewReg(simt.B16))
		em.B.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, simt.R(w))
		n := em.NewNum(e)
		n.Reg = [2]simt.Reg{lo.Reg, hi.Reg}[part]
		return n
	case e.Bits < 32:
		kind := "bfe.u32"
		if e.Signed && e.IsInt() {
			kind = "bfe.s32"
		}
		return em.Emit(e, kind, simt.R(w), simt.I(int64(part*e.Bits)), simt.I(int64(e.Bits)))
	}
	n := em.NewNum(e)
	n.Reg = em.move(n.Class(), simt.R(w))
	return n
}

// StoreReg writes an element of a tensor in registers. If it shares its word with others, these
// stay as they are.
func (em *Emitter) StoreReg(t *Tensor, crd layout.Tuple, v Value) {
	i, part := em.Word(t, crd)
	w := simt.R(t.Regs.Words[i])
	e := t.Elem
	switch {
	case e.Class == simt.B16:
		lo, hi := simt.R(em.B.NewReg(simt.B16)), simt.R(em.B.NewReg(simt.B16))
		em.B.Emit("mov.b32", []simt.Operand{simt.V(lo, hi)}, w)
		halves := [2]simt.Operand{lo, hi}
		// The other half of the word is written back as it was.
		halves[part] = em.InReg(v, e)
		em.B.Emit("mov.b32", []simt.Operand{w}, simt.V(halves[0], halves[1]))
	case e.Bits < 32:
		x := em.stored(v, e)
		em.B.Emit("bfi.b32", []simt.Operand{w}, x, w, simt.I(int64(part*e.Bits)), simt.I(int64(e.Bits)))
	default:
		em.B.Emit("mov."+movSuffix(e.RegClass(e.Bits == 64)), []simt.Operand{w}, em.Operand(v, e, e.Bits == 64))
	}
}
