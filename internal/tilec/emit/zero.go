package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Zero gives the zero value of a type. The zero of a tile is the number 0, which fills a tile of
// any shape.
func (em *Emitter) Zero(pos token.Pos, t types.Type) Value {
	d := em.Desc(t)
	switch {
	case d != nil && d.Kind == describe.NoneKind:
		return None{}
	case d != nil && d.Zero != "":
		// The language declares the zero value of this type as a function.
		return em.Lang.Call(pos, em.Lang.Instance(pos, world.Symbol{Path: d.Scope, Name: d.Zero}, nil), nil)[0]
	case d != nil && d.Kind == describe.TileKind && !d.Pointer:
		if d.Elem.IR == tileir.I1 {
			return constant.MakeBool(false)
		}
		return constant.MakeInt64(0)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &Struct{Type: t}
		for i := range u.NumFields() {
			s.Fields = append(s.Fields, em.Zero(pos, u.Field(i).Type()))
		}
		return s
	case *types.Array:
		em.Must(u.Len() <= MaxLength, pos, "an array in a kernel can have at most %d elements", MaxLength)
		// A kernel cannot use up the memory of the compiler with large arrays.
		em.Spend(limit.Memory, u.Len()*ElemBytes)
		list := &List{Type: t}
		for range u.Len() {
			list.Elems = append(list.Elems, em.Zero(pos, u.Elem()))
		}
		return list
	case *types.Slice:
		return &Slice{}
	// These are nil.
	case *types.Pointer, *types.Signature, *types.Interface:
		return None{}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return constant.MakeString("")
		}
	}
	em.Fail(pos, "a variable of type %s cannot start at zero in a kernel", t)
	return nil
}

// UnsetOf gives the result of a function before it returns. The parts of structs and arrays are
// unset one by one, since branches merge them one by one.
func (em *Emitter) UnsetOf(t types.Type) Value {
	if em.Desc(t) != nil {
		return Unset{}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &Struct{t, make([]Value, u.NumFields())}
		for i := range s.Fields {
			s.Fields[i] = em.UnsetOf(u.Field(i).Type())
		}
		return s
	case *types.Array:
		if u.Len() <= MaxLength {
			return &List{t, slices.Repeat([]Value{em.UnsetOf(u.Elem())}, int(u.Len()))}
		}
	}
	return Unset{}
}
