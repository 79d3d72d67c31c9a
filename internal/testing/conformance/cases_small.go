package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// smalls are the cases of elements of fewer than 16 bits, and of tf32.
func smalls() []Case { return slices.Concat(smallMoves(), packings(), smallProducts()) }

// smallMoves convert and copy elements.
func smallMoves() []Case {
	return []Case{
		narrowing[float32, dtype.Float8E4M3FN](inst("narrow", "float32", "dtype.Float8E4M3FN", "D64")),
		narrowing[float32, dtype.Float8E5M2](inst("narrow", "float32", "dtype.Float8E5M2", "D64")),
		narrowing[float32, dtype.TensorFloat32](inst("narrow", "float32", "dtype.TensorFloat32", "D64")),
		narrowing[dtype.Float16, dtype.Float8E4M3FN](inst("narrow", "dtype.Float16", "dtype.Float8E4M3FN", "D64")),
		narrowing[dtype.BFloat16, dtype.Float8E5M2](inst("narrow", "dtype.BFloat16", "dtype.Float8E5M2", "D64")),
		newer(narrowing[float32, dtype.Float8E5M3FNU](inst("narrow", "float32", "dtype.Float8E5M3FNU", "D64"))),
		{Name: "narrow/scale", Kernel: inst("narrow", "float32", "dtype.Float8E8M0FNU", "D64"), Setup: func(r *rand.Rand) Setup {
			x := []float32{0, 1e-45, 0x1p-127, 0x1.1p-127, 0.75, 1, 1.0001, 1.5, 2, 3, 5, 0x1p127, 0x1.1p127, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()), -1, -3}
			y, z := blank[dtype.Float8E8M0FNU](len(x)), blank[float32](len(x))
			want := mapped(func(v float32) dtype.Float8E8M0FNU {
				switch f := math.Abs(float64(v)); {
				case f != f:
					return 255
				case f <= 0x1p-127:
					return 0
				default:
					return dtype.Float8E8M0FNU(min(127+math.Ceil(math.Log2(f)), 254))
				}
			}, x)
			return Setup{Args: []any{arr(x), y, z}, Want: []Want{exactly(y, want), exactly(z, mapped(dtype.Float8E8M0FNU.Float32, want))}}
		}},
		moving[dtype.Float8E4M3FN](inst("copySmall", "dtype.Float8E4M3FN", "D4", "D16")),
		moving[dtype.Float8E5M2](inst("copySmall", "dtype.Float8E5M2", "D4", "D16")),
		moving[dtype.Float8E8M0FNU](inst("copySmall", "dtype.Float8E8M0FNU", "D4", "D16")),
		moving[dtype.TensorFloat32](inst("copySmall", "dtype.TensorFloat32", "D4", "D16")),
	}
}

// packings have several elements in a byte, or bytes in place of elements.
func packings() []Case {
	return []Case{
		{Name: "pack/f4", Kernel: inst("packs4", "D32", "D16"), Setup: func(r *rand.Rand) Setup {
			x := append(random[float32](r, 84), 0, float32(math.Copysign(0, -1)), 0.25, -0.25, 0.75, 1.25, 2.5, 3.5, 5, -5, 100, float32(math.Inf(-1)))
			b, y := blank[uint8](len(x)/2), blank[float32](len(x))
			four := mapped(dtype.Float4E2M1FNFromFloat32, x)
			var bytes []uint8
			for i := 0; i < len(four); i += 2 {
				bytes = append(bytes, uint8(four[i])|uint8(four[i+1])<<4)
			}
			return Setup{Args: []any{arr(x), b, y}, Want: []Want{exactly(b, bytes), exactly(y, mapped(dtype.Float4E2M1FN.Float32, four))}}
		}},
		{Name: "spread/f4", Kernel: inst("spreads4", "D4"), Setup: func(r *rand.Rand) Setup {
			x, y := random[float32](r, 5), blank[float32](20)
			var want []float32
			for _, v := range x {
				want = append(want, slices.Repeat([]float32{dtype.Float4E2M1FNFromFloat32(v).Float32()}, 4)...)
			}
			return Setup{Args: []any{arr(x), y}, Want: []Want{exactly(y, want)}}
		}},
		{Name: "pack/i4", Kernel: inst("unpacks4", "D32", "D16"), Setup: func(r *rand.Rand) Setup {
			x := random[uint8](r, 48)
			y, b := blank[int32](96), blank[int8](48)
			var want []int32
			var bytes []int8
			for _, v := range x {
				lo, hi := int32(int8(v<<4)>>4), int32(int8(v)>>4)
				want, bytes = append(want, lo, hi), append(bytes, int8(lo*3&15|hi*3<<4))
			}
			return Setup{Args: []any{arr(x), y, b}, Want: []Want{exactly(y, want), exactly(b, bytes)}}
		}},
		{Name: "pack/f32", Kernel: inst("raw", "D8", "D32"), Setup: func(r *rand.Rand) Setup {
			x := edged[float32](r, 4)
			x = x[:len(x)/8*8]
			b, y, i := blank[uint8](4*len(x)), blank[float32](len(x)), blank[int32](len(x))
			return Setup{Args: []any{arr(x), b, y, i}, Want: []Want{exactly(b, bytesOf(x)), exactly(y, x),
				exactly(i, mapped(func(v float32) int32 { return int32(math.Float32bits(v)) }, x))}}
		}},
	}
}

// smallProducts are matrix products.
func smallProducts() []Case {
	return []Case{
		gemmExact[dtype.Float8E4M3FN, float32](inst("gemm", "dtype.Float8E4M3FN", "float32", "D16", "D16", "D32"), 0, 33, 35, 40),
		gemmExact[dtype.Float8E5M2, float32](inst("gemm", "dtype.Float8E5M2", "float32", "D16", "D8", "D32"), 0, 33, 35, 40),
		gemmExact[dtype.Float8E4M3FN, dtype.Float16](inst("gemm", "dtype.Float8E4M3FN", "dtype.Float16", "D16", "D16", "D32"), 0, 20, 18, 40),
		gemmExact[dtype.TensorFloat32, float32](inst("gemm", "dtype.TensorFloat32", "float32", "D16", "D8", "D16"), 0, 33, 35, 40),
		gemmExact[dtype.Float8E5M2, float32](inst("gemmBatch", "dtype.Float8E5M2", "float32", "D2", "D8", "D16", "D32"), 3, 9, 17, 33),
		{Name: "dot/fast", Kernel: inst("gemmFast", "dtype.Float8E4M3FN", "D16", "D16", "D32"), Setup: func(r *rand.Rand) Setup {
			const m, n, k = 20, 18, 40
			a, b := small[dtype.Float8E4M3FN](r, m*k, -3, 3), small[dtype.Float8E4M3FN](r, k*n, -3, 3)
			c := blank[float32](m, n)
			return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c}, Want: []Want{exactly(c, mapped(fromF64[float32], matmul(a, b, 1, m, n, k)))}}
		}},
		{Name: "dot/mixed", Kernel: inst("gemmMixed", "D16", "D16", "D32"), Setup: func(r *rand.Rand) Setup {
			const m, n, k = 33, 20, 70
			a, b := random[int8](r, m*k), random[uint8](r, k*n)
			c, d := blank[int32](m, n), blank[int32](n, m)
			want := make([]int32, m*n)
			for i := range want {
				for p := range k {
					want[i] += int32(a[i/n*k+p]) * int32(b[p*n+i%n])
				}
			}
			var turned []int32
			for j := range n {
				for i := range m {
					turned = append(turned, want[i*n+j])
				}
			}
			return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c, d}, Want: []Want{exactly(c, want), exactly(d, turned)}}
		}},
		{Name: "dot/intBatch", Kernel: inst("gemmIntBatch", "D2", "D8", "D16", "D32"), Setup: func(r *rand.Rand) Setup {
			const l, m, n, k = 3, 9, 17, 33
			a, b := random[int8](r, l*m*k), random[int8](r, l*k*n)
			c := blank[int32](l, m, n)
			want := mapped(func(v float64) int32 { return int32(v) }, matmul(a, b, l, m, n, k))
			return Setup{Args: []any{arr(a, l, m, k), arr(b, l, k, n), c}, Want: []Want{exactly(c, want)}}
		}},
		scaled[dtype.Float8E4M3FN, dtype.Float8E8M0FNU]("e4m3", inst("gemmScaled", "dtype.Float8E4M3FN", "dtype.Float8E8M0FNU", "D16", "D16", "D64", "D2"), 0),
		scaled[dtype.Float8E5M2, dtype.Float8E8M0FNU]("e5m2", inst("gemmScaled", "dtype.Float8E5M2", "dtype.Float8E8M0FNU", "D8", "D16", "D128", "D4"), 0),
		scaled[dtype.Float8E5M2, dtype.Float8E8M0FNU]("batch", inst("gemmScaledBatch", "dtype.Float8E5M2", "dtype.Float8E8M0FNU", "D1", "D8", "D16", "D64", "D2"), 3),
		scaled[dtype.Float8E4M3FN, dtype.Float8E8M0FNU]("large", inst("gemmScaled", "dtype.Float8E4M3FN", "dtype.Float8E8M0FNU", "D128", "D64", "D128", "D4"), 0),
		scaled[dtype.Float8E5M2, dtype.Float8E8M0FNU]("long", inst("gemmScaled", "dtype.Float8E5M2", "dtype.Float8E8M0FNU", "D64", "D16", "D256", "D8"), 0),
		scaled[dtype.Float8E4M3FN, dtype.Float8E8M0FNU]("batches", inst("gemmScaledBatch", "dtype.Float8E4M3FN", "dtype.Float8E8M0FNU", "D2", "D32", "D32", "D32", "D1"), 3),
		fours[dtype.Float8E8M0FNU](32, inst("gemmFour", "dtype.Float8E8M0FNU", "D16", "D8", "D64", "D2")),
		fours[dtype.Float8E8M0FNU](16, inst("gemmFour", "dtype.Float8E8M0FNU", "D16", "D8", "D64", "D4")),
		newer(fours[dtype.Float8E5M3FNU](32, inst("gemmFour", "dtype.Float8E5M3FNU", "D16", "D8", "D64", "D2"))),
		fours[dtype.Float8E4M3FN](16, inst("gemmFour", "dtype.Float8E4M3FN", "D16", "D8", "D64", "D4")),
	}
}

// newer is a case whose element type is of version 13.4.
func newer(c Case) Case {
	c.Since = tileir.V13_4
	return c
}

// narrowing rounds over the whole range of the narrow format and beyond.
func narrowing[E floatElem, S dtype.Elem](kernel any) Case {
	return Case{Name: convertName[E, S]("narrow"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := edged[E](r, 100)
		for range 400 {
			x = append(x, fromF64[E](math.Ldexp(r.Float64()*2-1, r.IntN(60)-30)))
		}
		t := dtype.Of[S]()
		for b := range uint64(256) { // every number of the format, and what lies between two
			v := t.FloatFromBits(b)
			x = append(x, fromF64[E](v), fromF64[E]((v+t.FloatFromBits((b+1)%256))/2))
		}
		y, z := blank[S](len(x)), blank[E](len(x))
		want := mapped(func(v E) S { return fromF64[S](toF64(v)) }, x)
		return Setup{Args: []any{arr(x), y, z}, Want: []Want{exactly(y, want), exactly(z, mapped(func(v S) E { return fromF64[E](toF64(v)) }, want))}}
	}}
}

// moving turns a matrix around, whatever its bits mean.
func moving[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("move"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n = 9, 37
		x := make([]E, m*n)
		for i := range x {
			x[i] = fromF64[E](math.Ldexp(1+float64(r.IntN(8))/8, r.IntN(12)-6))
		}
		y := blank[E](n, m)
		var want []E
		for j := range n {
			for i := range m {
				want = append(want, x[i*n+j])
			}
		}
		return Setup{Args: []any{arr(x, m, n), y, arr(x), 5}, Want: []Want{exactly(y, want)}}
	}}
}

// factors are powers of two, and their numbers.
func factors[S dtype.Elem](r *rand.Rand, n int) []S {
	out := make([]S, n)
	for i := range out {
		out[i] = fromF64[S](math.Ldexp(1, r.IntN(5)-2))
	}
	return out
}

// scaled multiplies small whole numbers with factors that are powers of two, so that every sum is exact. l is the number
// of products, 0 for one without a batch axis.
func scaled[E, S dtype.Elem](name string, kernel any, l int) Case {
	return Case{Name: "dot/scaled/" + name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, k, block = 24, 40, 288, 32
		batch := max(l, 1)
		a, b := small[E](r, batch*m*k, -2, 2), small[E](r, batch*k*n, -2, 2)
		sa, sb := factors[S](r, batch*m*k/block), factors[S](r, batch*k/block*n)
		want := scaledHost(a, b, sa, sb, batch, m, n, k, block)
		for i := range want {
			want[i]++
		}
		shapes := [][]int{{m, k}, {m, k / block}, {k, n}, {k / block, n}, {m, n}}
		if l > 0 {
			for i := range shapes {
				shapes[i] = slices.Insert(shapes[i], 0, l)
			}
		}
		c := blank[float32](shapes[4]...)
		return Setup{Args: []any{arr(a, shapes[0]...), arr(sa, shapes[1]...), arr(b, shapes[2]...), arr(sb, shapes[3]...), c}, Want: []Want{exactly(c, want)}}
	}}
}

func scaledHost[E, S dtype.Elem](a, b []E, sa, sb []S, batch, m, n, k, block int) []float32 {
	out := make([]float32, batch*m*n)
	s := k / block
	for at := range out {
		l, i, j := at/(m*n), at/n%m, at%n
		for p := range k {
			out[at] += float32(toF64(a[l*m*k+i*k+p]) * toF64(sa[l*m*s+i*s+p/block]) * toF64(b[l*k*n+p*n+j]) * toF64(sb[l*s*n+p/block*n+j]))
		}
	}
	return out
}

// fours multiplies floats of 4 bits that lie two in a byte.
func fours[S dtype.Elem](block int, kernel any) Case {
	return Case{Name: fmt.Sprintf("dot/scaled/e2m1/%v/%d", dtype.Of[S](), block), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, k = 16, 8, 64
		a, b := random[uint8](r, m*k/2), random[uint8](r, n*k/2)
		value := func(bytes []uint8, i int) float32 {
			return dtype.Float4E2M1FN(bytes[i/2] >> (i % 2 * 4) & 15).Float32()
		}
		x, y := make([]float32, m*k), make([]float32, k*n)
		for i := range x {
			x[i] = value(a, i)
		}
		for i := range y {
			y[i] = value(b, i%n*k+i/n)
		}
		sa, sb := factors[S](r, m*k/block), factors[S](r, k/block*n)
		c := blank[float32](m, n)
		return Setup{Args: []any{arr(a), arr(sa, m, k/block), arr(b), arr(sb, k/block, n), c},
			Want: []Want{exactly(c, scaledHost(x, y, sa, sb, 1, m, n, k, block))}}
	}}
}
