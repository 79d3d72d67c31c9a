package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// stmts lowers a list of statements. If a statement has exits, the statements after it run on some
// paths only: they are lowered into the one path that goes on, or behind a test of the exit cell.
func (l *lowerer) stmts(fr *frame, list []ast.Stmt) emit.Flow {
	for i, s := range list {
		l.Observe()
		rest := list[i+1:]
		// A block with exits is taken apart, so that the statements behind it can follow inside of
		// its branches.
		if b, ok := s.(*ast.BlockStmt); ok && len(fr.exits.escapes[s]) > 0 {
			return l.stmts(fr, append(append([]ast.Stmt{}, b.List...), rest...))
		}
		if len(rest) > 0 && isBranch(s) && slices.ContainsFunc(fr.exits.escapes[s], fr.reaches) && fr.exits.endsOf(s, nil) < 2 {
			return l.withRest(fr, s, rest)
		}
		f := l.stmt(fr, s)
		if f != emit.Next {
			return f
		}
		// The statement may have started an exit: the rest runs only if it did not.
		if fr.Exit != nil && !emit.IsZero(fr.Exit.V) {
			return l.afterwards(fr, s.Pos(), fr.exits.escapes[s], func() emit.Flow { return l.stmts(fr, rest) })
		}
	}
	l.Observe()
	return emit.Next
}

// isBranch reports whether a statement is an if or a switch.
func isBranch(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// withRest lowers a branch of which at most one path goes on, together with the statements that
// follow on that path. So none of them needs a test.
func (l *lowerer) withRest(fr *frame, s ast.Stmt, rest []ast.Stmt) (f emit.Flow) {
	// The scope ends with the rest, whose code is inside of the branch.
	branch := func() { f = l.Scope(&fr.Inlined, func() emit.Flow { return l.branching(fr, s, rest) }) }
	// A mistake in a function of the language belongs to the statement of its caller.
	if fr.pkg.Src.Lang {
		branch()
		return f
	}
	defer l.here(fr, s.Pos())()
	defer l.cover(fr, s)()
	// The results are undefined, as the statements behind the mistake may have set them.
	if !l.Attempt(branch) {
		return l.poisonReturn(fr, s.Pos())
	}
	return f
}

// within records the loop or switch that is being lowered. ir tells whether it is a loop of Tile
// IR. A break of a switch arrives at its end.
func (l *lowerer) within(fr *frame, s ast.Stmt, ir bool, f func() emit.Flow) emit.Flow {
	n := len(fr.inside)
	fr.inside = append(fr.inside, around{s, ir})
	// A mistake may end f by a panic.
	defer func() { fr.inside = fr.inside[:n] }()
	r := f()
	fr.inside = fr.inside[:n]
	if !isLoop(s) {
		// A break of a switch ends here, unless it has left the block by another way.
		if code, ok := fr.exits.has(s, token.BREAK); ok && r != emit.Left {
			return l.arrive(fr, s.Pos(), code, fr.exits.escapes[s], r)
		}
	}
	return r
}

// leaveBy starts an exit, and goes as far as Tile IR allows at once. Inside of a loop of Tile IR
// that is the end of the loop; the code behind the loop goes on with the exit.
func (l *lowerer) leaveBy(fr *frame, pos token.Pos, code int) emit.Flow {
	e := fr.exits.codes[code]
	for i := len(fr.inside) - 1; i >= 0; i-- {
		switch in := fr.inside[i]; {
		// The exit belongs to this loop of Tile IR, which can do it itself.
		case in.ir && in.s == e.of:
			if fr.Exit != nil {
				// The loop does the exit, so none is in progress behind it.
				fr.Exit.V = emit.Int(0)
			}
			l.Leave(pos, e.tok == token.BREAK)
			return emit.Left
		// The exit goes further out. The loop is left, and the code behind it finds the code in the
		// cell.
		case in.ir:
			fr.Exit.V = emit.Int(code)
			l.Leave(pos, true)
			return emit.Left
		// The exit belongs to a switch or an unrolled loop around: its end is reached by skipping
		// the rest.
		case in.s == e.of:
			fr.Exit.V = emit.Int(code)
			return emit.Gone
		}
	}
	// In the kernel itself a return can end any block, and needs no cell.
	if fr.kernel && l.Block != fr.blk {
		l.Terminate("return", nil)
		return emit.Left
	}
	if fr.Exit != nil {
		fr.Exit.V = emit.Int(code)
	}
	return emit.Gone
}

// never ends a block whose end is not reached. Tile IR wants a terminator there.
func (l *lowerer) never(fr *frame, pos token.Pos) emit.Flow {
	// A loop of Tile IR is left by its own terminator, and every other block by a return.
	for _, in := range fr.inside {
		if in.ir {
			l.Leave(pos, false)
			return emit.Left
		}
	}
	return l.leaveBy(fr, pos, exitReturn)
}

// reaches reports whether an exit comes to its end without leaving a block of Tile IR.
func (fr *frame) reaches(code int) bool {
	e := fr.exits.codes[code]
	for i := len(fr.inside) - 1; i >= 0; i-- {
		if in := fr.inside[i]; in.ir || in.s == e.of {
			return !in.ir
		}
	}
	return !fr.kernel
}

// afterwards goes on behind a statement that the exits with these codes may have left. An exit that
// must leave a block of Tile IR does so now; the others skip the rest.
func (l *lowerer) afterwards(fr *frame, pos token.Pos, codes []int, rest func() emit.Flow) emit.Flow {
	if k, ok := fr.Exit.V.(constant.Value); ok {
		// The code is known, so that the exit needs no test.
		if n := int(emit.Whole(k)); n != 0 {
			return l.leaveBy(fr, pos, n)
		}
		return rest()
	}
	// skipping holds the exits that end in this block of Tile IR: for them it is enough that the rest
	// does not run.
	var skipping []int
	for _, code := range codes {
		if fr.reaches(code) {
			skipping = append(skipping, code)
			continue
		}
		// The exit leaves this block of Tile IR in a branch of its own.
		l.branch(fr, pos, l.exiting(fr, pos, token.EQL, code), func() emit.Flow {
			fr.Exit.V = emit.Int(code)
			return l.leaveBy(fr, pos, code)
		}, func() emit.Flow { return emit.Next })
	}
	if len(skipping) == 0 {
		fr.Exit.V = emit.Int(0)
		return rest()
	}
	return l.branch(fr, pos, l.exiting(fr, pos, token.EQL, 0), func() emit.Flow {
		fr.Exit.V = emit.Int(0)
		return rest()
	}, func() emit.Flow {
		// There is only one exit that this can be, so its code is a constant again.
		if len(skipping) == 1 {
			fr.Exit.V = emit.Int(skipping[0])
			return emit.Gone
		}
		return emit.Next
	})
}

// arrive ends an exit that has come to its end, while others may be in progress. The statement behind
// then runs for this exit, and is skipped for the others.
func (l *lowerer) arrive(fr *frame, pos token.Pos, code int, others []int, f emit.Flow) emit.Flow {
	if k, ok := fr.Exit.V.(constant.Value); ok {
		if int(emit.Whole(k)) != code {
			return f
		}
		fr.Exit.V = emit.Int(0)
		return emit.Next
	}
	// No other exit can be in progress.
	if len(others) == 0 {
		fr.Exit.V = emit.Int(0)
		return emit.Next
	}
	l.branch(fr, pos, l.exiting(fr, pos, token.EQL, code), func() emit.Flow {
		fr.Exit.V = emit.Int(0)
		return emit.Next
	}, func() emit.Flow { return emit.Next })
	return emit.Next
}

// exiting tests whether the exit cell holds a code.
func (l *lowerer) exiting(fr *frame, pos token.Pos, op token.Token, code int) *emit.Tile {
	return l.Compare(pos, op, fr.Exit.V, emit.Int(code), fr.Exit.Type).(*emit.Tile)
}

// branchStmt lowers break, continue and fallthrough.
func (l *lowerer) branchStmt(fr *frame, s *ast.BranchStmt) emit.Flow {
	switch s.Tok {
	case token.GOTO:
		l.Fail(s.Pos(), "a kernel cannot have a goto statement: use a loop, or break and continue with a label")
	case token.FALLTHROUGH:
		return emit.Next // the case that follows is part of this one
	}
	code, ok := fr.exits.branch[s]
	l.Must(ok, s.Pos(), "%s is not inside a loop of this function", s.Tok)
	return l.leaveBy(fr, s.Pos(), code)
}
