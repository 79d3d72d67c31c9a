package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// describe fills in the parameters.
func (k *Kernel) describe(w *describe.World, f *world.Function) error {
	if f.Decl != nil && f.Decl.Dir != nil {
		return k.ref.Fault("%s has the directive //cutile:%s, which makes it part of the language: a kernel is an ordinary function", k.ref.Root.Name, f.Decl.Dir.Word)
	}
	if f.Sig.Results().Len() > 0 {
		return k.ref.Fault("a kernel must not have results, but %s has %d: store through tile.Out or tile.InOut", k.ref.Root.Name, f.Sig.Results().Len())
	}
	for i := range f.Sig.Params().Len() {
		v := f.Sig.Params().At(i)
		at := Param{Name: v.Name(), Path: []int{i}, Pos: source.Fset.Position(v.Pos())}
		if err := k.flatten(w, at, w.Subst(v.Type(), f.Env)); err != nil {
			return err
		}
	}
	return nil
}

// flatten adds a parameter, or those that its fields and elements are.
func (k *Kernel) flatten(w *describe.World, p Param, t types.Type) error {
	if why := w.WrongExtent(t); why != "" {
		list := p.mistake("%s", why)
		list[0].OfTypes, list[0].NoExtent = true, true
		return list
	}
	switch what := w.ParamOf(t); what {
	case describe.TensorParam:
		p.Kind = role(w.Role(t))
		args := types.Unalias(t).(*types.Named).TypeArgs()
		if args.Len() == 0 {
			return p.mistake("type %s is made by a //cutile:param function, but has no type argument: the first one must be the type of a tile", t)
		}
		of := w.Desc(args.At(0))
		if of == nil || of.Shape == nil {
			return p.mistake("the extents of %s must be known: write dimensions such as tile.D16, or type parameters of constraint tile.Dim", t)
		}
		p.Elem, p.Tile = of.Elem.Type, of.Shape
		if describe.Elements(p.Tile) > tileir.MaxTileSize {
			return p.mistake("a tile of shape %s has more than %d elements", describe.ShapeText(p.Tile), tileir.MaxTileSize)
		}
		if !slices.Contains(dtype.Types(), p.Elem) {
			return p.mistake("a tensor cannot have elements of %s: take bytes, and unpack them in the kernel", p.Elem)
		}
		if p.Kind != Ptr && len(p.Tile) == 0 {
			return p.mistake("a view needs a tile of rank 1 or more: use a tile of shape [1], or take the number itself")
		}
	case describe.NoneParam:
		p.Kind = None
	case describe.FuncParam:
		p.Kind = Func
	case describe.ScalarParam:
		p.Kind, p.Elem = Scalar, w.Desc(t).Elem.Type
		basic, ok := t.Underlying().(*types.Basic)
		p.Int = ok && basic.Kind() == types.Int
	case describe.StructParam:
		st := t.Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if err := k.flatten(w, p.part(i, "."+st.Field(i).Name(), st.Field(i).Pos()), st.Field(i).Type()); err != nil {
				return err
			}
		}
		return nil
	case describe.ArrayParam:
		a := t.Underlying().(*types.Array)
		if a.Len() > maxParams {
			return p.mistake("an array of %d is too long for a parameter: it may have %d elements", a.Len(), maxParams)
		}
		for i := range int(a.Len()) {
			if err := k.flatten(w, p.part(i, fmt.Sprintf("[%d]", i), token.NoPos), a.Elem()); err != nil {
				return err
			}
		}
		return nil
	default:
		return p.mistake("a kernel cannot take a value of type %s: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and "+
			"structs and arrays of these", t)
	}
	k.params = append(k.params, p)
	return nil
}

// maxParams bounds an array that is a parameter.
const maxParams = 256

// part is the parameter that a field or element is.
func (p Param) part(i int, name string, pos token.Pos) Param {
	p.Name, p.Path = p.Name+name, append(slices.Clone(p.Path), i)
	if pos.IsValid() {
		p.Pos = source.Fset.Position(pos)
	}
	return p
}

func (p *Param) mistake(format string, args ...any) diag.List {
	return diag.List{{Pos: p.Pos, Stage: diag.Capture, Source: source.Line(p.Pos), Msg: "parameter " + p.Name + ": " + diag.Textf(format, args...)}}
}

// typeOf is the type of a parameter in a world.
func (p *Param) typeOf(w *describe.World, f *world.Function) types.Type {
	t := w.Subst(f.Sig.Params().At(p.Path[0]).Type(), f.Env)
	for _, i := range p.Path[1:] {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			t = u.Field(i).Type()
		case *types.Array:
			t = u.Elem()
		}
	}
	return t
}

// ReflectType is the type of the parameter in a function of the running program: nil if that is not the kernel.
func (p *Param) ReflectType(fn reflect.Type) reflect.Type {
	if fn == nil || p.Path == nil || p.Path[0] >= fn.NumIn() {
		return nil
	}
	t := fn.In(p.Path[0])
	for _, i := range p.Path[1:] {
		switch {
		case t.Kind() == reflect.Struct && i < t.NumField():
			t = t.Field(i).Type
		case t.Kind() == reflect.Array:
			t = t.Elem()
		default:
			return nil
		}
	}
	return t
}
