package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/check"
)

// typeOf is the type of an expression in this instance.
func (l *lowerer) typeOf(fr *frame, e ast.Expr) types.Type {
	if tv, ok := fr.pkg.Info.Types[e]; ok {
		return l.w.Subst(tv.Type, fr.env)
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := fr.pkg.Info.ObjectOf(id); o != nil {
			return l.w.Subst(o.Type(), fr.env)
		}
	}
	panic(bailout{}) // the checker reported it
}

// evalList evaluates expressions, or one that gives several values.
func (l *lowerer) evalList(fr *frame, es []ast.Expr, want int) []value {
	if len(es) == 1 && want != 1 {
		v := l.eval(fr, es[0])
		if t, ok := v.(tuple); ok {
			return t
		}
		return []value{v}
	}
	out := make([]value, len(es))
	for i, e := range es {
		out[i] = l.eval(fr, e)
	}
	return out
}

// eval lowers an expression.
func (l *lowerer) eval(fr *frame, e ast.Expr) value {
	tv := fr.pkg.Info.Types[e]
	if tv.Value != nil {
		return tv.Value
	}
	if tv.IsNil() {
		return noneVal{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.eval(fr, e.X)
	case *ast.Ident:
		return l.ident(fr, e)
	case *ast.IndexExpr:
		if x := fr.pkg.Info.Types[e.X]; x.IsValue() {
			switch x.Type.Underlying().(type) {
			case *types.Slice, *types.Array:
				list, i := l.index(fr, e)
				return list.elems[i]
			case *types.Signature:
			default:
				l.eval(fr, e.X)
				l.fail(e.Pos(), "a kernel cannot index a %s", x.Type)
			}
		}
		return l.eval(fr, e.X) // an instantiation, which hangs on the identifier
	case *ast.IndexListExpr:
		return l.eval(fr, e.X)
	case *ast.FuncLit:
		return &funcVal{name: "function literal", typ: e.Type, body: e.Body, frame: fr, env: fr.env, pkg: fr.pkg}
	case *ast.CompositeLit:
		return l.composite(fr, e)
	case *ast.SelectorExpr:
		return l.selector(fr, e)
	case *ast.UnaryExpr:
		return l.unary(fr, e)
	case *ast.BinaryExpr:
		return l.binaryExpr(fr, e)
	case *ast.CallExpr:
		return l.callExpr(fr, e)
	case *ast.StarExpr:
		l.eval(fr, e.X) // a mistake in there was reported
	case *ast.SliceExpr:
		l.eval(fr, e.X)
	}
	l.fail(e.Pos(), "a kernel cannot have a %s", exprName(e))
	return nil
}

func exprName(e ast.Expr) string {
	if n, ok := map[string]string{
		"*ast.StarExpr": "pointer", "*ast.SliceExpr": "slice expression", "*ast.TypeAssertExpr": "type assertion",
	}[fmt.Sprintf("%T", e)]; ok {
		return n
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", e), "*ast.")
}

func (l *lowerer) ident(fr *frame, id *ast.Ident) value {
	o := fr.pkg.Info.Uses[id]
	if o == nil {
		panic(bailout{}) // the checker reported it
	}
	if c := l.find(fr, o); c != nil {
		if poisoned(c.v) {
			panic(bailout{})
		}
		return c.v
	}
	if f, ok := o.(*types.Func); ok {
		return l.funcValue(fr, id, f)
	}
	l.fail(id.Pos(), "%s is a variable of the host: pass it as a parameter or make it a constant", id.Name)
	return nil
}

// funcValue is a declared function with its type arguments.
func (l *lowerer) funcValue(fr *frame, id *ast.Ident, f *types.Func) value {
	fn := l.w.FuncOf(f)
	if fn == nil {
		l.fail(id.Pos(), "%s cannot be called in a kernel: package %s has no registered source", f.FullName(), f.Pkg().Path())
	}
	var args []types.Type
	if inst, ok := fr.pkg.Info.Instances[id]; ok {
		for i := range inst.TypeArgs.Len() {
			args = append(args, l.w.Subst(inst.TypeArgs.At(i), fr.env))
		}
	}
	env, err := l.w.Instance(f.Origin(), f.Origin().Type().(*types.Signature).TypeParams(), args)
	if !(err == nil) {
		l.fail(id.Pos(), "%s: %v", id.Name, err)
	}
	return &funcVal{name: id.Name, typ: fn.Decl.Type, body: fn.Decl.Body, dir: fn.Dir, env: env, pkg: fn.Pkg}
}

func (l *lowerer) selector(fr *frame, e *ast.SelectorExpr) value {
	sel := fr.pkg.Info.Selections[e]
	if sel == nil {
		if id, ok := e.X.(*ast.Ident); ok {
			if p, ok := fr.pkg.Info.Uses[id].(*types.PkgName); ok && fr.pkg.Info.Uses[e.Sel] == nil {
				l.fail(e.Pos(), "%s.%s cannot be used in a kernel: package %s has no registered source", id.Name, e.Sel.Name, p.Imported().Path())
			}
		}
		return l.ident(fr, e.Sel)
	}
	l.must(sel.Kind() != types.MethodExpr, e.Pos(), "a kernel cannot use %s as a function: call the method of a value", types.ExprString(e))
	base := l.eval(fr, e.X)
	if sel.Kind() == types.MethodVal {
		return l.method(fr, e, sel, base)
	}
	return l.field(e.Pos(), base, sel.Index())
}

func (l *lowerer) field(pos token.Pos, base value, path []int) value {
	for _, i := range path {
		s, ok := base.(*structVal)
		l.must(ok, pos, "this has no fields in a kernel")
		base = s.fields[i]
	}
	if poisoned(base) {
		panic(bailout{})
	}
	return base
}

// method binds a method to its receiver.
func (l *lowerer) method(fr *frame, e *ast.SelectorExpr, sel *types.Selection, base value) value {
	f, path := sel.Obj().(*types.Func).Origin(), sel.Index()
	recv := l.w.Subst(sel.Recv(), fr.env)
	if types.IsInterface(sel.Recv()) { // a type parameter: the method is that of the type which it stands for
		if o, index, _ := types.LookupFieldOrMethod(recv, false, f.Pkg(), f.Name()); o != nil {
			f, path = o.(*types.Func).Origin(), index
		}
	}
	fn := l.w.FuncOf(f)
	if !(fn != nil) {
		l.fail(e.Sel.Pos(), "method %s cannot be called in a kernel: its package has no registered source", f.FullName())
	}
	if len(path) > 1 { // promoted from an embedded field
		base = l.field(e.Pos(), base, path[:len(path)-1])
		for _, i := range path[:len(path)-1] {
			recv = recv.Underlying().(*types.Struct).Field(i).Type()
		}
	}
	named, ok := types.Unalias(recv).(*types.Named)
	_, pointer := f.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	if !(ok && !pointer) {
		l.fail(e.Pos(), "method %s has a pointer receiver, which a kernel cannot have", f.Name())
	}
	var args []types.Type
	for i := range named.TypeArgs().Len() {
		args = append(args, named.TypeArgs().At(i))
	}
	env, err := l.w.Instance(f, f.Type().(*types.Signature).RecvTypeParams(), args)
	if !(err == nil) {
		l.fail(e.Pos(), "%s: %v", f.Name(), err)
	}
	return &funcVal{name: f.Name(), typ: fn.Decl.Type, body: fn.Decl.Body, dir: fn.Dir, recv: fn.Decl.Recv, self: base, env: env, pkg: fn.Pkg}
}

func (l *lowerer) composite(fr *frame, e *ast.CompositeLit) value {
	t := l.typeOf(fr, e)
	if d := l.desc(t); d != nil && d.Kind == check.NoneKind {
		return noneVal{}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return l.structLit(fr, e, u)
	case *types.Slice:
		return l.listLit(fr, e, u.Elem(), -1)
	case *types.Array:
		return l.listLit(fr, e, u.Elem(), int(u.Len()))
	}
	l.fail(e.Pos(), "a %s cannot live on the device", t)
	return nil
}

func (l *lowerer) structLit(fr *frame, e *ast.CompositeLit, st *types.Struct) value {
	s := &structVal{make([]value, st.NumFields())}
	for i, el := range e.Elts {
		at, x := i, el
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			x = kv.Value
			for j := range st.NumFields() {
				if st.Field(j).Name() == kv.Key.(*ast.Ident).Name {
					at = j
				}
			}
		}
		s.fields[at] = l.coerce(x.Pos(), l.eval(fr, x), st.Field(at).Type())
	}
	for i, f := range s.fields {
		if f == nil {
			s.fields[i] = l.zero(e.Pos(), st.Field(i).Type())
		}
	}
	return s
}

func (l *lowerer) listLit(fr *frame, e *ast.CompositeLit, elem types.Type, n int) value {
	list := &listVal{}
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			l.fail(kv.Pos(), "a list in a kernel cannot have indexed elements")
		}
		list.elems = append(list.elems, l.coerce(el.Pos(), l.eval(fr, el), elem))
	}
	for len(list.elems) < n {
		list.elems = append(list.elems, l.zero(e.Pos(), elem))
	}
	return list
}

// index evaluates a list and a constant index of it.
func (l *lowerer) index(fr *frame, x *ast.IndexExpr) (*listVal, int) {
	list, ok := l.eval(fr, x.X).(*listVal)
	l.must(ok, x.Pos(), "only a slice or array of known length can be indexed in a kernel")
	k, ok := l.eval(fr, x.Index).(constant.Value)
	l.must(ok, x.Index.Pos(), "the index must be known when the kernel is compiled")
	i, exact := constant.Int64Val(constant.ToInt(k))
	if !(exact && i >= 0 && int(i) < len(list.elems)) {
		l.fail(x.Index.Pos(), "index %s is outside [0, %d)", k, len(list.elems))
	}
	return list, int(i)
}
