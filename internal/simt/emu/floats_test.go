package emu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

func TestRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, name := range []string{"f32", "f64"} {
		p := precisions[name]
		x := floats(rng, p, 2000)
		c := classOf[p.bits]
		for mode, m := range modes {
			sqrt := apply(t, fmt.Sprintf("sqrt.%s.%s", mode, name), c, []simt.Class{c}, x)
			rcp := apply(t, fmt.Sprintf("rcp.%s.%s", mode, name), c, []simt.Class{c}, x)
			for i := range x {
				v := p.decode(x[i])
				s, r := math.Sqrt(v), 1/v
				if finite(v) && v > 0 {
					s = p.round(exactFloat(0).Sqrt(exactFloat(v)), m, 0)
				}
				if finite(v) && v != 0 {
					r = p.round(exactFloat(0).Quo(exactFloat(1), exactFloat(v)), m, 0)
				}
				if !p.sameFloat(sqrt[i], s) {
					t.Fatalf("sqrt.%s.%s(%g) = %g, want %g", mode, name, v, p.decode(sqrt[i]), s)
				}
				if !p.sameFloat(rcp[i], r) {
					t.Fatalf("rcp.%s.%s(%g) = %g, want %g", mode, name, v, p.decode(rcp[i]), r)
				}
			}
		}
	}
}

func TestApproximations(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	p := precisions["f32"]
	var x []uint64
	for range 500 {
		x = append(x, p.encode((rng.Float64()-0.3)*math.Ldexp(1, rng.IntN(10)-5)))
	}
	for op, f := range map[string]func(float64) float64{
		"ex2.approx.f32": math.Exp2, "lg2.approx.f32": math.Log2, "sin.approx.f32": math.Sin, "cos.approx.f32": math.Cos,
		"tanh.approx.f32": math.Tanh, "rsqrt.approx.f32": func(v float64) float64 { return 1 / math.Sqrt(v) },
		"rcp.approx.f32": func(v float64) float64 { return 1 / v }, "sqrt.approx.f32": math.Sqrt,
	} {
		same(t, op, 32, 32, func(v []uint64) uint64 {
			w := f(p.decode(v[0]))
			if w != w {
				return p.nan
			}
			return p.encode(w)
		}, x)
	}
	same(t, "ex2.approx.ftz.f32", 32, 32, func([]uint64) uint64 { return 0 }, []uint64{p.encode(-130), p.encode(-149)})
	same(t, "tanh.approx.f16x2", 32, 32, func(v []uint64) uint64 {
		h := precisions["f16"]
		return h.encode(math.Tanh(h.decode(v[0]&0xffff))) | h.encode(math.Tanh(h.decode(v[0]>>16)))<<16
	}, []uint64{0x3c003800, 0x80000001, 0xc0004400})
}

func TestExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	for _, name := range []string{"f32", "f64", "f16", "bf16"} {
		p := precisions[name]
		x, y := pairs(floats(rng, p, 40), floats(rng, p, 40))
		c := classOf[p.bits]
		for _, op := range []string{"min", "max"} {
			for _, nan := range []string{"", ".NaN"} {
				if nan != "" && name == "f64" {
					continue
				}
				got := apply(t, op+nan+"."+name, c, []simt.Class{c, c}, x, y)
				for i := range x {
					a, b := p.decode(x[i]), p.decode(y[i])
					want := math.Min(a, b) // NaN if one is; orders zeros
					if op == "max" {
						want = math.Max(a, b)
					}
					if nan == "" && a != a {
						want = b
					} else if nan == "" && b != b {
						want = a
					}
					if op == "min" && nan != "" && (a != a || b != b) || op == "max" && nan != "" && (a != a || b != b) {
						want = math.NaN() // math's functions prefer infinities
					}
					if !p.sameFloat(got[i], want) {
						t.Fatalf("%s%s.%s(%g, %g) = %g, want %g", op, nan, name, a, b, p.decode(got[i]), want)
					}
				}
			}
		}
	}
	same(t, "min.xorsign.abs.f32", 32, 32, func(v []uint64) uint64 {
		a, b := v[0]&0x7fffffff, v[1]&0x7fffffff
		return min(a, b) | (v[0]^v[1])&0x80000000
	}, []uint64{0x3f800000, 0xbf800000, 0x80000000}, []uint64{0xc0000000, 0x40000000, 0x3f000000})
}

func TestStyles(t *testing.T) {
	bits := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	tiny := uint64(0x00000123) // subnormal
	table := []struct {
		op      string
		x, y, z uint64
		want    uint64
	}{
		{"add.ftz.f32", tiny, tiny, 0, 0},
		{"add.f32", tiny, tiny, 0, 2 * tiny},
		{"mul.ftz.f32", bits(0x1p-100), bits(-0x1p-40), 0, 0x80000000},
		{"add.sat.f32", bits(0.75), bits(0.5), 0, bits(1)},
		{"add.sat.f32", bits(-0.75), bits(0.5), 0, 0},
		{"add.sat.f32", 0x7fc00000, bits(0.5), 0, 0},
		{"div.approx.ftz.f32", bits(1), bits(4), 0, bits(0.25)},
		{"div.full.f32", bits(1), bits(3), 0, bits(1.0 / 3)},
		{"copysign.f32", bits(-2), bits(3), 0, bits(-3)},
		{"fma.rn.sat.f32", bits(2), bits(3), bits(-5.5), bits(0.5)},
		{"fma.rn.relu.f16x2", 0x3c003c00, 0x40004000, 0xc500c000, 0x00000000}, // 2-2 and 2-5
		{"fma.rn.relu.f16x2", 0x3c003c00, 0x44004000, 0xc000bc00, 0x40003c00}, // 2-1 and 4-2
		{"add.f16x2", 0x3c004000, 0x3c003c00, 0, 0x40004200},
		{"mul.bf16x2", 0x40003f80, 0x40404000, 0, 0x40c04000},
		{"abs.ftz.f32", 0x80000001, 0, 0, 0},
		{"neg.f16x2", 0x3c00bc00, 0, 0, 0xbc003c00},
		{"neg.f32", bits(1), 0, 0, bits(-1)},
		{"cvt.ftz.f32.f16", 0x0001, 0, 0, bits(0x1p-24)}, // halves are not flushed
		{"sub.f32", bits(float32(math.Inf(1))), bits(float32(math.Inf(1))), 0, 0x7fffffff},
	}
	for _, c := range table {
		operands := [][]uint64{{c.x}, {c.y}, {c.z}}
		n := 2
		switch c.op[:3] {
		case "fma":
			n = 3
		case "abs", "neg":
			n = 1
		}
		width := 32
		if c.op[:3] == "cvt" {
			n, width = 1, 16
		}
		same(t, c.op, 32, width, func([]uint64) uint64 { return c.want }, operands[:n]...)
	}
}
