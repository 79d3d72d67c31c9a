package compile

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// instance says which types a function's type parameters stand for.
type instance interface {
	// roots are the declarations that the types mention.
	roots() []world.Symbol
	// bind binds the type parameters of f in a world.
	bind(w *describe.World, f *world.Function) error
}

// reflected is the type of a function value of the running program.
type reflected struct{ typ reflect.Type }

func (r reflected) roots() []world.Symbol { return describe.Language.TypeNames(r.typ) }

func (r reflected) bind(w *describe.World, f *world.Function) error {
	actual, err := w.FromReflect(r.typ)
	if err != nil {
		return err
	}
	if err := w.Unify(f.Sig, actual, f.Env); err != nil {
		return fmt.Errorf("the registered source does not match the running program: %v: rebuild it", err)
	}
	return nil
}

// named is type arguments as text.
type named struct {
	args  []ast.Expr
	names map[ast.Expr]world.Symbol // what the names in args mean; no path: Go's own types
}

func (n *named) roots() (out []world.Symbol) {
	for _, r := range n.names {
		if r.Path != "" {
			out = append(out, r)
		}
	}
	return out
}

func (n *named) bind(w *describe.World, f *world.Function) error {
	tps := f.Sig.TypeParams()
	if tps.Len() != len(n.args) {
		return fmt.Errorf("it takes type arguments for %s, but %d are given", paramNames(tps), len(n.args))
	}
	if tps.Len() == 0 {
		return nil
	}
	args := make([]types.Type, len(n.args))
	for i, e := range n.args {
		t, err := n.eval(w, e)
		if err != nil {
			return err
		}
		args[i] = t
	}
	actual, err := types.Instantiate(nil, f.Sig, args, true)
	if err != nil {
		return err
	}
	return w.Unify(f.Sig, actual, f.Env) // as from a value: a type parameter that no parameter mentions stays unbound
}

// paramNames lists type parameters for a message.
func paramNames(tps *types.TypeParamList) string {
	if tps.Len() == 0 {
		return "nothing"
	}
	var names []string
	for i := range tps.Len() {
		names = append(names, tps.At(i).Obj().Name())
	}
	return strings.Join(names, ", ")
}

// eval gives the type that an argument stands for.
func (n *named) eval(w *describe.World, e ast.Expr) (types.Type, error) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return n.eval(w, x.X)
	case *ast.IndexExpr:
		return n.instantiate(w, x.X, x.Index)
	case *ast.IndexListExpr:
		return n.instantiate(w, x.X, x.Indices...)
	}
	r := n.names[e]
	scope := types.Universe
	if r.Path != "" {
		scope = w.Pkgs[r.Path].Types.Scope()
	}
	if t, ok := scope.Lookup(r.Name).(*types.TypeName); ok {
		return t.Type(), nil
	}
	return nil, fmt.Errorf("%s is not a type", types.ExprString(e))
}

func (n *named) instantiate(w *describe.World, generic ast.Expr, list ...ast.Expr) (types.Type, error) {
	t, err := n.eval(w, generic)
	if err != nil {
		return nil, err
	}
	var args []types.Type
	for _, e := range list {
		a, err := n.eval(w, e)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	if g, ok := t.(interface{ TypeParams() *types.TypeParamList }); !ok || g.TypeParams().Len() == 0 {
		return nil, fmt.Errorf("%s takes no type arguments", types.ExprString(generic))
	}
	return types.Instantiate(nil, t, args, true)
}

// resolve finds what the names in a type argument mean.
func (n *named) resolve(from *source.Decl, e ast.Expr) error {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return n.resolve(from, x.X)
	case *ast.IndexExpr:
		return n.resolveAll(from, x.X, x.Index)
	case *ast.IndexListExpr:
		return n.resolveAll(from, append([]ast.Expr{x.X}, x.Indices...)...)
	}
	r, err := lookup(from, e)
	n.names[e] = r
	return err
}

func (n *named) resolveAll(from *source.Decl, list ...ast.Expr) error {
	for _, e := range list {
		if err := n.resolve(from, e); err != nil {
			return err
		}
	}
	return nil
}

// lookup finds what a name, or package.name, means in the file of a declaration. The names of the language and of package dtype are known
// everywhere. A name without its package, as [Kernel.Name] has it, may also be one of a package that the file imports.
func lookup(from *source.Decl, e ast.Expr) (world.Symbol, error) {
	byName, dot := source.Imports(from.File)
	var paths, more []string
	var name string
	switch x := e.(type) {
	case *ast.Ident:
		name = x.Name
		if types.Universe.Lookup(name) != nil && from.Pkg.Decls[name] == nil {
			return world.Symbol{Name: name}, nil
		}
		paths = slices.Concat([]string{from.Pkg.Path}, dot, []string{describe.TilePath, describe.DtypePath})
		more = slices.Sorted(maps.Values(byName))
	case *ast.SelectorExpr:
		name = x.Sel.Name
		if q, ok := x.X.(*ast.Ident); ok {
			paths = []string{byName[q.Name]}
			for _, lang := range []string{describe.TilePath, describe.DtypePath} {
				if byName[q.Name] == "" && q.Name == source.BaseName(lang) {
					paths = append(paths, lang)
				}
			}
		}
	default:
		return world.Symbol{}, capture.Errorf("%s is not a type that can be named here: use names, package.name and name[arguments]", types.ExprString(e))
	}
	if found, err := declaring(name, paths); err != nil || len(found) > 0 {
		return world.Symbol{Path: append(found, "")[0], Name: name}, err
	}
	switch found, err := declaring(name, more); {
	case err != nil:
		return world.Symbol{}, err
	case len(found) == 1 && ast.IsExported(name):
		return world.Symbol{Path: found[0], Name: name}, nil
	case len(found) > 1 && ast.IsExported(name):
		return world.Symbol{}, capture.Errorf("%s may be that of package %s: write the package, too, as in %s.%[1]s", name,
			strings.Join(found, " or of package "), source.BaseName(found[0]))
	}
	return world.Symbol{}, capture.Errorf("%s is declared neither in package %s, nor in one that %s imports and that has registered source, nor in package tile or dtype",
		types.ExprString(e), from.Pkg.Path, from.Pkg.Name)
}

// declaring lists those of the packages that declare a name and have registered their source.
func declaring(name string, paths []string) (found []string, err error) {
	for _, path := range paths {
		p, err := source.Load(path)
		if err != nil {
			return nil, err
		}
		if p != nil && p.Decls[name] != nil && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found, nil
}

// ResolveNamed is [Resolve] by name, for a kernel that is not part of the running program: the import path of a package
// that is registered, the function's name and the text of its type arguments, such as "D128" or "tile.F32T1[D64]". Names
// mean what they mean in the file that declares the kernel; those of package tile and dtype are always known. The package of a name may be
// left out, as in names of kernels.
func ResolveNamed(path, name string, typeArgs ...string) (*Kernel, error) {
	d, err := function(path, name)
	if err != nil {
		return nil, err
	}
	n := &named{names: map[ast.Expr]world.Symbol{}}
	for _, text := range typeArgs {
		e, err := parser.ParseExpr(text)
		if err != nil {
			return nil, capture.Errorf("type argument %q of %s: %v", text, name, err)
		}
		if err := n.resolve(d, e); err != nil {
			return nil, err
		}
		n.args = append(n.args, e)
	}
	k, unfit, err := newKernel(capture.Ref{Root: world.Symbol{Path: path, Name: name}, Decl: d}, n)
	if err == nil {
		err = unfit
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// function finds a declared function of a registered package.
func function(path, name string) (*source.Decl, error) {
	p, err := source.Load(path)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, capture.Errorf("package %s has no registered source", path)
	}
	d := p.Decls[name]
	if d == nil || d.Func() == nil {
		return nil, capture.Errorf("function %s is not in the registered source of package %s: embed every file of the package", name, path)
	}
	return d, nil
}
