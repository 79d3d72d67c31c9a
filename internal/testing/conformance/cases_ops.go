package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// sequences are the cases of scans and folds by a user's function, over one tile and several.
func sequences() []Case {
	return []Case{
		scanning[int32](inst("scans", "int32", "D4", "D16")),
		scanning[int8](inst("scans", "int8", "D4", "D16")),
		scanning[int64](inst("scans", "int64", "D4", "D16")),
		{Name: "scan/two", Kernel: inst("running2", "D4", "D16"), Setup: func(r *rand.Rand) Setup {
			shape := []int{7, 16}
			x := small[float32](r, product(shape), -5, 5)
			y, at := blank[float32](shape...), blank[int32](shape...)
			want := along(x, shape, 1, func(line []float32) []float32 {
				return prefixes(line, func(part []float32) float32 { return slices.Max(part) })
			})
			places := along(x, shape, 1, func(line []float32) []int32 {
				return prefixes(line, func(part []float32) int32 { return int32(slices.Index(part, slices.Max(part))) })
			})
			return Setup{Args: []any{arr(x, shape...), y, at}, Want: []Want{exactly(y, want), exactly(at, places)}}
		}},
		{Name: "scan/three", Kernel: inst("running3", "D4", "D16"), Setup: func(r *rand.Rand) Setup {
			return sumsOf(r, func(line []float64) [][]float64 {
				var out [][]float64
				for i := range line {
					out = append(out, line[i:])
				}
				return out
			})
		}},
		{Name: "fold/three", Kernel: inst("threeSums", "D4", "D16"), Setup: func(r *rand.Rand) Setup {
			return sumsOf(r, func(line []float64) [][]float64 { return [][]float64{line} })
		}},
		{Name: "fold/named", Kernel: inst("foldsNamed", "D4", "D16"), Setup: func(r *rand.Rand) Setup {
			shape := []int{4, 16}
			x := small[float32](r, product(shape), -5, 5)
			y, peak, at := blank[float32](16), blank[float32](4), blank[int32](4)
			total := along(x, shape, 0, func(line []float32) []float32 {
				sum := float32(0)
				for _, v := range line {
					sum += v
				}
				return []float32{sum}
			})
			best := along(x, shape, 1, func(line []float32) []float32 { return []float32{slices.Max(line)} })
			places := along(x, shape, 1, func(line []float32) []int32 { return []int32{int32(slices.Index(line, slices.Max(line)))} })
			return Setup{Args: []any{arr(x, shape...), y, peak, at}, Want: []Want{exactly(y, total), exactly(peak, best), exactly(at, places)}}
		}},
	}
}

// prefixes applies a function to each beginning of a line.
func prefixes[A, B any](line []A, f func(part []A) B) []B {
	out := make([]B, len(line))
	for i := range line {
		out[i] = f(line[:i+1])
	}
	return out
}

// sumsOf wants count, sum and sum of squares of the parts of each line, in whole numbers.
func sumsOf(r *rand.Rand, parts func(line []float64) [][]float64) Setup {
	shape := []int{8, 16}
	x := small[float64](r, product(shape), -9, 9)
	var wants []Want
	args := []any{arr(x, shape...)}
	for _, f := range []func(v float64) float64{func(float64) float64 { return 1 }, func(v float64) float64 { return v }, func(v float64) float64 { return v * v }} {
		want := along(x, shape, 1, func(line []float64) (out []float64) {
			for _, part := range parts(line) {
				sum := 0.0
				for _, v := range part {
					sum += f(v)
				}
				out = append(out, sum)
			}
			return out
		})
		a := blank[float64](8)
		if len(want) > 8 {
			a = blank[float64](shape...)
		}
		args, wants = append(args, a), append(wants, exactly(a, want))
	}
	return Setup{Args: args, Want: wants}
}

// scanning runs along both axes in both directions, modulo the width of the element.
func scanning[E intElem](kernel any) Case {
	return Case{Name: label[E]("scan/ways"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		shape := []int{4, 16}
		x := random[E](r, product(shape))
		fold := func(axis int, back bool, f func(a, b E) E) Want {
			want := along(x, shape, axis, func(line []E) []E {
				line = slices.Clone(line)
				if back {
					slices.Reverse(line)
				}
				for i := 1; i < len(line); i++ {
					line[i] = f(line[i-1], line[i])
				}
				if back {
					slices.Reverse(line)
				}
				return line
			})
			return exactly(blank[E](shape...), want)
		}
		wants := []Want{
			fold(1, true, plus[E]), fold(0, false, times[E]), fold(1, false, func(a, b E) E { return max(a, b) }),
			fold(0, true, func(a, b E) E { return min(a, b) }), fold(1, true, func(a, b E) E { return a + b + a*b*3 }),
		}
		args := []any{arr(x, shape...)}
		for _, w := range wants {
			args = append(args, w.Array)
		}
		return Setup{Args: args, Want: wants}
	}}
}

// pieces are the cases of parts of tiles, and of tensors seen in other ways.
func pieces() []Case {
	return []Case{
		partsCase[float32](inst("parts", "float32", "D4", "D8"), 1),
		partsCase[dtype.BFloat16](inst("parts", "dtype.BFloat16", "D4", "D8"), 1),
		slicing("whole", 3, 17), slicing("beyond", 9, 500), slicing("before", -4, 6), slicing("none", 9, 4),
		{Name: "windows/read", Kernel: inst("windows", "F32T2[D8, D8]", "F32T2[D4, D2]"), Setup: func(r *rand.Rand) Setup {
			const m, n, rows, columns = 13, 11, 5, 6 // windows start every 3 rows and every 2 columns
			x := small[float32](r, m*n, -9, 9)
			y := blank[float32](rows*4, columns*2)
			want := make([]float32, rows*4*columns*2)
			for i := range want {
				row, column := i/(columns*2), i%(columns*2)
				row, column = row/4*3+row%4, column/2*2+column%2
				if row < m && column < n {
					want[i] = x[row*n+column]
				}
				want[i] += rows*100 + columns
			}
			return Setup{Args: []any{arr(x, m, n), y}, Want: []Want{exactly(y, want)}}
		}},
		{Name: "windows/write", Kernel: inst("smear", "D4"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x := small[float32](r, 11, -9, 9)
			a := arr(x)
			want := slices.Clone(x)
			for i := range 6 {
				for j := 2 * i; j < min(2*i+4, len(want)); j++ {
					want[j] *= 2
				}
			}
			for j := range 4 {
				want[j]++
			}
			return Setup{Args: []any{a, 6}, Want: []Want{exactly(a, want)}}
		}},
		picking("plain", func(a *Array) *Array { return a }),
		picking("transposed", func(a *Array) *Array { return a.t() }),
		{Name: "sparse/write", Kernel: inst("placeColumns", "D4", "D8"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x, y := small[int32](r, 4*8, -9, 9), small[int32](r, 5*12, -99, 99)
			at := []int64{3, 0, 11, 40, 7, -1, 2, 12} // three of them lie outside
			a := arr(y, 5, 12)
			want := slices.Clone(y)
			for i := range 4 {
				for j, k := range at {
					if k >= 0 && k < 12 {
						want[i*12+int(k)] = x[i*8+j] * 11
					}
				}
			}
			return Setup{Args: []any{arr(x, 4, 8), arr(at), a}, Want: []Want{exactly(a, want)}}
		}},
	}
}

func partsCase[E dtype.Elem](kernel any, n int) Case {
	return Case{Name: label[E]("parts"), Kernel: kernel, Since: tileir.V13_4, Setup: func(r *rand.Rand) Setup {
		x := random[E](r, 32)
		y, z, w := blank[E](4, 8), blank[E](4, 8), blank[E](4, 8)
		swapped, inserted := make([]E, 32), slices.Clone(x)
		for i := range x {
			swapped[i] = x[i/8*8+(i+4)%8]
		}
		for i := range 8 { // rows 2n to 2n+2, the right half
			inserted[i/4*8+i%4] = x[(2*n+i/4)*8+4+i%4]
		}
		last := slices.Clone(inserted)
		for i := range 16 { // the right half, at column n-1 halves
			last[i/4*8+i%4+4*(n-1)] = x[i/4*8+4+i%4]
		}
		return Setup{Args: []any{arr(x, 4, 8), y, z, w, n}, Want: []Want{exactly(y, swapped), exactly(z, inserted), exactly(w, last)}}
	}}
}

// slicing adds a part of one matrix to a part of another that is six rows high, and doubles the first tile.
func slicing(name string, from, to int) Case {
	return Case{Name: "slice/" + name, Kernel: inst("sliced", "D4", "D8"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
		const m, n, k = 7, 20, 16
		x, y := small[float32](r, m*n, -9, 9), small[float32](r, m*k, -9, 9)
		a := arr(y, m, k)
		want := slices.Clone(y)
		lo, hi := max(0, from), min(to, n)
		for i := 1; i < min(m, 6); i++ {
			for j := 2; j < k; j++ {
				if c := j - 2 + lo; i-1 < m && c < hi {
					want[i*k+j] += x[(i-1)*n+c]
				}
			}
		}
		for i := range 4 {
			for j := range 8 {
				want[i*k+j] *= 2
			}
		}
		return Setup{Args: []any{arr(x, m, n), a, from, to}, Want: []Want{exactly(a, want)}}
	}}
}

// picking reads rows by number, some outside, from a column on that is no multiple of the tile's.
func picking(name string, see func(*Array) *Array) Case {
	return Case{Name: "sparse/" + name, Kernel: inst("pick", "D4", "D8"), Setup: func(r *rand.Rand) Setup {
		const m, n, column = 9, 13, 7
		x := arr(random[float32](r, m*n), m, n)
		if name == "transposed" {
			x = arr(random[float32](r, m*n), n, m)
		}
		x = see(x)
		data := values[float32](x)
		at := []int32{8, 0, 3, 3, -1, 9, 5, 1}
		y := blank[float32](8, 8)
		want := make([]float32, 64)
		for i := range want {
			if row, c := int(at[i/8]), column+i%8; row >= 0 && row < m && c < n {
				want[i] = data[row*n+c]
			}
		}
		return Setup{Args: []any{x, arr(at), y, column}, Want: []Want{exactly(y, want)}}
	}}
}
