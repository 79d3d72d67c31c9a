package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simt"
)

// numbers says what a Go type is in arithmetic: an element type, and whether a value may be many of them (cute.Vec).
func numbers(t types.Type) (e *Elem, many bool) {
	if e := ElemOf(t); e != nil {
		return e, false
	}
	if n := cuteType(t, "Vec"); n != nil {
		return ElemOf(n.TypeArgs().At(0)), true
	}
	return nil, false
}

// cuteType is a type of package cute of a name: nil where t is another one.
func cuteType(t types.Type, name string) *types.Named {
	n, ok := types.Unalias(t).(*types.Named)
	if ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == cutePath {
		return n
	}
	return nil
}

// binaryExpr evaluates x op y.
func (ev *evaluator) binaryExpr(fr *frame, e *ast.BinaryExpr) value {
	switch e.Op {
	case token.LAND, token.LOR:
		return ev.logical(e.OpPos, e.Op, ev.eval(fr, e.X), func() value { return ev.eval(fr, e.Y) })
	case token.SHL, token.SHR:
		t := ev.typeOf(fr, e)
		return ev.operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.eval(fr, e.Y), t)
	}
	t := ev.typeOf(fr, e.X)
	if _, compared := compares[e.Op]; !compared {
		t = ev.typeOf(fr, e)
	} else if u := ev.typeOf(fr, e.Y); goval.IsUntyped(t) || types.IsInterface(u) && !types.IsInterface(t) {
		t = u
	}
	return ev.operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.operandOf(fr, e.Y, t), t)
}

// operate computes x op y of a type.
func (ev *evaluator) operate(pos token.Pos, op token.Token, x, y value, t types.Type) value {
	if poisoned(x) || poisoned(y) {
		panic(bailout{})
	}
	ev.at(pos)
	e, _ := numbers(t)
	switch {
	case e == nil:
		return ev.operateOther(pos, op, x, y)
	case op == token.AND_NOT:
		all := constant.MakeInt64(-1)
		return ev.operate(pos, token.AND, x, ev.operate(pos, token.XOR, y, e.val().Wrap(all), t), t)
	}
	if xs, ys, ok := ev.pair(x, y); ok {
		r := &vec{elem: e, shape: ev.vecShape(x, y)}
		if _, compared := compares[op]; compared {
			r.elem = boolElem
		}
		for i := range xs {
			r.elems = append(r.elems, ev.binary(op, xs[i], ys[i], e))
		}
		return r
	}
	return ev.binary(op, x, y, e)
}

// operateOther compares what is no number, and joins texts.
func (ev *evaluator) operateOther(pos token.Pos, op token.Token, x, y value) value {
	a, aOK := x.(constant.Value)
	b, bOK := y.(constant.Value)
	switch {
	case aOK && bOK && op == token.ADD:
		return ev.join(a, b)
	case aOK && bOK:
		return constant.MakeBool(constant.Compare(a, op, b))
	case op != token.EQL && op != token.NEQ:
		ev.Fail(pos, "the operator %s cannot be compiled for %s and %s", op, ev.describe(x), ev.describe(y))
	}
	ev.comparable(pos, x, y)
	same := ev.equal(x, y)
	if op == token.NEQ {
		return ev.not(same)
	}
	return same
}

// comparable refuses what Go would end the program for: interfaces that hold values of one type that has no ==.
func (ev *evaluator) comparable(pos token.Pos, x, y value) {
	switch a := x.(type) {
	case *iface:
		if b, ok := y.(*iface); ok && types.Identical(a.typ, b.typ) {
			ev.Must(types.Comparable(a.typ), pos, "interfaces that hold values of type %s cannot be compared", a.typ)
			ev.comparable(pos, a.v, b.v)
		}
	case *structVal:
		if b, ok := y.(*structVal); ok {
			for i := range min(len(a.fields), len(b.fields)) {
				ev.comparable(pos, a.fields[i], b.fields[i])
			}
		}
	case *arrayVal:
		if b, ok := y.(*arrayVal); ok {
			for i := range min(len(a.elems), len(b.elems)) {
				ev.comparable(pos, a.elems[i], b.elems[i])
			}
		}
	}
}

// equal compares values part by part.
func (ev *evaluator) equal(x, y value) value {
	if isNil(x) || isNil(y) {
		return constant.MakeBool(isNil(x) && isNil(y))
	}
	if !ev.sameForm(x, y) {
		return constant.MakeBool(false)
	}
	var r value = constant.MakeBool(true)
	ys := ev.leaves(y)
	for i, leaf := range ev.leaves(x) {
		e := ev.elemOf(leaf)
		if n, ok := ys[i].(*num); ok {
			e = n.elem
		}
		r = ev.both(r, ev.binary(token.EQL, leaf, ys[i], e))
	}
	return r
}

// both is x && y of values that are both computed.
func (ev *evaluator) both(x, y value) value {
	if c, ok := x.(constant.Value); ok {
		if constant.BoolVal(c) {
			return y
		}
		return x
	}
	if c, ok := y.(constant.Value); ok {
		if constant.BoolVal(c) {
			return x
		}
		return y
	}
	return ev.binary(token.AND, x, y, boolElem)
}

// logical is && or || of x and what right gives, which runs only where Go would run it, unless that makes no difference.
func (ev *evaluator) logical(pos token.Pos, op token.Token, x value, right func() value) value {
	if c, ok := x.(constant.Value); ok {
		if constant.BoolVal(c) == (op == token.LOR) {
			return x
		}
		return right()
	}
	if poisoned(x) {
		panic(bailout{})
	}
	at := ev.mark()
	y := right()
	if len(ev.journal) == at.journal && ev.pure(ev.b.Body[at.body:]) {
		_, many := x.(*vec)
		if _, too := y.(*vec); many || too {
			return ev.operate(pos, map[token.Token]token.Token{token.LAND: token.AND, token.LOR: token.OR}[op], x, y, types.Typ[types.Bool])
		}
		if op == token.LAND {
			return ev.both(x, y)
		}
		return ev.either(x, y)
	}
	ev.rollback(at)
	r := ev.newCell("", types.Typ[types.Bool], x)
	cond := x
	if op == token.LOR {
		cond = ev.not(x)
	}
	ev.branchOn(cond, pos, func() flow { ev.set(r, right()); return flow{} }, func() flow { return flow{} })
	return ev.get(r)
}

// pure reports whether instructions can run where Go would not run them.
func (ev *evaluator) pure(list []simt.Instr) bool {
	for i := range list {
		if !simt.CanSpeculate(&list[i]) {
			return false
		}
	}
	return true
}

// unary evaluates +x, -x, !x, ^x and &x.
func (ev *evaluator) unary(fr *frame, e *ast.UnaryExpr) value {
	if e.Op == token.AND {
		return ev.address(fr, e.X)
	}
	ev.Must(e.Op != token.ARROW, e.Pos(), "a channel cannot be used in compiled code")
	t := ev.typeOf(fr, e)
	x := ev.operandOf(fr, e.X, t)
	if poisoned(x) {
		panic(bailout{})
	}
	ev.at(e.Pos())
	el, _ := numbers(t)
	one := func(v value) value { return ev.unaryOne(e.Op, v, el) }
	if v, ok := x.(*vec); ok {
		return v.each(el, one)
	}
	return one(x)
}

func (ev *evaluator) unaryOne(op token.Token, x value, e *Elem) value {
	switch op {
	case token.SUB:
		return ev.negate(x, e)
	case token.NOT:
		return ev.not(x)
	case token.XOR:
		return ev.binary(token.XOR, x, e.val().Wrap(constant.MakeInt64(-1)), e)
	}
	return x
}

// address is &x: of a variable, or of a new one with the value written.
func (ev *evaluator) address(fr *frame, e ast.Expr) value {
	if c, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		t := ev.typeOf(fr, c)
		return &pointer{cell: ev.newCell("", t, ev.composite(fr, c, t))}
	}
	return ev.place(fr, e)
}
