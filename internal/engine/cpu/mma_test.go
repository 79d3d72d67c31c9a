package cpu_test

import (
	"fmt"
	"math"
	"math/big"
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

// dot is the documented order: products are added one after the other, each time rounded once. fused gives a product and
// a number as their rounded sum.
func dot(a, b func(k int) float64, c float64, n int, fused func(a, b, c float64) float64) float64 {
	for k := range n {
		c = fused(a(k), b(k), c)
	}
	return c
}

// fused32 is a*b + c, rounded once to float32.
func fused32(a, b, c float64) float64 {
	if math.IsInf(c, 0) || c != c {
		return a*b + c
	}
	x := new(big.Float).SetPrec(400).SetFloat64(a)
	x.Add(x.Mul(x, big.NewFloat(b)), new(big.Float).SetPrec(400).SetFloat64(c))
	sum, _ := x.Float32()
	return float64(sum)
}

// productWays are the ways in which products are computed.
func productWays(t *testing.T) map[string]*cpu.Device {
	return map[string]*cpu.Device{
		"code": newDevice(t, cpu.Options{}), "interpreter": newDevice(t, cpu.Options{Interpret: true}),
	}
}

func TestMmaFloat(t *testing.T) {
	for name, d := range productWays(t) {
		t.Run(name, func(t *testing.T) { testMmaFloat(t, d) })
	}
}

func testMmaFloat(t *testing.T, d *cpu.Device) {
	same64 := func(x float64) float64 { return x }
	f16 := func(x float64) float64 { return dtype.Float16FromFloat64(x).Float64() }
	for _, c := range []struct {
		in, acc format
		fused   func(a, b, c float64) float64
		end     func(float64) float64
	}{
		{formats[2], formats[2], fused32, same64}, {formats[3], formats[3], math.FMA, same64}, {formats[0], formats[2], fused32, same64},
		{formats[1], formats[2], fused32, same64}, {formats[0], formats[0], fused32, f16},
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
					want := c.end(dot(func(k int) float64 { return a[(n*s[1]+m)*s[3]+k] }, func(k int) float64 { return b[(n*s[3]+k)*s[2]+j] }, acc[i], s[3], c.fused))
					if g != want {
						t.Fatalf("element %d is %v, want %v", i, g, want)
					}
				}
			})
		}
	}
}
