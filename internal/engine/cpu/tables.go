package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
	"github.com/cutile-go/cutile/tileir"
)

type ptr = unsafe.Pointer

// roundedOps are the operations with a rounding mode.
var roundedOps = map[int]exactly{
	tileir.OpAddF: sum, tileir.OpSubF: difference, tileir.OpMulF: product, tileir.OpDivF: quotient, tileir.OpSqrt: root, tileir.OpFma: productSum,
}

// downOps replace some of them when rounding down, for the sign of a zero sum.
var downOps = map[int]exactly{tileir.OpAddF: sumDown, tileir.OpSubF: differenceDown, tileir.OpFma: productSumDown}

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
	k[key{op: tileir.OpMulhiI}] = binary(mulHigh64)
	return k
}

func float32Kernels() kernels {
	k := floatKernels[float32]()
	k[key{op: tileir.OpAbsF}], k[key{op: tileir.OpNegF}] = unary(abs32), unary(neg32)
	k[key{op: tileir.OpFma}] = ternary(fma32)
	for _, f := range vecmath.Functions { // those of integers are for loopFPowI
		if loop := mathloops.Unary[f.Name]; loop != nil {
			k[key{op: f.Op}] = unary(loop)
		} else if loop := mathloops.Binary[f.Name]; loop != nil {
			k[key{op: f.Op}] = binary(loop)
		}
	}
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
	k := floatKernels[float64]()
	k[key{op: tileir.OpAbsF}], k[key{op: tileir.OpNegF}] = unary(abs64), unary(neg64)
	k[key{op: tileir.OpSqrt}], k[key{op: tileir.OpFma}] = unary(sqrt64), ternary(fma64)
	for _, f := range vecmath.Functions {
		if loop := mathloops.Unary64[f.Name]; loop != nil {
			k[key{op: f.Op}] = unary(loop)
		} else if loop := mathloops.Binary64[f.Name]; loop != nil {
			k[key{op: f.Op}] = binary(loop)
		}
	}
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
