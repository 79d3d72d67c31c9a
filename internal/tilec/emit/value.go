package emit

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

// Value is the value of an expression while the kernel is compiled:
//
//	*Tile                      a value of the device
//	constant.Value, NonFinite  a known number, truth value or text
//	*Struct, *List             values with parts
//	*Slice, *Place             references to cells
//	*Held                      a value in an interface
//	Function                   a function, which package lower makes
//	None                       nil, or an argument that is not given
//	Tuple                      the results of a call
//	Unset                      a result before the function returns
//	Poison                     the value of a variable that a wrong statement sets
//
// Values are never changed; cells are.
type Value any

// Tile is a value of Tile IR: a tile, a token or a view.
type Tile struct {
	V    *tileir.Value
	Desc *describe.Desc
	Type types.Type       // the Go type, which has the shape even if the expression's type is bool
	Min  *int64           // a lower bound of an integer, if known
	Div  int64            // a divisor that the launch found; 0 if not known
	Meta map[string]*Cell // values that belong to it, by the names in directives
}

// NonFinite is a number that Go's constants cannot be: an infinity or NaN.
type NonFinite = goval.NonFinite

// Struct is a value of a struct type, with its fields in order.
type Struct struct {
	Type   types.Type // its type, since a variable of an interface type may hold any struct
	Fields []Value
}

// List is a value of an array type, or the list of elements that an operation takes or gives.
type List struct {
	Type  types.Type // of an array; nil for a list of an operation
	Elems []Value
}

// None is nil, or an argument that is not given.
type None struct{}

// Unset is the result of a function that has not returned yet.
type Unset struct{}

// Tuple holds several results.
type Tuple []Value

// Cell is a variable, or a value that belongs to another value.
type Cell struct {
	Name   string
	Type   types.Type // nil for a value that belongs to another
	V      Value
	Keep   bool // it outlives the call that made it
	Shared bool // a pointer, slice or function may lead to it
	Result bool // it is a result of a function
	sets   []setting
}

// Same reports whether two values are the same, so that a branch need not merge them.
func Same(a, b Value) bool {
	x, ok := a.(*Tile)
	if !ok {
		return sameConst(a, b)
	}
	y, ok := b.(*Tile)
	return ok && x.V == y.V && (x.Type == y.Type || x.Type != nil && y.Type != nil && types.Identical(x.Type, y.Type))
}

// sameConst reports whether two values that are not tiles are the same.
func sameConst(a, b Value) bool {
	switch x := a.(type) {
	case constant.Value, NonFinite:
		return goval.Same(x, b)
	case *Struct:
		y, ok := b.(*Struct)
		return ok && (x == y || x.is(y) && slices.EqualFunc(x.Fields, y.Fields, Same))
	case *List:
		y, ok := b.(*List)
		return ok && (x == y || alike(x, y) && slices.EqualFunc(x.Elems, y.Elems, Same))
	case *Place:
		y, ok := b.(*Place)
		return ok && x.same(y)
	case *Slice:
		y, ok := b.(*Slice)
		return ok && x.same(y)
	case *Held:
		y, ok := b.(*Held)
		return ok && types.Identical(x.Type, y.Type) && Same(x.V, y.V)
	case Tuple:
		return false
	}
	return a == b
}

// is reports whether two structs have the same type.
func (s *Struct) is(t *Struct) bool { return types.Identical(s.Type, t.Type) }

// IsConst reports whether a number, truth value or text is known when the kernel is compiled.
func IsConst(v Value) bool { return goval.Known(v) }

// NewTile makes a value of a Go type that is a tile or a token. It returns nil for other types.
func (em *Emitter) NewTile(t types.Type) *Tile {
	d := em.Desc(t)
	if d == nil {
		return nil
	}
	switch {
	case d.Kind == describe.TokenKind:
		return &Tile{V: &tileir.Value{Type: tileir.Token}, Desc: d, Type: t}
	case d.Elem.IR != tileir.NoElem && d.Shape != nil && !d.Kind.IsView():
		if n := describe.Elements(d.Shape); n > tileir.MaxTileSize {
			em.FailTypes(em.Pos, "a tile of shape %s has more than %d elements", describe.ShapeText(d.Shape), tileir.MaxTileSize)
		} else if n%d.Elem.IR.PerByte() != 0 && !d.Pointer {
			em.FailTypes(em.Pos, "a tile of %s must have an even extent, since two elements share a byte: the shape is %s", d.Elem.Type, describe.ShapeText(d.Shape))
		}
		return &Tile{V: &tileir.Value{Type: d.Tile()}, Desc: d, Type: t}
	}
	return nil
}

// like makes new values of the same types, for results and block arguments.
func like(xs []*Tile) []*Tile {
	out := make([]*Tile, len(xs))
	for i, x := range xs {
		out[i] = &Tile{V: &tileir.Value{Type: x.V.Type}, Desc: x.Desc, Type: x.Type}
	}
	return out
}

// IRValues lists the values of tiles in Tile IR.
func IRValues(xs []*Tile) []*tileir.Value {
	out := make([]*tileir.Value, len(xs))
	for i, x := range xs {
		out[i] = x.V
	}
	return out
}

// typeText gives a tile type for a message, such as float32 [64 64].
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

// As gives v as a tile of type t, and checks what Go's types cannot express.
func (em *Emitter) As(pos token.Pos, v Value, t types.Type) *Tile {
	switch v := v.(type) {
	case *Tile:
		return em.fits(pos, v, t)
	case constant.Value, NonFinite:
		if IsInterface(t) {
			// A constant in an interface has its default type.
			t = defaultType(v)
		}
		if !(em.TileDesc(t) != nil) {
			em.Fail(pos, "a value of type %s cannot live on the device", t)
		}
		return em.Constant(pos, v, t)
	case *Held:
		return em.As(pos, v.V, v.Type)
	case Poison:
		panic(Bailout{})
	}
	em.Fail(pos, "a value of type %s cannot live on the device", t)
	return nil
}

// fits checks that a tile can be used as type t. Go's types may lack a shape, which is checked
// here.
func (em *Emitter) fits(pos token.Pos, v *Tile, t types.Type) *Tile {
	// The Go type of a comparison is bool, whatever its shape is.
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Info()&types.IsBoolean != 0 && v.Desc.Elem.IR == tileir.I1 {
		return v
	}
	// A tile of a type that is a tile as well must have its element type and its shape.
	d := em.TileDesc(t)
	if d == nil || v.Desc.Shape == nil || v.Desc.Kind == describe.TokenKind {
		return v
	}
	if d.Same(v.Desc) {
		return v
	}
	if d.Elem.IR == tileir.I1 && v.Desc.Elem.IR == tileir.I1 {
		e := em.Mistake(pos, "a mask of shape %s is used where one of shape %s is needed", describe.ShapeText(v.Desc.Shape), describe.ShapeText(d.Shape))
		e.OfTypes, e.SameShape = len(v.Desc.Shape) == len(d.Shape), true // other extents do not change the rank
		panic(e)
	}
	em.Fail(pos, "a tile of %s is used where one of %s is needed", typeText(v.Desc), typeText(d))
	return nil
}

// IsTypeParam reports whether a type is a type parameter.
func IsTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// defaultType gives the type that a constant has in an interface.
func defaultType(v Value) types.Type {
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

// Coerce prepares v for a variable of type t. A constant stays a constant, rounded as the type
// would hold it.
func (em *Emitter) Coerce(pos token.Pos, v Value, t types.Type) Value {
	switch x := v.(type) {
	case *Tile:
		return em.fits(pos, x, t)
	case constant.Value:
		if d := em.TileDesc(t); d != nil && !d.Pointer {
			return em.rounded(pos, x, d.Elem)
		}
	case *List:
		if _, ok := t.Underlying().(*types.Array); ok && x.Type != t {
			return &List{t, x.Elems}
		}
	case None:
		if _, ok := t.Underlying().(*types.Slice); ok {
			return &Slice{}
		}
	}
	return v
}

// Zero gives the zero value of a type. The zero of a tile is the number 0, which fills a tile of
// any shape.
func (em *Emitter) Zero(pos token.Pos, t types.Type) Value {
	d := em.Desc(t)
	switch {
	case d != nil && d.Kind == describe.NoneKind:
		return None{}
	case d != nil && d.Zero != "":
		// The language declares the zero value of this type as a function.
		return em.Lang.Call(pos, em.Lang.Instance(pos, world.Operator{Path: d.Scope, Name: d.Zero}, nil), nil)[0]
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

// Int gives a known integer.
func Int(n int) Value { return constant.MakeInt64(int64(n)) }

// Truth gives a known truth value.
func Truth(ok bool) Value { return constant.MakeBool(ok) }

// Whole gives a constant as an integer. A truth value counts as 0 or 1.
func Whole(k constant.Value) int64 {
	if k.Kind() == constant.Bool {
		if constant.BoolVal(k) {
			return 1
		}
		return 0
	}
	n, _ := constant.Int64Val(constant.ToInt(k))
	return n
}

// MaxLength bounds the lists of a kernel, since each of their elements is a value of the compiler.
const MaxLength = 1 << 16
