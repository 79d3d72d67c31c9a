package conformance

import (
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// products are the cases of matrix products: whole numbers, whose sums are exact, and others within a bound.
func products() []Case {
	return []Case{
		gemmExact[dtype.Float16, float32](inst("gemm", "dtype.Float16", "float32", "D16", "D16", "D16"), 0, 33, 35, 40),
		gemmExact[dtype.BFloat16, float32](inst("gemm", "dtype.BFloat16", "float32", "D16", "D8", "D32"), 0, 33, 35, 40),
		gemmExact[dtype.Float16, dtype.Float16](inst("gemm", "dtype.Float16", "dtype.Float16", "D16", "D16", "D16"), 0, 20, 18, 40),
		gemmExact[float32, float32](inst("gemm", "float32", "float32", "D16", "D8", "D16"), 0, 33, 35, 40),
		gemmExact[float64, float64](inst("gemm", "float64", "float64", "D16", "D16", "D8"), 0, 33, 35, 40),
		gemmExact[dtype.Float16, float32](inst("gemm", "dtype.Float16", "float32", "D1", "D1", "D1"), 0, 3, 2, 5),
		gemmNear[dtype.Float16, float32](inst("gemm", "dtype.Float16", "float32", "D16", "D16", "D16")),
		gemmNear[dtype.BFloat16, float32](inst("gemm", "dtype.BFloat16", "float32", "D16", "D16", "D16")),
		gemmNear[float32, float32](inst("gemm", "float32", "float32", "D16", "D16", "D16")),
		gemmNear[float64, float64](inst("gemm", "float64", "float64", "D16", "D16", "D16")),
		gemmExact[dtype.Float16, float32](inst("gemmBatch", "dtype.Float16", "float32", "D2", "D8", "D16", "D16"), 3, 9, 17, 33),
		gemmExact[dtype.BFloat16, float32](inst("gemmBatch", "dtype.BFloat16", "float32", "D1", "D8", "D16", "D16"), 3, 9, 17, 33),
		gemmExact[float32, float32](inst("gemmBatch", "float32", "float32", "D2", "D8", "D16", "D16"), 3, 9, 17, 33),
		gemmExact[float64, float64](inst("gemmBatch", "float64", "float64", "D2", "D8", "D16", "D16"), 3, 9, 17, 33),
		gemmInts[int8]("dot/int", inst("gemmInt", "D16", "D16", "D32"), 5),
		gemmInts[uint8]("dot/uint", inst("gemmUint", "D16", "D16", "D32"), 0),
		{Name: "dot/into", Kernel: inst("gemmInto", "D16", "D16", "D16"), Grid: []int{2, 3}, Setup: func(r *rand.Rand) Setup {
			const m, n, k = 32, 41, 50
			a, b, c := small[dtype.Float16](r, m*k, -4, 4), small[dtype.Float16](r, k*n, -4, 4), small[float32](r, m*n, -9, 9)
			want := matmul(a, b, 1, m, n, k)
			for i := range want {
				want[i] += float64(c[i])
			}
			z := arr(c, m, n)
			return Setup{Args: []any{arr(a, m, k), arr(b, k, n), z}, Want: []Want{exactly(z, mapped(fromF64[float32], want))}}
		}},
		namedRows("dot/rows", inst("gemmNamed", "D16", "D16", "D16"), 16),
		namedRows("dot/rows/large", inst("gemmNamed", "D64", "D32", "D32"), 32),
		skips[dtype.Float8E4M3FN](inst("gemmSkips", "dtype.Float8E4M3FN", "D128", "D32", "D32")),
		skips[dtype.Float16](inst("gemmSkips", "dtype.Float16", "D64", "D32", "D32")),
		constantFactor[dtype.TensorFloat32](inst("gemmConstants", "dtype.TensorFloat32", "D16", "D16")),
		constantFactor[dtype.BFloat16](inst("gemmConstants", "dtype.BFloat16", "D16", "D16")),
		constantFactor[float32](inst("gemmConstants", "float32", "D16", "D16")),
		epilogue("relu", relu[tile.F32T2[tile.D16, tile.D16]], func(v float64) float64 { return max(v, 0) }),
		epilogue("halfRelu", halfRelu[tile.F32T2[tile.D16, tile.D16]], func(v float64) float64 { return max(v, 0) / 2 }),
		softmaxCase[float32](inst("softmax", "float32", "D4", "D32"), 16),
		softmaxCase[float64](inst("softmax", "float64", "D4", "D32"), 16),
		softmaxCase[dtype.Float16](inst("softmax", "dtype.Float16", "D4", "D32"), 16),
	}
}

// matmul multiplies l pairs of matrices in float64.
func matmul[E dtype.Elem](a, b []E, l, m, n, k int) []float64 {
	out := make([]float64, l*m*n)
	for at := range out {
		i, j, batch := at/n%m, at%n, at/(m*n)
		for p := range k {
			out[at] += toF64(a[batch*m*k+i*k+p]) * toF64(b[batch*k*n+p*n+j])
		}
	}
	return out
}

// gemmExact multiplies small whole numbers: l pairs of matrices, or two that have no batch axis where l is 0.
func gemmExact[E, A dtype.Elem](kernel any, l, m, n, k int) Case {
	name := convertName[E, A]("dot/exact")
	batch := max(l, 1)
	switch {
	case l > 0:
		name = convertName[E, A]("dot/batch")
	case k < 8:
		name = convertName[E, A]("dot/tiny")
	}
	return Case{Name: name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		a, b := small[E](r, batch*m*k, -3, 3), small[E](r, batch*k*n, -3, 3)
		c := blank[A](batch * m * n)
		want := exactly(c, mapped(fromF64[A], matmul(a, b, batch, m, n, k)))
		shapes := [][]int{{batch, m, k}, {batch, k, n}, {batch, m, n}}
		if l == 0 {
			shapes = [][]int{{m, k}, {k, n}, {m, n}}
		}
		c = c.reshaped(shapes[2]...)
		want.Array = c
		return Setup{Args: []any{arr(a, shapes[0]...), arr(b, shapes[1]...), c}, Want: []Want{want}}
	}}
}

// gemmNear multiplies random numbers. Whatever the order, the error of a sum of n products, each rounded once in the
// accumulator's format, is at most n+1 times its relative error times the sum of the magnitudes.
func gemmNear[E, A dtype.Elem](kernel any) Case {
	return Case{Name: convertName[E, A]("dot/near"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, k = 33, 20, 70
		a, b := random[E](r, m*k), random[E](r, k*n)
		abs := func(v E) E { return fromF64[E](math.Abs(toF64(v))) }
		c := blank[A](m, n)
		w := Want{Array: c, Near: matmul(a, b, 1, m, n, k), Tol: matmul(mapped(abs, a), mapped(abs, b), 1, m, n, k)}
		for i := range w.Tol {
			w.Tol[i] *= (k + 1) * formats[dtype.Of[A]()].ulp(1) / 2
		}
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c}, Want: []Want{w}}
	}}
}

func gemmInts[E intElem](name string, kernel any, start float64) Case {
	return Case{Name: name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, k = 33, 20, 70
		a, b := random[E](r, m*k), random[E](r, k*n)
		for i, v := range edges[E]() {
			a[i], b[i*n] = v, v
		}
		c := blank[int32](m, n)
		want := mapped(func(v float64) int32 { return int32(v + start) }, matmul(a, b, 1, m, n, k))
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c}, Want: []Want{exactly(c, want)}}
	}}
}

// skips leaves out some turns of 32.
func skips[E dtype.Elem](kernel any) Case {
	return Case{Name: "dot/skips/" + dtype.Of[E]().String(), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, turn = 130, 40, 32
		flags := []int32{1, 0, 1, 1, 0, 0, 1}
		k := turn * len(flags)
		a, b := small[E](r, m*k, -3, 3), small[E](r, k*n, -3, 3)
		used := make([]E, k*n)
		for i, skip := range flags {
			if skip == 0 {
				copy(used[i*turn*n:][:turn*n], b[i*turn*n:])
			}
		}
		c := blank[float32](m, n)
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), arr(flags, len(flags)), c}, Want: []Want{exactly(c, mapped(fromF64[float32], matmul(a, used, 1, m, n, k)))}}
	}}
}

// constantFactor multiplies by constants of a type.
func constantFactor[E dtype.Elem](kernel any) Case {
	return Case{Name: "dot/constants/" + dtype.Of[E]().String(), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const n, before = 16, 5
		a, b, c := small[E](r, n*n, -3, 3), make([]E, n*n), blank[float32](n, n)
		for i := range b {
			b[i] = fromF64[E](1.5)
			if i%n < before {
				b[i] = fromF64[E](-2)
			}
		}
		return Setup{Args: []any{arr(a, n, n), c, before}, Want: []Want{exactly(c, mapped(fromF64[float32], matmul(a, b, 1, n, n, n)))}}
	}}
}

// namedRows multiplies by rows that a table names, of which some do not exist, for tiles of so many rows.
func namedRows(name string, kernel any, tile int) Case {
	return Case{Name: name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const m, n, rows, turns, skip = 70, 40, 50, 6, 2
		k := turns * tile
		a, b, table := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, rows*n, -3, 3), make([]int32, k)
		for i := range table {
			table[i] = int32(r.IntN(rows+2)) - 1
		}
		chosen := make([]dtype.Float16, k*n)
		for i, row := range table {
			if row >= 0 && row < rows && i/tile != skip {
				copy(chosen[i*n:][:n], b[row*n:][:n])
			}
		}
		c := blank[float32](m, n)
		want := matmul(a, chosen, 1, m, n, k)
		return Setup{Args: []any{arr(a, m, k), arr(b, rows, n), arr(table, k), c, skip}, Want: []Want{exactly(c, mapped(fromF64[float32], want))}}
	}}
}

func epilogue(name string, f any, ref func(float64) float64) Case {
	return Case{Name: "dot/epilogue/" + name, Kernel: inst("gemmAct", "D16", "D16", "D16"), Setup: func(r *rand.Rand) Setup {
		const m, n, k = 20, 18, 33
		a, b := small[dtype.Float16](r, m*k, -3, 3), small[dtype.Float16](r, k*n, -3, 3)
		c := blank[dtype.Float16](m, n)
		want := mapped(func(v float64) dtype.Float16 { return fromF64[dtype.Float16](ref(v)) }, matmul(a, b, 1, m, n, k))
		return Setup{Args: []any{arr(a, m, k), arr(b, k, n), c, f}, Want: []Want{exactly(c, want)}}
	}}
}

func softmaxCase[E floatElem](kernel any, ulps float64) Case {
	return Case{Name: label[E]("softmax"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		shape := []int{7, 32}
		x := random[E](r, product(shape))
		y := blank[E](shape...)
		want := along(x, shape, 1, func(line []E) []float64 {
			peak, sum := math.Inf(-1), 0.0
			for _, v := range line {
				peak = max(peak, toF64(v))
			}
			e := mapped(func(v E) float64 { return math.Exp(toF64(v) - peak) }, line)
			for _, v := range e {
				sum += v
			}
			return mapped(func(v float64) float64 { return v / sum }, e)
		})
		return Setup{Args: []any{arr(x, shape...), y}, Want: []Want{within(y, want, ulps)}}
	}}
}
