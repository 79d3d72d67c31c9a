package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// rangeOver tells what a kernel can range over.
const rangeOver = ": it ranges over integers, arrays and slices"

// rangeStmt lowers a range over a number, which becomes a loop of Tile IR, or over a list, which is
// unrolled, since the elements of a list are values of the compiler.
func (l *lowerer) rangeStmt(fr *frame, s *ast.RangeStmt) emit.Flow {
	t := l.typeOf(fr, s.X)
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		// A range over a pointer to an array is one over the array.
		u = p.Elem().Underlying()
	}
	switch u := u.(type) {
	case *types.Slice, *types.Array:
		return l.rangeList(fr, s)
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			l.Fail(s.X.Pos(), "a kernel cannot range over %s"+rangeOver, types.Default(t))
		}
	default:
		l.Fail(s.X.Pos(), "a kernel cannot range over %s"+rangeOver, t)
	}
	if l.World.Desc(t) == nil || goval.IsUntyped(t) {
		// An untyped constant counts as an int.
		t = types.Typ[types.Int]
	}
	v := l.eval(fr, s.X)
	n := l.As(s.X.Pos(), v, t)
	l.Must(len(n.Desc.Shape) == 0, s.X.Pos(), "a kernel cannot range over a tile"+rangeOver)
	k, known := v.(constant.Value)
	// Nothing in the body can need the index, so there is no reason to unroll.
	if !known || s.Key == nil {
		l.countTo(fr, s, t, n)
		return emit.Next
	}
	return l.orUnrolled(fr, s, func() { l.countTo(fr, s, t, n) }, func() emit.Flow {
		i := int64(0)
		return l.turns(fr, s, func() bool {
			if i++; !constant.Compare(constant.MakeInt64(i), token.LEQ, constant.ToInt(k)) {
				return false
			}
			l.rangeVar(fr, s, t, constant.MakeInt64(i-1))
			return true
		}, s.Body, l.Meter.Turns)
	})
}

// forStmt lowers a for statement. Only one with three clauses can be unrolled, as its number of
// turns may be known.
func (l *lowerer) forStmt(fr *frame, s *ast.ForStmt) emit.Flow {
	if s.Init != nil {
		l.stmt(fr, s.Init)
	}
	if s.Cond == nil || s.Post == nil || s.Init == nil {
		l.forLoop(fr, s)
		return emit.Next
	}
	return l.orUnrolled(fr, s, func() { l.forLoop(fr, s) }, func() emit.Flow {
		first := true
		return l.turns(fr, s, func() bool {
			if !first {
				// As in Go, the post statement works on the variables of the next turn.
				l.renew(fr, s)
				l.stmt(fr, s.Post)
			}
			first = false
			// An unrolled loop ends when its condition is known to be false.
			k, ok := l.cond(fr, s.Cond).(constant.Value)
			if !ok {
				l.Unknown(s.Cond.Pos(), "the condition of a loop that is unrolled", emit.OfNumber)
			}
			return constant.BoolVal(k)
		}, s.Body, l.Meter.Turns)
	})
}

// renew gives the variables of a loop's clause new cells, as in Go each turn has its own. Only a
// variable that a pointer or function may keep needs one.
func (l *lowerer) renew(fr *frame, s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return
	}
	for _, e := range init.Lhs {
		if o := fr.pkg.Info.Defs[e.(*ast.Ident)]; o != nil {
			if c := fr.vars.of(o); c != nil && c.Shared {
				next := l.NewCell(c.Name, c.Type, c.V)
				fr.vars.set(o, next)
				l.debug(o.(*types.Var), next)
			}
		}
	}
}

// orUnrolled lowers a loop as one of Tile IR, or unrolls it if something in it must be known.
//
// A loop of Tile IR is smaller and compiles faster, so it is tried first. If lowering it meets a
// value that must be known, such as an index that depends on the counter, everything is taken back
// and each turn is lowered on its own, where the counter is a constant. If that does not help
// either, the mistakes of the first attempt are reported: they name what is not known.
func (l *lowerer) orUnrolled(fr *frame, s ast.Stmt, loop func(), unrolled func() emit.Flow) (f emit.Flow) {
	ops, errs, cells := len(l.Block.Ops), len(l.Errs), l.Snapshot(len(l.Cells))
	before, wanted := len(l.Cells), l.Wanted
	l.Wanted = false
	// reset takes back an attempt: its operations, mistakes, variables and assignments.
	reset := func() {
		// The capacity is cut so that rolled keeps the mistakes of the loop.
		l.Block.Ops, l.Errs, l.Cells = l.Block.Ops[:ops], l.Errs[:errs:errs], l.Cells[:before]
		l.Restore(cells)
	}
	lost := !l.Attempt(loop)
	if !l.Wanted {
		l.Wanted = wanted
		// The loop needs nothing to be known: its mistakes, if any, are real.
		l.again(lost, errs)
		return emit.Next
	}
	// These are the mistakes of the loop as one of Tile IR.
	rolled := l.Errs[errs:]
	reset()
	l.Wanted = false
	// The first of them tells why the loop is unrolled, for a message about too many turns.
	why := l.unrolls
	l.unrolls = nil
	if len(rolled) > 0 {
		l.unrolls = rolled[0]
	}
	lost2 := !l.Attempt(func() { f = unrolled() })
	l.unrolls = why
	if l.Wanted { // unrolling does not help: the mistakes are those of the loop
		reset()
		l.Errs = append(l.Errs, rolled...)
		l.again(lost, errs)
		return emit.Next
	}
	l.Wanted = wanted
	l.again(lost2, errs)
	return f
}

// again ends the statement with the mistakes that an attempt has noted, if it was lost.
func (l *lowerer) again(lost bool, errs int) {
	if lost {
		// The mistakes are copied, as the list is cut back before they are reported.
		list := append(l.Errs[:0:0], l.Errs[errs:]...)
		l.Errs = l.Errs[:errs]
		if len(list) == 0 {
			panic(emit.Bailout{})
		}
		panic(list)
	}
}

// rangeList unrolls a loop over a list, whose length is known.
func (l *lowerer) rangeList(fr *frame, s *ast.RangeStmt) emit.Flow {
	v := l.eval(fr, s.X)
	// Go allows a nil pointer if only the length of its array is used.
	if p, ok := l.typeOf(fr, s.X).Underlying().(*types.Pointer); ok && emit.IsNil(v) && s.Value == nil {
		v = &emit.List{Elems: make([]emit.Value, p.Elem().Underlying().(*types.Array).Len())}
	}
	l.Must(!emit.IsNil(v) || !goval.IsPointer(l.typeOf(fr, s.X)), s.X.Pos(), "this pointer is nil")
	elems, ok := l.List(v)
	l.Must(ok, s.X.Pos(), "a kernel can range only over a slice of known length")
	t := emit.ElemType(l.typeOf(fr, s.X))
	i := -1
	return l.turns(fr, s, func() bool {
		if i++; i == len(elems) {
			return false
		}
		// As in Go, a range over an array uses a copy, and a range over a slice sees assignments in
		// the loop.
		if _, array := v.(*emit.List); !array {
			elems, _ = l.List(v)
		}
		for j, e := range []ast.Expr{s.Key, s.Value} {
			if e == nil {
				continue
			}
			x, xt := []emit.Value{emit.Int(i), elems[i]}[j], []types.Type{types.Typ[types.Int], t}[j]
			if s.Tok == token.ASSIGN {
				l.store(fr, e, x, xt)
			} else if id, ok := e.(*ast.Ident); ok {
				l.declare(fr, id, xt, x)
			}
		}
		return true
	}, s.Body, emit.MaxLength)
}

// turns lowers a body again and again. start begins a turn, and returns false if there is none
// left. A turn that may have been left by an exit is followed by a test, and the remaining turns
// are lowered inside of it.
func (l *lowerer) turns(fr *frame, s ast.Stmt, start func() bool, body *ast.BlockStmt, most int) emit.Flow {
	defer l.Unroll()()
	breaks, hasBreak := fr.exits.has(s, token.BREAK)
	continues, hasContinue := fr.exits.has(s, token.CONTINUE)
	others := fr.exits.escapes[s]
	// These are the exits that a test behind a turn must look for.
	codes := others
	if hasBreak {
		codes = append(codes[:len(codes):len(codes)], breaks)
	}
	n := 0
	// The turns that follow a test are lowered inside of it, by calling turn again.
	var turn func() emit.Flow
	turn = func() emit.Flow {
		for {
			// Each turn is a scope: its variables end with it.
			more := false
			f := l.Scope(&fr.Inlined, func() emit.Flow {
				if more = start(); !more {
					return emit.Next
				}
				// Turns are counted across the tests, as they all unroll.
				n++
				l.turn(s.Pos(), n, most)
				return l.stmts(fr, body.List)
			})
			if !more || f == emit.Left {
				return f
			}
			if hasContinue {
				// A continue ends here, and the next turn begins.
				f = l.arrive(fr, s.Pos(), continues, codes, f)
			}
			if f != emit.Next {
				return f
			}
			if fr.Exit != nil && !emit.IsZero(fr.Exit.V) {
				return l.afterwards(fr, s.Pos(), codes, turn)
			}
		}
	}
	return l.within(fr, s, false, func() emit.Flow {
		f := turn()
		if hasBreak && f != emit.Left {
			f = l.arrive(fr, s.Pos(), breaks, others, f)
		}
		return f
	})
}
