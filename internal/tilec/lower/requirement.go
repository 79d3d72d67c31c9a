package lower

import (
	"go/constant"

	"github.com/cutile-go/cutile/tileir"
)

// Equal is two numbers that must be equal at a launch, before anything runs.
type Equal struct {
	A, B Number
	Loc  tileir.Loc
}

// Number is a value of the entry, or a constant where Value is nil.
type Number struct {
	Value *tileir.Value
	Const int64
}

// requireEqual notes what must be equal at a launch, and decides it where it is known.
func (q *question) requireEqual() value {
	a, b := q.number(0), q.number(1)
	if a.Value == nil && b.Value == nil {
		if a.Const != b.Const {
			q.l.failTypes(q.pos, "%d and %d must be the same", a.Const, b.Const)
		}
		return nil
	}
	q.l.Must(q.l.blk == q.l.top || q.l.blk == q.l.pro, q.pos, "what a launch must hold cannot depend on a branch or loop of the kernel: require it outside of them")
	q.l.equals = append(q.l.equals, Equal{a, b, q.l.loc()})
	return nil
}

// number is an integer argument.
func (q *question) number(i int) Number {
	switch v := q.args[i].(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(v)); ok {
			return Number{Const: n}
		}
	case *tile:
		return Number{Value: v.v}
	case poison:
		panic(bailout{})
	}
	q.fail()
	return Number{}
}
