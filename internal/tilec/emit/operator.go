package emit

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Pair gives two operands the same type. t is the Go type of the operation, which decides if
// neither operand is a tile.
func (em *Emitter) Pair(pos token.Pos, a, b Value, t types.Type) (*Tile, *Tile) {
	if Poisoned(a) || Poisoned(b) {
		panic(Bailout{})
	}
	x, xTile := a.(*Tile)
	y, yTile := b.(*Tile)
	switch {
	case xTile && !yTile:
		y = em.As(pos, b, x.Type)
	case yTile && !xTile:
		x = em.As(pos, a, y.Type)
	case !xTile && !yTile:
		// Neither is a tile, so the type of the operation decides.
		x, y = em.As(pos, a, t), em.As(pos, b, t)
	}
	if x.Desc.Shape == nil || y.Desc.Shape == nil {
		em.Fail(pos, "a kernel cannot use this operator here")
	}
	if !x.Desc.Same(y.Desc) {
		what := "tiles"
		if x.Desc.Elem.IR == tileir.I1 {
			what = "masks"
		}
		e := em.Mistake(pos, "the %s differ: %s and %s%s", what, typeText(x.Desc), typeText(y.Desc), spreading(x.Desc, y.Desc))
		e.OfTypes, e.SameShape = len(x.Desc.Shape) == len(y.Desc.Shape), true // other extents do not change the rank
		panic(e)
	}
	return x, y
}

// spreading tells how to make a mask of the single truth value among two operands, and "" if there
// is none.
func spreading(x, y *describe.Desc) string {
	if len(x.Shape) > 0 {
		x, y = y, x
	}
	if x.Elem.IR != tileir.I1 || y.Elem.IR != tileir.I1 || len(x.Shape) > 0 {
		return ""
	}
	extents := make([]string, len(y.Shape))
	for i, n := range y.Shape {
		extents[i] = fmt.Sprintf("tile.D%d", n)
	}
	return fmt.Sprintf(": tile.BoolTile%d[%s](…) makes a mask of the single truth value", len(extents), strings.Join(extents, ", "))
}

// Binary lowers an operator other than a comparison.
func (em *Emitter) Binary(pos token.Pos, op token.Token, a, b Value, t types.Type) Value {
	if IsConst(a) && IsConst(b) {
		return em.fold(pos, op, a, b, t)
	}
	if op == token.LAND || op == token.LOR {
		if v, ok := shortCircuit(op, a, b); ok {
			return v
		}
	}
	if op == token.SHL || op == token.SHR {
		return em.shift(pos, op, a, b, t)
	}
	x, y := em.Pair(pos, a, b, t)
	// Go's checker refuses this for integer constants, but not for tiles.
	if IsConst(b) && (op == token.QUO || op == token.REM) && x.Desc.Elem.IR.IsInt() {
		em.Must(!IsZero(b), pos, "division by zero")
	}
	return em.Operate(pos, op.String()+" "+x.Desc.Elem.Family(), []types.Type{x.Type}, x, y)
}

// shift lowers << and >>. The count has its own type. In Go a count of the width or more shifts out
// all bits, which operations of Tile IR do not promise, so a known count is limited here and a
// dynamic one by a function of the language.
func (em *Emitter) shift(pos token.Pos, op token.Token, a, b Value, t types.Type) Value {
	if Poisoned(a) || Poisoned(b) {
		panic(Bailout{})
	}
	x := em.As(pos, a, t)
	y, dynamic := b.(*Tile)
	if x.Desc.Elem.Family() == "int" {
		if dynamic {
			return em.Operate(pos, op.String()+" count", []types.Type{x.Type, y.Type}, x, y)
		}
		n, width := em.shiftCount(pos, b), uint(x.Desc.Elem.IR.Bits())
		switch {
		// All bits are shifted out.
		case n >= width && (op == token.SHL || !x.Desc.Elem.Signed()):
			return em.Constant(pos, Int(0), x.Type)
		case n >= width:
			// A negative number keeps its sign however far it is shifted.
			n = width - 1
		}
		b = Int(int(n))
	}
	return em.Operate(pos, op.String()+" "+x.Desc.Elem.Family(), []types.Type{x.Type}, x, em.As(pos, b, x.Type))
}

// shortCircuit computes && or || if one side is known.
func shortCircuit(op token.Token, a, b Value) (Value, bool) {
	for i, v := range []Value{a, b} {
		k, ok := v.(constant.Value)
		if !ok {
			continue
		}
		other := []Value{b, a}[i]
		if constant.BoolVal(k) == (op == token.LAND) {
			return other, true
		}
		if x, ok := other.(*Tile); ok && len(x.Desc.Shape) > 0 {
			// A known side cannot decide, as the other side is a mask.
			return nil, false // the result is a mask
		}
		return k, true
	}
	return nil, false
}

// Compare lowers a comparison of two values of a type: tiles, numbers, structs, arrays, pointers,
// and the values that interfaces hold.
func (em *Emitter) Compare(pos token.Pos, op token.Token, a, b Value, t types.Type) Value {
	// Fields and elements of structs and arrays can be interfaces.
	if IsInterface(t) {
		u, x := em.HeldBy(pos, a)
		v, y := em.HeldBy(pos, b)
		return em.CompareHeld(pos, op, x, y, u, v)
	}
	if IsConst(a) && IsConst(b) {
		return Truth(em.compareFold(pos, op, a, b, t))
	}
	if op == token.EQL || op == token.NEQ {
		if eq := em.equal(pos, a, b, t); eq != nil && op == token.NEQ {
			return em.negated(pos, eq)
		} else if eq != nil {
			return eq
		}
	}
	x, y := em.Pair(pos, a, b, t)
	if x.Desc.Pointer || x.Desc.Kind != describe.TileKind {
		em.Fail(pos, "a kernel cannot compare tensors or pointers to their elements")
	}
	return em.Operate(pos, op.String()+" "+x.Desc.Elem.Family(), []types.Type{x.Type}, x, y)
}

// Operate calls the function that the language declares for an operator. name is the operator and
// the family of its operands, such as "+ float".
func (em *Emitter) Operate(pos token.Pos, name string, ts []types.Type, args ...Value) Value {
	// The language declares operators by directives, so that this package knows none of them.
	r, ok := em.World.Operators[name]
	if !ok {
		word, family, _ := strings.Cut(name, " ")
		em.Fail(pos, "tiles of %ss have no operator %s", family, word)
	}
	return em.Lang.Call(pos, em.Lang.Instance(pos, r, ts), args)[0]
}

// ConvertKnown converts a variable whose value is known to another element type, as a conversion at
// run time would.
func (em *Emitter) ConvertKnown(v Value, from, to types.Type) Value {
	if d, t := em.NumberDesc(from), em.NumberDesc(to); d != nil && t != nil {
		return goval.Convert(v, TypeOf(d.Elem), TypeOf(t.Elem))
	}
	return v
}

// Convert lowers a conversion, which may change the element type and the shape.
func (em *Emitter) Convert(pos token.Pos, v Value, to types.Type) Value {
	d := em.TileDesc(to)
	switch x := v.(type) {
	case Poison:
		panic(Bailout{})
	case constant.Value:
		if d == nil {
			return v
		}
		if len(d.Shape) > 0 {
			return em.Constant(pos, v, to)
		}
		return em.InType(pos, x, to)
	case NonFinite:
		if d != nil && len(d.Shape) > 0 {
			return em.Constant(pos, v, to)
		} else if d != nil {
			r, err := TypeOf(d.Elem).Hold(x)
			return goval.Checked(&em.Reporter, pos, r, err)
		}
	case *Tile:
		if d == nil || x.Desc.Shape == nil {
			return v
		}
		// The language has a function for each pair of families, and one that changes the shape
		// only.
		name := "convert same"
		if x.Desc.Elem != d.Elem {
			name = "convert " + x.Desc.Elem.Family() + " " + d.Elem.Family()
		} else if d.Same(x.Desc) {
			// It is the same value with another Go type.
			return &Tile{V: x.V, Desc: d, Type: to, Min: x.Min, Div: x.Div, Meta: x.Meta}
		}
		return em.Operate(pos, name, []types.Type{to, x.Type}, x)
	case *Struct:
		if !types.IsInterface(to) {
			return &Struct{to, x.Fields}
		}
	case *List:
		return em.Coerce(pos, x, to)
	}
	return v
}
