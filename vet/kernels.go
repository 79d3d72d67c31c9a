package vet

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// kernels lists the kernels that the package declares: the functions without results of which a parameter is a view or
// pointer of package tile. A generic one comes in each instance that the package names with known types, else in one
// that suits its constraints.
func (c *checker) kernels() (out []kernel) {
	instances := c.instances()
	for _, f := range c.pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Recv != nil || decl.Body == nil {
				continue
			}
			fn, ok := c.pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok || !isKernel(fn.Signature()) {
				continue
			}
			tps := fn.Signature().TypeParams()
			lists := instances[fn]
			chosen := false
			if tps.Len() == 0 {
				lists = [][]string{nil}
			} else if len(lists) == 0 {
				if list := suitable(tps); list != nil {
					lists, chosen = [][]string{list}, true
				}
			}
			for _, list := range lists {
				out = append(out, kernel{fn, list, decl.Name.Pos(), chosen})
			}
		}
	}
	return out
}

// instances gives the type arguments with which the package names each generic function, where all of them are known.
func (c *checker) instances() map[*types.Func][][]string {
	out := map[*types.Func][][]string{}
	sized := c.sized()
	for id, inst := range c.pass.TypesInfo.Instances {
		fn, ok := c.pass.TypesInfo.Uses[id].(*types.Func)
		if !ok || !known(inst.TypeArgs) || sized[id] {
			continue
		}
		list := spell(inst.TypeArgs)
		if fn = fn.Origin(); !slices.ContainsFunc(out[fn], func(old []string) bool { return slices.Equal(old, list) }) {
			out[fn] = append(out[fn], list)
		}
	}
	for fn := range out {
		slices.SortFunc(out[fn], func(a, b []string) int { return strings.Compare(strings.Join(a, ","), strings.Join(b, ",")) })
	}
	return out
}

// sized are the names of kernels that cutile.Sized gives other extents.
func (c *checker) sized() map[*ast.Ident]bool {
	out := map[*ast.Ident]bool{}
	c.inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		if fn := c.callee(call); fn == nil || fn.Name() != "Sized" || fn.Pkg() == nil || fn.Pkg().Path() != rootPath {
			return
		}
		ast.Inspect(call, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				out[id] = true
			}
			return true
		})
	})
	return out
}

// known reports whether types mention no type parameter.
func known(list *types.TypeList) bool {
	for i := range list.Len() {
		if mentions(list.At(i)) {
			return false
		}
	}
	return true
}

func mentions(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return !known(t.TypeArgs())
	}
	return false
}

// isKernel reports whether a launch can take a function. One with tiles as parameters is for kernels to call.
func isKernel(sig *types.Signature) bool {
	if sig.Results().Len() > 0 || sig.Recv() != nil {
		return false
	}
	found := false
	for v := range sig.Params().Variables() {
		n, ok := types.Unalias(v.Type()).(*types.Named)
		switch {
		case !ok:
		case isTile(n.Obj(), views...):
			found = true
		case tiles.MatchString(n.Obj().Name()) && isTile(n.Obj(), n.Obj().Name()):
			return false
		}
	}
	return found
}

// tiles are the names of the types of tiles that are no single numbers.
var tiles = regexp.MustCompile(`^(Float|Int|Uint|Bool)Tile[1-9]$`)

// views are the types of package tile that stand for tensors.
var views = []string{"In", "Out", "InOut", "Ptr"}

func isTile(obj *types.TypeName, names ...string) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == tilePath && slices.Contains(names, obj.Name())
}

// suitable gives type arguments for a kernel of which the package names no instance: the same extent for all dimensions,
// the first type that any other constraint lists. nil where there is none to be found.
func suitable(tps *types.TypeParamList) (out []string) {
	for tp := range tps.TypeParams() {
		name := ""
		if n, ok := types.Unalias(tp.Constraint()).(*types.Named); ok && isTile(n.Obj(), "Dim") {
			name = tilePath + ".D16"
		} else if t := firstTerm(tp.Constraint()); t != nil && !mentions(t) {
			name = spellType(t)
		}
		if name == "" {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// firstTerm is the first type of a constraint's type set: nil where it lists none, or only the types under others.
func firstTerm(t types.Type) types.Type {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for e := range i.EmbeddedTypes() {
		switch e := types.Unalias(e).(type) {
		case *types.Union:
			if e.Term(0).Tilde() {
				return nil
			}
			if first := firstTerm(e.Term(0).Type()); first != nil {
				return first
			}
			return e.Term(0).Type()
		default:
			if first := firstTerm(e); first != nil {
				return first
			}
		}
	}
	return nil
}

// callee is the function that a call names: nil for a value.
func (c *checker) callee(call *ast.CallExpr) *types.Func {
	fn, _ := c.function(call.Fun)
	return fn
}

// function is the declared function that an expression names, and its type arguments.
func (c *checker) function(e ast.Expr) (*types.Func, *types.TypeList) {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		e = ast.Unparen(x.X)
	}
	id, ok := e.(*ast.Ident)
	if sel, is := e.(*ast.SelectorExpr); is {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil, nil
	}
	fn, ok := c.pass.TypesInfo.Uses[id].(*types.Func)
	if !ok {
		return nil, nil
	}
	return fn.Origin(), c.pass.TypesInfo.Instances[id].TypeArgs
}
