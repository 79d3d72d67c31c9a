package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Tile is a value of Tile IR: a tile, a token or a view.
type Tile struct {
	V    *tileir.Value
	Desc *describe.Desc
	Type types.Type       // the Go type, which has the shape even if the expression's type is bool
	Min  *int64           // a lower bound of an integer, if known
	Div  int64            // a divisor that the launch found; 0 if not known
	Meta map[string]*Cell // values that belong to it, by the names in directives
}

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
		// Go's types allow tiles that Tile IR does not.
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
