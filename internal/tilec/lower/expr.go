package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// typeOf gives the type of an expression, with the type arguments of this instance of the function.
func (l *lowerer) typeOf(fr *frame, e ast.Expr) types.Type {
	if t := l.World.TypeOf(fr.pkg, fr.env, e); t != nil {
		return t
	}
	panic(emit.Bailout{}) // the checker reported it
}

// evalList evaluates a list of expressions, or one expression that has several values. want is the
// number of values.
func (l *lowerer) evalList(fr *frame, es []ast.Expr, want int) []emit.Value {
	if len(es) == 1 && want != 1 {
		// v, ok := x.(T) has two values only in this position.
		if a, ok := ast.Unparen(es[0]).(*ast.TypeAssertExpr); ok && want == 2 {
			return l.assertion(fr, a, true).(emit.Tuple)
		}
		v := l.eval(fr, es[0])
		// A call gives all of its results at once.
		if t, ok := v.(emit.Tuple); ok {
			return t
		}
		return []emit.Value{v}
	}
	out := make([]emit.Value, len(es))
	for i, e := range es {
		out[i] = l.eval(fr, e)
	}
	return out
}

// eval lowers an expression.
func (l *lowerer) eval(fr *frame, e ast.Expr) emit.Value {
	if k, ok := l.constantIn(fr, e); ok {
		return k
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.eval(fr, e.X)
	case *ast.Ident:
		return l.ident(fr, e)
	case *ast.IndexExpr:
		if x := fr.pkg.Info.Types[e.X]; x.IsValue() {
			if _, ok := x.Type.Underlying().(*types.Signature); !ok {
				return l.indexed(fr, e)
			}
		}
		// It is an instantiation, whose type arguments the checker records at the identifier.
		return l.eval(fr, e.X)
	case *ast.IndexListExpr:
		return l.eval(fr, e.X)
	// A literal is a value of the compiler, which every call of it inlines.
	case *ast.FuncLit:
		return &funcVal{w: l.World.World, name: "function literal", typ: e.Type, body: e.Body, frame: l.captured(fr, e), env: fr.env, pkg: fr.pkg}
	case *ast.CompositeLit:
		return l.composite(fr, e)
	case *ast.SelectorExpr:
		return l.selector(fr, e)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return l.address(fr, e)
		}
		return l.unary(fr, e)
	case *ast.BinaryExpr:
		return l.binaryExpr(fr, e)
	case *ast.CallExpr:
		return l.callExpr(fr, e)
	case *ast.StarExpr:
		return l.Load(l.Deref(e.Pos(), l.eval(fr, e.X)))
	case *ast.SliceExpr:
		return l.slice(fr, e)
	case *ast.TypeAssertExpr:
		return l.assertion(fr, e, false)
	}
	l.Fail(e.Pos(), "a kernel cannot have a %s", exprName(e))
	return nil
}

// constantIn gives the value of a constant expression. Most expressions cannot be constant by their
// kind, which saves looking them up in the checker's tables.
func (l *lowerer) constantIn(fr *frame, e ast.Expr) (emit.Value, bool) {
	ok := false
	switch e := e.(type) {
	case *ast.Ident:
		_, ok = fr.pkg.Info.Uses[e].(*types.Const)
	case *ast.SelectorExpr:
		_, ok = fr.pkg.Info.Uses[e.Sel].(*types.Const)
	case *ast.BasicLit, *ast.UnaryExpr, *ast.BinaryExpr, *ast.CallExpr, *ast.ParenExpr:
		ok = true
	}
	if !ok {
		return nil, false
	}
	tv := fr.pkg.Info.Types[e]
	if tv.Value == nil {
		return nil, false
	}
	return l.step(fr, e, tv), true
}

// exprName names a kind of expression in a message.
func exprName(e ast.Expr) string { return strings.TrimPrefix(fmt.Sprintf("%T", e), "*ast.") }

// captured gives the frame of a function literal: the variables around it that it mentions. Others
// need not live as long as the literal does. The list of names is kept, as a literal in a loop is
// lowered several times.
func (l *lowerer) captured(fr *frame, e *ast.FuncLit) *frame {
	objs, ok := l.captures[e]
	if !ok {
		ast.Inspect(e.Body, func(n ast.Node) bool {
			// Every variable that the body names may be one around the literal.
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := fr.pkg.Info.Uses[id].(*types.Var); ok && !v.IsField() {
					objs = append(objs, v)
				}
			}
			return true
		})
		l.captures[e] = objs
	}
	in := &frame{vars: variables{}, env: fr.env, pkg: fr.pkg}
	for _, o := range objs {
		if c := fr.find(o); c != nil {
			// The literal can reach the variable even if its block has ended.
			c.Shared = true
			in.vars[o] = c
		}
	}
	return in
}

// ident lowers an identifier: a variable of the kernel, a function or nil.
func (l *lowerer) ident(fr *frame, id *ast.Ident) emit.Value {
	o := fr.pkg.Info.Uses[id]
	if o == nil {
		panic(emit.Bailout{}) // the checker reported it
	}
	// Reading a variable is noted, for a counted loop that must know what its bounds depend on.
	if c := l.find(fr, o); c != nil {
		if emit.Poisoned(c.V) {
			panic(emit.Bailout{})
		}
		return c.V
	}
	switch o := o.(type) {
	case *types.Func:
		return l.funcValue(fr, id, o)
	case *types.Nil:
		return emit.None{}
	}
	// A pointer into global memory can be made the kernel's own.
	if n, ok := types.Unalias(o.Type()).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == describe.TilePath && n.Obj().Name() == "Ptr" {
		l.Fail(id.Pos(), "%s is a host variable, which a kernel cannot read: //cutile:state above its declaration makes it the kernel's own, as tile.Global and tile.Table are; otherwise pass it as a parameter", id.Name)
	}
	l.Fail(id.Pos(), "%s is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant", id.Name)
	return nil
}

// funcValue gives a declared function as a value, with its type arguments.
func (l *lowerer) funcValue(fr *frame, id *ast.Ident, f *types.Func) emit.Value {
	fn := l.World.FuncOf(f)
	if fn == nil {
		l.Fail(id.Pos(), "%s cannot be called in a kernel: %s", f.FullName(), l.World.Unregistered(f.Pkg(), f.Name()))
	}
	var args []types.Type
	if inst, ok := fr.pkg.Info.Instances[id]; ok {
		for i := range inst.TypeArgs.Len() {
			args = append(args, l.World.Subst(inst.TypeArgs.At(i), fr.env))
		}
	}
	// Each set of type arguments is an instance of its own.
	env := l.World.Instance(f.Origin(), f.Origin().Type().(*types.Signature).TypeParams(), args)
	return &funcVal{w: l.World.World, name: id.Name, typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), env: env, pkg: fn.Pkg}
}

// selector lowers x.f: a name of a package, a field or a method.
func (l *lowerer) selector(fr *frame, e *ast.SelectorExpr) emit.Value {
	sel := fr.pkg.Info.Selections[e]
	if sel == nil {
		if id, ok := e.X.(*ast.Ident); ok {
			if p, ok := fr.pkg.Info.Uses[id].(*types.PkgName); ok && fr.pkg.Info.Uses[e.Sel] == nil {
				l.Fail(e.Pos(), "%s.%s cannot be used in a kernel: %s", id.Name, e.Sel.Name, l.World.Unregistered(p.Imported(), e.Sel.Name))
			}
		}
		if fr.pkg.Info.Uses[e.Sel] == nil {
			// The checker does not know x, so that a mistake in x is the better message.
			l.eval(fr, e.X)
			l.Fail(e.Sel.Pos(), "%s cannot be used in a kernel", types.ExprString(e))
		}
		return l.ident(fr, e.Sel)
	}
	l.Must(sel.Kind() != types.MethodExpr, e.Pos(), "a kernel cannot use %s as a function: call the method of a value", types.ExprString(e))
	if sel.Kind() == types.MethodVal {
		return l.method(fr, e, sel)
	}
	// The place is loaded rather than the struct, so that only the field counts as read.
	if p := l.fieldOf(fr, e, sel); p != nil {
		return l.Load(p)
	}
	return l.field(e.Pos(), l.eval(fr, e.X), sel.Index())
}

// fieldOf gives the place of a field of a variable, or nil if e is a field of another value.
func (l *lowerer) fieldOf(fr *frame, e *ast.SelectorExpr, sel *types.Selection) *emit.Place {
	if !l.isPlace(fr, e.X) {
		return nil
	}
	p := l.base(fr, e.X)
	if emit.Poisoned(p.Get()) {
		panic(emit.Bailout{})
	}
	return l.FieldPlace(e.Pos(), p, l.typeOf(fr, e.X), sel.Index())
}

// isPlace reports whether an expression is a variable of the kernel, a part of one, or a pointer.
func (l *lowerer) isPlace(fr *frame, e ast.Expr) bool {
	// A field or an element of what a pointer leads to is a place, however the pointer is computed.
	if _, ok := l.typeOf(fr, e).Underlying().(*types.Pointer); ok {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := fr.pkg.Info.Uses[e]
		return fr.find(o) != nil || l.state.of(o) != nil
	case *ast.SelectorExpr:
		sel := fr.pkg.Info.Selections[e]
		return sel != nil && sel.Kind() == types.FieldVal && l.isPlace(fr, e.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// field gives the field of a value that path leads to, through embedded structs and pointers.
func (l *lowerer) field(pos token.Pos, base emit.Value, path []int) emit.Value {
	for _, i := range path {
		if p, ok := base.(*emit.Place); ok {
			base = l.Load(p)
		}
		// Go would panic when the program runs; here it is known.
		if _, ok := base.(emit.None); ok {
			l.Fail(pos, "this pointer is nil")
		}
		s, ok := base.(*emit.Struct)
		l.Must(ok, pos, "this has no fields in a kernel")
		base = s.Fields[i]
	}
	if emit.Poisoned(base) {
		panic(emit.Bailout{})
	}
	return base
}
