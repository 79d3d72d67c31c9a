package eval

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// method binds a method to its receiver. Which type an interface holds is static, so its methods
// are known, too.
func (ev *evaluator) method(fr *frame, e *ast.SelectorExpr, sel *types.Selection) emit.Value {
	f, path := sel.Obj().(*types.Func).Origin(), sel.Index()
	recv := ev.w.Subst(sel.Recv(), fr.env)
	var held emit.Value
	if types.IsInterface(recv) {
		v := ev.eval(fr, e.X)
		if emit.Poisoned(v) {
			panic(emit.Bailout{})
		}
		i, ok := v.(*emit.Iface)
		ev.Must(ok, e.X.Pos(), "this interface holds nothing")
		recv, held = i.Type, i.V
	}
	if types.IsInterface(f.Signature().Recv().Type()) {
		// The method of the interface is only a declaration; the type that it holds has the body.
		o, index, _ := types.LookupFieldOrMethod(recv, true, f.Pkg(), f.Name())
		m, ok := o.(*types.Func)
		ev.Must(ok, e.Sel.Pos(), "method %s cannot be called here", f.Name())
		f, path = m.Origin(), index
	}
	fn := ev.w.FuncOf(f)
	ev.Must(fn != nil, e.Sel.Pos(), "method %s cannot be called in compiled code: it has no registered source", f.Name())
	t := recv
	// The type arguments are those of the embedded type that has the method.
	for _, i := range path[:len(path)-1] {
		t = goval.Behind(t).Underlying().(*types.Struct).Field(i).Type()
	}
	fv := ev.declared(fn, f, f.Name(), goval.TypeArgs(t))
	fv.self = ev.receiver(fr, e, f, recv, held, path[:len(path)-1])
	return fv
}

// receiver gives the receiver of a method: a value, or a pointer if the method takes one. path
// leads to an embedded field that has the method.
func (ev *evaluator) receiver(fr *frame, e *ast.SelectorExpr, f *types.Func, recv types.Type, held emit.Value, path []int) emit.Value {
	_, wantPtr := f.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	if wantPtr && held == nil && !goval.IsPointer(recv) && len(path) == 0 {
		// A method with a pointer receiver takes the address of a variable by itself, as in Go.
		return ev.place(fr, e.X)
	}
	v := held
	if v == nil {
		if wantPtr && isPlace(fr, e.X) && !goval.IsPointer(recv) {
			v = ev.place(fr, e.X)
		} else {
			v = ev.eval(fr, e.X)
		}
	}
	t := recv
	for _, i := range path { // the fields that the method is promoted through
		field := goval.Behind(t).Underlying().(*types.Struct).Field(i).Type()
		p, isPtr := v.(*emit.Pointer)
		switch {
		case isPtr && goval.IsPointer(field):
			v = ev.Load(p.Part(i))
		case isPtr:
			v = p.Part(i)
		default:
			v = ev.Field(e.Pos(), v, []int{i})
		}
		t = field
	}
	if p, ok := v.(*emit.Pointer); ok && !wantPtr {
		return ev.Load(p)
	}
	ev.Must(wantPtr || !goval.IsPointer(t) || !emit.IsNil(v), e.X.Pos(), "this pointer is nil")
	return v
}
