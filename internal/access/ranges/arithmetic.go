package ranges

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Arithmetic is how an operation of Tile IR computes an integer from two.
type Arithmetic struct {
	Op   interval.Op
	Type interval.Type // as which it reads the operands
}

// arithmetic has the operations on two integers.
var arithmetic = map[int]interval.Op{
	tileir.OpAddI: interval.Add, tileir.OpSubI: interval.Sub, tileir.OpMulI: interval.Mul,
	tileir.OpDivI: interval.Quo, tileir.OpRemI: interval.Rem, tileir.OpMaxI: interval.Greatest, tileir.OpMinI: interval.Least,
	tileir.OpAndI: interval.And, tileir.OpOrI: interval.Or, tileir.OpXOrI: interval.Xor,
	tileir.OpShLI: interval.Shl, tileir.OpShRI: interval.Shr,
}

// quotients are the roundings of a quotient but that toward zero.
var quotients = map[tileir.Int]interval.Op{tileir.RoundingNegativeInf: interval.QuoDown, tileir.RoundingPositiveInf: interval.QuoUp}

// predicates are the comparisons as Go writes them.
var predicates = map[tileir.Int]token.Token{
	tileir.CompareEqual: token.EQL, tileir.CompareNotEqual: token.NEQ, tileir.CompareLessThan: token.LSS,
	tileir.CompareLessThanOrEqual: token.LEQ, tileir.CompareGreaterThan: token.GTR, tileir.CompareGreaterThanOrEqual: token.GEQ,
}

// Computes reports whether an operation computes an integer from two.
func Computes(in *tileir.Info) bool { return arithmetic[in.Opcode] != interval.None }

// ArithmeticOf tells how an operation computes; it reports false if that is not an integer from two.
func ArithmeticOf(o *tileir.Op) (a Arithmetic, ok bool) {
	if a.Op, ok = arithmetic[o.Info.Opcode]; !ok {
		return a, false
	}
	if o.Info.Opcode == tileir.OpDivI {
		if q, ok := quotients[tileir.Int(o.Int("rounding"))]; ok {
			a.Op = q
		}
	}
	a.Type = Reads(o)
	return a, true
}

// Reads is the type as which an operation reads the integers of its first operand.
func Reads(o *tileir.Op) interval.Type {
	unsigned := o.Info.AttrIndex("signedness") >= 0 && tileir.Int(o.Int("signedness")) == tileir.Unsigned
	return interval.Type{Bits: o.Operands[0].Type.(*tileir.TileType).Elem.Bits(), Signed: !unsigned}
}

// Range is the range of the results, as the operation reads numbers. It reports false if there may be none: of divisions
// by zero, and of shifts to the right by more than the bits.
func (a Arithmetic) Range(x, y interval.Range) (interval.Range, bool) {
	x, _ = interval.Convert(a.Type, x)
	y, _ = interval.Convert(a.Type, y)
	r, _ := a.Op.Range(a.Type, x, y)
	return r, a.defined(y)
}

// Of is the result for two numbers.
func (a Arithmetic) Of(x, y interval.Int) (interval.Int, bool) {
	x, y = a.Type.Wrap(x), a.Type.Wrap(y)
	if !a.defined(interval.One(y)) {
		return interval.Int{}, false
	}
	return a.Op.Of(a.Type, x, y)
}

// defined reports whether there are results for all second operands.
func (a Arithmetic) defined(y interval.Range) bool {
	switch a.Op {
	case interval.Quo, interval.QuoDown, interval.QuoUp, interval.Rem:
		return !y.Has(interval.Int{})
	case interval.Shl:
		return y.Within(interval.Ints(0, 63)) // no bits are left of what is shifted out
	case interval.Shr:
		return y.Within(interval.Ints(0, int64(a.Type.Bits)-1))
	}
	return true
}

// Comparison is how an operation compares two integers.
type Comparison struct {
	Predicate token.Token
	Type      interval.Type // as which it reads the operands
}

// ComparisonOf tells how a comparison of integers compares.
func ComparisonOf(o *tileir.Op) Comparison {
	return Comparison{predicates[tileir.Int(o.Int("comparison_predicate"))], Reads(o)}
}

// Of decides the comparison of integers in two ranges: known says that all agree.
func (c Comparison) Of(x, y interval.Range) (result, known bool) {
	x, _ = interval.Convert(c.Type, x)
	y, _ = interval.Convert(c.Type, y)
	return interval.Compare(c.Predicate, x, y)
}
