package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// method binds a method to its receiver: to a value, or to a place if the method has a pointer
// receiver.
func (l *lowerer) method(fr *frame, e *ast.SelectorExpr, sel *types.Selection) emit.Value {
	f, path := sel.Obj().(*types.Func).Origin(), sel.Index()
	recv := l.World.Subst(sel.Recv(), fr.env)
	var held emit.Value // the receiver that an interface holds, evaluated once
	ofInterface := types.IsInterface(f.Signature().Recv().Type())
	switch {
	// The value in the interface is the receiver.
	case types.IsInterface(recv):
		recv, held = l.heldIn(fr, e.X)
	case ofInterface && len(path) > 1: // an interface that is embedded in a struct
		recv, held = l.HeldBy(e.Pos(), l.field(e.Pos(), l.eval(fr, e.X), path[:len(path)-1]))
	}
	l.Must(recv != types.Typ[types.UntypedNil], e.X.Pos(), "this interface holds nothing")
	// The method belongs to the type that a type parameter stands for, or that an interface holds.
	// Both are known here, so no call depends on the device.
	if ofInterface {
		if o, index, _ := types.LookupFieldOrMethod(recv, true, f.Pkg(), f.Name()); o != nil {
			f, path = o.(*types.Func).Origin(), index
		}
	}
	// The method's source must be registered, as that of every function of a kernel.
	fn := l.World.FuncOf(f)
	if fn == nil {
		l.Fail(e.Sel.Pos(), "method %s cannot be called in a kernel: %s", f.FullName(), l.World.Unregistered(f.Pkg(), f.Name()))
	}
	self, named := l.receiver(fr, e, held, f, recv, path[:len(path)-1])
	if named == nil {
		l.Fail(e.Pos(), "method %s cannot be called here", f.Name())
	}
	// The type arguments of the receiver are those of the method.
	env := l.World.Instance(f, f.Type().(*types.Signature).RecvTypeParams(), goval.TypeArgs(named))
	return &funcVal{w: l.World.World, name: f.Name(), typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), recv: fn.Decl.Recv, self: self, env: env, pkg: fn.Pkg}
}

// heldIn gives what an expression of an interface type holds, and its type. In the clause of a type
// switch the variable has that type already.
func (l *lowerer) heldIn(fr *frame, e ast.Expr) (types.Type, emit.Value) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if c := fr.find(fr.pkg.Info.Uses[id]); c != nil && c.Type != nil && !types.IsInterface(c.Type) {
			return c.Type, nil
		}
	}
	return l.dynamic(fr, e, true)
}

// receiver evaluates the receiver of method f: e.X, or held if that is evaluated already, or the
// field that path leads to, if the method is promoted from an embedded field.
func (l *lowerer) receiver(fr *frame, e *ast.SelectorExpr, held emit.Value, f *types.Func, recv types.Type, path []int) (emit.Value, *types.Named) {
	// t becomes the type of the embedded field that has the method.
	t := recv
	for _, i := range path {
		t = goval.Behind(t).Underlying().(*types.Struct).Field(i).Type()
	}
	named, _ := types.Unalias(goval.Behind(t)).(*types.Named)
	if _, pointer := f.Type().(*types.Signature).Recv().Type().(*types.Pointer); pointer {
		// Such a method may be called on nil, as in Go: it is the method that looks.
		if held == nil && goval.IsPointer(recv) {
			held = l.eval(fr, e.X)
		}
		if held == (emit.None{}) && len(path) == 0 {
			return held, named
		}
		p := l.FieldPlace(e.Pos(), l.receiverPlace(fr, e, held), recv, path)
		// The method is that of the type which the embedded field points to.
		if goval.IsPointer(t) && len(path) > 0 {
			if p.Get() == (emit.None{}) {
				return emit.None{}, named
			}
			p = l.Deref(e.Pos(), p.Get()) // an embedded pointer
		}
		// The method may keep its receiver.
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

// receiverPlace gives the place of the receiver of a method with a pointer receiver.
func (l *lowerer) receiverPlace(fr *frame, e *ast.SelectorExpr, held emit.Value) *emit.Place {
	if held != nil {
		return l.Deref(e.X.Pos(), held)
	}
	return l.base(fr, e.X)
}
