package eval

import (
	"fmt"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

func (em *emitter) tensorParam(t types.Type, l layout.Layout, align int) value {
	elem := types.Unalias(t).(*types.Named).TypeArgs().At(0)
	base := em.param(span{u64Elem, interval.Ints(0, math.MaxInt64)}, align)
	return &tensor{space: global, elem: ElemOf(elem), typ: elem, base: base, lay: &layoutVal{Layout: l.MapInts(em.intParam)}, align: align}
}

// intParam is a symbolic integer as a parameter.
func (em *emitter) intParam(n layout.Int) layout.Int {
	if _, ok := n.Static(); ok {
		return n
	}
	s := span{intElem, interval.Ints(0, math.MaxInt32)}
	if n.Wide() {
		s.in = intElem.all()
	}
	return em.toInt(em.param(s, n.Div()))
}

// param makes a parameter of the function being written, and reads it.
func (em *emitter) param(s span, div int) *num {
	n := s.num()
	n.fn, n.div = em.b.Func, div
	name := fmt.Sprintf("arg%d", len(em.b.Params))
	kind := n.class().String()
	typ := n.suffix()
	switch {
	case s.elem == boolElem:
		kind, typ = "b32", "u32"
	case s.elem.Float && s.elem.Bits == 8:
		typ = "u32"
	case s.elem.Class == simt.B16:
		typ = "b16"
	}
	em.b.Params = append(em.b.Params, simt.Param{Name: name, Type: typ})
	if s.elem == boolElem {
		n.reg = em.b.Value(simt.Pred, "setp.ne.s32", em.b.Value(simt.B32, "ld.param."+kind, simt.AtName(name, 0)), simt.I(0)).Reg
		return n
	}
	n.reg = em.b.Value(n.class(), "ld.param."+kind, simt.AtName(name, 0)).Reg
	return n
}
