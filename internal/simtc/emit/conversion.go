package emit

import (
	"go/constant"
	"go/token"
	"go/types"
)

// Coerce gives a value as one of a type that it can be assigned to: it rounds constants to the
// type, and keeps the type of a value that becomes an interface.
func (em *Emitter) Coerce(v Value, from, to types.Type) Value {
	if to == nil || Poisoned(v) {
		return v
	}
	if types.IsInterface(to) {
		// A type parameter does not hold values as an interface does: each instance has a type for
		// it.
		if _, ok := to.(*types.TypeParam); ok {
			return v
		}
		if _, ok := v.(*Iface); ok || from == nil || types.IsInterface(from) || from == types.Typ[types.UntypedNil] {
			return v
		}
		return &Iface{types.Default(from), em.Coerce(v, from, types.Default(from))}
	}
	if IsStatic(v) {
		if e, _ := Numbers(to); e != nil && e != Bool {
			return em.ConvertConst(v, nil, e)
		}
	}
	return v
}

// Conversion computes T(x), where to is T.
func (em *Emitter) Conversion(pos token.Pos, v Value, from, to types.Type) Value {
	if Poisoned(v) {
		panic(Bailout{})
	}
	if types.IsInterface(to) {
		return em.Coerce(v, from, to)
	}
	e, many := Numbers(to)
	if e == nil {
		return em.sliceConversion(pos, v, from, to)
	}
	// The type that a constant had decides whether it must fit: an untyped one must.
	was, _ := Numbers(from)
	one := func(x Value) Value {
		if n, ok := x.(*Num); ok {
			return em.Convert(n, n.Elem, e)
		}
		return em.ConvertConst(x, was, e)
	}
	if IsStatic(v) {
		return one(v)
	}
	switch x := v.(type) {
	case *Vec:
		em.Must(many, pos, "a vector of %d elements cannot become one number: reduce it, or take an element", len(x.Elems))
		return x.Each(e, one)
	case *Num:
		return one(x)
	}
	em.Fail(pos, "%s cannot be converted to %s", em.Describe(v), to)
	return nil
}

// sliceConversion converts a value that is not a number. It makes an array of a slice. Every other
// value stays as it is, since its type changes in name only.
func (em *Emitter) sliceConversion(pos token.Pos, v Value, from, to types.Type) Value {
	_, wasSlice := from.Underlying().(*types.Slice)
	_, slice := to.Underlying().(*types.Slice)
	if wasSlice == slice || IsNil(v) {
		return v
	}
	a, ok := to.Underlying().(*types.Array)
	em.Must(ok, pos, "a conversion of %s to %s cannot be compiled", from, to)
	elems := em.SliceElems(v)
	em.Must(len(elems) >= int(a.Len()), pos, "a slice of %d elements cannot become an array of %d", len(elems), a.Len())
	return &Array{elems[:a.Len()]}
}

// InType gives a constant as an element of type e holds it, rounded once. It is a mistake at pos if
// the type cannot hold the constant.
func (em *Emitter) InType(pos token.Pos, v constant.Value, e *Elem) constant.Value {
	k, err := e.Val().Hold(v)
	if err != nil {
		em.Fail(pos, "%v", err)
	}
	return k.(constant.Value)
}
