package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// class is a set of data types.
type class uint8

const (
	bools class = 1 << iota
	ints
	floats
	complexes
	reals   = ints | floats
	fields  = floats | complexes
	numbers = ints | floats | complexes
	bitwise = bools | ints
	all     = bools | ints | floats | complexes
)

// classOf gives the class of a data type.
func classOf(d dtypes.DType) class {
	switch {
	case d == dtypes.Bool:
		return bools
	case d.IsComplex():
		return complexes
	case d.IsFloat():
		return floats
	}
	return ints
}

// String lists the data types.
func (c class) String() string {
	s := ""
	for i, name := range []string{"bool", "integers", "floats", "complex numbers"} {
		if c&(1<<i) != 0 {
			if s != "" {
				s += ", "
			}
			s += name
		}
	}
	return s
}

// pointwise is an operation on the elements of arrays of one data type.
type pointwise struct {
	takes   class
	real    func(v []*graph.Value) *graph.Value
	complex func(v []pair) pair // for those that take complex numbers
}

// operations are the operations on elements.
var operations = map[backends.OpType]pointwise{
	backends.OpTypeIdentity:   {all, one(func(x *graph.Value) *graph.Value { return x }), oneComplex(func(x graph.Complex) graph.Complex { return x })},
	backends.OpTypeAbs:        {numbers, one(graph.Abs), toReal(graph.Complex.Abs)},
	backends.OpTypeBitCount:   {ints, one(graph.OnesCount), nil},
	backends.OpTypeBitwiseNot: {bitwise, one(graph.Not), nil},
	backends.OpTypeCeil:       {floats, one(graph.Ceil), nil},
	backends.OpTypeClz:        {ints, one(graph.LeadingZeros), nil},
	backends.OpTypeConj:       {complexes, nil, oneComplex(graph.Complex.Conj)},
	backends.OpTypeCos:        {fields, one(graph.Cos), oneComplex(graph.Complex.Cos)},
	backends.OpTypeErf:        {floats, one(graph.Erf), nil},
	backends.OpTypeExp:        {fields, one(graph.Exp), oneComplex(graph.Complex.Exp)},
	backends.OpTypeExpm1:      {fields, one(graph.Expm1), oneComplex(graph.Complex.Expm1)},
	backends.OpTypeFloor:      {floats, one(graph.Floor), nil},
	backends.OpTypeImag:       {fields, one(zeros), toReal(func(x graph.Complex) *graph.Value { return x.Im })},
	backends.OpTypeIsFinite:   {fields, one(graph.IsFinite), bothParts(graph.IsFinite, graph.And)},
	backends.OpTypeIsNaN:      {numbers, one(isNaN), bothParts(isNaN, graph.Or)},
	backends.OpTypeLog:        {fields, one(graph.Log), oneComplex(graph.Complex.Log)},
	backends.OpTypeLog1p:      {fields, one(graph.Log1p), oneComplex(graph.Complex.Log1p)},
	backends.OpTypeLogicalNot: {bools, one(graph.Not), nil},
	backends.OpTypeLogistic:   {fields, one(graph.Sigmoid), oneComplex(graph.Complex.Sigmoid)},
	backends.OpTypeNeg:        {numbers, one(graph.Neg), oneComplex(graph.Complex.Neg)},
	backends.OpTypeReal:       {fields, one(func(x *graph.Value) *graph.Value { return x }), toReal(func(x graph.Complex) *graph.Value { return x.Re })},
	backends.OpTypeRound:      {floats, one(graph.RoundToEven), nil},
	backends.OpTypeRsqrt:      {fields, one(graph.Rsqrt), oneComplex(func(x graph.Complex) graph.Complex { return x.Sqrt().Reciprocal() })},
	backends.OpTypeSign:       {numbers, one(graph.Sign), oneComplex(graph.Complex.Sign)},
	backends.OpTypeSin:        {fields, one(graph.Sin), oneComplex(graph.Complex.Sin)},
	backends.OpTypeSqrt:       {fields, one(graph.Sqrt), oneComplex(graph.Complex.Sqrt)},
	backends.OpTypeTanh:       {fields, one(graph.Tanh), oneComplex(graph.Complex.Tanh)},

	backends.OpTypeAdd:                  {numbers, two(graph.Add), twoComplex(graph.Complex.Add)},
	backends.OpTypeSub:                  {numbers, two(graph.Sub), twoComplex(graph.Complex.Sub)},
	backends.OpTypeMul:                  {numbers, two(graph.Mul), twoComplex(graph.Complex.Mul)},
	backends.OpTypeDiv:                  {numbers, two(graph.Div), twoComplex(graph.Complex.Div)},
	backends.OpTypeRem:                  {reals, two(graph.Rem), nil},
	backends.OpTypePow:                  {numbers, two(graph.Pow), twoComplex(graph.Complex.Pow)},
	backends.OpTypeMax:                  {bools | reals, two(ordered(graph.Max)), nil},
	backends.OpTypeMin:                  {bools | reals, two(ordered(graph.Min)), nil},
	backends.OpTypeBitwiseAnd:           {bitwise, two(graph.And), nil},
	backends.OpTypeBitwiseOr:            {bitwise, two(graph.Or), nil},
	backends.OpTypeBitwiseXor:           {bitwise, two(graph.Xor), nil},
	backends.OpTypeLogicalAnd:           {bools, two(graph.And), nil},
	backends.OpTypeLogicalOr:            {bools, two(graph.Or), nil},
	backends.OpTypeLogicalXor:           {bools, two(graph.Xor), nil},
	backends.OpTypeShiftLeft:            {ints, two(graph.ShiftLeft), nil},
	backends.OpTypeShiftRightArithmetic: {ints, two(graph.ShiftRightArithmetic), nil},
	backends.OpTypeShiftRightLogical:    {ints, two(graph.ShiftRight), nil},

	backends.OpTypeEqual:          {all, two(graph.Equal), compareParts(graph.Equal, graph.And)},
	backends.OpTypeNotEqual:       {all, two(graph.NotEqual), compareParts(graph.NotEqual, graph.Or)},
	backends.OpTypeGreaterThan:    {bools | reals, two(ordered(graph.Greater)), nil},
	backends.OpTypeGreaterOrEqual: {bools | reals, two(ordered(graph.GreaterEqual)), nil},
	backends.OpTypeLessThan:       {bools | reals, two(ordered(graph.Less)), nil},
	backends.OpTypeLessOrEqual:    {bools | reals, two(ordered(graph.LessEqual)), nil},

	backends.OpTypeEqualTotalOrder:          {all, two(totalOrder(graph.Equal)), compareParts(totalOrder(graph.Equal), graph.And)},
	backends.OpTypeNotEqualTotalOrder:       {all, two(totalOrder(graph.NotEqual)), compareParts(totalOrder(graph.NotEqual), graph.Or)},
	backends.OpTypeGreaterThanTotalOrder:    {bools | reals, two(totalOrder(graph.Greater)), nil},
	backends.OpTypeGreaterOrEqualTotalOrder: {bools | reals, two(totalOrder(graph.GreaterEqual)), nil},
	backends.OpTypeLessThanTotalOrder:       {bools | reals, two(totalOrder(graph.Less)), nil},
	backends.OpTypeLessOrEqualTotalOrder:    {bools | reals, two(totalOrder(graph.LessEqual)), nil},
}

type (
	unaryFunc  = func(x *graph.Value) *graph.Value
	binaryFunc = func(x, y *graph.Value) *graph.Value
)

func one(f unaryFunc) func([]*graph.Value) *graph.Value {
	return func(v []*graph.Value) *graph.Value { return f(v[0]) }
}

func two(f binaryFunc) func([]*graph.Value) *graph.Value {
	return func(v []*graph.Value) *graph.Value { return f(v[0], v[1]) }
}

// isNaN is false for integers.
func isNaN(x *graph.Value) *graph.Value { return graph.NotEqual(x, x) }

// ordered applies a function of numbers to bools, too, of which false is the lesser.
func ordered(f binaryFunc) binaryFunc {
	return func(x, y *graph.Value) *graph.Value {
		if x.DType() != dtype.Bool {
			return f(x, y)
		}
		return graph.Convert(f(graph.Convert(x, dtype.U8), graph.Convert(y, dtype.U8)), dtype.Bool)
	}
}

// totalOrder compares floats in the order -NaN < -Inf < negative < -0 < +0 < positive < +Inf < +NaN: that of their bits as
// integers, if all bits of negative ones but the sign are inverted.
func totalOrder(compare binaryFunc) binaryFunc {
	key := func(x *graph.Value) *graph.Value {
		to := map[dtype.Type]dtype.Type{dtype.F16: dtype.I16, dtype.BF16: dtype.I16, dtype.F32: dtype.I32, dtype.F64: dtype.I64}[x.DType()]
		if to == dtype.Invalid {
			return x
		}
		i := graph.Bitcast(x, to)
		width := float64(8 * to.Size())
		mask := graph.ShiftRight(graph.ShiftRightArithmetic(i, number(i, width-1)), number(i, 1))
		return graph.Xor(i, mask)
	}
	return func(x, y *graph.Value) *graph.Value { return ordered(compare)(key(x), key(y)) }
}

// number is a number of the element type of x.
func number(x *graph.Value, n float64) *graph.Value {
	if x.Err() != nil {
		return x
	}
	return graph.Number(x.Graph(), x.DType(), n)
}

// filled is an array of the shape and the element type of x that is filled with a number.
func filled(x *graph.Value, n float64) *graph.Value {
	return graph.Broadcast(number(x, n), x.Shape()...)
}

func zeros(x *graph.Value) *graph.Value { return filled(x, 0) }

// apply applies an operation of the table.
func (b *Builder) apply(t backends.OpType, ops ...backends.Op) (backends.Op, error) {
	list, err := b.operands(t, ops...)
	if err != nil {
		return nil, err
	}
	f := operations[t]
	if err := check(t, f.takes, list...); err != nil {
		return nil, err
	}
	if err := checkBroadcast(t, list); err != nil {
		return nil, err
	}
	re, im, err := parts(t, list)
	if err != nil {
		return nil, err
	}
	if im == nil {
		return b.result(t, pair{re: f.real(re)})
	}
	pairs := make([]pair, len(list))
	for i := range list {
		pairs[i] = list[i].pair
	}
	return b.result(t, f.complex(pairs))
}

// check checks the data types of operands.
func check(t backends.OpType, takes class, list ...*op) error {
	for i, x := range list {
		if classOf(x.shape.DType)&takes == 0 {
			return fmt.Errorf("cutile: %s: operand %d is %s, expected %s: convert it", t, i+1, x.shape, takes)
		}
	}
	return nil
}

// checkBroadcast checks that operands have rank 0 or one common rank. That their extents fit package graph checks.
func checkBroadcast(t backends.OpType, list []*op) error {
	first := -1
	for i, x := range list {
		switch {
		case x.shape.Rank() == 0:
		case first < 0:
			first = i
		case x.shape.Rank() != list[first].shape.Rank():
			return fmt.Errorf("cutile: %s: operand %d is %s and operand %d %s, expected the same rank, or scalars", t, first+1, list[first].shape, i+1, x.shape)
		}
	}
	return nil
}
