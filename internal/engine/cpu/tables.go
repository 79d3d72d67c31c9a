package cpu

import (
	"math"
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

type ptr = unsafe.Pointer

// unaryMath and binaryMath are computed in float64 and rounded once to float32.
var unaryMath = map[string]func(float64) float64{
	"exp": math.Exp, "exp2": math.Exp2, "log": math.Log, "log2": math.Log2,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"rsqrt": rsqrt,
}

var binaryMath = map[string]func(a, b float64) float64{
	"remf": math.Mod, "fpowf": pow64, "atan2": math.Atan2,
}

// unaryMath64 and binaryMath64 replace them for float64.
var unaryMath64 = map[string]func(float64) float64{
	"exp": exp64, "exp2": exp2of64, "log": log64, "log2": log2of64, "sin": sin64, "cos": cos64, "tan": tan64,
	"sinh": sinh64, "cosh": cosh64, "tanh": tanh64, "rsqrt": rsqrt64,
}

var binaryMath64 = map[string]func(a, b float64) float64{
	"remf": math.Mod, "fpowf": pow64, "atan2": atan2of64,
}

// roundedOps are the operations with a rounding mode.
var roundedOps = map[string]exactly{
	"addf": sum, "subf": difference, "mulf": product, "divf": quotient, "sqrt": root, "fma": productSum,
}

// downOps replace some of them when rounding down, for the sign of a zero sum.
var downOps = map[string]exactly{"addf": sumDown, "subf": differenceDown, "fma": productSumDown}

// directedModes are the rounding modes that the hardware's default is not.
var directedModes = []rounding{tileir.RoundingZero, tileir.RoundingNegativeInf, tileir.RoundingPositiveInf}

var (
	integers = map[int]kernels{
		1: integerKernels[int8, uint8](), 2: integerKernels[int16, uint16](),
		4: integerKernels[int32, uint32](), 8: integerKernels64(),
	}
	floats32 = float32Kernels()
	floats64 = float64Kernels()
	selects  = map[int]kernel{
		1: selection[uint8](), 2: selection[uint16](), 4: selection[uint32](), 8: selection[uint64](),
	}
)

func integerKernels64() kernels {
	k := integerKernels[int64, uint64]()
	k[key{op: "mulhii"}] = binary(mulHigh64)
	return k
}

func float32Kernels() kernels {
	k := floatKernels[float32](unaryMath, binaryMath)
	k[key{op: "absf"}], k[key{op: "negf"}] = unary(abs32), unary(neg32)
	k[key{op: "sqrt"}], k[key{op: "fma"}] = unary(sqrt32), ternary(fma32)
	k[key{op: "exp"}], k[key{op: "exp2"}] = unary(exp32), unary(exp2of32)
	for op, f := range roundedOps {
		for _, m := range append(directedModes, toOdd, toOddDown) {
			if down, ok := downOps[op]; ok && (m == tileir.RoundingNegativeInf || m == toOddDown) {
				k[key{op: op, a: m}] = rounded32(down, m)
				continue
			}
			k[key{op: op, a: m}] = rounded32(f, m)
		}
	}
	return k
}

func float64Kernels() kernels {
	k := floatKernels[float64](unaryMath64, binaryMath64)
	k[key{op: "absf"}], k[key{op: "negf"}] = unary(abs64), unary(neg64)
	k[key{op: "sqrt"}], k[key{op: "fma"}] = unary(sqrt64), ternary(fma64)
	for op := range roundedOps {
		for _, m := range directedModes {
			k[key{op: op, a: m}] = rounded64(op, m)
		}
	}
	return k
}

// divCeilUnsigned rounds up.
func divCeilUnsigned[T unsigned](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		if b[i] == 0 {
			d[i] = 0
			continue
		}
		q := a[i] / b[i]
		if q*b[i] != a[i] {
			q++
		}
		d[i] = q
	}
}

// divisionCheck finds what is wrong with the operands of a division of integers of one width. first is the number of
// their first element in the tile. Only the division of single numbers is checked, as Go does: a tile may hold zeros
// where it lies outside the tensor.
type divisionCheck func(a, b ptr, n, first int) string

func checkZero[T integer]() divisionCheck {
	return func(_, b ptr, n, first int) string {
		for _, v := range slice[T](b, n) {
			if v == 0 {
				return "division by zero"
			}
		}
		return ""
	}
}

var zeroChecks = map[int]divisionCheck{1: checkZero[int8](), 2: checkZero[int16](), 4: checkZero[int32](), 8: checkZero[int64]()}
