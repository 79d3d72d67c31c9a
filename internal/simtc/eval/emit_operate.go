package eval

import (
	"go/constant"
	"go/token"
	"go/types"

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

// operate computes x op y of a type.
func (em *emitter) operate(pos token.Pos, op token.Token, x, y value, t types.Type) value {
	if poisoned(x) || poisoned(y) {
		panic(bailout{})
	}
	em.at(pos)
	e, _ := numbers(t)
	switch {
	case e == nil:
		return em.operateOther(pos, op, x, y)
	case op == token.AND_NOT:
		all := constant.MakeInt64(-1)
		return em.operate(pos, token.AND, x, em.operate(pos, token.XOR, y, e.val().Wrap(all), t), t)
	}
	if xs, ys, ok := em.pair(x, y); ok {
		r := &vec{elem: e, shape: em.vecShape(x, y)}
		if _, compared := compares[op]; compared {
			r.elem = boolElem
		}
		for i := range xs {
			r.elems = append(r.elems, em.binary(op, xs[i], ys[i], e))
		}
		return r
	}
	return em.binary(op, x, y, e)
}

// operateOther compares what is no number, and joins texts.
func (em *emitter) operateOther(pos token.Pos, op token.Token, x, y value) value {
	a, aOK := x.(constant.Value)
	b, bOK := y.(constant.Value)
	switch {
	case aOK && bOK && op == token.ADD:
		return em.join(a, b)
	case aOK && bOK:
		return constant.MakeBool(constant.Compare(a, op, b))
	case op != token.EQL && op != token.NEQ:
		em.Fail(pos, "the operator %s cannot be compiled for %s and %s", op, em.describe(x), em.describe(y))
	}
	em.comparable(pos, x, y)
	same := em.equal(x, y)
	if op == token.NEQ {
		return em.not(same)
	}
	return same
}

// comparable refuses what Go would end the program for: interfaces that hold values of one type that has no ==.
func (em *emitter) comparable(pos token.Pos, x, y value) {
	switch a := x.(type) {
	case *iface:
		if b, ok := y.(*iface); ok && types.Identical(a.typ, b.typ) {
			em.Must(types.Comparable(a.typ), pos, "interfaces that hold values of type %s cannot be compared", a.typ)
			em.comparable(pos, a.v, b.v)
		}
	case *structVal:
		if b, ok := y.(*structVal); ok {
			for i := range min(len(a.fields), len(b.fields)) {
				em.comparable(pos, a.fields[i], b.fields[i])
			}
		}
	case *arrayVal:
		if b, ok := y.(*arrayVal); ok {
			for i := range min(len(a.elems), len(b.elems)) {
				em.comparable(pos, a.elems[i], b.elems[i])
			}
		}
	}
}

// equal compares values part by part.
func (em *emitter) equal(x, y value) value {
	if isNil(x) || isNil(y) {
		return constant.MakeBool(isNil(x) && isNil(y))
	}
	if !em.sameForm(x, y) {
		return constant.MakeBool(false)
	}
	var r value = constant.MakeBool(true)
	ys := em.leaves(y)
	for i, leaf := range em.leaves(x) {
		e := em.elemOf(leaf)
		if n, ok := ys[i].(*num); ok {
			e = n.elem
		}
		r = em.both(r, em.binary(token.EQL, leaf, ys[i], e))
	}
	return r
}

// both is x && y of values that are both computed.
func (em *emitter) both(x, y value) value {
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
	return em.binary(token.AND, x, y, boolElem)
}

// logical is && or || of x and what right gives, which runs only where Go would run it, unless that makes no difference.
func (em *emitter) logical(pos token.Pos, op token.Token, x value, right func() value) value {
	if c, ok := x.(constant.Value); ok {
		if constant.BoolVal(c) == (op == token.LOR) {
			return x
		}
		return right()
	}
	if poisoned(x) {
		panic(bailout{})
	}
	at := em.mark()
	y := right()
	if len(em.journal) == at.journal && em.pure(em.b.Body[at.body:]) {
		_, many := x.(*vec)
		if _, too := y.(*vec); many || too {
			return em.operate(pos, map[token.Token]token.Token{token.LAND: token.AND, token.LOR: token.OR}[op], x, y, types.Typ[types.Bool])
		}
		if op == token.LAND {
			return em.both(x, y)
		}
		return em.either(x, y)
	}
	em.rollback(at)
	r := em.newCell("", types.Typ[types.Bool], x)
	cond := x
	if op == token.LOR {
		cond = em.not(x)
	}
	em.branchOn(cond, pos, func() flow { em.set(r, right()); return flow{} }, func() flow { return flow{} })
	return em.get(r)
}

// pure reports whether instructions can run where Go would not run them.
func (em *emitter) pure(list []simt.Instr) bool {
	for i := range list {
		if !simt.CanSpeculate(&list[i]) {
			return false
		}
	}
	return true
}

func (em *emitter) unaryOne(op token.Token, x value, e *Elem) value {
	switch op {
	case token.SUB:
		return em.negate(x, e)
	case token.NOT:
		return em.not(x)
	case token.XOR:
		return em.binary(token.XOR, x, e.val().Wrap(constant.MakeInt64(-1)), e)
	}
	return x
}
