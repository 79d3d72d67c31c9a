package lower

import (
	"go/ast"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// ofInterfaces reports whether a comparison depends on what an interface holds. A comparison with
// nil does not.
func (l *lowerer) ofInterfaces(fr *frame, e *ast.BinaryExpr) bool {
	if fr.pkg.Info.Types[e.X].IsNil() || fr.pkg.Info.Types[e.Y].IsNil() {
		return false
	}
	return emit.IsInterface(l.typeOf(fr, e.X)) || emit.IsInterface(l.typeOf(fr, e.Y))
}

// equalInterfaces compares the types that two operands hold, and their values if the types are the
// same.
func (l *lowerer) equalInterfaces(fr *frame, e *ast.BinaryExpr) emit.Value {
	// Both types are known now, so the comparison of the types costs nothing at run time.
	t, x := l.dynamic(fr, e.X, true)
	u, y := l.dynamic(fr, e.Y, true)
	defer l.here(fr, e.OpPos)()
	return l.CompareHeld(e.OpPos, e.Op, x, y, t, u)
}
