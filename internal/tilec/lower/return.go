package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// results declares a function's results and its exit cell.
func (l *lowerer) results(fr *frame, fv *funcVal) {
	if fv.typ.Results != nil {
		for _, f := range fv.typ.Results.List {
			t := l.World.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
			for _, id := range f.Names {
				// A result with a name is a variable, which starts as zero.
				c := l.NewCell(id.Name, t, l.Zero(id.Pos(), t))
				if id.Name != "_" {
					fr.vars.set(fv.pkg.Info.Defs[id], c)
					l.debug(fv.pkg.Info.Defs[id].(*types.Var), c)
				}
				fr.named = append(fr.named, c)
				fr.sig = append(fr.sig, t)
			}
			if len(f.Names) == 0 {
				fr.sig = append(fr.sig, t)
			}
		}
	}
	if !fr.exits.cell {
		return
	}
	// The cell is an int32, as Tile IR carries it through loops.
	fr.Exit = l.NewCell("exit", types.Typ[types.Int32], emit.Int(0))
	// Results with names are variables already.
	fr.results = fr.named
	if fr.named == nil {
		for _, t := range fr.sig {
			c := l.NewCell("result", t, l.UnsetOf(t))
			c.Result = true
			fr.results = append(fr.results, c)
		}
	}
}

// returnStmt lowers a return.
func (l *lowerer) returnStmt(fr *frame, s *ast.ReturnStmt) emit.Flow {
	var rets []emit.Value
	if len(s.Results) == 0 {
		for _, c := range fr.named {
			// A return without values gives the named results as they are.
			rets = append(rets, c.V)
		}
	} else {
		for i, v := range l.heldList(fr, s.Results, len(fr.sig), func(i int) types.Type { return fr.sig[i] }) {
			rets = append(rets, l.Coerce(s.Pos(), v, fr.sig[i]))
		}
	}
	return l.returns(fr, s.Pos(), rets)
}

// returns leaves the function with these results. Without an exit cell the return is the last
// statement, and the results are its values. Otherwise each return sets the result cells, and
// branches merge them.
func (l *lowerer) returns(fr *frame, pos token.Pos, rets []emit.Value) emit.Flow {
	fr.Ret = rets
	// The return is the last statement: its values are the results.
	if fr.Exit == nil {
		return emit.Gone
	}
	for i, v := range rets {
		fr.results[i].V = v
	}
	return l.leaveBy(fr, pos, exitReturn)
}

// returned gives the results of a function at its end. A result that no return has set is
// undefined, as that of a function that never returns.
func (fr *frame) returned() []emit.Value {
	if fr.Exit == nil && (fr.Ret != nil || len(fr.sig) == 0) {
		return fr.Ret
	}
	cells := fr.results
	if fr.Exit == nil {
		cells = fr.named
	}
	out := make([]emit.Value, len(fr.sig))
	for i := range out {
		out[i] = emit.Poison{}
		// A result that is set on no path stays undefined.
		if i < len(cells) && !holdsUnset(cells[i].V) {
			out[i] = cells[i].V
		}
	}
	return out
}

// holdsUnset reports whether a value or a part of it is not set.
func holdsUnset(v emit.Value) bool {
	return v == emit.Unset{} || slices.ContainsFunc(emit.PartsOf(v), holdsUnset)
}

// poisonReturn gives a function results after a mistake, so that its caller goes on.
func (l *lowerer) poisonReturn(fr *frame, pos token.Pos) (f emit.Flow) {
	rets := make([]emit.Value, len(fr.sig))
	for i := range rets {
		rets[i] = emit.Poison{}
	}
	// If not even that succeeds, the exit counts as done.
	f = emit.Gone
	l.Attempt(func() { f = l.returns(fr, pos, rets) })
	return f
}
