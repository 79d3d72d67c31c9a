package cpu_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// ranges are the exponents of the least normal number, and of the greatest.
var ranges = map[tileir.Elem][2]int{tileir.F16: {-14, 15}, tileir.BF16: {-126, 127}, tileir.F32: {-126, 127}, tileir.F64: {-1022, 1023}}

var bigModes = map[tileir.Int]big.RoundingMode{
	tileir.RoundingNearestEven: big.ToNearestEven, tileir.RoundingZero: big.ToZero,
	tileir.RoundingNegativeInf: big.ToNegativeInf, tileir.RoundingPositiveInf: big.ToPositiveInf,
}

// inFormat rounds an exact number that is not zero once, to a format with subnormal numbers and infinities.
func inFormat(x *big.Float, e tileir.Elem, mode big.RoundingMode) float64 {
	prec, limits := int(bitsOf[e]), ranges[e]
	unit := max(x.MantExp(nil)-1, limits[0]) - prec + 1 // the exponent of the last bit
	n, _ := new(big.Float).SetMantExp(x, -unit).Int(nil)
	rest := new(big.Float).SetPrec(5000).Sub(new(big.Float).SetMantExp(x, -unit), new(big.Float).SetInt(n))
	half := new(big.Float).Abs(rest).Cmp(big.NewFloat(0.5))
	away := mode == big.ToNearestEven && (half > 0 || half == 0 && n.Bit(0) == 1) ||
		mode == big.ToPositiveInf && rest.Sign() > 0 || mode == big.ToNegativeInf && rest.Sign() < 0
	if away {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	y := new(big.Float).SetMantExp(new(big.Float).SetInt(n), unit)
	greatest := new(big.Float).SetMantExp(big.NewFloat(2-math.Ldexp(1, 1-prec)), limits[1])
	inf := mode == big.ToNearestEven || mode == big.ToPositiveInf && x.Sign() > 0 || mode == big.ToNegativeInf && x.Sign() < 0
	switch {
	case new(big.Float).Abs(y).Cmp(greatest) <= 0:
		v, _ := y.Float64()
		return math.Copysign(v, float64(x.Sign()))
	case inf:
		return math.Inf(x.Sign())
	}
	v, _ := greatest.Float64()
	return math.Copysign(v, float64(x.Sign()))
}

// zeroSum is the zero that terms of the signs of p and c, which cancel or are zero, have as their sum.
func zeroSum(p, c float64, mode big.RoundingMode) float64 {
	if p == 0 && c == 0 && math.Signbit(p) == math.Signbit(c) {
		return c
	}
	if mode == big.ToNegativeInf {
		return math.Copysign(0, -1)
	}
	return 0
}

// exactly computes an operation as IEEE 754 says, from exact numbers. What has infinities, NaN or a divisor of zero is the
// same in every mode.
func exactly(op string, a, b, c float64, e tileir.Elem, mode big.RoundingMode) float64 {
	special := func(xs ...float64) bool {
		for _, x := range xs {
			if x-x != 0 {
				return true
			}
		}
		return false
	}
	f := func(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }
	x := f(0)
	switch op {
	case "addf", "subf":
		if op == "subf" {
			b = -b
		}
		if special(a, b) {
			return a + b
		}
		if x.Add(f(a), f(b)); x.Sign() == 0 {
			return zeroSum(a, b, mode)
		}
	case "mulf":
		if special(a, b) || a == 0 || b == 0 {
			return a * b
		}
		x.Mul(f(a), f(b))
	case "fma":
		if special(a, b, c) {
			return math.FMA(a, b, c)
		}
		if x.Add(new(big.Float).SetPrec(5000).Mul(f(a), f(b)), f(c)); x.Sign() == 0 {
			sign := math.Copysign(1, a) * math.Copysign(1, b)
			if a == 0 || b == 0 {
				sign = math.Copysign(0, sign)
			}
			return zeroSum(sign, c, mode)
		}
	case "divf":
		if special(a, b) || a == 0 || b == 0 {
			return a / b
		}
		x.Quo(f(a), f(b))
	case "sqrt":
		if special(a) || a <= 0 {
			return math.Sqrt(a)
		}
		x.Sqrt(f(a))
	}
	return inFormat(x, e, mode)
}

// TestExactArithmetic compares operations with exact numbers in every mode: where results overflow, are subnormal, cancel or
// lie beside a tie, and for infinities, NaN and zeros of both signs.
func TestExactArithmetic(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, f := range formats {
		limits, prec := ranges[f.elem], int(bitsOf[f.elem])
		least, eps := math.Ldexp(1, limits[0]-prec+1), math.Ldexp(1, 1-prec)
		greatest := math.Ldexp(2-eps, limits[1])
		special := []float64{
			0, math.Copysign(0, -1), 1, -1, 1 + eps, -1 - eps, 1 - eps/2, 3, -3, 0.5, math.Inf(1), math.Inf(-1), math.NaN(),
			least, -least, 3 * least, math.Ldexp(1, limits[0]), -math.Ldexp(1, limits[0]), greatest, -greatest, greatest / 2, math.Ldexp(1, limits[1]),
			math.Ldexp(1, limits[0]/2), math.Ldexp(-1-eps, limits[0]/2),
		}
		var xs [3][]float64
		add := func(a, b, c float64) {
			for i, x := range []float64{a, b, c} {
				xs[i] = append(xs[i], x)
			}
		}
		rng := generator(uint64(f.elem))
		for _, a := range special {
			for _, b := range special {
				add(a, b, special[rng()%uint64(len(special))])
				add(a, b, -a*b)
			}
		}
		for len(xs[0]) < 2048 {
			add(special[rng()%uint64(len(special))], special[rng()%uint64(len(special))], special[rng()%uint64(len(special))])
		}
		var in []input
		for i := range xs {
			in = append(in, input{f.elem, f.encode(xs[i])})
			xs[i] = f.decode(in[i].data)
		}
		for op, n := range map[string]int{"addf": 2, "subf": 2, "mulf": 2, "fma": 3, "divf": 2, "sqrt": 1} {
			for mode, rounding := range bigModes {
				got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
					return k.one(op, args[:n], attrs{"rounding_mode": mode}, args[0].Type)
				})
				if err != nil {
					t.Fatal(err)
				}
				wrong := 0
				for i, g := range f.decode(got) {
					want := exactly(op, xs[0][i], xs[1][i], xs[2][i], f.elem, rounding)
					if !same(g, want) {
						if wrong++; wrong <= 3 {
							t.Errorf("%s of %v, %v: of %g, %g, %g: %g, want %g", op, f.elem, rounding, xs[0][i], xs[1][i], xs[2][i], g, want)
						}
					}
				}
			}
		}
	}
}

// TestExactNarrowing rounds wider floats to narrower ones: around each number, each tie and each end of the
// narrower type, so close that a step by a third type would decide wrongly.
func TestExactNarrowing(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range []struct{ from, to format }{
		{formats[3], formats[2]}, {formats[3], formats[1]}, {formats[3], formats[0]}, {formats[2], formats[1]}, {formats[2], formats[0]},
	} {
		limits, prec := ranges[c.to.elem], int(bitsOf[c.to.elem])
		var xs []float64
		for _, exp := range []int{0, 1, -1, limits[0] - prec, limits[0] - prec + 1, limits[0] - prec + 2, limits[0] - 1, limits[0], limits[1] - 1, limits[1], limits[1] + 1} {
			for _, bits := range []float64{1, 1.5, 2 - math.Ldexp(1, 1-prec), 2 - math.Ldexp(1, -prec), 1 + math.Ldexp(1, -prec), 1 + math.Ldexp(3, -prec)} {
				x := math.Ldexp(bits, exp)
				for _, y := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), float64(math.Nextafter32(float32(x), 0))} {
					xs = append(xs, y, -y)
				}
			}
		}
		xs = append(xs, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN())
		for len(xs) < 1024 {
			xs = append(xs, 1)
		}
		in := input{c.from.elem, c.from.encode(xs)}
		xs = c.from.decode(in.data)
		for _, mode := range []tileir.Int{tileir.RoundingNearestEven, tileir.RoundingZero} { // others are refused
			rounding := bigModes[mode]
			got, err := runTiles(t, d, []input{in}, func(k *kernel, args vals) *tileir.Value {
				return k.one("ftof", args, attrs{"rounding_mode": mode}, tileir.Tile(c.to.elem, len(xs)))
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range c.to.decode(got) {
				want := xs[i]
				if x := xs[i]; x-x == 0 && x != 0 {
					want = inFormat(new(big.Float).SetPrec(5000).SetFloat64(x), c.to.elem, rounding)
				}
				if !same(g, want) {
					t.Errorf("%v to %v, %v: of %b: %b, want %b", c.from.elem, c.to.elem, rounding, xs[i], g, want)
				}
			}
		}
	}
}
