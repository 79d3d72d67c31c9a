package eval

import (
	"go/constant"
	"go/token"
	"go/types"
)

// coerce gives a value of one type as one of another that it can be assigned to: constants are rounded, and what becomes
// an interface keeps its type.
func (em *emitter) coerce(v value, from, to types.Type) value {
	if to == nil || poisoned(v) {
		return v
	}
	if types.IsInterface(to) {
		if _, ok := to.(*types.TypeParam); ok {
			return v
		}
		if _, ok := v.(*iface); ok || isNil(v) || from == nil || types.IsInterface(from) {
			return v
		}
		return &iface{types.Default(from), em.coerce(v, from, types.Default(from))}
	}
	if isStatic(v) {
		if e, _ := numbers(to); e != nil && e != boolElem {
			return em.convertConst(v, nil, e)
		}
	}
	return v
}

// conversion is T(x).
func (em *emitter) conversion(pos token.Pos, v value, from, to types.Type) value {
	if poisoned(v) {
		panic(bailout{})
	}
	if types.IsInterface(to) {
		return em.coerce(v, from, to)
	}
	e, many := numbers(to)
	if e == nil {
		return em.sliceConversion(pos, v, from, to)
	}
	was, _ := numbers(from)
	one := func(x value) value {
		if n, ok := x.(*num); ok {
			return em.convert(n, n.elem, e)
		}
		return em.convertConst(x, was, e)
	}
	if isStatic(v) {
		return one(v)
	}
	switch x := v.(type) {
	case *vec:
		em.Must(many, pos, "a vector of %d elements cannot become one number: reduce it, or take an element", len(x.elems))
		return x.each(e, one)
	case *num:
		return one(x)
	}
	em.Fail(pos, "%s cannot be converted to %s", em.describe(v), to)
	return nil
}

// sliceConversion converts what is no number: a slice to an array. Other values stay what they are, as their types differ
// in the name alone.
func (em *emitter) sliceConversion(pos token.Pos, v value, from, to types.Type) value {
	_, wasSlice := from.Underlying().(*types.Slice)
	_, slice := to.Underlying().(*types.Slice)
	if wasSlice == slice || isNil(v) {
		return v
	}
	a, ok := to.Underlying().(*types.Array)
	em.Must(ok, pos, "a conversion of %s to %s cannot be compiled", from, to)
	elems := em.sliceElems(v)
	em.Must(len(elems) >= int(a.Len()), pos, "a slice of %d elements cannot become an array of %d", len(elems), a.Len())
	return &arrayVal{elems[:a.Len()]}
}

// inType is a constant as an element holds it, rounded once. An element that does not hold it is a mistake at pos.
func (em *emitter) inType(pos token.Pos, v constant.Value, e *Elem) constant.Value {
	k, err := e.val().Hold(v)
	if err != nil {
		em.Fail(pos, "%v", err)
	}
	return k.(constant.Value)
}
