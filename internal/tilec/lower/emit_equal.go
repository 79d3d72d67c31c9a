package lower

import (
	"go/constant"
	"go/token"
	"go/types"
)

// equal compares what are no tiles: structs and arrays part by part, pointers, and nil. It is nil for other values.
func (em *emitter) equal(pos token.Pos, a, b value, t types.Type) value {
	as, bs := partsOf(a), partsOf(b)
	switch {
	case as != nil && len(as) == len(bs):
		return em.equalParts(pos, as, bs, t)
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

// compareHeld compares values with their types, those that interfaces hold.
func (em *emitter) compareHeld(pos token.Pos, op token.Token, x, y value, t, u types.Type) value {
	if !types.Identical(t, u) {
		return truth(op == token.NEQ)
	}
	if t == types.Typ[types.UntypedNil] {
		return truth(op == token.EQL)
	}
	em.Must(types.Comparable(t), pos, "values of type %s cannot be compared", t)
	return em.compare(pos, op, x, y, t)
}

func (em *emitter) equalParts(pos token.Pos, as, bs []value, t types.Type) value {
	var all value = truth(true)
	for i := range as {
		if st, ok := t.Underlying().(*types.Struct); ok && st.Field(i).Name() == "_" {
			continue
		}
		is := em.compare(pos, token.EQL, as[i], bs[i], typeAt(t, []int{i}))
		if x, ok := is.(*tile); ok && len(x.desc.Shape) > 0 {
			em.Fail(pos, "a kernel cannot compare structs or arrays that hold tiles: compare the tiles, which gives a mask")
		}
		all = em.binary(pos, token.LAND, all, is, types.Typ[types.Bool])
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
func (em *emitter) negated(pos token.Pos, x value) value {
	if k, ok := x.(constant.Value); ok {
		return truth(!constant.BoolVal(k))
	}
	x2 := x.(*tile)
	return em.operate(pos, "not "+x2.desc.Elem.Family(), []types.Type{x2.typ}, x2)
}
