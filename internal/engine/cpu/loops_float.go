package cpu

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

func divFloat[T float](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] / b[i]
	}
}

// maxNum and minNum prefer a number over NaN, as IEEE 754-2019 maximumNumber and minimumNumber: +0 is above -0.
func maxNum[T float](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		m := max(a[i], b[i])
		if m != m {
			m = notNaN(a[i], b[i])
		}
		d[i] = m
	}
}

func minNum[T float](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		m := min(a[i], b[i])
		if m != m {
			m = notNaN(a[i], b[i])
		}
		d[i] = m
	}
}

// foldMax and foldMin are the same for the accumulators b of a reduction, which change seldom: the branches that a
// processor then predicts are faster than what max does for zeros and NaN.
func foldMax[T float](propagate bool) kernel {
	return binary(func(d, a, b []T) {
		a, b = a[:len(d)], b[:len(d)]
		for i, x := range a {
			switch y := b[i]; {
			case x < y:
				d[i] = y
			case x > y:
				d[i] = x
			case x == y || propagate:
				d[i] = max(x, y)
			default:
				d[i] = notNaN(x, y)
			}
		}
	})
}

func foldMin[T float](propagate bool) kernel {
	return binary(func(d, a, b []T) {
		a, b = a[:len(d)], b[:len(d)]
		for i, x := range a {
			switch y := b[i]; {
			case x > y:
				d[i] = y
			case x < y:
				d[i] = x
			case x == y || propagate:
				d[i] = min(x, y)
			default:
				d[i] = notNaN(x, y)
			}
		}
	})
}

// foldLoops replaces the loops of operations in a reduction, for float32.
var foldLoops = kernels{
	{tileir.OpMaxF, 0, 0}: foldMax[float32](false), {tileir.OpMaxF, 1, 0}: foldMax[float32](true),
	{tileir.OpMinF, 0, 0}: foldMin[float32](false), {tileir.OpMinF, 1, 0}: foldMin[float32](true),
}

// notNaN gives the operand that is a number, if any.
func notNaN[T float](a, b T) T {
	if a != a {
		return b
	}
	return a
}

// maxNaN and minNaN give NaN when an operand is NaN.
func maxNaN[T float](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func minNaN[T float](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func abs32(d, a []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] &^ (1 << 31)
	}
}

func abs64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] &^ (1 << 63)
	}
}

// neg32 and neg64 flip the sign of NaN too.
func neg32(d, a []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] ^ 1<<31
	}
}

func neg64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] ^ 1<<63
	}
}

func sqrt64(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Sqrt(a[i])
	}
}

// Rounding to integers has instructions of its own, which a call through a variable would miss.
func floorLoop[T float](d, a []T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = T(math.Floor(float64(a[i])))
	}
}

func ceilLoop[T float](d, a []T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = T(math.Ceil(float64(a[i])))
	}
}

// fma32 multiplies exactly, adds in float64 and rounds once more, which is right unless the sum lies where a float32
// would be rounded to even; those cases are computed with the exact sum's direction.
func fma32(d, a, b, c []float32) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		p, z := float64(a[i])*float64(b[i]), float64(c[i])
		s := float64(p) + z
		if math.Float64bits(s)&(1<<28-1) == 0 {
			s = oddSum(p, z)
		}
		d[i] = float32(s)
	}
}

func fma64(d, a, b, c []float64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = math.FMA(a[i], b[i], c[i])
	}
}

// flush32 replaces subnormal numbers by zeros of the same sign.
func flush32(d, a []uint32) {
	a = a[:len(d)]
	for i := range d {
		v := a[i]
		if v&0x7f800000 == 0 {
			v &= 1 << 31
		}
		d[i] = v
	}
}

func widenF16(d []float32, a []dtype.Float16)   { dtype.Float16sToFloat32s(d, a) }
func widenBF16(d []float32, a []dtype.BFloat16) { dtype.BFloat16sToFloat32s(d, a) }

func narrowF16(d []dtype.Float16, a []float32)   { dtype.Float16sFromFloat32s(d, a) }
func narrowBF16(d []dtype.BFloat16, a []float32) { dtype.BFloat16sFromFloat32s(d, a) }
