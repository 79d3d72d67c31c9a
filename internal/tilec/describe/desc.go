package describe

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/tileir"
)

// Kind is the kind of thing that a Go type stands for.
type Kind uint8

// The kinds, by the word of a //cutile:type directive.
const (
	NoKind Kind = iota
	TileKind
	TokenKind
	TensorViewKind
	PartitionViewKind
	StridedViewKind
	GatherScatterViewKind
	ListKind   // a slice of known length
	NoneKind   // nothing
	ExtentKind // a dimension
	EnumKind   // an attribute's value
	ElemKind   // an element type that Go lacks
)

// IsView reports whether a constructor completes types of this kind.
func (k Kind) IsView() bool { return k >= TensorViewKind && k <= GatherScatterViewKind }

// Desc is what a Go type means to Tile IR: the value of its directive.
type Desc struct {
	Kind    Kind
	Elem    Elem
	Pointer bool
	Index   bool // a tile whose width the launch decides
	Shape   []int
	N       int // an extent, or the length of a list
	Enum    string
	Zero    string // function that makes the zero value, in package Scope
	Scope   string
	Wrong   string // why there is no such extent, or no type with one
}

// Tile is the tile type that a desc of kind TileKind stands for.
func (d *Desc) Tile() *tileir.TileType {
	return &tileir.TileType{Elem: d.Elem.IR, Pointer: d.Pointer, Shape: d.Shape}
}

// Same reports whether two tile types are one type to Tile IR.
func (d *Desc) Same(e *Desc) bool {
	return d.Elem.IR == e.Elem.IR && d.Pointer == e.Pointer && slices.Equal(d.Shape, e.Shape)
}

// basicDescs are the descs of basic types, by kind: scalars, and nil.
var basicDescs = func() (all [types.UntypedNil + 1]*Desc) {
	for kind, e := range basics {
		all[kind] = &Desc{Kind: TileKind, Elem: e, Shape: []int{}}
	}
	return all
}()

// kinds are the words of type directives.
var kinds = map[string]Kind{
	"tile": TileKind, "index": TileKind, "token": TokenKind, "tensor_view": TensorViewKind,
	"partition_view": PartitionViewKind, "strided_view": StridedViewKind,
	"gather_scatter_view": GatherScatterViewKind, "list": ListKind, "none": NoneKind, "extent": ExtentKind, "enum": EnumKind,
}

// Desc gives the meaning of a type: nil if it has none on a device.
func (w *World) Desc(t types.Type) *Desc {
	if b, ok := t.(*types.Basic); ok { // quicker than the map
		return basicDescs[b.Kind()]
	}
	if d, ok := w.descs[t]; ok {
		return d
	}
	d := w.describe(t)
	w.descs[t] = d
	return d
}

func (w *World) describe(t types.Type) *Desc {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basicDescs[t.Kind()]
	case *types.Named:
		dir := decl.Checked(w.TypeDirective(t.Origin().Obj()))
		if dir == nil {
			if b, ok := t.Underlying().(*types.Basic); ok { // a user's own integer type, say
				return w.Desc(b)
			}
			return nil
		}
		return w.fromDirective(t, dir)
	}
	return nil
}

func (w *World) fromDirective(t *types.Named, dir *decl.Directive) *Desc {
	x := dir.Type
	if e, ok := named[x.Name]; ok {
		return &Desc{Kind: ElemKind, Elem: e, Shape: []int{}}
	}
	d := &Desc{Kind: kinds[x.Name], Zero: dir.Zero, Scope: t.Obj().Pkg().Path()}
	env := map[string]types.Type{}
	for i := range t.TypeArgs().Len() {
		a := t.TypeArgs().At(i)
		env[t.Origin().TypeParams().At(i).Obj().Name()] = a
		if of := w.Desc(a); of != nil && of.Wrong != "" {
			d.Wrong = of.Wrong
			return d
		}
	}
	switch d.Kind {
	case NoKind:
		return nil
	case ExtentKind:
		if !w.setExtent(d, t, x.Args[0], env) {
			return nil
		}
	case EnumKind:
		d.Enum = x.Args[0].Name
	case ListKind:
		n, ok := w.Eval(x.Args[0], env).(int)
		if !ok {
			return nil
		}
		d.N = n
	}
	if x.Name == "index" {
		d.Index, d.Elem, d.Shape = true, basics[types.Int32], []int{}
	}
	for i, key := range x.Keys {
		if !w.field(d, key, x.Args[i], env) {
			return nil
		}
	}
	return d
}

// field sets a field of a type directive; false means that it cannot be told yet.
func (w *World) field(d *Desc, key string, e *decl.Expr, env map[string]types.Type) (ok bool) {
	if e.Name == "*" {
		return true
	}
	switch key {
	case "elem":
		if e.Name == "ptr" && e.Call {
			e, d.Pointer = e.Args[0], true
		} else if of := w.Desc(env[e.Name]); of != nil {
			d.Pointer = of.Pointer
		}
		d.Elem, ok = w.Eval(e, env).(Elem)
	case "shape", "tile":
		d.Shape, ok = w.Eval(e, env).([]int)
	default:
		ok = true
	}
	return ok
}

// Elements is the number of elements of a shape.
func Elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// ShapeText is a shape for a message.
func ShapeText(s []int) string { return fmt.Sprint(s) }
