package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// shapes are the cases of views and of what changes shapes.
func shapes() []Case {
	return slices.Concat(copies(), permutes(), counting(), choosing(), places())
}

// copies are the cases of loads and stores: every element type in tiles of every rank, on tensors with ragged ends.
func copies() []Case {
	return []Case{
		copying[dtype.Float16](inst("copy1", "F16T1[D16]"), 25),
		copying[dtype.Float16](inst("copy2", "F16T2[D4, D8]"), 7, 17),
		copying[dtype.Float16](inst("copy3", "F16T3[D2, D4, D8]"), 4, 9, 17),
		copying[dtype.Float16](inst("copy4", "F16T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[dtype.BFloat16](inst("copy1", "BF16T1[D16]"), 25),
		copying[dtype.BFloat16](inst("copy2", "BF16T2[D4, D8]"), 7, 17),
		copying[dtype.BFloat16](inst("copy4", "BF16T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[float32](inst("copy1", "F32T1[D16]"), 25),
		copying[float32](inst("copy2", "F32T2[D4, D8]"), 7, 17),
		copying[float32](inst("copy3", "F32T3[D2, D4, D8]"), 4, 9, 17),
		copying[float32](inst("copy4", "F32T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[float64](inst("copy1", "F64T1[D16]"), 25),
		copying[float64](inst("copy2", "F64T2[D4, D8]"), 7, 17),
		copying[float64](inst("copy4", "F64T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[int8](inst("copy1", "I8T1[D16]"), 25),
		copying[int8](inst("copy2", "I8T2[D4, D8]"), 7, 17),
		copying[int8](inst("copy3", "I8T3[D2, D4, D8]"), 4, 9, 17),
		copying[int8](inst("copy4", "I8T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[int16](inst("copy1", "I16T1[D16]"), 25),
		copying[int16](inst("copy2", "I16T2[D4, D8]"), 7, 17),
		copying[int16](inst("copy4", "I16T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[int32](inst("copy1", "I32T1[D16]"), 25),
		copying[int32](inst("copy2", "I32T2[D4, D8]"), 7, 17),
		copying[int32](inst("copy4", "I32T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[int64](inst("copy1", "I64T1[D16]"), 25),
		copying[int64](inst("copy2", "I64T2[D4, D8]"), 7, 17),
		copying[int64](inst("copy4", "I64T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[uint8](inst("copy1", "U8T1[D16]"), 25),
		copying[uint8](inst("copy2", "U8T2[D4, D8]"), 7, 17),
		copying[uint8](inst("copy4", "U8T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[uint16](inst("copy1", "U16T1[D16]"), 25),
		copying[uint16](inst("copy2", "U16T2[D4, D8]"), 7, 17),
		copying[uint16](inst("copy4", "U16T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[uint32](inst("copy1", "U32T1[D16]"), 25),
		copying[uint32](inst("copy2", "U32T2[D4, D8]"), 7, 17),
		copying[uint32](inst("copy4", "U32T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
		copying[uint64](inst("copy1", "U64T1[D16]"), 25),
		copying[uint64](inst("copy2", "U64T2[D4, D8]"), 7, 17),
		copying[uint64](inst("copy3", "U64T3[D2, D4, D8]"), 4, 9, 17),
		copying[uint64](inst("copy4", "U64T4[D2, D2, D4, D4]"), 4, 5, 9, 9),
	}
}

func copying[E dtype.Elem](kernel any, shape ...int) Case {
	return Case{Name: fmt.Sprintf("%s/rank%d", label[E]("copy"), len(shape)), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := random[E](r, product(shape))
		a, z := arr(x).reshaped(shape...), blank[E](product(shape)).reshaped(shape...)
		return Setup{Args: []any{a, z}, Want: []Want{exactly(z, x)}}
	}}
}

// moved is the case of a kernel that reorders the axes of a tensor: axis i of the result is axis axes[i] of x.
func moved[E dtype.Elem](name string, kernel any, shape []int, axes ...int) Case {
	return Case{Name: label[E]("permute/" + name), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := arr(small[E](r, product(shape), 0, 1), shape...)
		if name != "mask" {
			x = arr(random[E](r, product(shape)), shape...)
		}
		p := x.permuted(axes...)
		z := blank[E](p.View.Shape...)
		return Setup{Args: []any{x, z}, Want: []Want{exactly(z, values[E](p))}}
	}}
}

// squared is the case of a square that is added to its transpose, which is one tile.
func squared(name string, kernel any, n int) Case {
	return Case{Name: "permute/added/" + name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := random[float32](r, n*n)
		z, want := blank[float32](n*n).reshaped(n, n), make([]float32, n*n)
		for i := range n {
			for j := range n {
				want[i*n+j] = x[i*n+j] + x[j*n+i]
			}
		}
		return Setup{Args: []any{arr(x, n, n), z}, Want: []Want{exactly(z, want)}}
	}}
}

func permutes() []Case {
	return []Case{
		moved[dtype.Float16]("T", inst("transpose", "dtype.Float16", "D4", "D8"), []int{7, 19}, 1, 0),
		moved[dtype.BFloat16]("T", inst("transpose", "dtype.BFloat16", "D16", "D2"), []int{17, 5}, 1, 0),
		moved[float32]("T", inst("transpose", "float32", "D1", "D8"), []int{3, 9}, 1, 0),
		moved[float64]("T", inst("transpose", "float64", "D4", "D4"), []int{6, 6}, 1, 0),
		squared("small", inst("symmetric", "D4"), 3), squared("parts", inst("symmetric", "D256"), 200), // too large for shared memory
		moved[uint8]("T", inst("transposeBytes", "D4", "D8"), []int{7, 19}, 1, 0),
		moved[int32]("T4", inst("transposeLast", "D2", "D1", "D4", "D8"), []int{3, 2, 5, 9}, 0, 1, 3, 2),
		moved[int8]("mask", inst("transposeMask", "D4", "D8"), []int{7, 19}, 1, 0),
		moved[float32]("021", inst("permute021", "D2", "D4", "D8"), []int{3, 5, 9}, 0, 2, 1),
		moved[float32]("102", inst("permute102", "D2", "D4", "D8"), []int{3, 5, 9}, 1, 0, 2),
		moved[float32]("120", inst("permute120", "D2", "D4", "D8"), []int{3, 5, 9}, 1, 2, 0),
		moved[float32]("201", inst("permute201", "D2", "D4", "D8"), []int{3, 5, 9}, 2, 0, 1),
		moved[float32]("210", inst("permute210", "D2", "D4", "D8"), []int{3, 5, 9}, 2, 1, 0),
		moved[float32]("3201", inst("permute3201", "D2", "D1", "D4", "D8"), []int{3, 2, 5, 9}, 3, 2, 0, 1),
		moved[float32]("1032", inst("permute1032", "D2", "D1", "D4", "D8"), []int{3, 2, 5, 9}, 1, 0, 3, 2),
		{Name: "reshape/ranks", Kernel: reshapes, Setup: func(r *rand.Rand) Setup {
			x := random[float32](r, 3*128)
			z, w := blank[float32](3*128), blank[float32](3*128)
			var want []float32
			for t := range 3 { // 8x2x8 with the last axes swapped is 8x8x2; as 16x8 transposed it is 8x16
				a := arr(x[128*t:128*(t+1)], 8, 2, 8).t()
				want = append(want, values[float32](arr(values[float32](a), 16, 8).t())...)
			}
			return Setup{Args: []any{arr(x, 6, 4, 2, 8), z, w}, Want: []Want{exactly(z, want), exactly(w, x)}}
		}},
		{Name: "reshape/one", Kernel: reshapeOne, Setup: func(r *rand.Rand) Setup {
			x := random[int16](r, 5)
			z := blank[int16](5)
			return Setup{Args: []any{arr(x, 5, 1), z}, Want: []Want{exactly(z, mapped(func(v int16) int16 { return v + 1 }, x))}}
		}},
		{Name: "broadcast/ranks", Kernel: inst("spreads", "D2", "D2", "D4", "D8"), Grid: []int{1}, Setup: spreadSetup},
		{Name: "broadcast/int", Kernel: inst("spreadInts", "D4", "D8"), Setup: func(r *rand.Rand) Setup {
			x := random[int32](r, 13)
			n := -123456789012
			z, w := blank[int64](5, 13), blank[uint8](5, 13)
			var wantZ []int64
			var wantW []uint8
			for range 5 {
				wantZ = append(wantZ, mapped(func(v int32) int64 { return int64(v) * int64(n) }, x)...)
				wantW = append(wantW, mapped(func(v int32) uint8 { return uint8(v) + 7 }, x)...)
			}
			return Setup{Args: []any{n, arr(x), z, w}, Want: []Want{exactly(z, wantZ), exactly(w, wantW)}}
		}},
	}
}

// spreadSetup uses small whole numbers, whose sums are exact.
func spreadSetup(r *rand.Rand) Setup {
	const a, b, c, d = 2, 2, 4, 8
	row, col, cube := small[float32](r, d, -50, 50), small[float32](r, c, -50, 50), small[float32](r, b*d, -50, 50)
	s := float32(3)
	var w2, w3, w4 []float32
	for i := range c * d {
		w2 = append(w2, row[i%d]+col[i/d]+s)
	}
	for i := range b * c * d {
		w3 = append(w3, row[i%d]*2+col[i/d%c]+cube[i/(c*d)*d+i%d])
	}
	for i := range a * b * c * d {
		w4 = append(w4, cube[i/(c*d)%b*d+i%d]+row[i%d]+s)
	}
	z2, z3, z4 := blank[float32](c, d), blank[float32](b, c, d), blank[float32](a, b, c, d)
	return Setup{Args: []any{arr(row), arr(col, c, 1), arr(cube, b, 1, d), s, z2, z3, z4},
		Want: []Want{exactly(z2, w2), exactly(z3, w3), exactly(z4, w4)}}
}

func counting() []Case {
	return []Case{
		iotaOf[int8](inst("count", "I8T1[D32]")),
		iotaOf[int16](inst("count", "I16T1[D32]")),
		iotaOf[int32](inst("count", "I32T1[D32]")),
		iotaOf[int64](inst("count", "I64T1[D32]")),
		iotaOf[uint8](inst("count", "U8T1[D32]")),
		iotaOf[uint16](inst("count", "U16T1[D32]")),
		iotaOf[uint32](inst("count", "U32T1[D32]")),
		iotaOf[uint64](inst("count", "U64T1[D32]")),
		zeroing[dtype.Float16](inst("zeros", "F16T2[D4, D8]")),
		zeroing[dtype.BFloat16](inst("zeros", "BF16T2[D4, D8]")),
		zeroing[float32](inst("zeros", "F32T2[D4, D8]")),
		zeroing[float64](inst("zeros", "F64T2[D4, D8]")),
		zeroing[int8](inst("zeros", "I8T2[D4, D8]")),
		zeroing[int16](inst("zeros", "I16T2[D4, D8]")),
		zeroing[int32](inst("zeros", "I32T2[D4, D8]")),
		zeroing[int64](inst("zeros", "I64T2[D4, D8]")),
		zeroing[uint8](inst("zeros", "U8T2[D4, D8]")),
		zeroing[uint16](inst("zeros", "U16T2[D4, D8]")),
		zeroing[uint32](inst("zeros", "U32T2[D4, D8]")),
		zeroing[uint64](inst("zeros", "U64T2[D4, D8]")),
		{Name: "iota/rank2", Kernel: inst("counts", "D4", "D8"), Setup: func(*rand.Rand) Setup {
			const m, n = 9, 21
			z, w := blank[int32](m, n), blank[int32](m, n)
			var want []int32
			for i := range m * n {
				want = append(want, int32(i/n*100+i%n))
			}
			return Setup{Args: []any{z, w}, Want: []Want{exactly(z, want), exactly(w, slices.Repeat([]int32{4008}, m*n))}}
		}},
	}
}

func iotaOf[E intElem](kernel any) Case {
	return Case{Name: label[E]("iota"), Kernel: kernel, Setup: func(*rand.Rand) Setup {
		z := blank[E](77)
		want := make([]E, 77)
		for i := range want {
			want[i] = E(i%32 + 3)
		}
		return Setup{Args: []any{z}, Want: []Want{exactly(z, want)}}
	}}
}

func zeroing[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("zero"), Kernel: kernel, Setup: func(*rand.Rand) Setup {
		z, one := blank[E](5, 9), blank[E](5, 9)
		return Setup{Args: []any{z, one}, Want: []Want{exactly(z, make([]E, 45)), exactly(one, slices.Repeat([]E{fromF64[E](1)}, 45))}}
	}}
}

func choosing() []Case {
	return []Case{
		where[dtype.Float16](inst("choose", "F16T1[D16]")),
		where[dtype.BFloat16](inst("choose", "BF16T1[D16]")),
		where[float32](inst("choose", "F32T1[D16]")),
		where[float64](inst("choose", "F64T1[D16]")),
		where[int8](inst("choose", "I8T1[D16]")),
		where[int16](inst("choose", "I16T1[D16]")),
		where[int32](inst("choose", "I32T1[D16]")),
		where[int64](inst("choose", "I64T1[D16]")),
		where[uint8](inst("choose", "U8T1[D16]")),
		where[uint16](inst("choose", "U16T1[D16]")),
		where[uint32](inst("choose", "U32T1[D16]")),
		where[uint64](inst("choose", "U64T1[D16]")),
		padding[dtype.Float16](inst("padded", "F16T1[D16]")),
		padding[dtype.BFloat16](inst("padded", "BF16T1[D16]")),
		padding[float32](inst("padded", "F32T1[D16]")),
		padding[float64](inst("padded", "F64T1[D16]")),
	}
}

func where[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("where"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x, y := pairs[E](r, 20)
		c := small[int8](r, len(x), 0, 1)
		z, want := blank[E](len(x)), slices.Clone(y)
		for i := range want {
			if c[i] != 0 {
				want[i] = x[i]
			}
		}
		return Setup{Args: []any{arr(c), arr(x), arr(y), z}, Want: []Want{exactly(z, want)}}
	}}
}

func padding[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("padding"), Kernel: kernel, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
		x := random[E](r, 37)
		s := Setup{Args: []any{arr(x)}}
		for i, pad := range []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), 0, 0, math.Copysign(0, -1)} {
			z, want := blank[E](16), slices.Repeat([]E{fromF64[E](pad)}, 16)
			if i != 4 { // which lies outside
				copy(want, x[32:])
			}
			s.Args, s.Want = append(s.Args, z), append(s.Want, exactly(z, want))
		}
		return s
	}}
}

// places are the cases of grids, indexes and extents.
func places() []Case {
	grid := func(name string, g ...int) Case {
		return Case{Name: "grid/" + name, Kernel: blocks, Grid: g, Setup: func(*rand.Rand) Setup {
			n := [3]int{1, 1, 1}
			copy(n[:], g)
			var want []int32
			for i := range n[0] * n[1] * n[2] {
				want = append(want, int32(i%n[0]), int32(i/n[0]%n[1]), int32(i/n[0]/n[1]), 0, int32(n[0]), int32(n[1]), int32(n[2]), 0)
			}
			z := blank[int32](n[2], n[1], n[0], 8)
			return Setup{Args: []any{z}, Want: []Want{exactly(z, want)}}
		}}
	}
	return []Case{
		grid("1", 1), grid("5", 5), grid("3x2", 3, 2), grid("3x2x4", 3, 2, 4), grid("1x1x3", 1, 1, 3),
		{Name: "grid/fold", Kernel: inst("indexes", "D2", "D4", "D1", "D8"), Setup: func(*rand.Rand) Setup {
			shape := []int{5, 9, 3, 17}
			z := blank[int32](shape...)
			var want []int32
			for i := range product(shape) {
				at := unravel(i, shape)
				want = append(want, int32(at[0]/2*1000+at[1]/4*100+at[2]*10+at[3]/8))
			}
			return Setup{Args: []any{z}, Want: []Want{exactly(z, want)}}
		}},
		{Name: "view/extents", Kernel: inst("extents", "D4", "D8"), Setup: func(*rand.Rand) Setup {
			z := blank[int64](10)
			return Setup{Args: []any{blank[float32](5, 17), blank[float32](16, 4), z},
				Want: []Want{exactly(z, []int64{5, 17, 2, 3, 16, 4, 2, 1, 10, 1})}}
		}},
		{Name: "view/bool", Kernel: inst("masksInMemory", "D16"), Setup: func(r *rand.Rand) Setup {
			x, y := random[bool](r, 37), random[float32](r, 37)
			z := blank[bool](37)
			return Setup{Args: []any{arr(x), arr(y), z}, Want: []Want{exactly(z, mapped2(func(p bool, v float32) bool { return !p && v > 0 }, x, y))}}
		}},
	}
}
