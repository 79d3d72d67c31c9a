package emu_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt"
)

// width is the bits of a type such as "s32" or "bf16".
func width(ty string) (n int) {
	fmt.Sscanf(strings.TrimLeft(ty, "usbf"), "%d", &n)
	return n
}

func TestConvertIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	types := []string{"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}
	for _, from := range types {
		x := edges(rng, width(from), 80)
		for _, to := range types {
			n := width(to)
			got := apply(t, "cvt."+to+"."+from, classOf[n], []simt.Class{classOf[width(from)]}, x)
			sat := apply(t, "cvt.sat."+to+"."+from, classOf[n], []simt.Class{classOf[width(from)]}, x)
			for i := range x {
				v := number(from, width(from), x[i])
				lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(n))
				if to[0] == 's' {
					hi.Rsh(hi, 1)
					lo.Neg(hi)
				}
				hi.Sub(hi, big.NewInt(1))
				c := new(big.Int).Set(v)
				if c.Cmp(hi) > 0 {
					c = hi
				}
				if c.Cmp(lo) < 0 {
					c = lo
				}
				low := func(v uint64) uint64 { return v & (^uint64(0) >> (64 - n)) }
				if low(got[i]) != wrap(v, n) || low(sat[i]) != wrap(c, n) {
					t.Fatalf("cvt.%s.%s(%v) = %#x, saturated %#x", to, from, v, got[i], sat[i])
				}
			}
		}
	}
}

func TestConvertFloatToInteger(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, from := range []string{"f16", "bf16", "f32", "f64"} {
		p := precisions[from]
		x := floats(rng, p, 300)
		for _, v := range []float64{
			0.5, 1.5, 2.5, 127.5, 128, 255.5, 32767.5, 65535, 2147483647, 2147483648, 4294967295.5, 1 << 63, 1 << 62, 1.8e19, 3e9,
		} {
			x = append(x, p.encode(v), p.encode(-v))
		}
		for _, to := range []string{"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"} {
			for mode, f := range map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil} {
				n := width(to)
				got := apply(t, "cvt."+mode+"."+to+"."+from, classOf[n], []simt.Class{classOf[p.bits]}, x)
				for i := range x {
					v := f(p.decode(x[i]))
					lo, hi := 0.0, math.Ldexp(1, n)
					if to[0] == 's' {
						lo, hi = -hi/2, hi/2
					}
					var want uint64
					switch {
					case v != v && (from == "f64" || n == 64):
						want = 1 << (n - 1)
					case v != v:
					case v < lo:
						want = uint64(int64(lo))
					case v >= hi:
						want = ^uint64(0) >> (64 - n)
						if to[0] == 's' {
							want >>= 1
						}
					default:
						i, _ := big.NewFloat(v).Int(nil)
						want = wrap(i, n)
					}
					mask := ^uint64(0) >> (64 - n)
					if got[i]&mask != want&mask {
						t.Fatalf("cvt.%s.%s.%s(%g) = %#x, want %#x", mode, to, from, p.decode(x[i]), got[i], want&mask)
					}
				}
			}
		}
	}
}

func TestConvertIntegerToFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for _, to := range []string{"f16", "bf16", "f32", "f64"} {
		p := precisions[to]
		for _, from := range []string{"s8", "u16", "s32", "u32", "s64", "u64"} {
			x := edges(rng, width(from), 400)
			for mode, m := range modes {
				got := apply(t, "cvt."+mode+"."+to+"."+from, classOf[p.bits], []simt.Class{classOf[width(from)]}, x)
				for i := range x {
					v := number(from, width(from), x[i])
					if want := p.round(exactFloat(0).SetInt(v), m, 0); !p.sameFloat(got[i], want) {
						t.Fatalf("cvt.%s.%s.%s(%v) = %#x, want %g", mode, to, from, v, got[i], want)
					}
				}
			}
		}
	}
}

func TestConvertFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for _, from := range []string{"f16", "bf16", "f32", "f64"} {
		pf := precisions[from]
		x := floats(rng, pf, 800)
		for _, to := range []string{"f16", "bf16", "f32", "f64"} {
			if from == to {
				continue
			}
			p := precisions[to]
			for mode, m := range modes {
				op := "cvt." + mode + "." + to + "." + from
				if p.digits >= pf.digits && p.high >= pf.high { // exact
					op = "cvt." + to + "." + from
				}
				got := apply(t, op, classOf[p.bits], []simt.Class{classOf[pf.bits]}, x)
				for i := range x {
					v := pf.decode(x[i])
					want := v
					if finite(v) {
						want = p.round(exactFloat(v), m, v)
					}
					if !p.sameFloat(got[i], want) {
						t.Fatalf("%s(%g) = %#x, want %g", op, v, got[i], want)
					}
				}
			}
		}
	}
	x := floats(rng, precisions["f32"], 400)
	for i, r := range apply(t, "cvt.rni.f32.f32", simt.B32, []simt.Class{simt.B32}, x) {
		if v := precisions["f32"].decode(x[i]); !precisions["f32"].sameFloat(r, math.RoundToEven(v)) {
			t.Fatalf("cvt.rni.f32.f32(%g) = %#x", v, r)
		}
	}
}

func TestConvertNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	f32 := precisions["f32"]
	x, y := floats(rng, f32, 3000), floats(rng, f32, 3000)
	for range 3000 { // where 8 bits are exact and half-way
		x = append(x, f32.encode(float64(rng.IntN(2048)-1024)/math.Ldexp(1, rng.IntN(20))))
		y = append(y, f32.encode(float64(rng.IntN(2048)-1024)))
	}
	rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	value := func(b uint64) float32 { return math.Float32frombits(uint32(b)) }
	both := func(op string, n int, one func(v float32) uint64) {
		t.Helper()
		got := apply(t, op, classOf[2*n], []simt.Class{simt.B32, simt.B32}, x, y)
		for i := range x {
			if want := one(value(x[i]))<<n | one(value(y[i])); got[i] != want {
				t.Fatalf("%s(%g, %g) = %#x, want %#x", op, value(x[i]), value(y[i]), got[i], want)
			}
		}
	}
	nan := func(v float32, bits uint64, f func(float32) uint64) uint64 {
		if v != v {
			return bits
		}
		return f(v)
	}
	both("cvt.rn.f16x2.f32", 16, func(v float32) uint64 {
		return nan(v, 0x7fff, func(v float32) uint64 { return uint64(dtype.Float16FromFloat32(v)) })
	})
	both("cvt.rn.bf16x2.f32", 16, func(v float32) uint64 {
		return nan(v, 0x7fff, func(v float32) uint64 { return uint64(dtype.BFloat16FromFloat32(v)) })
	})
	both("cvt.rn.relu.f16x2.f32", 16, func(v float32) uint64 {
		return nan(v, 0x7fff, func(v float32) uint64 { return uint64(dtype.Float16FromFloat32(max(v, 0))) })
	})
	both("cvt.rn.satfinite.e4m3x2.f32", 8, func(v float32) uint64 {
		return nan(v, 0x7f, func(v float32) uint64 { return uint64(dtype.Float8E4M3FNFromFloat32(v)) })
	})
	both("cvt.rn.satfinite.e5m2x2.f32", 8, func(v float32) uint64 {
		return nan(v, 0x7f, func(v float32) uint64 { return uint64(dtype.Float8E5M2FromFloat32(v)) })
	})
	both("cvt.rn.satfinite.f16x2.f32", 16, func(v float32) uint64 {
		return nan(v, 0x7fff, func(v float32) uint64 { return uint64(dtype.Float16FromFloat32(min(max(v, -65504), 65504))) })
	})
	same(t, "cvt.rna.tf32.f32", 32, 32, func(v []uint64) uint64 {
		switch b := v[0]; {
		case value(b) != value(b):
			return 0x7fffe000
		case b&0x7f800000 == 0x7f800000:
			return b
		default:
			return (b + 0x1000) &^ 0x1fff
		}
	}, x)
	var bytes []uint64
	for a := range uint64(256) {
		bytes = append(bytes, a|(255-a)<<8)
	}
	half := func(f float64) uint64 {
		if f != f {
			return 0x7fff
		}
		return uint64(dtype.Float16FromFloat64(f))
	}
	for op, f := range map[string]func(uint64) float64{
		"cvt.rn.f16x2.e4m3x2": func(b uint64) float64 { return dtype.Float8E4M3FN(b).Float64() },
		"cvt.rn.f16x2.e5m2x2": func(b uint64) float64 { return dtype.Float8E5M2(b).Float64() },
	} {
		got := apply(t, op, simt.B32, []simt.Class{simt.B16}, bytes)
		for i, b := range bytes {
			if want := half(f(b&0xff)) | half(f(b>>8))<<16; got[i] != want {
				t.Fatalf("%s(%#x) = %#x, want %#x", op, b, got[i], want)
			}
		}
	}
}
