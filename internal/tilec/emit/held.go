package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// Held is what a variable of an interface type holds if the value itself does not know its type: a
// constant, a pointer, a slice, a function or nil. Tiles, structs and arrays know their types.
type Held struct {
	Type types.Type
	V    Value
}

// Held gives a value of type from as a variable of type to takes it: with its type if to is an
// interface.
func (em *Emitter) Held(v Value, from, to types.Type) Value {
	if !IsInterface(to) || IsInterface(from) || Poisoned(v) || v == (Unset{}) || from == types.Typ[types.UntypedNil] {
		return v
	}
	// As in Go, an untyped constant in an interface has its default type.
	if goval.IsUntyped(from) {
		from = types.Default(from)
	}
	switch x := v.(type) {
	case *Held:
		return x
	case *Tile:
		if d := em.TileDesc(from); x.Type == nil || types.Identical(x.Type, from) || d == nil || x.Desc.Shape == nil || !d.Same(x.Desc) {
			// The Go type of a comparison is bool, which lacks the shape: the tile's own type is
			// better.
			return x
		}
		// The tile gets the type of the expression, which may be a named type.
		y := *x
		y.Type = from
		return &y
	// A conversion may have given the same fields another type.
	case *Struct:
		return &Struct{from, x.Fields}
	case *List:
		if _, ok := from.Underlying().(*types.Array); ok {
			return &List{from, x.Elems}
		}
	case constant.Value, NonFinite:
		return &Held{from, em.Coerce(em.Pos, x, from)}
	}
	return &Held{from, v}
}

// Content gives a value without the type that an interface has for it.
func Content(v Value) Value {
	if h, ok := v.(*Held); ok {
		return h.V
	}
	return v
}

// heldType gives the type of the value that an interface holds, or nil if the interface is not set
// yet.
func heldType(v Value) types.Type {
	switch v := v.(type) {
	case *Held:
		return v.Type
	case *Tile:
		return v.Type
	case None:
		return types.Typ[types.UntypedNil]
	}
	return typeOfParts(v)
}

// sameHeld refuses a variable of an interface type that holds values of different types on two
// paths. Which methods it has would then depend on the device.
func (em *Emitter) sameHeld(pos token.Pos, p *Place, a, b Value) {
	t, u := heldType(a), heldType(b)
	if t != nil && u != nil && !types.Identical(t, u) {
		em.Wanted = true
		em.Fail(pos, "%s is an interface that holds %s on one path and %s on the other: it cannot change its type inside a loop or branch", p, t, u)
	}
}

// IsText reports whether a value is a known string.
func IsText(v Value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.String
}

// IsInterface reports whether a type is an interface whose variables hold values of other types. A
// type parameter is not: each instance has another type for it.
func IsInterface(t types.Type) bool {
	if t == nil || IsTypeParam(t) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		// Asking an instance for its underlying type makes go/types compute it, which takes long.
		t = n.Origin()
	}
	return types.IsInterface(t)
}

// HeldBy gives the type of the value that a variable of an interface type holds, and the value.
func (em *Emitter) HeldBy(pos token.Pos, v Value) (types.Type, Value) {
	switch v := v.(type) {
	case *Held:
		return v.Type, v.V
	case *Tile:
		return v.Type, v
	case *Struct, *List:
		if t := typeOfParts(v); t != nil {
			return t, v
		}
	case None:
		return types.Typ[types.UntypedNil], v
	case Poison:
		panic(Bailout{})
	}
	em.Fail(pos, "the type that this holds is not known when the kernel is compiled")
	return nil, nil
}
