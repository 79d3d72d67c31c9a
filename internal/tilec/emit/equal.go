package emit

import (
	"go/constant"
	"go/token"
	"go/types"
)

// equal compares values that are not tiles: structs and arrays part by part, pointers, and nil. It
// returns nil for other values.
func (em *Emitter) equal(pos token.Pos, a, b Value, t types.Type) Value {
	as, bs := PartsOf(a), PartsOf(b)
	switch {
	case as != nil && len(as) == len(bs):
		return em.equalParts(pos, as, bs, t)
	case IsNil(a):
		return Truth(IsNil(b))
	case IsNil(b):
		return Truth(false)
	}
	p, ok := a.(*Place)
	q, ok2 := b.(*Place)
	if ok && ok2 {
		return Truth(p.same(q))
	}
	return nil
}

// CompareHeld compares the values that interfaces hold, with their types. Values of different types
// are not equal, which is known now.
func (em *Emitter) CompareHeld(pos token.Pos, op token.Token, x, y Value, t, u types.Type) Value {
	if !types.Identical(t, u) {
		return Truth(op == token.NEQ)
	}
	// Two interfaces without a value are equal.
	if t == types.Typ[types.UntypedNil] {
		return Truth(op == token.EQL)
	}
	em.Must(types.Comparable(t), pos, "values of type %s cannot be compared", t)
	return em.Compare(pos, op, x, y, t)
}

// equalParts compares structs or arrays part by part. As in Go, blank fields do not count.
func (em *Emitter) equalParts(pos token.Pos, as, bs []Value, t types.Type) Value {
	var all Value = Truth(true)
	for i := range as {
		if st, ok := t.Underlying().(*types.Struct); ok && st.Field(i).Name() == "_" {
			continue
		}
		is := em.Compare(pos, token.EQL, as[i], bs[i], typeAt(t, []int{i}))
		// The comparison of two tiles is a mask, and the result for a struct is a single truth
		// value.
		if x, ok := is.(*Tile); ok && len(x.Desc.Shape) > 0 {
			em.Fail(pos, "a kernel cannot compare structs or arrays that hold tiles: compare the tiles, which gives a mask")
		}
		all = em.Binary(pos, token.LAND, all, is, types.Typ[types.Bool])
	}
	return all
}

// IsNil reports whether a value is a nil pointer, function or slice.
func IsNil(v Value) bool {
	if s, ok := v.(*Slice); ok {
		return s.Of == nil
	}
	_, ok := v.(None)
	return ok
}

// negated gives !x for a single truth value.
func (em *Emitter) negated(pos token.Pos, x Value) Value {
	if k, ok := x.(constant.Value); ok {
		return Truth(!constant.BoolVal(k))
	}
	x2 := x.(*Tile)
	return em.Operate(pos, "not "+x2.Desc.Elem.Family(), []types.Type{x2.Type}, x2)
}
