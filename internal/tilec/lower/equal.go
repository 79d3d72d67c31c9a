package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// equal compares what are no tiles: structs and arrays part by part, pointers, and nil. It is nil for other values.
func (l *lowerer) equal(pos token.Pos, a, b value, t types.Type) value {
	as, bs := partsOf(a), partsOf(b)
	switch {
	case as != nil && len(as) == len(bs):
		return l.equalParts(pos, as, bs, t)
	case isNil(a):
		return truth(isNil(b))
	case isNil(b):
		return truth(false)
	}
	p, ok := a.(*place)
	q, ok2 := b.(*place)
	if ok && ok2 {
		return truth(p.same(q))
	}
	return nil
}

// ofInterfaces reports whether a comparison looks at what an interface holds. With nil it does not.
func (l *lowerer) ofInterfaces(fr *frame, e *ast.BinaryExpr) bool {
	if fr.pkg.Info.Types[e.X].IsNil() || fr.pkg.Info.Types[e.Y].IsNil() {
		return false
	}
	return isInterface(l.typeOf(fr, e.X)) || isInterface(l.typeOf(fr, e.Y))
}

// equalInterfaces compares the types that two operands hold, and the values where the types are the same.
func (l *lowerer) equalInterfaces(fr *frame, e *ast.BinaryExpr) value {
	t, x := l.dynamic(fr, e.X, true)
	u, y := l.dynamic(fr, e.Y, true)
	defer l.here(fr, e.OpPos)()
	return l.compareHeld(e.OpPos, e.Op, x, y, t, u)
}

// compareHeld compares values with their types, those that interfaces hold.
func (l *lowerer) compareHeld(pos token.Pos, op token.Token, x, y value, t, u types.Type) value {
	if !types.Identical(t, u) {
		return truth(op == token.NEQ)
	}
	if t == types.Typ[types.UntypedNil] {
		return truth(op == token.EQL)
	}
	l.Must(types.Comparable(t), pos, "values of type %s cannot be compared", t)
	return l.compare(pos, op, x, y, t)
}

func (l *lowerer) equalParts(pos token.Pos, as, bs []value, t types.Type) value {
	var all value = truth(true)
	for i := range as {
		if st, ok := t.Underlying().(*types.Struct); ok && st.Field(i).Name() == "_" {
			continue
		}
		is := l.compare(pos, token.EQL, as[i], bs[i], typeAt(t, []int{i}))
		if x, ok := is.(*tile); ok && len(x.desc.Shape) > 0 {
			l.Fail(pos, "a kernel cannot compare structs or arrays that hold tiles: compare the tiles, which gives a mask")
		}
		all = l.binary(pos, token.LAND, all, is, types.Typ[types.Bool])
	}
	return all
}

// isNil reports whether a value is a nil pointer, function or slice.
func isNil(v value) bool {
	if s, ok := v.(*sliceVal); ok {
		return s.of == nil
	}
	_, ok := v.(noneVal)
	return ok
}

// negated is !x for one truth value.
func (l *lowerer) negated(pos token.Pos, x value) value {
	if k, ok := x.(constant.Value); ok {
		return truth(!constant.BoolVal(k))
	}
	x2 := x.(*tile)
	return l.operate(pos, "not "+x2.desc.Elem.Family(), []types.Type{x2.typ}, x2)
}
