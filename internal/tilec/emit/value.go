package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
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

	variable *tileir.Variable // what debuggers know it as; nil for nothing
	told     told
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
		// An int 1 and an int32 1 in an interface are different.
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

// IsTypeParam reports whether a type is a type parameter.
func IsTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
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

// isTile reports whether a value is in a register of the device.
func isTile(v Value) bool { _, ok := v.(*Tile); return ok }

// Poisoned reports whether a mistake left a value undefined.
func Poisoned(v Value) bool { _, ok := v.(Poison); return ok }

// IsZero reports whether a value is the constant 0.
func IsZero(v Value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Int && constant.Sign(k) == 0
}

// ElemType gives the type of the elements of a slice or an array, or of the array that a pointer
// points to. For every other type it gives the type itself.
func ElemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Pointer:
		return ElemType(u.Elem())
	}
	return t
}

// IsBool reports whether a value is a known truth value.
func IsBool(v Value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Bool
}
