package cpu

import (
	"math"
	"math/big"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// rounding is a rounding mode of the IR, or toOdd.
type rounding = tileir.Int

// toOdd truncates and sets the last bit when anything was lost. It is no mode of the IR: rounding again to two bits
// fewer or more gives what a single rounding of the exact value would have given.
const toOdd rounding = -1

// toOddDown is toOdd with the sign of zero that rounding down gives.
const toOddDown rounding = -2

// exactly is a result computed in float64 and the sign of its difference from the exact one.
type exactly func(a, b, c float64) (result float64, missing int)

func sign(e float64) int {
	switch {
	case e > 0:
		return 1
	case e < 0:
		return -1
	}
	return 0
}

// sum adds; the error of the sum is a float64 itself (Knuth).
func sum(a, b, _ float64) (float64, int) {
	s := a + b
	if math.IsInf(s, 0) || s != s {
		return s, 0
	}
	t := s - a
	return s, sign((a - (s - t)) + (b - t))
}

func difference(a, b, _ float64) (float64, int) { return sum(a, -b, 0) }

// sumDown is the sum when rounding down: it is -0 when the terms cancel.
func sumDown(a, b, _ float64) (float64, int) {
	s, missing := sum(a, b, 0)
	if s == 0 && (a != 0 || math.Signbit(a) != math.Signbit(b)) {
		s = math.Copysign(0, -1)
	}
	return s, missing
}

func differenceDown(a, b, _ float64) (float64, int) { return sumDown(a, -b, 0) }

func productSumDown(a, b, c float64) (float64, int) { return sumDown(float64(a*b), c, 0) }

// oddSum is the sum rounded to odd.
func oddSum(a, b float64) float64 {
	s, missing := sum(a, b, 0)
	return odd(s, missing)
}

// The following are for operands that come from float32: nothing underflows on the way, products are exact, and what a
// quotient or a root misses is never between it and the next float32, because it would be farther away.

func product(a, b, _ float64) (float64, int) { return a * b, 0 }

func productSum(a, b, c float64) (float64, int) { return sum(float64(a*b), c, 0) }

func quotient(a, b, _ float64) (float64, int) { return a / b, 0 }

func root(a, _, _ float64) (float64, int) { return math.Sqrt(a), 0 }

// odd rounds a nearest result to odd.
func odd(r float64, missing int) float64 {
	if missing == 0 || math.Float64bits(r)&1 == 1 {
		return r
	}
	return math.Nextafter(r, math.Inf(missing))
}

// round32 rounds to a float32.
func round32(x float64, mode rounding) float32 {
	f := float32(x)
	g := float64(f)
	if g == x || x != x || math.IsInf(x, 0) {
		return f
	}
	inf := float32(math.Inf(1))
	switch {
	case mode == tileir.RoundingNegativeInf && g > x:
		return math.Nextafter32(f, -inf)
	case mode == tileir.RoundingPositiveInf && g < x:
		return math.Nextafter32(f, inf)
	case (mode == tileir.RoundingZero || mode <= toOdd) && math.Abs(g) > math.Abs(x):
		f = math.Nextafter32(f, 0)
	}
	if mode <= toOdd {
		return math.Float32frombits(math.Float32bits(f) | 1)
	}
	return f
}

// rounded32 makes the float32 kernel of an operation for a rounding mode.
func rounded32(op exactly, mode rounding) kernel {
	return ternary(func(d, a, b, c []float32) {
		for i := range d {
			d[i] = round32(odd(op(float64(a[i]), float64(b[i]), float64(c[i]))), mode)
		}
	})
}

// rounded64 makes the float64 kernel of an operation for a rounding mode. The sign of what is missing is found with
// exact numbers, since the error may be too small for a float64.
func rounded64(code int, mode rounding) kernel {
	op := bigOps[code]
	return ternary(func(d, a, b, c []float64) {
		for i := range d {
			d[i] = op(a[i], b[i], c[i], mode)
		}
	})
}

// bigOps are the operations with exact numbers, by number.
var bigOps = map[int]func(a, b, c float64, mode rounding) float64{
	tileir.OpAddF: func(a, b, _ float64, mode rounding) float64 { return directed(a+b, mode, a, 1, b) },
	tileir.OpSubF: func(a, b, _ float64, mode rounding) float64 { return directed(a-b, mode, a, 1, -b) },
	tileir.OpMulF: func(a, b, _ float64, mode rounding) float64 {
		return directed(a*b, mode, a, b, math.Copysign(0, a)*math.Copysign(1, b))
	},
	tileir.OpFma: func(a, b, c float64, mode rounding) float64 { return directed(math.FMA(a, b, c), mode, a, b, c) },
	tileir.OpDivF: func(a, b, _ float64, mode rounding) float64 {
		q := a / b
		if math.IsInf(a, 0) || math.IsInf(b, 0) || b == 0 {
			return q
		}
		return step64(q, mode, func(x, t *big.Float) int {
			return x.Mul(x.SetFloat64(q), t.SetFloat64(math.Abs(b))).Cmp(t.SetFloat64(math.Copysign(a, a*math.Copysign(1, b)))) * -1
		})
	},
	tileir.OpSqrt: func(a, _, _ float64, mode rounding) float64 {
		r := math.Sqrt(a)
		if math.IsInf(r, 0) {
			return r
		}
		return step64(r, mode, func(x, t *big.Float) int {
			return x.Mul(x.SetFloat64(r), t.SetFloat64(r)).Cmp(t.SetFloat64(a)) * -1
		})
	},
}

// exactBits holds any sum of products of two float64 without rounding.
const exactBits = 4400

// directed rounds a*b+c, whose nearest value is r.
func directed(r float64, mode rounding, a, b, c float64) float64 {
	if r != r || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return r
	}
	if r == 0 && a*b == -c && mode == tileir.RoundingNegativeInf {
		if p := a * b; p != 0 || math.Signbit(p) != math.Signbit(c) {
			exact := new(big.Float).SetPrec(exactBits)
			if exact.Mul(big.NewFloat(a), big.NewFloat(b)).Cmp(big.NewFloat(-c)) == 0 {
				return math.Copysign(0, -1)
			}
		}
	}
	return step64(r, mode, func(x, t *big.Float) int {
		x.Mul(t.SetFloat64(a), big.NewFloat(b))
		return x.Add(x, big.NewFloat(c)).Cmp(t.SetFloat64(clamp(r)))
	})
}

// clamp makes an infinity, which a finite exact value was rounded to, comparable.
func clamp(r float64) float64 { return max(-math.MaxFloat64, min(r, math.MaxFloat64)) }

// step64 moves the nearest result r to the other neighbour where the mode asks for it; compare gives the sign of the
// exact value minus r.
func step64(r float64, mode rounding, compare func(x, t *big.Float) int) float64 {
	if r != r {
		return r
	}
	if math.IsInf(r, 0) {
		return stepInf(r, mode)
	}
	missing := compare(new(big.Float).SetPrec(exactBits), new(big.Float).SetPrec(53))
	switch {
	case missing > 0 && (mode == tileir.RoundingPositiveInf || mode == tileir.RoundingZero && r < 0):
		return math.Nextafter(r, math.Inf(1))
	case missing < 0 && (mode == tileir.RoundingNegativeInf || mode == tileir.RoundingZero && r > 0):
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// stepInf handles an overflow: away from the infinity the result is the greatest number.
func stepInf(r float64, mode rounding) float64 {
	if mode == tileir.RoundingZero || (mode == tileir.RoundingNegativeInf) == (r > 0) {
		return math.Copysign(math.MaxFloat64, r)
	}
	return r
}

// narrowing makes the kernel that rounds float32 to a narrower float in a mode; nil for other types.
func narrowing(to tileir.Elem, mode rounding) kernel {
	switch to {
	case tileir.F16:
		if mode == tileir.RoundingNearestEven {
			return unary(narrowF16)
		}
		return unary(func(d []uint16, a []float32) {
			for i := range d {
				d[i] = round16(a[i], mode, uint16(dtype.Float16FromFloat32(a[i])), widenOneF16)
			}
		})
	case tileir.BF16:
		if mode == tileir.RoundingNearestEven {
			return unary(narrowBF16)
		}
		return unary(func(d []uint16, a []float32) {
			for i := range d {
				d[i] = round16(a[i], mode, uint16(dtype.BFloat16FromFloat32(a[i])), widenOneBF16)
			}
		})
	case tileir.TF32:
		return unary(func(d, a []uint32) {
			for i := range d {
				d[i] = roundTF32(a[i], mode)
			}
		})
	}
	if f, ok := smallFloats[to]; ok {
		return smallNarrowing(f, mode)
	}
	return nil
}

func widenOneF16(h uint16) float32  { return dtype.Float16(h).Float32() }
func widenOneBF16(h uint16) float32 { return dtype.BFloat16(h).Float32() }

// round16 moves the nearest 16-bit float h of x to the other neighbour where the mode asks for it. Magnitudes are
// ordered as the bits are. NaN has no neighbours: no comparison with it holds.
func round16(x float32, mode rounding, h uint16, widen func(uint16) float32) uint16 {
	g := widen(h)
	up := mode == tileir.RoundingPositiveInf || mode == tileir.RoundingZero && x < 0
	down := mode == tileir.RoundingNegativeInf || mode == tileir.RoundingZero && x > 0
	if up && g < x || down && g > x {
		if (x > 0) == up {
			return h + 1
		}
		return h - 1
	}
	return h
}

// roundTF32 keeps 10 bits of the fraction.
func roundTF32(bits uint32, mode rounding) uint32 {
	const low = 1<<13 - 1
	switch {
	case bits&0x7fffffff > 0x7f800000:
		return bits&^low | 1<<22
	case mode == tileir.RoundingNearestAway:
		bits += 1 << 12
	case mode == tileir.RoundingNearestEven:
		bits += 1<<12 - 1 + bits>>13&1
	}
	return bits &^ low
}
