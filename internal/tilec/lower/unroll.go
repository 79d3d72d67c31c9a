package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// rangeOver says what a kernel can range over.
const rangeOver = ": it ranges over integers, arrays and slices"

// rangeStmt lowers a loop over a number, which becomes a loop of Tile IR, or over a list, which is unrolled.
func (l *lowerer) rangeStmt(fr *frame, s *ast.RangeStmt) flow {
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
	if l.w.Desc(t) == nil || goval.IsUntyped(t) {
		t = types.Typ[types.Int]
	}
	v := l.eval(fr, s.X)
	n := l.as(s.X.Pos(), v, t)
	l.Must(len(n.desc.Shape) == 0, s.X.Pos(), "a kernel cannot range over a tile"+rangeOver)
	k, known := v.(constant.Value)
	if !known || s.Key == nil {
		l.countTo(fr, s, t, n)
		return next
	}
	return l.orUnrolled(fr, s, func() { l.countTo(fr, s, t, n) }, func() flow {
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

func (l *lowerer) forStmt(fr *frame, s *ast.ForStmt) flow {
	if s.Init != nil {
		l.stmt(fr, s.Init)
	}
	if s.Cond == nil || s.Post == nil || s.Init == nil {
		l.forLoop(fr, s)
		return next
	}
	return l.orUnrolled(fr, s, func() { l.forLoop(fr, s) }, func() flow {
		first := true
		return l.turns(fr, s, func() bool {
			if !first {
				l.renew(fr, s)
				l.stmt(fr, s.Post)
			}
			first = false
			k, ok := l.cond(fr, s.Cond).(constant.Value)
			if !ok {
				l.unknown(s.Cond.Pos(), "the condition of a loop that is unrolled", ofNumber)
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
			if c := fr.vars.of(o); c != nil && c.shared {
				fr.vars.set(o, l.newCell(c.name, c.typ, c.v))
			}
		}
	}
}

// orUnrolled lowers a loop as one of Tile IR, or unrolls it where something in it must be known that only then is.
func (l *lowerer) orUnrolled(fr *frame, s ast.Stmt, loop func(), unrolled func() flow) (f flow) {
	ops, errs, cells := len(l.blk.Ops), len(l.Errs), l.snapshot(len(l.cells))
	before, wanted := len(l.cells), l.wanted
	l.wanted = false
	reset := func() {
		l.blk.Ops, l.Errs, l.cells = l.blk.Ops[:ops], l.Errs[:errs:errs], l.cells[:before]
		l.restore(cells)
	}
	lost := !l.try(loop)
	if !l.wanted {
		l.wanted = wanted
		l.again(lost, errs)
		return next
	}
	rolled := l.Errs[errs:]
	reset()
	l.wanted = false
	why := l.unrolls
	l.unrolls = nil
	if len(rolled) > 0 {
		l.unrolls = rolled[0]
	}
	lost2 := !l.try(func() { f = unrolled() })
	l.unrolls = why
	if l.wanted { // unrolling does not help: the mistakes are those of the loop
		reset()
		l.Errs = append(l.Errs, rolled...)
		l.again(lost, errs)
		return next
	}
	l.wanted = wanted
	l.again(lost2, errs)
	return f
}

// again goes on with a mistake that try has noted.
func (l *lowerer) again(lost bool, errs int) {
	if lost {
		list := append(l.Errs[:0:0], l.Errs[errs:]...)
		l.Errs = l.Errs[:errs]
		if len(list) == 0 {
			panic(bailout{})
		}
		panic(list)
	}
}

// rangeList unrolls a loop over a list, whose length is known.
func (l *lowerer) rangeList(fr *frame, s *ast.RangeStmt) flow {
	v := l.eval(fr, s.X)
	if p, ok := l.typeOf(fr, s.X).Underlying().(*types.Pointer); ok && isNil(v) && s.Value == nil { // only its length counts
		v = &listVal{elems: make([]value, p.Elem().Underlying().(*types.Array).Len())}
	}
	l.Must(!isNil(v) || !goval.IsPointer(l.typeOf(fr, s.X)), s.X.Pos(), "this pointer is nil")
	elems, ok := l.list(v)
	l.Must(ok, s.X.Pos(), "a kernel can range only over a slice of known length")
	t := elemType(l.typeOf(fr, s.X))
	i := -1
	return l.turns(fr, s, func() bool {
		if i++; i == len(elems) {
			return false
		}
		if _, array := v.(*listVal); !array { // of a slice, the elements as they are now
			elems, _ = l.list(v)
		}
		for j, e := range []ast.Expr{s.Key, s.Value} {
			if e == nil {
				continue
			}
			x, xt := []value{number(i), elems[i]}[j], []types.Type{types.Typ[types.Int], t}[j]
			if s.Tok == token.ASSIGN {
				l.store(fr, e, x, xt)
			} else if id, ok := e.(*ast.Ident); ok {
				l.declare(fr, id, xt, x)
			}
		}
		return true
	}, s.Body, maxLength)
}

// turns lowers a body again and again; start begins a turn where there is one more.
func (l *lowerer) turns(fr *frame, s ast.Stmt, start func() bool, body *ast.BlockStmt, most int) flow {
	defer l.Unroll()()
	breaks, hasBreak := fr.exits.has(s, token.BREAK)
	continues, hasContinue := fr.exits.has(s, token.CONTINUE)
	others := fr.exits.escapes[s]
	codes := others
	if hasBreak {
		codes = append(codes[:len(codes):len(codes)], breaks)
	}
	n := 0
	var turn func() flow
	turn = func() flow {
		for {
			more := false
			f := l.scope(&fr.inlined, func() flow {
				if more = start(); !more {
					return next
				}
				n++
				l.turn(s.Pos(), n, most)
				return l.stmts(fr, body.List)
			})
			if !more || f == left {
				return f
			}
			if hasContinue {
				f = l.arrive(fr, s.Pos(), continues, codes, f)
			}
			if f != next {
				return f
			}
			if fr.exit != nil && !isZero(fr.exit.v) {
				return l.afterwards(fr, s.Pos(), codes, turn)
			}
		}
	}
	return l.within(fr, s, false, func() flow {
		f := turn()
		if hasBreak && f != left {
			f = l.arrive(fr, s.Pos(), breaks, others, f)
		}
		return f
	})
}
