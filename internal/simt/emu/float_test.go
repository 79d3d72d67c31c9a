package emu_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt"
)

// precision describes a binary float for the reference.
type precision struct {
	bits      int // of the number
	digits    int // of the fraction, the leading one included
	low, high int // exponents of normal numbers 1.x * 2^e
	decode    func(x uint64) float64
	encode    func(v float64) uint64
	nan       uint64
}

var precisions = map[string]precision{
	"f32": {32, 24, -126, 127, func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) },
		func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }, 0x7fffffff},
	"f64": {64, 53, -1022, 1023, math.Float64frombits, math.Float64bits, 0},
	"f16": {16, 11, -14, 15, func(x uint64) float64 { return dtype.Float16(x).Float64() },
		func(v float64) uint64 { return uint64(dtype.Float16FromFloat64(v)) }, 0x7fff},
	"bf16": {16, 8, -126, 127, func(x uint64) float64 { return dtype.BFloat16(x).Float64() },
		func(v float64) uint64 { return uint64(dtype.BFloat16FromFloat64(v)) }, 0x7fff},
}

var modes = map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

// round gives the number of a precision that is next to an exact one in a direction; sign is for zeros.
func (p precision) round(x *big.Float, mode big.RoundingMode, zero float64) float64 {
	if x.Sign() == 0 {
		return zero
	}
	// The last bit that there is: count in units of it.
	unit := max(x.MantExp(nil)-1, p.low) - (p.digits - 1)
	scaled := new(big.Float).SetPrec(5000).SetMantExp(x, -unit)
	whole, _ := scaled.Int(nil) // toward zero
	rest := new(big.Float).SetPrec(5000).Sub(scaled, new(big.Float).SetPrec(5000).SetInt(whole))
	rest.Abs(rest)
	half := rest.Cmp(big.NewFloat(0.5))
	away := false
	switch mode {
	case big.ToNearestEven:
		away = half > 0 || half == 0 && whole.Bit(0) == 1
	case big.ToNegativeInf:
		away = rest.Sign() != 0 && x.Sign() < 0
	case big.ToPositiveInf:
		away = rest.Sign() != 0 && x.Sign() > 0
	}
	if away {
		whole.Add(whole, big.NewInt(int64(x.Sign())))
	}
	v := new(big.Float).SetPrec(5000).SetMantExp(new(big.Float).SetPrec(5000).SetInt(whole), unit)
	largest := math.Ldexp(2-math.Ldexp(1, 1-p.digits), p.high)
	if new(big.Float).Abs(v).Cmp(big.NewFloat(largest)) > 0 {
		if mode == big.ToZero || mode == big.ToNegativeInf && x.Sign() > 0 || mode == big.ToPositiveInf && x.Sign() < 0 {
			return math.Copysign(largest, float64(x.Sign()))
		}
		return math.Inf(x.Sign())
	}
	f, acc := v.Float64()
	if acc != big.Exact {
		panic("the reference is wrong")
	}
	if f == 0 && x.Sign() < 0 {
		return math.Copysign(0, -1)
	}
	return f
}

func exactFloat(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }

// floats are numbers of a precision: special ones, and others of which many are near each other.
func floats(rng *rand.Rand, p precision, count int) []uint64 {
	sign, inf := uint64(1)<<(p.bits-1), uint64(p.high-p.low+2)<<(p.digits-1)
	one := uint64(p.high) << (p.digits - 1)
	all := []uint64{0, sign, inf, sign | inf, inf | 1, inf | 1<<(p.digits-2), 1, sign | 1, 2, 1<<(p.digits-1) - 1, 1 << (p.digits - 1),
		inf - 1, sign | inf - 1,
		one, sign | one, one + 1, one - 1, sign | one + 1, one + 1<<(p.digits-1)}
	mask := ^uint64(0) >> (64 - p.bits)
	for len(all) < count {
		switch rng.IntN(3) {
		case 0:
			all = append(all, rng.Uint64()&mask)
		case 1:
			all = append(all, rng.Uint64()&sign|one+rng.Uint64()%(64<<(p.digits-1))-32<<(p.digits-1))
		default: // few bits, so that results lie half-way
			all = append(all, p.encode(float64(rng.IntN(1<<12)-1<<11)*math.Ldexp(1, rng.IntN(24)-12)))
		}
	}
	return all
}

// sameFloat compares bits, and any NaN with the one that results have.
func (p precision) sameFloat(got uint64, want float64) bool {
	if want != want {
		return p.nan != 0 && got == p.nan || p.nan == 0 && p.decode(got) != p.decode(got)
	}
	return got == p.encode(want)
}

func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// zeroSum is the sign of a sum that is zero.
func zeroSum(x, y float64, mode string) float64 {
	if x == 0 && y == 0 && math.Signbit(x) == math.Signbit(y) {
		return x
	}
	if mode == "rm" {
		return math.Copysign(0, -1)
	}
	return 0
}

func TestFloatOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, name := range []string{"f32", "f64", "f16", "bf16"} {
		p := precisions[name]
		x, y := pairs(floats(rng, p, 40), floats(rng, p, 40))
		c := classOf[p.bits]
		for op, f := range map[string]func(x, y float64) float64{
			"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
			"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
		} {
			for mode, m := range modes {
				if p.bits == 16 && (op == "div" || mode != "rn") {
					continue
				}
				got := apply(t, fmt.Sprintf("%s.%s.%s", op, mode, name), c, []simt.Class{c, c}, x, y)
				for i := range x {
					a, b := p.decode(x[i]), p.decode(y[i])
					want := f(a, b) // right for what is special
					if finite(a, b) && (op != "div" || b != 0) {
						z, zero := exactFloat(0), want
						switch op {
						case "add":
							z.Add(exactFloat(a), exactFloat(b))
							zero = zeroSum(a, b, mode)
						case "sub":
							z.Sub(exactFloat(a), exactFloat(b))
							zero = zeroSum(a, -b, mode)
						case "mul":
							z.Mul(exactFloat(a), exactFloat(b))
						case "div":
							z.Quo(exactFloat(a), exactFloat(b))
						}
						want = p.round(z, m, zero)
					}
					if !p.sameFloat(got[i], want) {
						t.Fatalf("%s.%s.%s(%g, %g) = %#x (%g), want %g", op, mode, name, a, b, got[i], p.decode(got[i]), want)
					}
				}
			}
		}
	}
}

func TestFMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, name := range []string{"f32", "f64", "f16", "bf16"} {
		p := precisions[name]
		x, y := pairs(floats(rng, p, 45), floats(rng, p, 45))
		z := floats(rng, p, len(x))
		rng.Shuffle(len(z), func(i, j int) { z[i], z[j] = z[j], z[i] })
		for i := 0; i < len(z); i += 3 { // sums that nearly cancel, or lie nearly half-way
			if prod := -p.decode(x[i]) * p.decode(y[i]); finite(prod) {
				z[i] = p.encode(prod * []float64{1, 2, 1 << 8, 1 << 23, 1 << 24}[rng.IntN(5)])
			}
		}
		c := classOf[p.bits]
		for mode, m := range modes {
			if p.bits == 16 && mode != "rn" {
				continue
			}
			got := apply(t, fmt.Sprintf("fma.%s.%s", mode, name), c, []simt.Class{c, c, c}, x, y, z)
			for i := range x {
				a, b, d := p.decode(x[i]), p.decode(y[i]), p.decode(z[i])
				want := math.FMA(a, b, d)
				if finite(a, b, d) {
					e := exactFloat(0).Mul(exactFloat(a), exactFloat(b))
					zero := zeroSum(math.Copysign(0, a)*math.Copysign(1, b), d, mode)
					if e.Sign() != 0 {
						zero = zeroSum(1, -1, mode)
					}
					want = p.round(e.Add(e, exactFloat(d)), m, zero)
				}
				if !p.sameFloat(got[i], want) {
					t.Fatalf("fma.%s.%s(%g, %g, %g) = %#x (%g), want %g", mode, name, a, b, d, got[i], p.decode(got[i]), want)
				}
			}
		}
	}
}
