package vet

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// kernels lists the kernels that the package declares: the functions without results of which a parameter is a view or
// pointer of package tile. A generic one comes in each instance that the package names with known types, else with
// choices of those that its constraints allow.
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
			if tps.Len() == 0 {
				lists = [][]string{nil}
			} else if len(lists) == 0 {
				if tries, never := attempts(tps, c.derived(decl)); tries != nil {
					out = append(out, kernel{fn: fn, pos: decl.Name.Pos(), tries: tries, never: never})
				}
			}
			for _, list := range lists {
				out = append(out, kernel{fn: fn, args: list, pos: decl.Name.Pos()})
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
	case *types.Signature:
		return mentions(t.Params()) || mentions(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if mentions(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if mentions(f.Type()) {
				return true
			}
		}
	case *types.Map:
		return mentions(t.Key()) || mentions(t.Elem())
	case interface{ Elem() types.Type }: // arrays, slices, pointers, channels
		return mentions(t.Elem())
	}
	return false
}

// isKernel reports whether a launch can take a function. One with tiles as parameters is for kernels to call.
func isKernel(sig *types.Signature) bool {
	if sig.Results().Len() > 0 || sig.Recv() != nil {
		return false
	}
	var has contents
	for v := range sig.Params().Variables() {
		has.add(v.Type())
	}
	return has.view && !has.tile
}

// contents says what is among the parameters of a function, and in the fields and elements of those.
type contents struct{ view, tile bool }

func (has *contents) add(t types.Type) {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		switch {
		case isTile(n.Obj(), views...):
			has.view = true
			return
		case tiles.MatchString(n.Obj().Name()) && isTile(n.Obj(), n.Obj().Name()):
			has.tile = true
			return
		case isTile(n.Obj(), n.Obj().Name()):
			return // the fields of the language's other types are its own
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			has.add(f.Type())
		}
	case *types.Array:
		has.add(u.Elem())
	}
}

// tiles are the names of the types of tiles that are no single numbers.
var tiles = regexp.MustCompile(`^(Float|Int|Uint|Bool)Tile[1-9]$`)

// views are the types of package tile that stand for tensors.
var views = []string{"In", "Out", "InOut", "Persistent", "Ptr"}

func isTile(obj *types.TypeName, names ...string) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == tilePath && slices.Contains(names, obj.Name())
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
