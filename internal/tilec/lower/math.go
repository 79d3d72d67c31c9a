package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// mathCall computes a function of package math, whose arguments must be known.
func (l *lowerer) mathCall(fr *frame, e *ast.CallExpr, f *types.Func) emit.Value {
	for _, a := range e.Args {
		if c, ok := ast.Unparen(a).(*ast.CallExpr); ok && fr.pkg.Info.Types[c.Fun].IsType() && len(c.Args) == 1 {
			// Go's types allow math.Exp(float64(t)) of a tile t.
			if d := l.TileDesc(l.typeOf(fr, c.Args[0])); d != nil && len(d.Shape) > 0 {
				l.notOnTiles(e, f.Name())
			}
		}
	}
	args := l.evalList(fr, e.Args, f.Type().(*types.Signature).Params().Len())
	xs := make([]float64, len(args))
	for i, a := range args {
		if emit.Poisoned(a) {
			panic(emit.Bailout{})
		}
		if !emit.IsConst(a) {
			l.notOnTiles(e, f.Name())
		}
		// Go computes these functions in float64.
		xs[i] = goval.Float(a)
	}
	if r, ok := goval.Math(f.Name(), xs); ok {
		return r
	}
	l.Fail(e.Pos(), "math.%s cannot be used in a kernel", f.Name())
	return nil
}

// notOnTiles refuses a function of package math for values of the device, and names the function of
// package tile if there is one.
func (l *lowerer) notOnTiles(e *ast.CallExpr, name string) {
	l.Wanted = true
	advice := ""
	if l.World.Declares(describe.TilePath, name) {
		advice = ": tile." + name + " computes on tiles, and on numbers as tile.F32 and tile.F64"
	}
	l.Fail(e.Pos(), "math.%s needs arguments that are known when the kernel is compiled%s", name, advice)
}
