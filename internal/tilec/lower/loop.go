package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// inLoop lowers code inside of a loop of Tile IR.
func (l *lowerer) inLoop(fr *frame, s ast.Stmt, body func() emit.Flow) emit.Flow {
	return l.within(fr, s, true, func() emit.Flow { return l.Scope(&fr.Inlined, body) })
}

// countedLoop emits a counted loop.
func (l *lowerer) countedLoop(fr *frame, s ast.Stmt, lo, hi, step *emit.Tile, v *emit.Cell, body func(iv *emit.Tile) emit.Flow) *emit.Loop {
	return l.ForOp(&fr.Inlined, s.Pos(), lo, hi, step, v, func(iv *emit.Tile) emit.Flow {
		return l.inLoop(fr, s, func() emit.Flow { return body(iv) })
	})
}

// generalLoop emits a loop that a break leaves. If the loop can be left in one way only, the exit
// is known behind it and needs no test.
func (l *lowerer) generalLoop(fr *frame, s ast.Stmt, cond func() emit.Value, post func(), body func() emit.Flow) {
	l.LoopOp(&fr.Inlined, s.Pos(), cond, post, func(turn func() emit.Flow) emit.Flow { return l.inLoop(fr, s, turn) }, body)
	if codes := fr.exits.escapes[s]; cond == nil && len(codes) == 1 {
		if _, breaks := fr.exits.has(s, token.BREAK); !breaks {
			fr.Exit.V = emit.Int(codes[0])
		}
	}
}

// branch emits an if. If neither side goes on, the code behind it is never reached.
func (l *lowerer) branch(fr *frame, pos token.Pos, cond *emit.Tile, then, els func() emit.Flow) emit.Flow {
	f := l.Emitter.Branch(&fr.Inlined, pos, cond, then, els)
	if f == emit.Left {
		return l.never(fr, pos)
	}
	return f
}

// countTo lowers `for i := range n` of a number. Tile IR's counted loop cannot be left early, so a
// loop with such an exit becomes a general one.
func (l *lowerer) countTo(fr *frame, s *ast.RangeStmt, t types.Type, n *emit.Tile) {
	if !fr.exits.leaves(s) {
		zero, one := l.Constant(s.Pos(), emit.Int(0), t), l.Constant(s.Pos(), emit.Int(1), t)
		// The counter is never negative.
		zero.Min = new(int64)
		l.countedLoop(fr, s, zero, n, one, nil, func(iv *emit.Tile) emit.Flow {
			// The counter of the turn is the value of the variable.
			l.rangeVar(fr, s, t, iv)
			return l.stmts(fr, s.Body.List)
		})
		return
	}
	// The counter is a cell of its own: assigning the loop's variable does not change the count, as
	// in Go.
	i := l.NewCell("range", t, emit.Int(0))
	l.generalLoop(fr, s, func() emit.Value { return l.Compare(s.Pos(), token.LSS, i.V, n, t) },
		func() { i.V = l.Binary(s.Pos(), token.ADD, i.V, emit.Int(1), t) },
		func() emit.Flow { l.rangeVar(fr, s, t, i.V); return l.stmts(fr, s.Body.List) })
}

// rangeVar sets the variable of a loop over numbers. A loop that defines it has a new one in each
// turn, as in Go.
func (l *lowerer) rangeVar(fr *frame, s *ast.RangeStmt, t types.Type, v emit.Value) {
	if s.Key == nil {
		return
	}
	// The loop assigns to a variable from outside, which keeps the last value.
	if s.Tok == token.ASSIGN {
		l.store(fr, s.Key, v, t)
		return
	}
	id, _ := s.Key.(*ast.Ident)
	l.declare(fr, id, t, v)
}
