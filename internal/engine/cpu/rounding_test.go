package cpu_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// bitsOf is how many bits a number of a format has.
var bitsOf = map[tileir.Elem]uint{tileir.F16: 11, tileir.BF16: 8, tileir.F32: 24, tileir.F64: 53}

// TestRoundingModes compares arithmetic in each rounding mode with exact numbers that are rounded once.
func TestRoundingModes(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	modes := map[tileir.Int]big.RoundingMode{
		tileir.RoundingNearestEven: big.ToNearestEven, tileir.RoundingZero: big.ToZero,
		tileir.RoundingNegativeInf: big.ToNegativeInf, tileir.RoundingPositiveInf: big.ToPositiveInf,
	}
	exact := map[string]func(a, b, c *big.Float) *big.Float{
		"addf": func(a, b, _ *big.Float) *big.Float { return wide().Add(a, b) },
		"subf": func(a, b, _ *big.Float) *big.Float { return wide().Sub(a, b) },
		"mulf": func(a, b, _ *big.Float) *big.Float { return wide().Mul(a, b) },
		"fma":  func(a, b, c *big.Float) *big.Float { return wide().Add(wide().Mul(a, b), c) },
	}
	const n = 512
	for _, f := range formats {
		r := rand.New(rand.NewPCG(uint64(f.elem), 1))
		inputs, xs := make([]input, 3), make([][]float64, 3)
		for i := range inputs {
			v := make([]float64, n)
			for j := range v {
				v[j] = (r.Float64() - 0.5) * float64(int(1)<<r.IntN(8))
			}
			inputs[i] = input{f.elem, f.encode(v)}
			xs[i] = f.decode(inputs[i].data)
		}
		for op, of := range exact {
			for mode, rounding := range modes {
				got, err := runTiles(t, d, inputs, func(k *kernel, args vals) *tileir.Value {
					if op != "fma" {
						args = args[:2]
					}
					return k.one(op, args, attrs{"rounding_mode": mode}, args[0].Type)
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range f.decode(got) {
					x := of(big.NewFloat(xs[0][i]), big.NewFloat(xs[1][i]), big.NewFloat(xs[2][i]))
					want, _ := new(big.Float).SetPrec(bitsOf[f.elem]).SetMode(rounding).Set(x).Float64()
					if least := 0x1p-14; g != want && max(want, -want) > least {
						t.Fatalf("%s of %v with mode %v: of %g, %g and %g: %g, want %g", op, f.elem, rounding, xs[0][i], xs[1][i], xs[2][i], g, want)
					}
				}
			}
		}
	}
}

func wide() *big.Float { return new(big.Float).SetPrec(400) }

// TestDoubleRounding has sums of a product and a number that lie so close to the middle between two numbers that rounding
// them to a wider format first decides wrongly.
func TestDoubleRounding(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range []struct {
		f       format
		a, b, c float64
	}{
		{format{tileir.F16}, 1 + 0x1p-10, 1 - 0x1p-10, 2050},
		{format{tileir.F16}, -1 - 0x1p-10, 1 - 0x1p-10, -2050},
		{format{tileir.F16}, 0x1p-13, 0x1p-13, 1 + 0x1p-10},
		{format{tileir.BF16}, 1 + 0x1p-7, 0x1p-8, 1},
	} {
		inputs := []input{{c.f.elem, c.f.encode([]float64{c.a, c.a})}, {c.f.elem, c.f.encode([]float64{c.b, c.b})}, {c.f.elem, c.f.encode([]float64{c.c, c.c})}}
		got, err := runTiles(t, d, inputs, func(k *kernel, args vals) *tileir.Value {
			return k.one("fma", args, attrs{"rounding_mode": tileir.RoundingNearestEven}, args[0].Type)
		})
		if err != nil {
			t.Fatal(err)
		}
		a, b, z := c.f.decode(inputs[0].data)[0], c.f.decode(inputs[1].data)[0], c.f.decode(inputs[2].data)[0]
		x := wide().Add(wide().Mul(big.NewFloat(a), big.NewFloat(b)), big.NewFloat(z))
		want, _ := new(big.Float).SetPrec(bitsOf[c.f.elem]).Set(x).Float64()
		if g := c.f.decode(got)[0]; g != want {
			t.Errorf("%v: %g*%g + %g = %g, want %g", c.f.elem, a, b, z, g, want)
		}
	}
}
