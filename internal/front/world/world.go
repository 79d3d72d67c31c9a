// Package world type-checks compiled code with everything that it reaches, by go/types.
//
// The unit is a [World]: the package of the roots, the packages that it reaches and the language, each pruned to the
// declarations that are mentioned. A world is checked once, and grows only by functions for operators; its types are its own.
// What a language needs in its worlds, and what its types mean, is not known here: a [Language] declares the one, and its
// compiler knows the other.
package world

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
)

// Symbol names a declaration by the import path of its package; a method is Type.method.
type Symbol struct{ Path, Name string }

// Pkg is one package of a world.
type Pkg struct {
	Src   *source.Package
	Types *types.Package
	Info  *types.Info
	errs  []types.Error
	lang  *Language
}

// World is a checked program around a kernel. Lowering works in it under the lock.
type World struct {
	sync.Mutex
	Pkgs      map[string]*Pkg
	Order     []*Pkg // imported ones first
	Operators map[string]Symbol
	State     []*ast.GenDecl // variables that live as long as a kernel, in order
	stateOf   map[*ast.GenDecl]*Pkg
	ctx       *types.Context
	funcs     map[*types.Func]*Func
	params    map[*types.TypeName]*Func
	typeDecls map[*types.TypeName]*source.Decl
	insts     map[instKey][]instance
	std       map[string]*types.Package
	sweep     *sweep
	late      map[Symbol]bool // those that join when they are asked for
	Extension any             // what the language's compiler keeps with the world
}

// Load gives the world around some roots. Worlds are kept for the life of the process.
func (lang *Language) Load(roots []Symbol) (*World, error) {
	roots = slices.Clone(roots)
	sort.Slice(roots, func(i, j int) bool {
		return roots[i].Path < roots[j].Path || roots[i].Path == roots[j].Path && roots[i].Name < roots[j].Name
	})
	roots = slices.Compact(roots)
	var key strings.Builder
	for _, r := range roots {
		key.WriteString(r.Path + " " + r.Name + "\n")
	}
	lang.worlds.Lock()
	if lang.worlds.byKey == nil {
		lang.worlds.byKey = map[string]*worldEntry{}
	}
	e := lang.worlds.byKey[key.String()]
	if e == nil {
		e = &worldEntry{}
		lang.worlds.byKey[key.String()] = e
	}
	lang.worlds.Unlock()
	e.once.Do(func() { e.w, e.err = newWorld(lang, roots) })
	return e.w, e.err
}

func newWorld(lang *Language, roots []Symbol) (*World, error) {
	s := newSweep(lang)
	if err := s.run(roots); err != nil {
		return nil, err
	}
	w := &World{
		Pkgs: map[string]*Pkg{}, Operators: map[string]Symbol{}, stateOf: map[*ast.GenDecl]*Pkg{},
		ctx: types.NewContext(), funcs: map[*types.Func]*Func{}, params: map[*types.TypeName]*Func{},
		typeDecls: map[*types.TypeName]*source.Decl{}, insts: map[instKey][]instance{}, std: map[string]*types.Package{},
		sweep: s, late: map[Symbol]bool{},
	}
	if err := w.checkAll(s.parts()); err != nil {
		return nil, err
	}
	w.declareOperators()
	if lang.Extend != nil {
		w.Extension = lang.Extend(w)
	}
	return w, nil
}

func (w *World) checkAll(parts []*part) error {
	for _, p := range parts {
		if err := w.check(p); err != nil {
			return err
		}
	}
	return nil
}

// check type-checks the kept declarations of one package. Errors in code of the language are ours; errors in users'
// packages are kept, as only those inside code that is lowered count.
func (w *World) check(kept *part) error {
	src := kept.src
	p := w.Pkgs[src.Path]
	if p == nil {
		p = &Pkg{Src: src, Types: types.NewPackage(src.Path, src.Name), Info: newInfo(kept), lang: w.sweep.lang}
	}
	conf := &types.Config{Importer: w, Context: w.ctx, Error: func(err error) {
		if e, ok := err.(types.Error); ok && !unused(&e) {
			p.errs = append(p.errs, e)
		}
	}}
	_ = types.NewChecker(conf, source.Fset, p.Types, p.Info).Files(kept.files())
	if src.Lang && len(p.errs) > 0 && w.sweep.lang.has(src.Path) {
		return diag.List{p.diag(&p.errs[0])}
	}
	if w.Pkgs[src.Path] == nil {
		w.Pkgs[src.Path] = p
		w.Order = append(w.Order, p)
	}
	for _, d := range kept.decls { // a package's state comes after that of the packages that it imports
		if err := w.enter(p, d); err != nil {
			return err
		}
	}
	return nil
}

// unused reports whether an error only says that something is not used, as imports are when declarations were pruned.
func unused(e *types.Error) bool { return e.Soft && strings.Contains(e.Msg, "not used") }

// StatePkg is the package that a state variable belongs to.
func (w *World) StatePkg(g *ast.GenDecl) *Pkg { return w.stateOf[g] }

// Declares reports whether a package's source declares a name, in this world or not.
func (w *World) Declares(path, name string) bool {
	p := w.Pkgs[path]
	return p != nil && p.Src.Decls[name] != nil
}

// ParamFunc is the function that makes a kernel's parameter of this type: nil if there is none.
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
	msg := e.Msg
	if !p.Src.Lang {
		if why := p.undefined(e); why != "" {
			msg = why
		}
	}
	return &diag.Error{Pos: pos, Stage: diag.Check, Msg: msg, Source: source.Line(pos)}
}

// newInfo makes maps of the size that the kept declarations will need, as far as their syntax tells.
func newInfo(kept *part) *types.Info {
	n := 0
	for _, d := range kept.decls {
		n += d.Uses().Idents
	}
	return &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, n), Uses: make(map[*ast.Ident]types.Object, 3*n/4),
		Defs: make(map[*ast.Ident]types.Object, n/4), Instances: make(map[*ast.Ident]types.Instance, n/8),
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}
}
