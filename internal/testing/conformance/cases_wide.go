package conformance

import (
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// wideProducts are the cases of products of large tiles. Their numbers are whole and small, so that sums are exact.
func wideProducts() []Case {
	const f16, bf16, f32 = "dtype.Float16", "dtype.BFloat16", "float32"
	return []Case{
		wide[dtype.Float16, float32]("nn", inst("gemm", f16, f32, "D64", "D32", "D32"), [3]int{128, 64, 160}),
		wide[dtype.Float16, float32]("narrow", inst("gemm", f16, f32, "D64", "D16", "D16"), [3]int{72, 40, 104}),
		wide[dtype.Float16, float32]("columns", inst("gemm", f16, f32, "D64", "D8", "D64"), [3]int{64, 24, 320}),
		wide[dtype.Float16, float32]("ragged", inst("gemm", f16, f32, "D64", "D64", "D32"), [3]int{67, 65, 99}),
		wide[dtype.BFloat16, float32]("large", inst("gemm", bf16, f32, "D128", "D128", "D128"), [3]int{128, 136, 384}),
		wide[dtype.Float16, float32]("broad", inst("gemm", f16, f32, "D128", "D256", "D32"), [3]int{128, 264, 96}),
		wide[dtype.Float16, float32]("high", inst("gemm", f16, f32, "D256", "D128", "D64"), [3]int{256, 128, 0}),
		wide[dtype.Float16, dtype.Float16]("broad-half", inst("gemm", f16, f16, "D128", "D256", "D64"), [3]int{128, 264, 64}),
		wide[dtype.Float16, float32]("eight-warps", inst("gemm", f16, f32, "D128", "D256", "D32"), [3]int{136, 264, 160}),
		wide[dtype.Float16, float32]("eight-warps-nt", inst("gemmNT", f16, f32, "D64", "D512", "D32"), [3]int{64, 512, 96}, 1),
		wide[dtype.Float16, dtype.Float16]("half", inst("gemm", f16, f16, "D64", "D32", "D16"), [3]int{64, 64, 64}),
		wide[dtype.Float16, float32]("nt", inst("gemmNT", f16, f32, "D64", "D32", "D64"), [3]int{128, 64, 320}, 1),
		wide[dtype.BFloat16, float32]("nt-narrow", inst("gemmNT", bf16, f32, "D64", "D8", "D16"), [3]int{64, 16, 88}, 1),
		wide[dtype.Float16, float32]("tn", inst("gemmTN", f16, f32, "D64", "D64", "D32"), [3]int{128, 64, 160}, 0),
		wide[dtype.Float16, float32]("batches", inst("gemmBatch", f16, f32, "D2", "D64", "D16", "D32"), [3]int{64, 32, 160}, 2),
		wide[int8, int32]("int8", inst("gemmIntNT", "D64", "D32", "D64"), [3]int{64, 64, 256}, 1, 5),
		wide[int8, int32]("int8-nn", inst("gemmInt", "D64", "D32", "D32"), [3]int{64, 64, 96}, 5),
		wide[uint8, int32]("uint8", inst("gemmUint", "D64", "D16", "D64"), [3]int{64, 32, 192}),
		wide[dtype.Float8E4M3FN, float32]("e4m3", inst("gemmFastNT", "dtype.Float8E4M3FN", "D64", "D32", "D64"), [3]int{64, 64, 256}, 1),
		wide[dtype.Float8E5M2, float32]("e5m2", inst("gemmFastNT", "dtype.Float8E5M2", "D64", "D16", "D32"), [3]int{64, 32, 96}, 1),
		wide[float32, float32]("tf32", inst("gemmTF32", "D64", "D32", "D16"), [3]int{64, 64, 80}),
		turns("horner", "gemmHorner", func(sum, x float64) float64 { return 2*sum + x }),
		turns("skip", "gemmSkip", func(sum, x float64) float64 { return sum + x }),
		{Name: "wide/onto", Kernel: inst("gemmOnto", "D64", "D32", "D32"), Setup: func(r *rand.Rand) Setup {
			const m, n, k = 64, 64, 160
			a, b, d := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*n, -3, 3), small[float32](r, m*n, -9, 9)
			want := matmul(a, b, 1, m, n, k)
			for i := range want {
				want[i] += float64(d[i])
			}
			c := blank[float32](m, n)
			return Setup{Args: []any{arr(a, m, k), arr(b, k, n), arr(d, m, n), c}, Want: []Want{exactly(c, mapped(fromF64[float32], want))}}
		}},
		{Name: "wide/after", Kernel: inst("gemmAfter", "D64", "D32", "D64"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			const m, n, k = 64, 32, 320
			a, b := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*n, -3, 3)
			c, d := blank[float32](m, n), blank[dtype.Float16](m, k)
			twice := mapped(func(x dtype.Float16) dtype.Float16 { return fromF64[dtype.Float16](2 * x.Float64()) }, a)
			want := mapped(fromF64[float32], matmul(twice, b, 1, m, n, k))
			return Setup{Args: []any{arr(a, m, k), arr(b, k, n), d, c}, Want: []Want{exactly(d, twice), exactly(c, want)}}
		}},
		{Name: "wide/pair", Kernel: inst("gemmPair", "D64", "D32", "D32"), Setup: func(r *rand.Rand) Setup {
			const m, n, k = 64, 64, 160
			var args []any
			want := make([]float64, m*n)
			for sign := 1.0; sign >= -1; sign -= 2 {
				a, b := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*n, -3, 3)
				for i, v := range matmul(a, b, 1, m, n, k) {
					want[i] += sign * v
				}
				args = append(args, arr(a, m, k), arr(b, k, n))
			}
			c := blank[float32](m, n)
			return Setup{Args: append(args, c), Want: []Want{exactly(c, mapped(fromF64[float32], want))}}
		}},
		chain("chain", inst("gemmChain", "D64", "D32", "D64", "D16"), 128, 160, 64, 32),
		chain("chain-of-eight-warps", inst("gemmChain", "D128", "D64", "D64", "D128"), 128, 192, 64, 128),
		{Name: "wide/rows", Kernel: inst("gemmRows", "D64", "D32", "D64"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			const m, n, k, columns = 192, 32, 64, 160
			a, b := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*columns, -3, 3)
			want := make([]float64, m*n)
			for i, v := range matmul(a, b, 1, m, columns, k) {
				want[i/columns*n+i%columns%n] += v
			}
			c := blank[float32](m, n)
			return Setup{Args: []any{arr(a, m, k), arr(b, k, columns), c, int32(m / 64)}, Want: []Want{exactly(c, mapped(fromF64[float32], want))}}
		}},
	}
}

// wide multiplies matrices of m by k and k by n elements. as says which factor is stored by its columns, or that there are so many
// batches; a number from 5 on is added to the sums.
func wide[E, A dtype.Elem](name string, kernel any, mnk [3]int, as ...int) Case {
	return Case{Name: "wide/" + name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		m, n, k := mnk[0], mnk[1], mnk[2]
		batches, plus := 1, 0.0
		columns := [2]bool{}
		for _, x := range as {
			switch {
			case x < 2:
				columns[x] = true
			case x < 5:
				batches = x
			default:
				plus = float64(x)
			}
		}
		low := -3
		if dtype.Of[E]() == dtype.U8 {
			low = 0
		}
		a, b := small[E](r, batches*m*k, low, 3), small[E](r, batches*k*n, low, 3)
		want := matmul(a, b, batches, m, n, k)
		for i := range want {
			want[i] += plus
		}
		shape := func(rows, columns int) []int {
			if batches > 1 {
				return []int{batches, rows, columns}
			}
			return []int{rows, columns}
		}
		c := blank[A](shape(m, n)...)
		args := []any{arr(a, shape(m, k)...), arr(b, shape(k, n)...), c}
		if columns[0] {
			args[0] = arr(transposed(a, m, k), k, m)
		}
		if columns[1] {
			args[1] = arr(transposed(b, k, n), n, k)
		}
		return Setup{Args: args, Want: []Want{exactly(c, mapped(fromF64[A], want))}}
	}}
}

// chain multiplies a matrix of m by k elements by one of k by n, and the result by one of n by p.
func chain(name string, kernel any, m, n, k, p int) Case {
	return Case{Name: "wide/" + name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		a, b, d := small[dtype.Float16](r, m*k, -1, 1), small[dtype.Float16](r, k*n, -1, 1), small[dtype.Float16](r, n*p, -3, 3)
		c := blank[float32](m, p)
		middle := mapped(fromF64[dtype.Float16], matmul(a, b, 1, m, n, k))
		want := mapped(fromF64[float32], matmul(middle, d, 1, m, p, n))
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), arr(d, n, p), c}, Want: []Want{exactly(c, want)}}
	}}
}

// transposed turns a matrix around.
func transposed[E any](x []E, rows, columns int) []E {
	out := make([]E, len(x))
	for i, v := range x {
		out[i%columns*rows+i/columns] = v
	}
	return out
}

// turns joins the products of the parts of k, all but one, in their order.
func turns(name, kernel string, join func(sum, x float64) float64) Case {
	return Case{Name: "wide/" + name, Kernel: inst(kernel, "D64", "D32", "D16"), Setup: func(r *rand.Rand) Setup {
		const m, n, k, part, without = 64, 64, 96, 16, 3
		a, b := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*n, -3, 3)
		want := make([]float64, m*n)
		for t := range k / part {
			if t == without {
				continue
			}
			var left []dtype.Float16
			for row := range m {
				left = append(left, a[row*k+t*part:][:part]...)
			}
			for i, x := range matmul(left, b[t*part*n:][:part*n], 1, m, n, part) {
				want[i] = join(want[i], x)
			}
		}
		c := blank[float32](m, n)
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c, int32(without)}, Want: []Want{exactly(c, mapped(fromF64[float32], want))}}
	}}
}
