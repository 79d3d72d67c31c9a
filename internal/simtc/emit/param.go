package emit

import (
	"fmt"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// TensorParam makes parameters of a tensor in global memory: one for its address, which align
// divides, and one for each symbolic leaf of its layout.
func (em *Emitter) TensorParam(t types.Type, l layout.Layout, align int) Value {
	elem := types.Unalias(t).(*types.Named).TypeArgs().At(0)
	base := em.Param(Span{U64, interval.Ints(0, math.MaxInt64)}, align)
	return &Tensor{Space: Global, Elem: ElemOf(elem), Type: elem, Base: base, Layout: &Layout{Layout: l.MapInts(em.IntParam)}, Align: align}
}

// IntParam makes a parameter of a symbolic integer. Shapes are not negative, and an integer that is
// not wide has 32 bits; the binding of the arguments checks both.
func (em *Emitter) IntParam(n layout.Int) layout.Int {
	if _, ok := n.Static(); ok {
		return n
	}
	s := Span{Int, interval.Ints(0, math.MaxInt32)}
	if n.Wide() {
		s.In = Int.All()
	}
	return em.ToInt(em.Param(s, n.Div()))
}

// Param makes a parameter of the function being written, and reads it. The name counts the
// parameters, so that the same program always gets the same code.
func (em *Emitter) Param(s Span, div int) *Num {
	n := s.num()
	n.fn, n.Div = em.B.Func, div
	name := fmt.Sprintf("arg%d", len(em.B.Params))
	kind := n.Class().String()
	typ := n.suffix()
	switch {
	// A truth value is passed as a number, and a float below 32 bits by its bits.
	case s.Elem == Bool:
		kind, typ = "b32", "u32"
	case s.Elem.Float && s.Elem.Bits == 8:
		typ = "u32"
	case s.Elem.Class == simt.B16:
		typ = "b16"
	}
	em.B.Params = append(em.B.Params, simt.Param{Name: name, Type: typ})
	if s.Elem == Bool {
		// A truth value comes as a number, and becomes a predicate again.
		n.Reg = em.B.Value(simt.Pred, "setp.ne.s32", em.B.Value(simt.B32, "ld.param."+kind, simt.AtName(name, 0)), simt.I(0)).Reg
		return n
	}
	n.Reg = em.B.Value(n.Class(), "ld.param."+kind, simt.AtName(name, 0)).Reg
	return n
}
