package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// rangeOver says what a kernel can range over.
const rangeOver = ": it ranges over integers, arrays and slices"

// rangeStmt lowers a loop over a number, which becomes a loop of Tile IR, or over a list, which is unrolled.
func (l *lowerer) rangeStmt(fr *frame, s *ast.RangeStmt) emit.Flow {
	t := l.typeOf(fr, s.X)
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
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
		t = types.Typ[types.Int]
	}
	v := l.eval(fr, s.X)
	n := l.As(s.X.Pos(), v, t)
	l.Must(len(n.Desc.Shape) == 0, s.X.Pos(), "a kernel cannot range over a tile"+rangeOver)
	k, known := v.(constant.Value)
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
				l.renew(fr, s)
				l.stmt(fr, s.Post)
			}
			first = false
			k, ok := l.cond(fr, s.Cond).(constant.Value)
			if !ok {
				l.Unknown(s.Cond.Pos(), "the condition of a loop that is unrolled", emit.OfNumber)
			}
			return constant.BoolVal(k)
		}, s.Body, l.Meter.Turns)
	})
}

// renew gives the variables of a loop's clause new cells: each turn has its own.
func (l *lowerer) renew(fr *frame, s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return
	}
	for _, e := range init.Lhs {
		if o := fr.pkg.Info.Defs[e.(*ast.Ident)]; o != nil {
			if c := fr.vars.of(o); c != nil && c.Shared {
				fr.vars.set(o, l.NewCell(c.Name, c.Type, c.V))
			}
		}
	}
}

// orUnrolled lowers a loop as one of Tile IR, or unrolls it where something in it must be known that only then is.
func (l *lowerer) orUnrolled(fr *frame, s ast.Stmt, loop func(), unrolled func() emit.Flow) (f emit.Flow) {
	ops, errs, cells := len(l.Block.Ops), len(l.Errs), l.Snapshot(len(l.Cells))
	before, wanted := len(l.Cells), l.Wanted
	l.Wanted = false
	reset := func() {
		l.Block.Ops, l.Errs, l.Cells = l.Block.Ops[:ops], l.Errs[:errs:errs], l.Cells[:before]
		l.Restore(cells)
	}
	lost := !l.Attempt(loop)
	if !l.Wanted {
		l.Wanted = wanted
		l.again(lost, errs)
		return emit.Next
	}
	rolled := l.Errs[errs:]
	reset()
	l.Wanted = false
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

// again goes on with a mistake that try has noted.
func (l *lowerer) again(lost bool, errs int) {
	if lost {
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
	if p, ok := l.typeOf(fr, s.X).Underlying().(*types.Pointer); ok && emit.IsNil(v) && s.Value == nil { // only its length counts
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
		if _, array := v.(*emit.List); !array { // of a slice, the elements as they are now
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

// turns lowers a body again and again; start begins a turn where there is one more.
func (l *lowerer) turns(fr *frame, s ast.Stmt, start func() bool, body *ast.BlockStmt, most int) emit.Flow {
	defer l.Unroll()()
	breaks, hasBreak := fr.exits.has(s, token.BREAK)
	continues, hasContinue := fr.exits.has(s, token.CONTINUE)
	others := fr.exits.escapes[s]
	codes := others
	if hasBreak {
		codes = append(codes[:len(codes):len(codes)], breaks)
	}
	n := 0
	var turn func() emit.Flow
	turn = func() emit.Flow {
		for {
			more := false
			f := l.Scope(&fr.Inlined, func() emit.Flow {
				if more = start(); !more {
					return emit.Next
				}
				n++
				l.turn(s.Pos(), n, most)
				return l.stmts(fr, body.List)
			})
			if !more || f == emit.Left {
				return f
			}
			if hasContinue {
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
