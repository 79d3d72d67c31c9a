package cpu

import "github.com/cutile-go/cutile/tileir"

// key names a kernel: the mnemonic and those attributes that choose between loops.
type key struct {
	op   string
	a, b tileir.Int
}

// kernels are the loops for one element type.
type kernels map[key]kernel

// chosenBy lists the attributes that choose a kernel, for operations that have any.
var chosenBy = map[string][2]string{
	"addf": {"rounding_mode"}, "subf": {"rounding_mode"}, "mulf": {"rounding_mode"}, "divf": {"rounding_mode"},
	"sqrt": {"rounding_mode"}, "fma": {"rounding_mode"},
	"maxf": {"propagate_nan"}, "minf": {"propagate_nan"},
	"cmpf": {"comparison_predicate", "comparison_ordering"},
	"cmpi": {"comparison_predicate", "signedness"},
	"divi": {"signedness", "rounding"}, "remi": {"signedness"}, "shri": {"signedness"},
	"maxi": {"signedness"}, "mini": {"signedness"},
}

// keyOf gives the key of an operation's kernel.
func keyOf(op *tileir.Op) key {
	k := key{op: op.Info.Mnemonic}
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
		{op: "addi"}: binary(add[U]), {op: "subi"}: binary(sub[U]), {op: "muli"}: binary(mul[U]),
		{op: "andi"}: binary(and[U]), {op: "ori"}: binary(or[U]), {op: "xori"}: binary(xor[U]),
		{op: "negi"}: unary(neg[U]), {op: "absi"}: unary(absInt[S]),
		{op: "shli"}: binary(shl[U]), {op: "mulhii"}: binary(mulHigh[U]),
		{"divi", tileir.Signed, zero}: binary(div[S]), {"divi", tileir.Unsigned, zero}: binary(div[U]),
		{"divi", tileir.Signed, down}: binary(divFloor[S]), {"divi", tileir.Unsigned, down}: binary(div[U]),
		{"divi", tileir.Signed, up}: binary(divCeil[S]), {"divi", tileir.Unsigned, up}: binary(divCeilUnsigned[U]),
	}
	for s, loops := range map[tileir.Int][9]kernel{
		tileir.Signed: {shifting(shr[S, U]), binary(rem[S]), binary(maxInt[S]), binary(minInt[S]),
			binary(equal[S]), binary(notEqual[S]), binary(less[S]), binary(lessEqual[S])},
		tileir.Unsigned: {shifting(shr[U, U]), binary(rem[U]), binary(maxInt[U]), binary(minInt[U]),
			binary(equal[U]), binary(notEqual[U]), binary(less[U]), binary(lessEqual[U])},
	} {
		for i, op := range []string{"shri", "remi", "maxi", "mini"} {
			k[key{op: op, a: s}] = loops[i]
		}
		for i, p := range []tileir.Int{eq, ne, lt, le} {
			k[key{"cmpi", p, s}] = loops[4+i]
		}
		k[key{"cmpi", gt, s}], k[key{"cmpi", ge, s}] = swapped(loops[6]), swapped(loops[7])
	}
	return k
}

// floatKernels are the loops that float32 and float64 have in common.
func floatKernels[T float](unaryMath map[string]func(float64) float64, binaryMath map[string]func(a, b float64) float64) kernels {
	const eq, ne, lt, le, gt, ge = tileir.CompareEqual, tileir.CompareNotEqual, tileir.CompareLessThan,
		tileir.CompareLessThanOrEqual, tileir.CompareGreaterThan, tileir.CompareGreaterThanOrEqual
	const ord, unord = tileir.CompareOrdered, tileir.CompareUnordered
	k := kernels{
		{op: "addf"}: binary(add[T]), {op: "subf"}: binary(sub[T]), {op: "mulf"}: binary(mul[T]),
		{op: "divf"}:   binary(divFloat[T]),
		{"maxf", 0, 0}: binary(maxNum[T]), {"minf", 0, 0}: binary(minNum[T]),
		{"maxf", 1, 0}: binary(maxNaN[T]), {"minf", 1, 0}: binary(minNaN[T]),
		{"cmpf", eq, ord}: binary(equal[T]), {"cmpf", eq, unord}: binary(equalOrNaN[T]),
		{"cmpf", ne, ord}: binary(apart[T]), {"cmpf", ne, unord}: binary(notEqual[T]),
		{"cmpf", lt, ord}: binary(less[T]), {"cmpf", lt, unord}: swapped(binary(notLessEqual[T])),
		{"cmpf", le, ord}: binary(lessEqual[T]), {"cmpf", le, unord}: swapped(binary(notLess[T])),
		{"cmpf", gt, ord}: swapped(binary(less[T])), {"cmpf", gt, unord}: binary(notLessEqual[T]),
		{"cmpf", ge, ord}: swapped(binary(lessEqual[T])), {"cmpf", ge, unord}: binary(notLess[T]),
	}
	for op, f := range unaryMath {
		k[key{op: op}] = through[T](f)
	}
	k[key{op: "floor"}], k[key{op: "ceil"}] = unary(floorLoop[T]), unary(ceilLoop[T])
	for op, f := range binaryMath {
		k[key{op: op}] = through2[T](f)
	}
	return k
}

// shifting gives a loop whose second operand has another type the form of a kernel.
func shifting[T, U any](loop func(d, a []T, b []U)) kernel {
	return func(d, a, b, _ ptr, n int) { loop(slice[T](d, n), slice[T](a, n), slice[U](b, n)) }
}
