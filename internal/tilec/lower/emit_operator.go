package lower

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// pair gives two operands one type; t is the Go type of the operation.
func (em *emitter) pair(pos token.Pos, a, b value, t types.Type) (*tile, *tile) {
	if poisoned(a) || poisoned(b) {
		panic(bailout{})
	}
	x, xTile := a.(*tile)
	y, yTile := b.(*tile)
	switch {
	case xTile && !yTile:
		y = em.as(pos, b, x.typ)
	case yTile && !xTile:
		x = em.as(pos, a, y.typ)
	case !xTile && !yTile:
		x, y = em.as(pos, a, t), em.as(pos, b, t)
	}
	if x.desc.Shape == nil || y.desc.Shape == nil {
		em.Fail(pos, "a kernel cannot use this operator here")
	}
	if !x.desc.Same(y.desc) {
		what := "tiles"
		if x.desc.Elem.IR == tileir.I1 {
			what = "masks"
		}
		e := em.Mistake(pos, "the %s differ: %s and %s%s", what, typeText(x.desc), typeText(y.desc), spreading(x.desc, y.desc))
		e.OfTypes, e.SameShape = len(x.desc.Shape) == len(y.desc.Shape), true // other extents do not change the rank
		panic(e)
	}
	return x, y
}

// spreading says how the one truth value of two masks becomes a mask; "" for others.
func spreading(x, y *describe.Desc) string {
	if len(x.Shape) > 0 {
		x, y = y, x
	}
	if x.Elem.IR != tileir.I1 || y.Elem.IR != tileir.I1 || len(x.Shape) > 0 {
		return ""
	}
	extents := make([]string, len(y.Shape))
	for i, n := range y.Shape {
		extents[i] = fmt.Sprintf("tile.D%d", n)
	}
	return fmt.Sprintf(": tile.BoolTile%d[%s](…) of the one truth value spreads it", len(extents), strings.Join(extents, ", "))
}

// binary lowers an operator other than a comparison.
func (em *emitter) binary(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if isConst(a) && isConst(b) {
		return em.fold(pos, op, a, b, t)
	}
	if op == token.LAND || op == token.LOR {
		if v, ok := shortCircuit(op, a, b); ok {
			return v
		}
	}
	if op == token.SHL || op == token.SHR {
		return em.shift(pos, op, a, b, t)
	}
	x, y := em.pair(pos, a, b, t)
	if isConst(b) && (op == token.QUO || op == token.REM) && x.desc.Elem.IR.IsInt() {
		em.Must(!isZero(b), pos, "division by zero")
	}
	return em.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
}

// shift lowers << and >>. The count has a type of its own; all bits are shifted out by one that is not less than the width.
func (em *emitter) shift(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if poisoned(a) || poisoned(b) {
		panic(bailout{})
	}
	x := em.as(pos, a, t)
	y, dynamic := b.(*tile)
	if x.desc.Elem.Family() == "int" {
		if dynamic {
			return em.operate(pos, op.String()+" count", []types.Type{x.typ, y.typ}, x, y)
		}
		n, width := em.shiftCount(pos, b), uint(x.desc.Elem.IR.Bits())
		switch {
		case n >= width && (op == token.SHL || !x.desc.Elem.Signed()):
			return em.constant(pos, number(0), x.typ)
		case n >= width:
			n = width - 1
		}
		b = number(int(n))
	}
	return em.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, em.as(pos, b, x.typ))
}

// shortCircuit answers && and || where one side is known.
func shortCircuit(op token.Token, a, b value) (value, bool) {
	for i, v := range []value{a, b} {
		k, ok := v.(constant.Value)
		if !ok {
			continue
		}
		other := []value{b, a}[i]
		if constant.BoolVal(k) == (op == token.LAND) {
			return other, true
		}
		if x, ok := other.(*tile); ok && len(x.desc.Shape) > 0 {
			return nil, false // the result is a mask
		}
		return k, true
	}
	return nil, false
}

func (em *emitter) compare(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if isInterface(t) { // of fields and elements
		u, x := em.heldBy(pos, a)
		v, y := em.heldBy(pos, b)
		return em.compareHeld(pos, op, x, y, u, v)
	}
	if isConst(a) && isConst(b) {
		return truth(em.compareFold(pos, op, a, b, t))
	}
	if op == token.EQL || op == token.NEQ {
		if eq := em.equal(pos, a, b, t); eq != nil && op == token.NEQ {
			return em.negated(pos, eq)
		} else if eq != nil {
			return eq
		}
	}
	x, y := em.pair(pos, a, b, t)
	if x.desc.Pointer || x.desc.Kind != describe.TileKind { // what views and pointers are made of
		em.Fail(pos, "a kernel cannot compare tensors or pointers to their elements")
	}
	return em.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
}

// operate calls the function that is declared for an operator.
func (em *emitter) operate(pos token.Pos, name string, ts []types.Type, args ...value) value {
	r, ok := em.w.Operators[name]
	if !ok {
		word, family, _ := strings.Cut(name, " ")
		em.Fail(pos, "tiles of %ss have no operator %s", family, word)
	}
	return em.lang.Call(pos, em.lang.Instance(pos, r, ts), args)[0]
}

// convertKnown converts the element of a variable whose value is known.
func (em *emitter) convertKnown(v value, from, to types.Type) value {
	if d, t := em.numberDesc(from), em.numberDesc(to); d != nil && t != nil {
		return goval.Convert(v, typeOf(d.Elem), typeOf(t.Elem))
	}
	return v
}

// convert is a conversion: of the element, then of the shape.
func (em *emitter) convert(pos token.Pos, v value, to types.Type) value {
	d := em.tileDesc(to)
	switch x := v.(type) {
	case poison:
		panic(bailout{})
	case constant.Value:
		if d == nil {
			return v
		}
		if len(d.Shape) > 0 {
			return em.constant(pos, v, to)
		}
		return em.inType(pos, x, to)
	case nonFinite:
		if d != nil && len(d.Shape) > 0 {
			return em.constant(pos, v, to)
		} else if d != nil {
			r, err := typeOf(d.Elem).Hold(x)
			return goval.Checked(&em.Reporter, pos, r, err)
		}
	case *tile:
		if d == nil || x.desc.Shape == nil {
			return v
		}
		name := "convert same"
		if x.desc.Elem != d.Elem {
			name = "convert " + x.desc.Elem.Family() + " " + d.Elem.Family()
		} else if d.Same(x.desc) {
			return &tile{v: x.v, desc: d, typ: to, min: x.min, div: x.div, meta: x.meta}
		}
		return em.operate(pos, name, []types.Type{to, x.typ}, x)
	case *structVal:
		if !types.IsInterface(to) {
			return &structVal{to, x.fields}
		}
	case *listVal:
		return em.coerce(pos, x, to)
	}
	return v
}
