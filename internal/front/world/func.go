package world

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
)

// Func is a function with its source.
type Func struct {
	Decl *ast.FuncDecl
	Pkg  *Pkg
	Dir  *directive.Directive // op or intrinsic: it has no body of its own
	Role string               // of a //cutile:param function: in, out, inout or ptr
	src  *source.Decl
	read bool // whether the directives are
}

// FuncOf finds the source of a function: nil where it is not part of the world.
func (w *World) FuncOf(f *types.Func) *Func { return w.funcs[f.Origin()].ready() }

// Lookup finds a function of a package by name: nil where it is not part of the world. One of the language's that is
// declared for an operator joins the world with that.
func (w *World) Lookup(path, name string) *Func {
	p := w.Pkgs[path]
	if p == nil {
		return nil
	}
	obj := p.Types.Scope().Lookup(name)
	if obj == nil && w.late[Operator{path, name}] {
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
		f := &Func{Decl: n, Pkg: p, src: d}
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
		role, err := paramRole(pd)
		if err != nil {
			return err
		}
		w.params[obj] = &Func{Decl: pd.Func(), Pkg: p, Role: role}
	}
	if p.Src.Lang {
		return nil
	}
	_, err := d.Directives()
	return err
}

// TypeDirective is the directive of a type: nil where it has none. Those of the language are read when they are needed.
func (w *World) TypeDirective(obj *types.TypeName) *directive.Directive {
	d := w.typeDecls[obj]
	if d == nil {
		return nil
	}
	dirs, err := d.Directives()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, dir := range dirs {
		if dir.Word == directive.Type {
			return dir
		}
	}
	return nil
}

// roles are the words of //cutile:param directives.
var roles = []string{"in", "out", "inout", "ptr"}

// paramRole is the word of a //cutile:param directive.
func paramRole(d *source.Decl) (string, error) {
	dirs, err := d.Directives()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if dir.Word == directive.Param && len(dir.Words) == 1 && slices.Contains(roles, dir.Words[0]) {
			return dir.Words[0], nil
		}
	}
	pos := source.Fset.Position(d.Node.Pos())
	return "", &diag.Error{Pos: pos, Stage: diag.Check, Source: source.Line(pos),
		Msg: d.Name + ": want //cutile:param in, out, inout or ptr"}
}

// readDirectives sets what the function's directives say.
func (f *Func) readDirectives() error {
	f.read = true
	dirs, err := f.src.Directives()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir.Word != directive.Op && dir.Word != directive.Intrinsic && dir.Word != directive.PTX {
			continue
		}
		f.Dir = dir
		if err := dir.Verify(paramNames(f.Decl)); err != nil {
			return &diag.Error{Pos: dir.Pos, Stage: diag.Check, Source: source.Line(dir.Pos),
				Msg: "directive of " + f.src.Name + ": " + err.Error()}
		}
	}
	return nil
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

// paramNames are the names that a directive may use, that of a method's receiver first.
func paramNames(d *ast.FuncDecl) (names []string) {
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = append(d.Recv.List[:1:1], fields...)
	}
	for _, f := range fields {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}
