package cpu

import "github.com/cutile-go/cutile/tileir"

// key names a kernel: the operation's number and those attributes that choose between loops.
type key struct {
	op   int
	a, b tileir.Int
}

// kernels are the loops for one element type.
type kernels map[key]kernel

// chosenBy lists the attributes that choose a kernel, for operations that have any.
var chosenBy = map[int][2]string{
	tileir.OpAddF: {"rounding_mode"}, tileir.OpSubF: {"rounding_mode"}, tileir.OpMulF: {"rounding_mode"}, tileir.OpDivF: {"rounding_mode"},
	tileir.OpSqrt: {"rounding_mode"}, tileir.OpFma: {"rounding_mode"},
	tileir.OpMaxF: {"propagate_nan"}, tileir.OpMinF: {"propagate_nan"},
	tileir.OpCmpF: {"comparison_predicate", "comparison_ordering"},
	tileir.OpCmpI: {"comparison_predicate", "signedness"},
	tileir.OpDivI: {"signedness", "rounding"}, tileir.OpRemI: {"signedness"}, tileir.OpShRI: {"signedness"},
	tileir.OpMaxI: {"signedness"}, tileir.OpMinI: {"signedness"},
}

// keyOf gives the key of an operation's kernel.
func keyOf(op *tileir.Op) key {
	k := key{op: op.Info.Opcode}
	names := chosenBy[k.op]
	if names[0] != "" {
		k.a = tileir.Int(op.Int(names[0]))
	}
	if names[1] != "" {
		k.b = tileir.Int(op.Int(names[1]))
	}
	if names[0] == "rounding_mode" && (k.a == tileir.RoundingApprox || k.a == tileir.RoundingFull) {
		k.a = tileir.RoundingNearestEven // the best approximation there is
	}
	return k
}

// integerKernels are the loops for integers of one width.
func integerKernels[S signed, U unsigned]() kernels {
	const eq, ne, lt, le, gt, ge = tileir.CompareEqual, tileir.CompareNotEqual, tileir.CompareLessThan,
		tileir.CompareLessThanOrEqual, tileir.CompareGreaterThan, tileir.CompareGreaterThanOrEqual
	const zero, down, up = tileir.RoundingZero, tileir.RoundingNegativeInf, tileir.RoundingPositiveInf
	k := kernels{
		{op: tileir.OpAddI}: binary(add[U]), {op: tileir.OpSubI}: binary(sub[U]), {op: tileir.OpMulI}: binary(mul[U]),
		{op: tileir.OpAndI}: binary(and[U]), {op: tileir.OpOrI}: binary(or[U]), {op: tileir.OpXOrI}: binary(xor[U]),
		{op: tileir.OpNegI}: unary(neg[U]), {op: tileir.OpAbsI}: unary(absInt[S]),
		{op: tileir.OpShLI}: binary(shl[U]), {op: tileir.OpMulhiI}: binary(mulHigh[U]),
		{tileir.OpDivI, tileir.Signed, zero}: binary(div[S]), {tileir.OpDivI, tileir.Unsigned, zero}: binary(div[U]),
		{tileir.OpDivI, tileir.Signed, down}: binary(divFloor[S]), {tileir.OpDivI, tileir.Unsigned, down}: binary(div[U]),
		{tileir.OpDivI, tileir.Signed, up}: binary(divCeil[S]), {tileir.OpDivI, tileir.Unsigned, up}: binary(divCeilUnsigned[U]),
	}
	for s, loops := range map[tileir.Int][9]kernel{
		tileir.Signed: {shifting(shr[S, U]), binary(rem[S]), binary(maxInt[S]), binary(minInt[S]),
			binary(equal[S]), binary(notEqual[S]), binary(less[S]), binary(lessEqual[S])},
		tileir.Unsigned: {shifting(shr[U, U]), binary(rem[U]), binary(maxInt[U]), binary(minInt[U]),
			binary(equal[U]), binary(notEqual[U]), binary(less[U]), binary(lessEqual[U])},
	} {
		for i, op := range []int{tileir.OpShRI, tileir.OpRemI, tileir.OpMaxI, tileir.OpMinI} {
			k[key{op: op, a: s}] = loops[i]
		}
		for i, p := range []tileir.Int{eq, ne, lt, le} {
			k[key{tileir.OpCmpI, p, s}] = loops[4+i]
		}
		k[key{tileir.OpCmpI, gt, s}], k[key{tileir.OpCmpI, ge, s}] = swapped(loops[6]), swapped(loops[7])
	}
	return k
}

// floatKernels are the loops that float32 and float64 have in common.
func floatKernels[T float]() kernels {
	const eq, ne, lt, le, gt, ge = tileir.CompareEqual, tileir.CompareNotEqual, tileir.CompareLessThan,
		tileir.CompareLessThanOrEqual, tileir.CompareGreaterThan, tileir.CompareGreaterThanOrEqual
	const ord, unord = tileir.CompareOrdered, tileir.CompareUnordered
	k := kernels{
		{op: tileir.OpAddF}: binary(add[T]), {op: tileir.OpSubF}: binary(sub[T]), {op: tileir.OpMulF}: binary(mul[T]),
		{op: tileir.OpDivF}:   binary(divFloat[T]),
		{tileir.OpMaxF, 0, 0}: binary(maxNum[T]), {tileir.OpMinF, 0, 0}: binary(minNum[T]),
		{tileir.OpMaxF, 1, 0}: binary(maxNaN[T]), {tileir.OpMinF, 1, 0}: binary(minNaN[T]),
		{tileir.OpCmpF, eq, ord}: binary(equal[T]), {tileir.OpCmpF, eq, unord}: binary(equalOrNaN[T]),
		{tileir.OpCmpF, ne, ord}: binary(apart[T]), {tileir.OpCmpF, ne, unord}: binary(notEqual[T]),
		{tileir.OpCmpF, lt, ord}: binary(less[T]), {tileir.OpCmpF, lt, unord}: swapped(binary(notLessEqual[T])),
		{tileir.OpCmpF, le, ord}: binary(lessEqual[T]), {tileir.OpCmpF, le, unord}: swapped(binary(notLess[T])),
		{tileir.OpCmpF, gt, ord}: swapped(binary(less[T])), {tileir.OpCmpF, gt, unord}: binary(notLessEqual[T]),
		{tileir.OpCmpF, ge, ord}: swapped(binary(lessEqual[T])), {tileir.OpCmpF, ge, unord}: binary(notLess[T]),
	}
	k[key{op: tileir.OpFloor}], k[key{op: tileir.OpCeil}] = unary(floorLoop[T]), unary(ceilLoop[T])
	return k
}

// shifting gives a loop whose second operand has another type the form of a kernel.
func shifting[T, U any](loop func(d, a []T, b []U)) kernel {
	return func(d, a, b, _ ptr, n int) { loop(slice[T](d, n), slice[T](a, n), slice[U](b, n)) }
}
