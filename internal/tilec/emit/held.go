package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// Held is what a variable of an interface type holds where the value itself does not know its type: a constant, a
// pointer, a slice, a function or nil. Tiles, structs and arrays know theirs.
type Held struct {
	Type types.Type
	V    Value
}

// Held is a value of type from as a variable of type to takes it: with its type where to is an interface.
func (em *Emitter) Held(v Value, from, to types.Type) Value {
	if !IsInterface(to) || IsInterface(from) || Poisoned(v) || v == (Unset{}) || from == types.Typ[types.UntypedNil] {
		return v
	}
	if goval.IsUntyped(from) {
		from = types.Default(from)
	}
	switch x := v.(type) {
	case *Held:
		return x
	case *Tile:
		if d := em.TileDesc(from); x.Type == nil || types.Identical(x.Type, from) || d == nil || x.Desc.Shape == nil || !d.Same(x.Desc) {
			return x // Go forgets the shape of a comparison
		}
		y := *x
		y.Type = from
		return &y
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

// Content is a value without the type that an interface has for it.
func Content(v Value) Value {
	if h, ok := v.(*Held); ok {
		return h.V
	}
	return v
}

// heldType is the type of what an interface holds: nil where there is nothing yet.
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

// sameHeld fails where two values of a variable of an interface type, on two ways, are of different types.
func (em *Emitter) sameHeld(pos token.Pos, p *Place, a, b Value) {
	t, u := heldType(a), heldType(b)
	if t != nil && u != nil && !types.Identical(t, u) {
		em.Wanted = true
		em.Fail(pos, "%s is an interface that holds %s on one way and %s on the other: it cannot change its type inside a loop or branch", p, t, u)
	}
}

// IsText reports whether a value is a string.
func IsText(v Value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.String
}

// IsInterface reports whether a type is an interface whose variables hold values of other types.
func IsInterface(t types.Type) bool {
	if t == nil || IsTypeParam(t) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin() // go/types makes what is beneath an instance where somebody asks, which takes long
	}
	return types.IsInterface(t)
}

// HeldBy is the type of a value that a variable of an interface type holds, and the value.
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
