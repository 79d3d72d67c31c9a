package world

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
)

// Func is a function with its source.
type Func struct {
	Decl *ast.FuncDecl
	Pkg  *Pkg
	Src  *source.Decl
	Dir  *directive.Directive // that stands for its body: nil if it has one of its own
	read bool                 // whether the directives are
}

// FuncOf finds the source of a function: nil if it is not part of the world.
func (w *World) FuncOf(f *types.Func) *Func { return w.funcs[f.Origin()].ready() }

// Lookup finds a function of a package by name: nil if it is not part of the world. One of the language's that is
// declared for an operator joins the world with that.
func (w *World) Lookup(path, name string) *Func {
	p := w.Pkgs[path]
	if p == nil {
		return nil
	}
	obj := p.Types.Scope().Lookup(name)
	if obj == nil && w.late[Symbol{path, name}] {
		w.join(p.Src, name)
		obj = p.Types.Scope().Lookup(name)
	}
	f, _ := obj.(*types.Func)
	if f == nil {
		return nil
	}
	return w.funcs[f].ready()
}

// enter files one declaration under its object.
func (w *World) enter(p *Pkg, d *source.Decl) error {
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		obj, ok := p.Info.Defs[n.Name].(*types.Func)
		if !ok {
			return nil
		}
		f := &Func{Decl: n, Pkg: p, Src: d}
		w.funcs[obj] = f
		if !p.Src.Lang {
			return f.readDirectives()
		}
	case *ast.TypeSpec:
		return w.enterType(p, d, n)
	case *ast.GenDecl:
		if directive.Has(n.Doc, directive.State) {
			w.State = append(w.State, n)
			w.stateOf[n] = p
		}
	}
	return nil
}

func (w *World) enterType(p *Pkg, d *source.Decl, n *ast.TypeSpec) error {
	obj, ok := p.Info.Defs[n.Name].(*types.TypeName)
	if !ok {
		return nil
	}
	w.typeDecls[obj] = d
	if pd := p.Src.Params[d.Name]; pd != nil {
		if err := p.lang.Check(pd); err != nil {
			return err
		}
		w.params[obj] = &Func{Decl: pd.Func(), Pkg: p, Src: pd}
	}
	if p.Src.Lang {
		return nil
	}
	return p.lang.Check(d)
}

// TypeDirective is the directive of a type: nil if it has none. Those of the language are read when they are needed.
func (w *World) TypeDirective(obj *types.TypeName) *directive.Directive {
	d := w.typeDecls[obj]
	if d == nil {
		return nil
	}
	for _, dir := range d.Directives() {
		if dir.Word == directive.Type {
			return dir
		}
	}
	return nil
}

// readDirectives finds the directive that stands for the function's body, and refuses those that are wrong.
func (f *Func) readDirectives() error {
	f.read = true
	for _, dir := range f.Src.Directives() {
		if slices.Contains(f.Pkg.lang.Bodies, dir.Word) {
			f.Dir = dir
		}
	}
	return f.Pkg.lang.Check(f.Src)
}

// ready is the function with its directives: those of the language are read when a kernel first needs them.
func (f *Func) ready() *Func {
	if f == nil || f.read {
		return f
	}
	if err := f.readDirectives(); err != nil {
		panic("BUG: " + err.Error())
	}
	return f
}
