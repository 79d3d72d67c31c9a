package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/simt"
)

// Numbers gives the element type that a Go type has in arithmetic, or nil if it has none. many
// tells whether a value may be several numbers (cute.Vec).
func Numbers(t types.Type) (e *Elem, many bool) {
	if e := ElemOf(t); e != nil {
		return e, false
	}
	if n := CuteType(t, "Vec"); n != nil {
		return ElemOf(n.TypeArgs().At(0)), true
	}
	return nil, false
}

// CuteType gives t as a named type if it is the type of package cute with that name, else nil.
func CuteType(t types.Type, name string) *types.Named {
	n, ok := types.Unalias(t).(*types.Named)
	if ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == CutePath {
		return n
	}
	return nil
}

// Operate computes x op y for operands of type t.
func (em *Emitter) Operate(pos token.Pos, op token.Token, x, y Value, t types.Type) Value {
	if Poisoned(x) || Poisoned(y) {
		panic(Bailout{})
	}
	em.At(pos)
	e, _ := Numbers(t)
	switch {
	case e == nil:
		return em.operateOther(pos, op, x, y)
	// PTX has no such operator: x &^ y is x & (y ^ -1).
	case op == token.AND_NOT:
		all := constant.MakeInt64(-1)
		return em.Operate(pos, token.AND, x, em.Operate(pos, token.XOR, y, e.Val().Wrap(all), t), t)
	}
	// An operator on vectors is one on each pair of elements, which are in registers of their own.
	if xs, ys, ok := em.Pair(x, y); ok {
		r := &Vec{Elem: e, Shape: em.VecShape(x, y)}
		if _, compared := Compares[op]; compared {
			r.Elem = Bool
		}
		for i := range xs {
			r.Elems = append(r.Elems, em.Binary(op, xs[i], ys[i], e))
		}
		return r
	}
	return em.Binary(op, x, y, e)
}

// operateOther compares values that are not numbers, and joins texts.
func (em *Emitter) operateOther(pos token.Pos, op token.Token, x, y Value) Value {
	a, aOK := x.(constant.Value)
	b, bOK := y.(constant.Value)
	switch {
	case aOK && bOK && op == token.ADD:
		return em.join(a, b)
	case aOK && bOK:
		return constant.MakeBool(constant.Compare(a, op, b))
	case op != token.EQL && op != token.NEQ:
		em.Fail(pos, "the operator %s cannot be compiled for %s and %s", op, em.Describe(x), em.Describe(y))
	}
	// Go panics for these when the program runs, so a message must say it now.
	em.comparable(pos, x, y)
	same := em.equal(x, y)
	if op == token.NEQ {
		return em.not(same)
	}
	return same
}

// comparable refuses a comparison at which Go would panic: that of interfaces that hold values of
// the same type, if the type has no ==.
func (em *Emitter) comparable(pos token.Pos, x, y Value) {
	switch a := x.(type) {
	case *Iface:
		if b, ok := y.(*Iface); ok && types.Identical(a.Type, b.Type) {
			em.Must(types.Comparable(a.Type), pos, "interfaces that hold values of type %s cannot be compared", a.Type)
			em.comparable(pos, a.V, b.V)
		}
	case *Struct:
		if b, ok := y.(*Struct); ok {
			for i := range min(len(a.Fields), len(b.Fields)) {
				em.comparable(pos, a.Fields[i], b.Fields[i])
			}
		}
	case *Array:
		if b, ok := y.(*Array); ok {
			for i := range min(len(a.Elems), len(b.Elems)) {
				em.comparable(pos, a.Elems[i], b.Elems[i])
			}
		}
	}
}

// equal compares values part by part. Values of different forms are not equal, which is known now.
func (em *Emitter) equal(x, y Value) Value {
	if IsNil(x) || IsNil(y) {
		return constant.MakeBool(IsNil(x) && IsNil(y))
	}
	if !em.SameForm(x, y) {
		return constant.MakeBool(false)
	}
	var r Value = constant.MakeBool(true)
	ys := em.leaves(y)
	for i, leaf := range em.leaves(x) {
		e := em.ElemOf(leaf)
		if n, ok := ys[i].(*Num); ok {
			e = n.Elem
		}
		r = em.both(r, em.Binary(token.EQL, leaf, ys[i], e))
	}
	return r
}

// both gives x && y for values that are both computed already.
func (em *Emitter) both(x, y Value) Value { return em.joined(token.AND, x, y) }

// either gives x || y for values that are both computed already.
func (em *Emitter) either(x, y Value) Value { return em.joined(token.OR, x, y) }

// joined computes & or | of booleans. One that is known decides, or leaves the other one.
func (em *Emitter) joined(op token.Token, x, y Value) Value {
	for _, side := range [][2]Value{{x, y}, {y, x}} {
		c, known := side[0].(constant.Value)
		switch {
		case known && constant.BoolVal(c) == (op == token.OR):
			return side[0]
		case known:
			return side[1]
		}
	}
	return em.Binary(op, x, y, Bool)
}

// Logical computes x && y or x || y, where right gives y.
//
// Go evaluates y only if x does not decide. If evaluating y has no effect, and no instruction of it
// can fail, nobody can tell: y is then computed in any case, which is cheaper than a branch.
// Otherwise what y wrote is taken back, and y is evaluated anew inside of a branch.
func (em *Emitter) Logical(pos token.Pos, op token.Token, x Value, right func() Value) Value {
	if c, ok := x.(constant.Value); ok {
		if constant.BoolVal(c) == (op == token.LOR) {
			return x
		}
		return right()
	}
	if Poisoned(x) {
		panic(Bailout{})
	}
	// Evaluating y tells whether it has an effect.
	at := em.Mark()
	y := right()
	if len(em.journal) == at.journal && em.pure(em.B.Body[at.body:]) {
		_, many := x.(*Vec)
		if _, too := y.(*Vec); many || too {
			return em.Operate(pos, map[token.Token]token.Token{token.LAND: token.AND, token.LOR: token.OR}[op], x, y, types.Typ[types.Bool])
		}
		if op == token.LAND {
			return em.both(x, y)
		}
		return em.either(x, y)
	}
	em.Rollback(at)
	// The result is a variable: it is x unless the branch runs and sets it to y.
	r := em.NewCell("", types.Typ[types.Bool], x)
	cond := x
	if op == token.LOR {
		cond = em.not(x)
	}
	em.BranchOn(cond, pos, func() Flow { em.Set(r, right()); return Flow{} }, func() Flow { return Flow{} })
	return em.Get(r)
}

// pure reports whether instructions can run although Go would not run them.
func (em *Emitter) pure(list []simt.Instr) bool {
	for i := range list {
		if !simt.CanSpeculate(&list[i]) {
			return false
		}
	}
	return true
}

// UnaryOne computes op x for a number of type e.
func (em *Emitter) UnaryOne(op token.Token, x Value, e *Elem) Value {
	switch op {
	case token.SUB:
		return em.Negate(x, e)
	case token.NOT:
		return em.not(x)
	case token.XOR:
		return em.Binary(token.XOR, x, e.Val().Wrap(constant.MakeInt64(-1)), e)
	}
	return x
}
