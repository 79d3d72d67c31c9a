package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// inLoop lowers what is in a loop of Tile IR.
func (l *lowerer) inLoop(fr *frame, s ast.Stmt, body func() flow) flow {
	return l.within(fr, s, true, func() flow { return l.scope(&fr.inlined, body) })
}

// countedLoop emits a counted loop.
func (l *lowerer) countedLoop(fr *frame, s ast.Stmt, lo, hi, step *tile, v *cell, body func(iv *tile) flow) *loopCtx {
	return l.forOp(&fr.inlined, s.Pos(), lo, hi, step, v, func(iv *tile) flow {
		return l.inLoop(fr, s, func() flow { return body(iv) })
	})
}

// generalLoop emits a loop that is left by break.
func (l *lowerer) generalLoop(fr *frame, s ast.Stmt, cond func() value, post func(), body func() flow) {
	l.loopOp(&fr.inlined, s.Pos(), cond, post, func(turn func() flow) flow { return l.inLoop(fr, s, turn) }, body)
	if codes := fr.exits.escapes[s]; cond == nil && len(codes) == 1 {
		if _, breaks := fr.exits.has(s, token.BREAK); !breaks {
			fr.exit.v = number(codes[0]) // there is no other way out
		}
	}
}

// branch emits an if. What comes after one that neither side goes on from is never reached.
func (l *lowerer) branch(fr *frame, pos token.Pos, cond *tile, then, els func() flow) flow {
	f := l.emitter.branch(&fr.inlined, pos, cond, then, els)
	if f == left {
		return l.never(fr, pos)
	}
	return f
}

// countTo lowers `for i := range n` of a number.
func (l *lowerer) countTo(fr *frame, s *ast.RangeStmt, t types.Type, n *tile) {
	if !fr.exits.leaves(s) {
		zero, one := l.constant(s.Pos(), number(0), t), l.constant(s.Pos(), number(1), t)
		zero.min = new(int64)
		l.countedLoop(fr, s, zero, n, one, nil, func(iv *tile) flow {
			l.rangeVar(fr, s, t, iv)
			return l.stmts(fr, s.Body.List)
		})
		return
	}
	i := l.newCell("range", t, number(0))
	l.generalLoop(fr, s, func() value { return l.compare(s.Pos(), token.LSS, i.v, n, t) },
		func() { i.v = l.binary(s.Pos(), token.ADD, i.v, number(1), t) },
		func() flow { l.rangeVar(fr, s, t, i.v); return l.stmts(fr, s.Body.List) })
}

// rangeVar sets the variable of a loop over numbers.
func (l *lowerer) rangeVar(fr *frame, s *ast.RangeStmt, t types.Type, v value) {
	if s.Key == nil {
		return
	}
	if s.Tok == token.ASSIGN {
		l.store(fr, s.Key, v, t)
		return
	}
	id, _ := s.Key.(*ast.Ident)
	l.declare(fr, id, t, v)
}
