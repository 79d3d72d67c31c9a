package conformance

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// arrangements are the cases of sorting, random numbers and marks.
func arrangements() []Case {
	return slices.Concat([]Case{
		sorting[float32](inst("sorts", "F32T2[D4, D16]"), 4, 16),
		sorting[float64](inst("sorts", "F64T2[D1, D64]"), 1, 64),
		sorting[dtype.Float16](inst("sorts", "F16T2[D8, D8]"), 8, 8),
		sorting[dtype.BFloat16](inst("sorts", "BF16T2[D2, D4]"), 2, 4),
		sorting[int8](inst("sorts", "I8T2[D2, D32]"), 2, 32),
		sorting[uint16](inst("sorts", "U16T2[D2, D2]"), 2, 2),
		sorting[int64](inst("sorts", "I64T2[D4, D1]"), 4, 1),
		sorting[uint64](inst("sorts", "U64T2[D1, D256]"), 1, 256),
		argSorting[float32](inst("argSorts", "F32T2[D4, D16]", "I32T2[D4, D16]"), 4, 16),
		argSorting[int16](inst("argSorts", "I16T2[D2, D64]", "I32T2[D2, D64]"), 2, 64),
		argSorting[uint8](inst("argSorts", "U8T2[D4, D8]", "I32T2[D4, D8]"), 4, 8),
		{Name: "topk", Kernel: inst("best", "D2", "D16"), Setup: func(r *rand.Rand) Setup {
			x := small[float32](r, 6*16, -5, 5)
			y, z, at := blank[float32](6, 4), blank[float32](6, 4), blank[int32](6, 4)
			var want []float32
			var places []int32
			for line := range slices.Chunk(x, 16) {
				order := orderOf(line, true)
				for _, i := range order[:4] {
					want, places = append(want, line[i]), append(places, int32(i))
				}
			}
			return Setup{Args: []any{arr(x, 6, 16), y, z, at}, Want: []Want{exactly(y, want), exactly(z, want), exactly(at, places)}}
		}},
		{Name: "random/philox", Kernel: inst("philox"), Setup: func(r *rand.Rand) Setup {
			// The first three are the known answers that the authors of the generator publish.
			in := [][6]uint32{{}, {max32, max32, max32, max32, max32, max32},
				{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}, {1, 2, 3, 4, 5, 6}}
			out := [][4]uint32{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
				{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}, philoxHost(in[3])}
			var args []any
			var wants []Want
			for k := range 6 {
				args = append(args, arr(mapped(func(v [6]uint32) uint32 { return v[k] }, in)))
			}
			for k := range 4 {
				a := blank[uint32](4)
				args, wants = append(args, a), append(wants, exactly(a, mapped(func(v [4]uint32) uint32 { return v[k] }, out)))
			}
			return Setup{Args: args, Want: wants}
		}},
		drawing("zero", 0), drawing("large", 0x123456789abcdef), drawing("negative", -3),
		{Name: "marks/flush", Kernel: inst("flushed"), Setup: flushing},
		{Name: "marks/integers", Kernel: inst("marked"), Grid: []int{1}, Since: tileir.V13_4, Setup: marking},
		{Name: "powInt", Kernel: inst("powersOf"), Since: tileir.V13_4, Setup: func(r *rand.Rand) Setup {
			x, n := uniform[float64](r, 16, -2, 2), small[int32](r, 16, -9, 9)
			y := blank[float64](16)
			return Setup{Args: []any{arr(x), arr(n), y}, Want: []Want{within(y, mapped2(func(x float64, n int32) float64 { return math.Pow(x, float64(n)) }, x, n), 16)}}
		}},
	}, []Case{rounding[float32](inst("roundedBy", "F32T1[D16]"), 24), rounding[float64](inst("roundedBy", "F64T1[D16]"), 53)})
}

const max32 = math.MaxUint32

// orderKey orders floats as [tile.Sort] does: by number, -0 before 0, NaN last or first by its sign.
func orderKey[E dtype.Elem](a, b E) int {
	x, y := toF64(a), toF64(b)
	rank := func(v float64) int {
		switch {
		case v == v:
			return 0
		case math.Signbit(v):
			return -1
		}
		return 1
	}
	if c := cmp.Compare(rank(x), rank(y)); c != 0 || rank(x) != 0 {
		return c
	}
	if x == y && x == 0 {
		return cmp.Compare(math.Copysign(1, x), math.Copysign(1, y))
	}
	if !dtype.Of[E]().IsFloat() {
		return toBig(a).Cmp(toBig(b))
	}
	return cmp.Compare(x, y)
}

// orderOf gives the places of a line's elements in sorted order; equal ones keep theirs.
func orderOf[E dtype.Elem](line []E, down bool) []int {
	order := make([]int, len(line))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if down {
			return orderKey(line[j], line[i])
		}
		return orderKey(line[i], line[j])
	})
	return order
}

func sortInput[E dtype.Elem](r *rand.Rand, n int) []E {
	x := append(edged[E](r, n), small[E](r, n, 0, 3)...)
	r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	return x[:n]
}

func sortedLines[E dtype.Elem](x []E, n int, down bool) (want []E, at []int32) {
	for line := range slices.Chunk(x, n) {
		for _, i := range orderOf(line, down) {
			want, at = append(want, line[i]), append(at, int32(i))
		}
	}
	return want, at
}

func sorting[E dtype.Elem](kernel any, m, n int) Case {
	return Case{Name: label[E]("sort"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := sortInput[E](r, 3*m*n)
		up, down := blank[E](3*m, n), blank[E](3*m, n)
		a, _ := sortedLines(x, n, false)
		b, _ := sortedLines(x, n, true)
		return Setup{Args: []any{arr(x, 3*m, n), up, down}, Want: []Want{exactly(up, a), exactly(down, b)}}
	}}
}

func argSorting[E dtype.Elem](kernel any, m, n int) Case {
	return Case{Name: label[E]("argsort"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := sortInput[E](r, 3*m*n)
		up, down, at, back := blank[E](3*m, n), blank[E](3*m, n), blank[int32](3*m, n), blank[int32](3*m, n)
		a, i := sortedLines(x, n, false)
		b, j := sortedLines(x, n, true)
		return Setup{Args: []any{arr(x, 3*m, n), up, down, at, back}, Want: []Want{exactly(up, a), exactly(down, b), exactly(at, i), exactly(back, j)}}
	}}
}

// philoxHost is Philox4x32-10 after the paper's definition.
func philoxHost(in [6]uint32) [4]uint32 {
	c, k := [4]uint32(in[:4]), [2]uint32(in[4:])
	for range 10 {
		p0, p1 := 0xD2511F53*uint64(c[0]), 0xCD9E8D57*uint64(c[2])
		c = [4]uint32{uint32(p1>>32) ^ c[1] ^ k[0], uint32(p1), uint32(p0>>32) ^ c[3] ^ k[1], uint32(p0)}
		k[0], k[1] = k[0]+0x9E3779B9, k[1]+0xBB67AE85
	}
	return c
}

func drawing(name string, seed int) Case {
	return Case{Name: "random/" + name, Kernel: inst("draws", "D32"), Setup: func(r *rand.Rand) Setup {
		const n = 70
		bits, u, v, g := blank[uint32](n), blank[float32](n), blank[float64](n), blank[float64](n)
		var b []uint32
		var us []float32
		var vs, gs []float64
		for i := range uint32(n) {
			w := philoxHost([6]uint32{i, 0, 0, 0, uint32(seed), uint32(uint64(seed) >> 32)})
			first, second := float64(w[0]>>8)/(1<<24), float64(w[1]>>8)/(1<<24)
			b, us, vs = append(b, w[0]), append(us, float32(first)), append(vs, first)
			gs = append(gs, math.Sqrt(-2*math.Log(first+1.0/(1<<24)))*math.Cos(2*math.Pi*second))
		}
		near := Want{Array: g, Near: gs, Tol: make([]float64, n)}
		for i := range near.Tol {
			near.Tol[i] = 1e-14
		}
		return Setup{Args: []any{seed, bits, u, v, g}, Want: []Want{exactly(bits, b), exactly(u, us), exactly(v, vs), near}}
	}}
}

// rounding compares with exact arithmetic that is rounded once. The numbers keep away from the ends of the range.
func rounding[E dtype.Elem](kernel any, prec uint) Case {
	return Case{Name: label[E]("marks/rounding"), Kernel: kernel, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
		x, y, z := random[E](r, 16), random[E](r, 16), random[E](r, 16)
		exact := func() *big.Float { return new(big.Float).SetPrec(400) }
		var want []E
		for _, f := range []func(a, b, c *big.Float) *big.Float{
			func(a, b, c *big.Float) *big.Float { return exact().Add(a, b) },
			func(a, b, c *big.Float) *big.Float { return exact().Sub(a, b) },
			func(a, b, c *big.Float) *big.Float { return exact().Mul(a, b) },
			func(a, b, c *big.Float) *big.Float { return exact().Quo(a, b) },
			func(a, b, c *big.Float) *big.Float { return exact().Add(exact().Mul(a, b), c) },
			func(a, b, c *big.Float) *big.Float { return exact().Sqrt(exact().Abs(a)) },
		} {
			for _, mode := range []big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToNegativeInf, big.ToPositiveInf} {
				for i := range x {
					v := f(toBig(x[i]), toBig(y[i]), toBig(z[i]))
					once, _ := new(big.Float).SetMode(mode).SetPrec(prec).Set(v).Float64()
					want = append(want, fromF64[E](once))
				}
			}
		}
		out := blank[E](len(want))
		return Setup{Args: []any{arr(x), arr(y), arr(z), out}, Want: []Want{exactly(out, want)}}
	}}
}

// flushing wants denormals, given and computed, as zeros of the same sign.
func flushing(r *rand.Rand) Setup {
	x, y := pairs[float32](r, 40)
	flush := func(v float32) float32 {
		if math.Abs(float64(v)) < 0x1p-126 {
			return float32(math.Copysign(0, float64(v)))
		}
		return v
	}
	binary := func(f func(a, b float32) float32) Want {
		return exactly(blank[float32](len(x)), mapped2(func(a, b float32) float32 { return flush(f(flush(a), flush(b))) }, x, y))
	}
	product := func(a, b float32) float32 { // toward zero
		v := float64(a) * float64(b) // exact
		f := float32(v)
		if math.Abs(float64(f)) > math.Abs(v) {
			f = math.Nextafter32(f, 0)
		}
		return f
	}
	top := func(a, b float32) float32 {
		switch {
		case a != a:
			return b
		case b != b:
			return a
		}
		return max(a, b)
	}
	wants := []Want{binary(func(a, b float32) float32 { return a + b }), binary(top), binary(func(a, b float32) float32 { return min(a, b) }), binary(product)}
	return Setup{Args: []any{arr(x), arr(y), wants[0].Array, wants[1].Array, wants[2].Array, wants[3].Array}, Want: wants}
}

func marking(r *rand.Rand) Setup {
	x, y, f := small[int32](r, 16, -3000, 3000), small[int32](r, 16, 0, 3000), uniform[float32](r, 16, -8, 8)
	f[0], f[1], f[2] = float32(math.NaN()), float32(math.Inf(1)), 1e20
	z, h := blank[int32](7*16), blank[dtype.Float16](2*16)
	var want []int32
	for _, g := range []func(a, b int32) int32{
		func(a, b int32) int32 { return a + b }, func(a, b int32) int32 { return a - b }, func(a, b int32) int32 { return a * b },
		func(a, b int32) int32 { return -a }, func(a, b int32) int32 { return b << 3 }, func(a, b int32) int32 { return a },
	} {
		want = append(want, mapped2(g, x, y)...)
	}
	for _, v := range f {
		w := float64(v * 1e9)
		switch {
		case w != w:
			want = append(want, 0)
		case w >= math.MaxInt32:
			want = append(want, math.MaxInt32)
		case w <= math.MinInt32:
			want = append(want, math.MinInt32)
		default:
			want = append(want, int32(w))
		}
	}
	cut := func(v float32) dtype.Float16 { // toward zero
		e := dtype.Float16FromFloat32(v)
		if math.Abs(e.Float64()) > math.Abs(float64(v)) {
			e--
		}
		return e
	}
	halves := append(mapped(cut, f), mapped(dtype.Float16FromFloat32, f)...)
	return Setup{Args: []any{arr(x), arr(y), arr(f), z, h}, Want: []Want{exactly(z, want), exactly(h, halves)}}
}
