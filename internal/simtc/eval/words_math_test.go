package eval_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// lane makes 128 numbers, with the awkward ones first.
func lane[T float32 | float64](seed uint64) []T {
	xs := noise(128, seed, dtype.F32)
	s := fill(128, func(i int) T { return T(xs[i] * 8) })
	for i, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.125, 0.625, -0.625} {
		s[(i+int(seed)*5)%128] = T(f)
	}
	return s
}

func round(x float64) float64 { return math.Round(x) }

var exactOnes = []func(a, b float64) float64{
	func(a, _ float64) float64 { return math.Sqrt(math.Abs(a)) },
	func(_, b float64) float64 { return 1 / b },
	func(a, _ float64) float64 { return math.Floor(4 * a) },
	func(a, _ float64) float64 { return math.Ceil(4 * a) },
	func(a, _ float64) float64 { return math.Trunc(4 * a) },
	func(a, _ float64) float64 { return math.RoundToEven(4 * a) },
	func(a, _ float64) float64 { return round(4 * a) },
	math.Copysign,
	func(a, _ float64) float64 { return math.Abs(a) },
	math.Min,
	math.Max,
	func(_, b float64) float64 { return b },
	func(a, _ float64) float64 { return a },
}

func TestExact(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testExact[float32](t, exact[float32]) })
	t.Run("f64", func(t *testing.T) { testExact[float64](t, exact[float64]) })
	for _, d := range []struct {
		typ dtype.Type
		fn  any
	}{{dtype.F16, exact[cute.Float16]}, {dtype.BF16, exact[cute.BFloat16]}} {
		t.Run(d.typ.String(), func(t *testing.T) {
			x, y := noise(128, 1, d.typ), noise(128, 2, d.typ)
			out := make([]uint16, 128*len(exactOnes))
			in := bitsOf(d.typ, x)
			run(t, everywhere, d.fn, line(in), line(bitsOf(d.typ, y)), line(in), view{out, "(128,13):(1,128)"})
			for k, f := range exactOnes {
				for i := range x {
					got := d.typ.FloatFromBits(uint64(out[k*128+i]))
					want := d.typ.FloatFromBits(d.typ.FloatBits(f(x[i], y[i])))
					if got != want {
						t.Fatalf("function %d of %v, %v = %v, want %v", k, x[i], y[i], got, want)
					}
				}
			}
		})
	}
}

func testExact[T float32 | float64](t *testing.T, fn any) {
	x, y := lane[T](1), lane[T](2)
	out := make([]T, 128*len(exactOnes))
	run(t, everywhere, fn, line(x), line(y), line(x), view{out, "(128,13):(1,128)"})
	for k, f := range exactOnes {
		for i := range x {
			got, want := float64(out[k*128+i]), float64(T(f(float64(x[i]), float64(y[i]))))
			if got != want || math.Signbit(got) != math.Signbit(want) && k != 9 && k != 10 {
				t.Fatalf("function %d of %v, %v = %v, want %v", k, x[i], y[i], got, want)
			}
		}
	}
}

func TestFMA(t *testing.T) {
	x, y, z := lane[float32](1), lane[float32](2), lane[float32](3)
	out := make([]float32, 256)
	run(t, turing, fma[float32], line(x), line(y), line(z), view{out, "(128,2):(1,128)"})
	differ := false
	for i := range x {
		fused := float32(float64(x[i])*float64(y[i]) + float64(z[i])) // 48 bits of a product, and numbers of like size: exact before
		plain := float32(x[i]*y[i]) + z[i]
		if out[i] != fused || out[128+i] != plain {
			t.Fatalf("%v * %v + %v = %v and %v, want %v and %v", x[i], y[i], z[i], out[i], out[128+i], fused, plain)
		}
		differ = differ || fused != plain
	}
	if !differ {
		t.Error("no number shows the difference between one rounding and two")
	}
	for _, d := range []struct {
		typ dtype.Type
		fn  any
	}{{dtype.F16, fma[cute.Float16]}, {dtype.BF16, fma[cute.BFloat16]}} {
		x, y, z := noise(128, 1, d.typ), noise(128, 2, d.typ), noise(128, 3, d.typ)
		out := make([]uint16, 256)
		run(t, everywhere, d.fn, line(bitsOf(d.typ, x)), line(bitsOf(d.typ, y)), line(bitsOf(d.typ, z)), view{out, "(128,2):(1,128)"})
		round := func(f float64) float64 { return d.typ.FloatFromBits(d.typ.FloatBits(f)) }
		for i, got := range valuesOf(d.typ, out) {
			x, y, z := x[i%128], y[i%128], z[i%128]
			want := round(x*y + z)
			if i >= 128 {
				want = round(round(x*y) + z)
			}
			if got != want {
				t.Fatalf("%v %d: %v * %v + %v = %v, want %v", d.typ, i/128, x, y, z, got, want)
			}
		}
	}
}

func TestApprox(t *testing.T) {
	x, y := noise(128, 1, dtype.BF16), noise(128, 2, dtype.BF16)
	p := func(a float64) float64 { return math.Abs(a) + 0.125 }
	want := []func(a, b float64) float64{
		func(a, _ float64) float64 { return math.Exp2(a) }, func(a, _ float64) float64 { return math.Exp(a) },
		func(a, _ float64) float64 { return math.Log2(p(a)) }, func(a, _ float64) float64 { return math.Log(p(a)) },
		func(a, _ float64) float64 { return math.Log10(p(a)) }, func(a, b float64) float64 { return math.Pow(p(a), b) },
		func(a, _ float64) float64 { return math.Sin(a) }, func(a, _ float64) float64 { return math.Cos(a) },
		func(a, _ float64) float64 { return math.Tanh(a) }, func(a, _ float64) float64 { return 1 / math.Sqrt(p(a)) },
		func(a, _ float64) float64 { return math.Sqrt(p(a)) }, func(a, _ float64) float64 { return 1 / p(a) },
		func(a, _ float64) float64 { return a / p(a) },
	}
	check := func(what string, tol float64, at func(k, i int) float64) {
		t.Helper()
		for k, f := range want {
			for i := range x {
				if got, w := at(k, i), f(x[i], y[i]); math.Abs(got-w) > tol*max(1, math.Abs(w)) {
					t.Errorf("%s: function %d of %v, %v = %v, want %v", what, k, x[i], y[i], got, w)
				}
			}
		}
	}
	xs, ys := fill(128, func(i int) float32 { return float32(x[i]) }), fill(128, func(i int) float32 { return float32(y[i]) })
	out := make([]float32, 128*len(want))
	run(t, everywhere, approx[float32], line(xs), line(ys), view{out, "(128,13):(1,128)"})
	check("float32", 1e-6, func(k, i int) float64 { return float64(out[k*128+i]) })
	half := make([]uint16, 128*len(want))
	run(t, everywhere, approx[cute.BFloat16], line(bitsOf(dtype.BF16, x)), line(bitsOf(dtype.BF16, y)), view{half, "(128,13):(1,128)"})
	check("BFloat16", 0.04, func(k, i int) float64 { return dtype.BF16.FloatFromBits(uint64(half[k*128+i])) })
	fails(t, "Exp2 does not take f64", approx[float64], line(make([]float64, 1)), line(make([]float64, 1)), line(make([]float64, 13)))
	fails(t, "FMA does not take tf32", fma[cute.TFloat32], line(x), line(x), line(x), line(x))
}

func TestMathOfVectors(t *testing.T) {
	x, out := []float32{0, 1, -2, 3}, make([]float32, 4)
	run(t, turing, vectors, line(x), line(out))
	equal(t, "vector", out, []float32{2, 4, -3.5, 16})
}

func TestMathOfConstants(t *testing.T) {
	out := make([]float32, 4)
	run(t, everywhere, known, line(out))
	x := float64(float32(1.0000001))
	equal(t, "constants", out, []float32{math.Sqrt2, float32(x*x - 1), -3, float32(dtype.F16.FloatFromBits(dtype.F16.FloatBits(math.Sqrt2)))})
}

func TestBits(t *testing.T) {
	x, y := fill(128, func(i int) int32 { return int32(i*i*i*7919) - 4000000 }), fill(128, func(i int) int32 { return int32(i) * -77777777 })
	x[0], x[1], x[2] = 0, -1, math.MinInt32
	out := make([]int32, 128*10)
	run(t, turing, bitsOps[int32], line(x), line(y), view{out, "(128,10):(1,128)"})
	for i, a := range x {
		u, b := uint32(a), y[i]
		field := int32(u << 22 >> 25) // seven bits from 3 on
		highest := bits.Len32(u)
		if a < 0 {
			highest = bits.Len32(^u)
		}
		last := int32(-1)
		if a >= 0 {
			last = 0
		}
		if i < 32 {
			w := int64(a) >> i
			last = int32(w<<60>>60) & -1
		}
		want := []int32{
			int32(bits.OnesCount32(u)), int32(bits.LeadingZeros32(u)), int32(bits.TrailingZeros32(u)), int32(bits.Reverse32(u)), int32(highest - 1),
			field << 25 >> 25, b&^(0x1ff<<5) | a&0x1ff<<5, int32(int64(a) * int64(b) >> 32), max(a, -a), last,
		}
		for k, w := range want {
			if got := out[k*128+i]; got != w {
				t.Fatalf("function %d of %x, %x = %x, want %x", k, a, b, got, w)
			}
		}
	}
	wide, out64 := fill(128, func(i int) uint64 { return uint64(i) * 0x123456789abcdef }), make([]uint64, 1280)
	run(t, turing, bitsOps[uint64], line(wide), line(wide), view{out64, "(128,10):(1,128)"})
	for i, a := range wide {
		hi, _ := bits.Mul64(a, a)
		field := a >> i & 15
		want := []uint64{
			uint64(bits.OnesCount64(a)), uint64(bits.LeadingZeros64(a)), uint64(bits.TrailingZeros64(a)), bits.Reverse64(a), uint64(bits.Len64(a) - 1),
			a >> 3 & 127, a&^(0x1ff<<5) | a&0x1ff<<5, hi, a, field,
		}
		for k, w := range want {
			if got := out64[k*128+i]; got != w {
				t.Fatalf("function %d of %x = %x, want %x", k, a, got, w)
			}
		}
	}
}

func TestWords32(t *testing.T) {
	x, y := fill(128, func(i int) uint32 { return uint32(i) * 0x1234567 }), fill(128, func(i int) uint32 { return ^uint32(i) * 0x7654321 })
	out := make([]uint32, 128*9)
	run(t, turing, words32, line(x), line(y), view{out, "(128,9):(1,128)"})
	for i, a := range x {
		b := y[i]
		both := uint64(b)<<32 | uint64(a)
		permuted, dot, dotU := uint32(0), int32(5), uint32(5)
		for k, n := range []int{1, 3, 5, 7} {
			permuted |= uint32(both>>(8*n)&255) << (8 * k)
			dot += int32(int8(a>>(8*k))) * int32(int8(b>>(8*k)))
			dotU += a >> (8 * k) & 255 * (b >> (8 * k) & 255)
		}
		want := []uint32{
			uint32(both << 5 >> 32), uint32(both >> (i & 31)), bits.RotateLeft32(a, 7), permuted, a&b ^ 0x0f0f0f0f, uint32(dot), dotU,
			math.Float32bits(math.Float32frombits(a) * 2), 0x3e00 + uint32(int32(int16(dtype.F16.FloatBits(float64(i))))),
		}
		for k, w := range want {
			if got := out[k*128+i]; got != w && !(k == 7 && math.Float32frombits(w) != math.Float32frombits(w)) {
				t.Fatalf("function %d of %x, %x = %x, want %x", k, a, b, got, w)
			}
		}
	}
}

// TestVectorOperators compares every operator on vectors with the same on each element.
func TestVectorOperators(t *testing.T) {
	x, y := []float32{1.5, -2, 3, 0.25}, []float32{2, 4, -1, 0.25}
	where := func(p bool, a, b float32) float32 {
		if p {
			return a
		}
		return b
	}
	for _, n := range []int{0, 1, 3, 5} {
		const rows = 13
		out := make([]float32, rows*4)
		run(t, everywhere, vectorOps, line(x), line(y), n, view{out, fmt.Sprintf("(%d,4):(4,1)", rows)})
		for j := range 4 {
			a, b := x[j], y[j]
			less, positive := a < b, a > 0
			c, e := a, b
			for i := range n {
				c = c*2 + float32(i)
				if i&1 == 1 {
					c, e = e, c
				}
			}
			d := e*0 + 7 + a
			if n <= 3 {
				d = e
			}
			k := int(a)
			k = k/2*4 + 1 - -k
			want := []float32{
				where(less && positive, a, -b), where(less || !positive, 1, b), where(n > 3, a, 2*b), min(a, b) + max(a, 0.5, b), min(1, a) - b/4, c, e, d,
				float32(k), float32(uint8(max(a, -a))) + where(n > 100, 1, 3), where(n > 2 && less, a, e) + where(positive || n > 2, a, 0), where(less != positive, a, 0) + where(a == e, 1, 0), x[1] * 4,
			}
			for i, w := range want {
				if got := out[4*i+j]; got != w {
					t.Errorf("n is %d: row %d, element %d is %g, want %g", n, i, j, got, w)
				}
			}
		}
	}
}
