package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// stmts lowers a list.
func (l *lowerer) stmts(fr *frame, list []ast.Stmt) flow {
	for i, s := range list {
		rest := list[i+1:]
		if b, ok := s.(*ast.BlockStmt); ok && len(fr.exits.escapes[s]) > 0 {
			return l.stmts(fr, append(append([]ast.Stmt{}, b.List...), rest...))
		}
		if len(rest) > 0 && isBranch(s) && slices.ContainsFunc(fr.exits.escapes[s], fr.reaches) && fr.exits.endsOf(s, nil) < 2 {
			return l.withRest(fr, s, rest)
		}
		f := l.stmt(fr, s)
		if f != next {
			return f
		}
		if fr.exit != nil && !isZero(fr.exit.v) {
			return l.afterwards(fr, s.Pos(), fr.exits.escapes[s], func() flow { return l.stmts(fr, rest) })
		}
	}
	return next
}

func isBranch(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// withRest lowers a branch of which one way at most goes on, with what follows on that way: nothing needs a test.
func (l *lowerer) withRest(fr *frame, s ast.Stmt, rest []ast.Stmt) (f flow) {
	branch := func() { f = l.scope(&fr.inlined, func() flow { return l.branching(fr, s, rest) }) }
	if fr.pkg.Src.Lang {
		branch()
		return f
	}
	defer l.here(fr, s.Pos())()
	if !l.try(branch) {
		return l.poisonReturn(fr, s.Pos())
	}
	return f
}

// poisonReturn gives a function results after a mistake, so that its caller goes on.
func (l *lowerer) poisonReturn(fr *frame, pos token.Pos) (f flow) {
	rets := make([]value, len(fr.sig))
	for i := range rets {
		rets[i] = poison{}
	}
	f = gone
	l.try(func() { f = l.returns(fr, pos, rets) })
	return f
}

// within notes the loop or switch that is being lowered.
func (l *lowerer) within(fr *frame, s ast.Stmt, ir bool, f func() flow) flow {
	n := len(fr.inside)
	fr.inside = append(fr.inside, around{s, ir})
	defer func() { fr.inside = fr.inside[:n] }()
	r := f()
	fr.inside = fr.inside[:n]
	if !isLoop(s) {
		if code, ok := fr.exits.has(s, token.BREAK); ok && r != left {
			return l.arrive(fr, s.Pos(), code, fr.exits.escapes[s], r)
		}
	}
	return r
}

// leaveBy starts an exit, and goes as far as Tile IR allows at once.
func (l *lowerer) leaveBy(fr *frame, pos token.Pos, code int) flow {
	e := fr.exits.codes[code]
	for i := len(fr.inside) - 1; i >= 0; i-- {
		switch in := fr.inside[i]; {
		case in.ir && in.s == e.of:
			if fr.exit != nil {
				fr.exit.v = number(0)
			}
			l.leave(pos, e.tok == token.BREAK)
			return left
		case in.ir:
			fr.exit.v = number(code)
			l.leave(pos, true)
			return left
		case in.s == e.of:
			fr.exit.v = number(code)
			return gone
		}
	}
	if fr.kernel && l.blk != fr.blk {
		l.terminate("return", nil)
		return left
	}
	if fr.exit != nil {
		fr.exit.v = number(code)
	}
	return gone
}

// never ends a block whose end is not reached, as Tile IR wants one.
func (l *lowerer) never(fr *frame, pos token.Pos) flow {
	for _, in := range fr.inside {
		if in.ir {
			l.leave(pos, false)
			return left
		}
	}
	return l.leaveBy(fr, pos, exitReturn)
}

// reaches reports whether an exit ends without leaving a block of Tile IR.
func (fr *frame) reaches(code int) bool {
	e := fr.exits.codes[code]
	for i := len(fr.inside) - 1; i >= 0; i-- {
		if in := fr.inside[i]; in.ir || in.s == e.of {
			return !in.ir
		}
	}
	return !fr.kernel
}

// afterwards goes on after a statement that exits with these codes may have left. Exits that leave a block do so now;
// others skip the rest.
func (l *lowerer) afterwards(fr *frame, pos token.Pos, codes []int, rest func() flow) flow {
	if k, ok := fr.exit.v.(constant.Value); ok {
		if n := int(whole(k)); n != 0 {
			return l.leaveBy(fr, pos, n)
		}
		return rest()
	}
	var skipping []int
	for _, code := range codes {
		if fr.reaches(code) {
			skipping = append(skipping, code)
			continue
		}
		l.branch(fr, pos, l.exiting(fr, pos, token.EQL, code), func() flow {
			fr.exit.v = number(code)
			return l.leaveBy(fr, pos, code)
		}, func() flow { return next })
	}
	if len(skipping) == 0 {
		fr.exit.v = number(0)
		return rest()
	}
	return l.branch(fr, pos, l.exiting(fr, pos, token.EQL, 0), func() flow {
		fr.exit.v = number(0)
		return rest()
	}, func() flow {
		if len(skipping) == 1 {
			fr.exit.v = number(skipping[0])
			return gone
		}
		return next
	})
}

// arrive ends an exit that has come to its end, where others may be on their way.
func (l *lowerer) arrive(fr *frame, pos token.Pos, code int, others []int, f flow) flow {
	if k, ok := fr.exit.v.(constant.Value); ok {
		if int(whole(k)) != code {
			return f
		}
		fr.exit.v = number(0)
		return next
	}
	if len(others) == 0 {
		fr.exit.v = number(0)
		return next
	}
	l.branch(fr, pos, l.exiting(fr, pos, token.EQL, code), func() flow {
		fr.exit.v = number(0)
		return next
	}, func() flow { return next })
	return next
}

// exiting tests the exit cell.
func (l *lowerer) exiting(fr *frame, pos token.Pos, op token.Token, code int) *tile {
	return l.compare(pos, op, fr.exit.v, number(code), fr.exit.typ).(*tile)
}

// results declares a function's results and its exit cell.
func (l *lowerer) results(fr *frame, fv *funcVal) {
	if fv.typ.Results != nil {
		for _, f := range fv.typ.Results.List {
			t := l.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
			for _, id := range f.Names {
				c := l.newCell(id.Name, t, l.zero(id.Pos(), t))
				if id.Name != "_" {
					fr.vars.set(fv.pkg.Info.Defs[id], c)
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
	fr.exit = l.newCell("exit", types.Typ[types.Int32], number(0))
	fr.results = fr.named
	if fr.named == nil {
		for _, t := range fr.sig {
			c := l.newCell("result", t, l.unsetOf(t))
			c.result = true
			fr.results = append(fr.results, c)
		}
	}
}

func (l *lowerer) returnStmt(fr *frame, s *ast.ReturnStmt) flow {
	var rets []value
	if len(s.Results) == 0 {
		for _, c := range fr.named {
			rets = append(rets, c.v)
		}
	} else {
		for i, v := range l.heldList(fr, s.Results, len(fr.sig), func(i int) types.Type { return fr.sig[i] }) {
			rets = append(rets, l.coerce(s.Pos(), v, fr.sig[i]))
		}
	}
	return l.returns(fr, s.Pos(), rets)
}

// returns leaves the function with these results.
func (l *lowerer) returns(fr *frame, pos token.Pos, rets []value) flow {
	fr.ret = rets
	if fr.exit == nil {
		return gone
	}
	for i, v := range rets {
		fr.results[i].v = v
	}
	return l.leaveBy(fr, pos, exitReturn)
}

// returned gives the results of a function at its end. What a function that never returns gives is undefined.
func (fr *frame) returned() []value {
	if fr.exit == nil && (fr.ret != nil || len(fr.sig) == 0) {
		return fr.ret
	}
	cells := fr.results
	if fr.exit == nil {
		cells = fr.named
	}
	out := make([]value, len(fr.sig))
	for i := range out {
		out[i] = poison{}
		if i < len(cells) && !holdsUnset(cells[i].v) {
			out[i] = cells[i].v
		}
	}
	return out
}

func holdsUnset(v value) bool { return v == unset{} || slices.ContainsFunc(partsOf(v), holdsUnset) }

func (l *lowerer) branchStmt(fr *frame, s *ast.BranchStmt) flow {
	switch s.Tok {
	case token.GOTO:
		l.Fail(s.Pos(), "a kernel cannot have a goto statement: use a loop, or break and continue with a label")
	case token.FALLTHROUGH:
		return next // the case that follows is part of this one
	}
	code, ok := fr.exits.branch[s]
	l.Must(ok, s.Pos(), "%s is not inside a loop of this function", s.Tok)
	return l.leaveBy(fr, s.Pos(), code)
}
