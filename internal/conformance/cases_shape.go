package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// shapes are the cases of views and of what changes shapes.
func shapes() []Case {
	return slices.Concat(copies(), permutes(), counting(), choosing(), places())
}

// copies are the cases of loads and stores: every element type in tiles of every rank, on tensors with ragged ends.
func copies() []Case {
	return []Case{
		copying[dtype.Float16](copy1[tile.F16T1[tile.D16]], 25),
		copying[dtype.Float16](copy2[tile.F16T2[tile.D4, tile.D8]], 7, 17),
		copying[dtype.Float16](copy3[tile.F16T3[tile.D2, tile.D4, tile.D8]], 4, 9, 17),
		copying[dtype.Float16](copy4[tile.F16T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[dtype.BFloat16](copy1[tile.BF16T1[tile.D16]], 25),
		copying[dtype.BFloat16](copy2[tile.BF16T2[tile.D4, tile.D8]], 7, 17),
		copying[dtype.BFloat16](copy4[tile.BF16T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[float32](copy1[tile.F32T1[tile.D16]], 25),
		copying[float32](copy2[tile.F32T2[tile.D4, tile.D8]], 7, 17),
		copying[float32](copy3[tile.F32T3[tile.D2, tile.D4, tile.D8]], 4, 9, 17),
		copying[float32](copy4[tile.F32T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[float64](copy1[tile.F64T1[tile.D16]], 25),
		copying[float64](copy2[tile.F64T2[tile.D4, tile.D8]], 7, 17),
		copying[float64](copy4[tile.F64T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[int8](copy1[tile.I8T1[tile.D16]], 25),
		copying[int8](copy2[tile.I8T2[tile.D4, tile.D8]], 7, 17),
		copying[int8](copy3[tile.I8T3[tile.D2, tile.D4, tile.D8]], 4, 9, 17),
		copying[int8](copy4[tile.I8T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[int16](copy1[tile.I16T1[tile.D16]], 25),
		copying[int16](copy2[tile.I16T2[tile.D4, tile.D8]], 7, 17),
		copying[int16](copy4[tile.I16T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[int32](copy1[tile.I32T1[tile.D16]], 25),
		copying[int32](copy2[tile.I32T2[tile.D4, tile.D8]], 7, 17),
		copying[int32](copy4[tile.I32T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[int64](copy1[tile.I64T1[tile.D16]], 25),
		copying[int64](copy2[tile.I64T2[tile.D4, tile.D8]], 7, 17),
		copying[int64](copy4[tile.I64T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[uint8](copy1[tile.U8T1[tile.D16]], 25),
		copying[uint8](copy2[tile.U8T2[tile.D4, tile.D8]], 7, 17),
		copying[uint8](copy4[tile.U8T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[uint16](copy1[tile.U16T1[tile.D16]], 25),
		copying[uint16](copy2[tile.U16T2[tile.D4, tile.D8]], 7, 17),
		copying[uint16](copy4[tile.U16T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[uint32](copy1[tile.U32T1[tile.D16]], 25),
		copying[uint32](copy2[tile.U32T2[tile.D4, tile.D8]], 7, 17),
		copying[uint32](copy4[tile.U32T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
		copying[uint64](copy1[tile.U64T1[tile.D16]], 25),
		copying[uint64](copy2[tile.U64T2[tile.D4, tile.D8]], 7, 17),
		copying[uint64](copy3[tile.U64T3[tile.D2, tile.D4, tile.D8]], 4, 9, 17),
		copying[uint64](copy4[tile.U64T4[tile.D2, tile.D2, tile.D4, tile.D4]], 4, 5, 9, 9),
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

func permutes() []Case {
	return []Case{
		moved[dtype.Float16]("T", transpose[dtype.Float16, tile.D4, tile.D8], []int{7, 19}, 1, 0),
		moved[dtype.BFloat16]("T", transpose[dtype.BFloat16, tile.D16, tile.D2], []int{17, 5}, 1, 0),
		moved[float32]("T", transpose[float32, tile.D1, tile.D8], []int{3, 9}, 1, 0),
		moved[float64]("T", transpose[float64, tile.D4, tile.D4], []int{6, 6}, 1, 0),
		moved[uint8]("T", transposeBytes[tile.D4, tile.D8], []int{7, 19}, 1, 0),
		moved[int32]("T4", transposeLast[tile.D2, tile.D1, tile.D4, tile.D8], []int{3, 2, 5, 9}, 0, 1, 3, 2),
		moved[int8]("mask", transposeMask[tile.D4, tile.D8], []int{7, 19}, 1, 0),
		moved[float32]("021", permute021[tile.D2, tile.D4, tile.D8], []int{3, 5, 9}, 0, 2, 1),
		moved[float32]("102", permute102[tile.D2, tile.D4, tile.D8], []int{3, 5, 9}, 1, 0, 2),
		moved[float32]("120", permute120[tile.D2, tile.D4, tile.D8], []int{3, 5, 9}, 1, 2, 0),
		moved[float32]("201", permute201[tile.D2, tile.D4, tile.D8], []int{3, 5, 9}, 2, 0, 1),
		moved[float32]("210", permute210[tile.D2, tile.D4, tile.D8], []int{3, 5, 9}, 2, 1, 0),
		moved[float32]("3201", permute3201[tile.D2, tile.D1, tile.D4, tile.D8], []int{3, 2, 5, 9}, 3, 2, 0, 1),
		moved[float32]("1032", permute1032[tile.D2, tile.D1, tile.D4, tile.D8], []int{3, 2, 5, 9}, 1, 0, 3, 2),
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
		{Name: "broadcast/ranks", Kernel: spreads[tile.D2, tile.D2, tile.D4, tile.D8], Grid: []int{1}, Setup: spreadSetup},
		{Name: "broadcast/int", Kernel: spreadInts[tile.D4, tile.D8], Setup: func(r *rand.Rand) Setup {
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
		iota[int8](count[tile.I8T1[tile.D32]]),
		iota[int16](count[tile.I16T1[tile.D32]]),
		iota[int32](count[tile.I32T1[tile.D32]]),
		iota[int64](count[tile.I64T1[tile.D32]]),
		iota[uint8](count[tile.U8T1[tile.D32]]),
		iota[uint16](count[tile.U16T1[tile.D32]]),
		iota[uint32](count[tile.U32T1[tile.D32]]),
		iota[uint64](count[tile.U64T1[tile.D32]]),
		zeroing[dtype.Float16](zeros[tile.F16T2[tile.D4, tile.D8]]),
		zeroing[dtype.BFloat16](zeros[tile.BF16T2[tile.D4, tile.D8]]),
		zeroing[float32](zeros[tile.F32T2[tile.D4, tile.D8]]),
		zeroing[float64](zeros[tile.F64T2[tile.D4, tile.D8]]),
		zeroing[int8](zeros[tile.I8T2[tile.D4, tile.D8]]),
		zeroing[int16](zeros[tile.I16T2[tile.D4, tile.D8]]),
		zeroing[int32](zeros[tile.I32T2[tile.D4, tile.D8]]),
		zeroing[int64](zeros[tile.I64T2[tile.D4, tile.D8]]),
		zeroing[uint8](zeros[tile.U8T2[tile.D4, tile.D8]]),
		zeroing[uint16](zeros[tile.U16T2[tile.D4, tile.D8]]),
		zeroing[uint32](zeros[tile.U32T2[tile.D4, tile.D8]]),
		zeroing[uint64](zeros[tile.U64T2[tile.D4, tile.D8]]),
		{Name: "iota/rank2", Kernel: counts[tile.D4, tile.D8], Setup: func(*rand.Rand) Setup {
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

func iota[E intElem](kernel any) Case {
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
		where[dtype.Float16](choose[tile.F16T1[tile.D16]]),
		where[dtype.BFloat16](choose[tile.BF16T1[tile.D16]]),
		where[float32](choose[tile.F32T1[tile.D16]]),
		where[float64](choose[tile.F64T1[tile.D16]]),
		where[int8](choose[tile.I8T1[tile.D16]]),
		where[int16](choose[tile.I16T1[tile.D16]]),
		where[int32](choose[tile.I32T1[tile.D16]]),
		where[int64](choose[tile.I64T1[tile.D16]]),
		where[uint8](choose[tile.U8T1[tile.D16]]),
		where[uint16](choose[tile.U16T1[tile.D16]]),
		where[uint32](choose[tile.U32T1[tile.D16]]),
		where[uint64](choose[tile.U64T1[tile.D16]]),
		padding[dtype.Float16](padded[tile.F16T1[tile.D16]]),
		padding[dtype.BFloat16](padded[tile.BF16T1[tile.D16]]),
		padding[float32](padded[tile.F32T1[tile.D16]]),
		padding[float64](padded[tile.F64T1[tile.D16]]),
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
		for i, pad := range []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), 0, 0} {
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
		{Name: "grid/fold", Kernel: indexes[tile.D2, tile.D4, tile.D1, tile.D8], Setup: func(*rand.Rand) Setup {
			shape := []int{5, 9, 3, 17}
			z := blank[int32](shape...)
			var want []int32
			for i := range product(shape) {
				at := unravel(i, shape)
				want = append(want, int32(at[0]/2*1000+at[1]/4*100+at[2]*10+at[3]/8))
			}
			return Setup{Args: []any{z}, Want: []Want{exactly(z, want)}}
		}},
		{Name: "view/extents", Kernel: extents[tile.D4, tile.D8], Setup: func(*rand.Rand) Setup {
			z := blank[int64](10)
			return Setup{Args: []any{blank[float32](5, 17), blank[float32](16, 4), z},
				Want: []Want{exactly(z, []int64{5, 17, 2, 3, 16, 4, 2, 1, 10, 1})}}
		}},
		{Name: "view/bool", Kernel: masksInMemory[tile.D16], Setup: func(r *rand.Rand) Setup {
			x, y := random[bool](r, 37), random[float32](r, 37)
			z := blank[bool](37)
			return Setup{Args: []any{arr(x), arr(y), z}, Want: []Want{exactly(z, mapped2(func(p bool, v float32) bool { return !p && v > 0 }, x, y))}}
		}},
	}
}
