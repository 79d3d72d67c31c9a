// Package check type-checks a kernel with everything that it reaches, by go/types, and answers what Go types mean to
// Tile IR.
//
// The unit is a [World]: the kernel's package, the packages that it reaches and the language, each pruned to the
// declarations that are mentioned. A world is checked once and never grows; its types are its own.
package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/diag"
	"github.com/cutile-go/cutile/internal/directive"
	"github.com/cutile-go/cutile/internal/source"
)

// The packages of the language.
const (
	root      = "github.com/cutile-go/cutile"
	DtypePath = root + "/dtype"
	TilePath  = root + "/tile"
	OpPath    = root + "/tile/op"
)

// Root is a declaration that a world must hold.
type Root struct{ Path, Name string }

// Pkg is one package of a world.
type Pkg struct {
	Src   *source.Package
	Types *types.Package
	Info  *types.Info
	errs  []types.Error
}

// Func is a function with its source.
type Func struct {
	Decl *ast.FuncDecl
	Pkg  *Pkg
	Dir  *directive.Directive // op or intrinsic: it has no body of its own
	Role string               // of a //cutile:param function: in, out, inout or ptr
}

// Operator is the function that a language declares for one of Go's operators.
type Operator struct{ Path, Name string }

// World is a checked program around a kernel. Lowering works in it under the lock.
type World struct {
	sync.Mutex
	Pkgs      map[string]*Pkg
	Order     []*Pkg // imported ones first
	Operators map[string]Operator
	State     []*ast.GenDecl // variables that live as long as a kernel, in order
	stateOf   map[*ast.GenDecl]*Pkg
	ctx       *types.Context
	funcs     map[*types.Func]*Func
	params    map[*types.TypeName]*Func
	byDecl    map[*ast.FuncDecl]*Func
	descs     map[types.Type]*Desc
	typeDirs  map[*types.TypeName]*directive.Directive
	insts     map[instKey]*Env
	std       map[string]*types.Package
}

var worlds struct {
	sync.Mutex
	byKey map[string]*worldEntry
}

type worldEntry struct {
	once sync.Once
	w    *World
	err  error
}

// Load gives the world around some roots. Worlds are kept for the life of the process.
func Load(roots []Root) (*World, error) {
	roots = slices.Clone(roots)
	sort.Slice(roots, func(i, j int) bool {
		return roots[i].Path < roots[j].Path || roots[i].Path == roots[j].Path && roots[i].Name < roots[j].Name
	})
	roots = slices.Compact(roots)
	var key strings.Builder
	for _, r := range roots {
		key.WriteString(r.Path + " " + r.Name + "\n")
	}
	worlds.Lock()
	if worlds.byKey == nil {
		worlds.byKey = map[string]*worldEntry{}
	}
	e := worlds.byKey[key.String()]
	if e == nil {
		e = &worldEntry{}
		worlds.byKey[key.String()] = e
	}
	worlds.Unlock()
	e.once.Do(func() { e.w, e.err = newWorld(roots) })
	return e.w, e.err
}

func newWorld(roots []Root) (*World, error) {
	s := newSweep()
	if err := s.run(roots); err != nil {
		return nil, err
	}
	w := &World{
		Pkgs: map[string]*Pkg{}, Operators: map[string]Operator{}, stateOf: map[*ast.GenDecl]*Pkg{},
		ctx: types.NewContext(), funcs: map[*types.Func]*Func{}, params: map[*types.TypeName]*Func{}, byDecl: map[*ast.FuncDecl]*Func{},
		descs: map[types.Type]*Desc{}, typeDirs: map[*types.TypeName]*directive.Directive{}, insts: map[instKey]*Env{},
		std: map[string]*types.Package{},
	}
	for _, p := range s.order() {
		if err := w.check(p, s.kept[p]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// check type-checks the kept declarations of one package. Errors in code of the language are ours; errors in users'
// packages are kept, as only those inside code that is lowered count.
func (w *World) check(src *source.Package, keep map[*source.Decl]bool) error {
	p := &Pkg{Src: src, Types: types.NewPackage(src.Path, src.Name), Info: newInfo()}
	conf := &types.Config{Importer: w, Context: w.ctx, Error: func(err error) {
		if e, ok := err.(types.Error); ok && !unused(&e) {
			p.errs = append(p.errs, e)
		}
	}}
	_ = types.NewChecker(conf, source.Fset, p.Types, p.Info).Files(pruned(keep))
	if src.Lang && len(p.errs) > 0 {
		return diag.List{p.diag(&p.errs[0])}
	}
	w.Pkgs[src.Path] = p
	w.Order = append(w.Order, p)
	for op, name := range src.Operators {
		if _, known := w.Operators[op]; !known && keep[src.Decls[name]] {
			w.Operators[op] = Operator{src.Path, name}
		}
	}
	n := len(w.State)
	for d := range keep {
		if err := w.enter(p, d); err != nil {
			return err
		}
	}
	own := w.State[n:] // a package's variables come after those of the packages that it imports
	sort.Slice(own, func(i, j int) bool { return own[i].Pos() < own[j].Pos() })
	return nil
}

// unused reports whether an error only says that something is not used, as imports are where declarations are pruned.
func unused(e *types.Error) bool { return e.Soft && strings.Contains(e.Msg, "not used") }

// enter files one declaration under its object.
func (w *World) enter(p *Pkg, d *source.Decl) error {
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		obj, ok := p.Info.Defs[n.Name].(*types.Func)
		if !ok {
			return nil
		}
		f := &Func{Decl: n, Pkg: p}
		if err := f.readDirectives(d); err != nil {
			return err
		}
		w.funcs[obj], w.byDecl[n] = f, f
	case *ast.TypeSpec:
		obj, ok := p.Info.Defs[n.Name].(*types.TypeName)
		if !ok {
			return nil
		}
		dirs, err := d.Directives()
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if dir.Word == directive.Type {
				w.typeDirs[obj] = dir
			}
		}
		if pd := p.Src.Params[d.Name]; pd != nil {
			role, err := paramRole(pd)
			if err != nil {
				return err
			}
			w.params[obj] = &Func{Decl: pd.Func(), Pkg: p, Role: role}
		}
	case *ast.GenDecl:
		if directive.Has(n.Doc, directive.State) {
			w.State = append(w.State, n)
			w.stateOf[n] = p
		}
	}
	return nil
}

// paramRole is the word of a //cutile:param directive.
func paramRole(d *source.Decl) (string, error) {
	dirs, err := d.Directives()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if dir.Word == directive.Param && len(dir.Words) == 1 {
			return dir.Words[0], nil
		}
	}
	pos := source.Fset.Position(d.Node.Pos())
	return "", &diag.Error{Pos: pos, Stage: diag.Check, Source: source.Line(pos),
		Msg: d.Name + ": want //cutile:param in, out, inout or ptr"}
}

func (f *Func) readDirectives(d *source.Decl) error {
	dirs, err := d.Directives()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir.Word != directive.Op && dir.Word != directive.Intrinsic {
			continue
		}
		f.Dir = dir
		if err := dir.Verify(paramNames(f.Decl)); err != nil {
			return &diag.Error{Pos: dir.Pos, Stage: diag.Check, Source: source.Line(dir.Pos),
				Msg: "directive of " + d.Name + ": " + err.Error()}
		}
	}
	return nil
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

// StatePkg is the package that a state variable belongs to.
func (w *World) StatePkg(g *ast.GenDecl) *Pkg { return w.stateOf[g] }

// FuncOf finds the source of a function: nil where it is not part of the world.
func (w *World) FuncOf(f *types.Func) *Func { return w.funcs[f.Origin()] }

// Lookup finds a function of a package by name.
func (w *World) Lookup(path, name string) *Func {
	p := w.Pkgs[path]
	if p == nil {
		return nil
	}
	f, _ := p.Types.Scope().Lookup(name).(*types.Func)
	if f == nil {
		return nil
	}
	return w.funcs[f]
}

// Declares reports whether a package's source declares a name, in this world or not.
func (w *World) Declares(path, name string) bool {
	p := w.Pkgs[path]
	return p != nil && p.Src.Decls[name] != nil
}

// ParamFunc is the function that makes a kernel's parameter of this type: nil where there is none.
func (w *World) ParamFunc(t types.Type) *Func {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	return w.params[n.Origin().Obj()]
}

// Errors gives the type errors between two positions.
func (p *Pkg) Errors(from, to token.Pos) (list diag.List) {
	for i := range p.errs {
		if e := &p.errs[i]; from <= e.Pos && e.Pos < to {
			list = append(list, p.diag(e))
		}
	}
	return list
}

func (p *Pkg) diag(e *types.Error) *diag.Error {
	pos := source.Fset.Position(e.Pos)
	return &diag.Error{Pos: pos, Stage: diag.Check, Msg: e.Msg, Source: source.Line(pos)}
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}
}
