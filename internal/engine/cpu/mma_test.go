package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// mmaShapes are batch, m, n, k.
var mmaShapes = [][4]int{{1, 16, 16, 16}, {1, 1, 1, 1}, {1, 2, 1, 4}, {1, 1, 8, 2}, {1, 64, 32, 8}, {1, 8, 64, 1}, {2, 4, 8, 16}, {4, 1, 4, 4}}

// runMma multiplies tiles given as bytes.
func runMma(t *testing.T, d *cpu.Device, op string, as attrs, in, acc tileir.Elem, s [4]int, a, b, c []byte, extra ...input) []byte {
	t.Helper()
	shape := func(x, y int) []int {
		if s[0] == 1 {
			return []int{x, y}
		}
		return []int{s[0], x, y}
	}
	load := []input{{in, a}, {in, b}, {acc, c}}
	got, err := runTiles(t, d, append(load, extra...), func(k *kernel, args vals) *tileir.Value {
		x := k.one("reshape", args[:1], nil, tileir.Tile(in, shape(s[1], s[3])...))
		y := k.one("reshape", args[1:2], nil, tileir.Tile(in, shape(s[3], s[2])...))
		out := tileir.Tile(acc, shape(s[1], s[2])...)
		z := k.one("reshape", args[2:3], nil, out)
		return k.one(op, vals{x, y, z}, as, out)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// dot is the documented order: products are added one after the other, each time rounded.
func dot(a, b func(k int) float64, c float64, n int, round func(float64) float64) float64 {
	for k := range n {
		c = round(c + round(a(k)*b(k)))
	}
	return c
}

func TestMmaFloat(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	to32 := func(x float64) float64 { return float64(float32(x)) }
	same64 := func(x float64) float64 { return x }
	f16 := func(x float64) float64 { return dtype.Float16FromFloat64(x).Float64() }
	for _, c := range []struct {
		in, acc    format
		round, end func(float64) float64
	}{
		{formats[2], formats[2], to32, same64}, {formats[3], formats[3], same64, same64}, {formats[0], formats[2], to32, same64},
		{formats[1], formats[2], to32, same64}, {formats[0], formats[0], to32, f16},
	} {
		for _, s := range mmaShapes {
			t.Run(fmt.Sprintf("%s/%s/%v", c.in.elem, c.acc.elem, s), func(t *testing.T) {
				value := func(f format, n int, seed float64) ([]byte, []float64) {
					v := make([]float64, n)
					for i := range v {
						v[i] = math.Sin(float64(i)*seed) * 3
					}
					b := f.encode(v)
					return b, f.decode(b)
				}
				ab, a := value(c.in, s[0]*s[1]*s[3], 1.7)
				bb, b := value(c.in, s[0]*s[3]*s[2], 2.9)
				cb, acc := value(c.acc, s[0]*s[1]*s[2], 0.37)
				got := c.acc.decode(runMma(t, d, "mmaf", nil, c.in.elem, c.acc.elem, s, ab, bb, cb))
				for i, g := range got {
					n, m, j := i/(s[1]*s[2]), i/s[2]%s[1], i%s[2]
					want := c.end(dot(func(k int) float64 { return a[(n*s[1]+m)*s[3]+k] }, func(k int) float64 { return b[(n*s[3]+k)*s[2]+j] }, acc[i], s[3], c.round))
					if g != want {
						t.Fatalf("element %d is %v, want %v", i, g, want)
					}
				}
			})
		}
	}
}

func TestMmaInt(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	s := [4]int{2, 8, 4, 16}
	a, b := make([]int8, 2*8*16), make([]int8, 2*16*4)
	c := make([]int32, 2*8*4)
	rng := generator(81)
	for i := range a {
		a[i] = int8(rng())
	}
	for i := range b {
		b[i] = int8(rng())
	}
	for i := range c {
		c[i] = int32(rng())
	}
	value := func(v int8, signed bool) int32 {
		if signed {
			return int32(v)
		}
		return int32(uint8(v))
	}
	for _, sa := range []bool{true, false} {
		for _, sb := range []bool{true, false} {
			got := as[int32](runMma(t, d, "mmai", attrs{"signedness_lhs": sign(sa), "signedness_rhs": sign(sb)}, tileir.I8, tileir.I32, s, bytesOf(a), bytesOf(b), bytesOf(c)))
			for i, g := range got {
				n, m, j := i/32, i/4%8, i%4
				want := c[i]
				for k := range 16 {
					want += value(a[(n*8+m)*16+k], sa) * value(b[(n*16+k)*4+j], sb)
				}
				if g != want {
					t.Fatalf("%v %v: element %d is %d, want %d", sa, sb, i, g, want)
				}
			}
		}
	}
}

func TestMmaScaled(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	const m, n, k, blocks = 4, 8, 64, 2
	a, b := make([]byte, m*k), make([]byte, k*n)
	for i := range a {
		a[i] = byte(0x30 + i%16) // e4m3 numbers around 1
	}
	for i := range b {
		b[i] = byte(0x28 + i%24)
	}
	e4m3 := func(v byte) float64 { return math.Ldexp(1+float64(v&7)/8, int(v>>3&15)-7) }
	sa, sb := make([]byte, m*blocks), make([]byte, blocks*n)
	for i := range sa {
		sa[i] = byte(125 + i%5)
	}
	for i := range sb {
		sb[i] = byte(126 + i%3)
	}
	e, f, x := tileir.F8E4M3FN, tileir.F32, tileir.F8E8M0FNU
	got, err := runTiles(t, d, []input{{e, a}, {e, b}, {x, sa}, {x, sb}}, func(kn *kernel, args vals) *tileir.Value {
		shape := func(i int, e tileir.Elem, s ...int) *tileir.Value {
			return kn.one("reshape", args[i:i+1], nil, tileir.Tile(e, s...))
		}
		acc := constant(kn, tileir.Tile(f, m, n), float32(0))
		return kn.one("mmaf_scaled", vals{shape(0, e, m, k), shape(1, e, k, n), acc, shape(2, x, m, blocks), shape(3, x, blocks, n)}, nil, tileir.Tile(f, m, n))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range as[float32](got) {
		r, c := i/n, i%n
		want := 0.0
		for p := range k {
			q := p / (k / blocks)
			scale := math.Ldexp(1, int(sa[r*blocks+q])-127) * math.Ldexp(1, int(sb[q*n+c])-127)
			want += e4m3(a[r*k+p]) * e4m3(b[p*n+c]) * scale
		}
		if math.Abs(float64(g)-want) > 1e-5*want {
			t.Fatalf("element %d is %v, want %v", i, g, want)
		}
	}
}
