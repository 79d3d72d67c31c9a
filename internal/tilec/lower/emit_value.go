package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// value is what an expression of a kernel stands for while it is compiled: a *tile, a constant.Value, a nonFinite, a
// *structVal, a *listVal, a *sliceVal, a *place, a *funcVal, a *held, a noneVal, a tuple, unset or poison.
type value any

// tile is a value of the kernel: a tile, a token or a view.
type tile struct {
	v    *tileir.Value
	desc *describe.Desc
	typ  types.Type       // the Go type, which knows the shape also where the expression's type is bool
	min  *int64           // a lower bound
	div  int64            // a divisor that the launcher found; 0 for unknown
	meta map[string]*cell // what travels with it
}

// nonFinite is a number that no constant of Go can be.
type nonFinite = goval.NonFinite

// structVal is a struct; its fields in order.
type structVal struct {
	typ    types.Type // for variables of interface types, which hold structs of any
	fields []value
}

// listVal is an array, or what a slice holds.
type listVal struct {
	typ   types.Type // of an array, for variables of interface types; nil for a list of an operation
	elems []value
}

// noneVal is an argument that is not given, or nil.
type noneVal struct{}

// unset is the result of a function that has not returned.
type unset struct{}

// tuple is several results.
type tuple []value

// cell is a variable, or a value that travels with another.
type cell struct {
	name   string
	typ    types.Type // nil for metadata
	v      value
	keep   bool // outlives the call that made it
	shared bool // a pointer, slice or function may lead to it
	result bool // of a function
	sets   []setting
}

// same reports whether two values need no join.
func same(a, b value) bool {
	x, ok := a.(*tile)
	if !ok {
		return sameConst(a, b)
	}
	y, ok := b.(*tile)
	return ok && x.v == y.v && (x.typ == y.typ || x.typ != nil && y.typ != nil && types.Identical(x.typ, y.typ))
}

func sameConst(a, b value) bool {
	switch x := a.(type) {
	case constant.Value, nonFinite:
		return goval.Same(x, b)
	case *structVal:
		y, ok := b.(*structVal)
		return ok && (x == y || x.is(y) && slices.EqualFunc(x.fields, y.fields, same))
	case *listVal:
		y, ok := b.(*listVal)
		return ok && (x == y || alike(x, y) && slices.EqualFunc(x.elems, y.elems, same))
	case *place:
		y, ok := b.(*place)
		return ok && x.same(y)
	case *sliceVal:
		y, ok := b.(*sliceVal)
		return ok && x.same(y)
	case *held:
		y, ok := b.(*held)
		return ok && types.Identical(x.typ, y.typ) && same(x.v, y.v)
	case tuple:
		return false
	}
	return a == b
}

// is reports whether two structs are of one type.
func (s *structVal) is(t *structVal) bool { return types.Identical(s.typ, t.typ) }

func isConst(v value) bool { return goval.Known(v) }

// newTile makes a value of a Go type that is a tile or a token.
func (em *emitter) newTile(t types.Type) *tile {
	d := em.desc(t)
	if d == nil {
		return nil
	}
	switch {
	case d.Kind == describe.TokenKind:
		return &tile{v: &tileir.Value{Type: tileir.Token}, desc: d, typ: t}
	case d.Elem.IR != tileir.NoElem && d.Shape != nil && !d.Kind.IsView():
		if n := describe.Elements(d.Shape); n > tileir.MaxTileSize {
			em.failTypes(em.at, "a tile of shape %s has more than %d elements", describe.ShapeText(d.Shape), tileir.MaxTileSize)
		} else if n%d.Elem.IR.PerByte() != 0 && !d.Pointer {
			em.failTypes(em.at, "a tile of %s has an even extent, since two elements share a byte: the shape is %s", d.Elem.Type, describe.ShapeText(d.Shape))
		}
		return &tile{v: &tileir.Value{Type: d.Tile()}, desc: d, typ: t}
	}
	return nil
}

// like makes values of the same types, for results and block arguments.
func like(xs []*tile) []*tile {
	out := make([]*tile, len(xs))
	for i, x := range xs {
		out[i] = &tile{v: &tileir.Value{Type: x.v.Type}, desc: x.desc, typ: x.typ}
	}
	return out
}

func irValues(xs []*tile) []*tileir.Value {
	out := make([]*tileir.Value, len(xs))
	for i, x := range xs {
		out[i] = x.v
	}
	return out
}

// typeText is a tile type for a message: float32 [64 64].
func typeText(d *describe.Desc) string {
	s := d.Elem.Type.String()
	if d.Pointer {
		s = "pointer to " + s
	}
	if len(d.Shape) == 0 {
		return s
	}
	return s + " " + describe.ShapeText(d.Shape)
}

// as gives v as a tile of type t, and checks what Go's types cannot see.
func (em *emitter) as(pos token.Pos, v value, t types.Type) *tile {
	switch v := v.(type) {
	case *tile:
		return em.fits(pos, v, t)
	case constant.Value, nonFinite:
		if isInterface(t) {
			t = defaultType(v)
		}
		if !(em.tileDesc(t) != nil) {
			em.Fail(pos, "a value of type %s cannot live on the device", t)
		}
		return em.constant(pos, v, t)
	case *held:
		return em.as(pos, v.v, v.typ)
	case poison:
		panic(bailout{})
	}
	em.Fail(pos, "a value of type %s cannot live on the device", t)
	return nil
}

func (em *emitter) fits(pos token.Pos, v *tile, t types.Type) *tile {
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Info()&types.IsBoolean != 0 && v.desc.Elem.IR == tileir.I1 {
		return v // Go forgets the shape of a comparison
	}
	d := em.tileDesc(t)
	if d == nil || v.desc.Shape == nil || v.desc.Kind == describe.TokenKind {
		return v
	}
	if d.Same(v.desc) {
		return v
	}
	if d.Elem.IR == tileir.I1 && v.desc.Elem.IR == tileir.I1 {
		e := em.Mistake(pos, "a mask of shape %s is used where one of shape %s is needed", describe.ShapeText(v.desc.Shape), describe.ShapeText(d.Shape))
		e.OfTypes, e.SameShape = len(v.desc.Shape) == len(d.Shape), true // other extents do not change the rank
		panic(e)
	}
	em.Fail(pos, "a tile of %s is used where one of %s is needed", typeText(v.desc), typeText(d))
	return nil
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// defaultType is the type of a constant that is given as any.
func defaultType(v value) types.Type {
	if k, ok := v.(constant.Value); ok {
		switch k.Kind() {
		case constant.Int:
			return types.Typ[types.Int]
		case constant.Bool:
			return types.Typ[types.Bool]
		}
	}
	return types.Typ[types.Float64]
}

// coerce prepares v for a variable of type t. A constant stays one, rounded to what the type holds.
func (em *emitter) coerce(pos token.Pos, v value, t types.Type) value {
	switch x := v.(type) {
	case *tile:
		return em.fits(pos, x, t)
	case constant.Value:
		if d := em.tileDesc(t); d != nil && !d.Pointer {
			return em.rounded(pos, x, d.Elem)
		}
	case *listVal:
		if _, ok := t.Underlying().(*types.Array); ok && x.typ != t {
			return &listVal{t, x.elems}
		}
	case noneVal:
		if _, ok := t.Underlying().(*types.Slice); ok {
			return &sliceVal{}
		}
	}
	return v
}

// zero is the zero value of a type.
func (em *emitter) zero(pos token.Pos, t types.Type) value {
	d := em.desc(t)
	switch {
	case d != nil && d.Kind == describe.NoneKind:
		return noneVal{}
	case d != nil && d.Zero != "":
		return em.lang.Call(pos, em.lang.Instance(pos, world.Operator{Path: d.Scope, Name: d.Zero}, nil), nil)[0]
	case d != nil && d.Kind == describe.TileKind && !d.Pointer:
		if d.Elem.IR == tileir.I1 {
			return constant.MakeBool(false)
		}
		return constant.MakeInt64(0)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &structVal{typ: t}
		for i := range u.NumFields() {
			s.fields = append(s.fields, em.zero(pos, u.Field(i).Type()))
		}
		return s
	case *types.Array:
		em.Must(u.Len() <= maxLength, pos, "an array in a kernel has at most %d elements", maxLength)
		em.Spend(limit.Memory, u.Len()*elemBytes)
		list := &listVal{typ: t}
		for range u.Len() {
			list.elems = append(list.elems, em.zero(pos, u.Elem()))
		}
		return list
	case *types.Slice:
		return &sliceVal{}
	case *types.Pointer, *types.Signature, *types.Interface:
		return noneVal{}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return constant.MakeString("")
		}
	}
	em.Fail(pos, "a variable of type %s cannot start at zero in a kernel", t)
	return nil
}

// unsetOf is a result before a function returns.
func (em *emitter) unsetOf(t types.Type) value {
	if em.desc(t) != nil {
		return unset{}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &structVal{t, make([]value, u.NumFields())}
		for i := range s.fields {
			s.fields[i] = em.unsetOf(u.Field(i).Type())
		}
		return s
	case *types.Array:
		if u.Len() <= maxLength {
			return &listVal{t, slices.Repeat([]value{em.unsetOf(u.Elem())}, int(u.Len()))}
		}
	}
	return unset{}
}

func number(n int) value { return constant.MakeInt64(int64(n)) }

func truth(ok bool) value { return constant.MakeBool(ok) }

// whole is a constant as an integer; a truth value counts as 0 or 1.
func whole(k constant.Value) int64 {
	if k.Kind() == constant.Bool {
		if constant.BoolVal(k) {
			return 1
		}
		return 0
	}
	n, _ := constant.Int64Val(constant.ToInt(k))
	return n
}

// maxLength bounds the lists of a kernel: all their elements are values of the compiler.
const maxLength = 1 << 16
