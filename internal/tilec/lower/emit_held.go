package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// held is what a variable of an interface type holds where the value itself does not know its type: a constant, a
// pointer, a slice, a function or nil. Tiles, structs and arrays know theirs.
type held struct {
	typ types.Type
	v   value
}

// held is a value of type from as a variable of type to takes it: with its type where to is an interface.
func (em *emitter) held(v value, from, to types.Type) value {
	if !isInterface(to) || isInterface(from) || poisoned(v) || v == (unset{}) || from == types.Typ[types.UntypedNil] {
		return v
	}
	if goval.IsUntyped(from) {
		from = types.Default(from)
	}
	switch x := v.(type) {
	case *held:
		return x
	case *tile:
		if d := em.tileDesc(from); x.typ == nil || types.Identical(x.typ, from) || d == nil || x.desc.Shape == nil || !d.Same(x.desc) {
			return x // Go forgets the shape of a comparison
		}
		y := *x
		y.typ = from
		return &y
	case *structVal:
		return &structVal{from, x.fields}
	case *listVal:
		if _, ok := from.Underlying().(*types.Array); ok {
			return &listVal{from, x.elems}
		}
	case constant.Value, nonFinite:
		return &held{from, em.coerce(em.at, x, from)}
	}
	return &held{from, v}
}

// content is a value without the type that an interface has for it.
func content(v value) value {
	if h, ok := v.(*held); ok {
		return h.v
	}
	return v
}

// heldType is the type of what an interface holds: nil where there is nothing yet.
func heldType(v value) types.Type {
	switch v := v.(type) {
	case *held:
		return v.typ
	case *tile:
		return v.typ
	case noneVal:
		return types.Typ[types.UntypedNil]
	}
	return typeOfParts(v)
}

// sameHeld fails where two values of a variable of an interface type, on two ways, are of different types.
func (em *emitter) sameHeld(pos token.Pos, p *place, a, b value) {
	t, u := heldType(a), heldType(b)
	if t != nil && u != nil && !types.Identical(t, u) {
		em.wanted = true
		em.Fail(pos, "%s is an interface that holds %s on one way and %s on the other: it cannot change its type inside a loop or branch", p, t, u)
	}
}

// isText reports whether a value is a string.
func isText(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.String
}

// isInterface reports whether a type is an interface whose variables hold values of other types.
func isInterface(t types.Type) bool {
	if t == nil || isTypeParam(t) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin() // go/types makes what is beneath an instance where somebody asks, which takes long
	}
	return types.IsInterface(t)
}

// heldBy is the type of a value that a variable of an interface type holds, and the value.
func (em *emitter) heldBy(pos token.Pos, v value) (types.Type, value) {
	switch v := v.(type) {
	case *held:
		return v.typ, v.v
	case *tile:
		return v.typ, v
	case *structVal, *listVal:
		if t := typeOfParts(v); t != nil {
			return t, v
		}
	case noneVal:
		return types.Typ[types.UntypedNil], v
	case poison:
		panic(bailout{})
	}
	em.Fail(pos, "the type that this holds is not known when the kernel is compiled")
	return nil, nil
}
