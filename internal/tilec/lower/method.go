package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// method binds a method to its receiver: a value, or a place where the receiver is a pointer.
func (l *lowerer) method(fr *frame, e *ast.SelectorExpr, sel *types.Selection) emit.Value {
	f, path := sel.Obj().(*types.Func).Origin(), sel.Index()
	recv := l.World.Subst(sel.Recv(), fr.env)
	var held emit.Value // evaluated once
	ofInterface := types.IsInterface(f.Signature().Recv().Type())
	switch {
	case types.IsInterface(recv):
		recv, held = l.heldIn(fr, e.X)
	case ofInterface && len(path) > 1: // of an interface that is embedded in a struct
		recv, held = l.HeldBy(e.Pos(), l.field(e.Pos(), l.eval(fr, e.X), path[:len(path)-1]))
	}
	l.Must(recv != types.Typ[types.UntypedNil], e.X.Pos(), "this interface holds nothing")
	if ofInterface { // the method is that of the type which a type parameter stands for, or a variable holds
		if o, index, _ := types.LookupFieldOrMethod(recv, true, f.Pkg(), f.Name()); o != nil {
			f, path = o.(*types.Func).Origin(), index
		}
	}
	fn := l.World.FuncOf(f)
	if fn == nil {
		l.Fail(e.Sel.Pos(), "method %s cannot be called in a kernel: %s", f.FullName(), l.World.Unregistered(f.Pkg(), f.Name()))
	}
	self, named := l.receiver(fr, e, held, f, recv, path[:len(path)-1])
	if named == nil {
		l.Fail(e.Pos(), "method %s cannot be called here", f.Name())
	}
	env := l.World.Instance(f, f.Type().(*types.Signature).RecvTypeParams(), goval.TypeArgs(named))
	return &funcVal{w: l.World.World, name: f.Name(), typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), recv: fn.Decl.Recv, self: self, env: env, pkg: fn.Pkg}
}

// heldIn is what an expression of an interface type holds, and its type: as a case of a type switch found it, or of its value.
func (l *lowerer) heldIn(fr *frame, e ast.Expr) (types.Type, emit.Value) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if c := fr.find(fr.pkg.Info.Uses[id]); c != nil && c.Type != nil && !types.IsInterface(c.Type) {
			return c.Type, nil
		}
	}
	return l.dynamic(fr, e, true)
}

// receiver evaluates the receiver of method f: e.X, which may be held already, or what is embedded in it along path.
func (l *lowerer) receiver(fr *frame, e *ast.SelectorExpr, held emit.Value, f *types.Func, recv types.Type, path []int) (emit.Value, *types.Named) {
	t := recv
	for _, i := range path {
		t = goval.Behind(t).Underlying().(*types.Struct).Field(i).Type()
	}
	named, _ := types.Unalias(goval.Behind(t)).(*types.Named)
	if _, pointer := f.Type().(*types.Signature).Recv().Type().(*types.Pointer); pointer {
		p := l.FieldPlace(e.Pos(), l.receiverPlace(fr, e, held), recv, path)
		if t != goval.Behind(t) && len(path) > 0 {
			p = l.Deref(e.Pos(), p.Get()) // an embedded pointer
		}
		p.Cell.Shared = true
		return p, named
	}
	self := held
	if self == nil {
		self = l.eval(fr, e.X)
	}
	if len(path) > 0 { // promoted from an embedded field
		self = l.field(e.Pos(), self, path)
	}
	if p, ok := self.(*emit.Place); ok {
		self = l.Load(p)
	} else if _, ok := self.(emit.None); ok && t != goval.Behind(t) {
		l.Fail(e.X.Pos(), "this pointer is nil")
	}
	return self, named
}

// receiverPlace is where the receiver of a method with a pointer receiver is.
func (l *lowerer) receiverPlace(fr *frame, e *ast.SelectorExpr, held emit.Value) *emit.Place {
	if held != nil {
		return l.Deref(e.X.Pos(), held)
	}
	return l.base(fr, e.X)
}
