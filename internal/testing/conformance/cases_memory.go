package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// memories are the cases of raw pointers, atomics and the order of loads and stores.
func memories() []Case {
	return slices.Concat(pointers(), ordered())
}

func pointers() []Case {
	return []Case{
		gathering[dtype.Float16](inst("gather", "F16T1[D16]", "dtype.Float16")),
		gathering[dtype.BFloat16](inst("gather", "BF16T1[D16]", "dtype.BFloat16")),
		gathering[float32](inst("gather", "F32T1[D16]", "float32")),
		gathering[float64](inst("gather", "F64T1[D16]", "float64")),
		gathering[int8](inst("gather", "I8T1[D16]", "int8")),
		gathering[int16](inst("gather", "I16T1[D16]", "int16")),
		gathering[int32](inst("gather", "I32T1[D16]", "int32")),
		gathering[int64](inst("gather", "I64T1[D16]", "int64")),
		gathering[uint8](inst("gather", "U8T1[D16]", "uint8")),
		gathering[uint16](inst("gather", "U16T1[D16]", "uint16")),
		gathering[uint32](inst("gather", "U32T1[D16]", "uint32")),
		gathering[uint64](inst("gather", "U64T1[D16]", "uint64")),
		offsetting[int8](inst("offsets", "I8T1[D16]"), math.MaxInt8),
		offsetting[int16](inst("offsets", "I16T1[D16]"), math.MaxInt16),
		offsetting[int32](inst("offsets", "I32T1[D16]"), math.MaxUint16),
		offsetting[int64](inst("offsets", "I64T1[D16]"), math.MaxUint16),
		offsetting[uint8](inst("offsets", "U8T1[D16]"), math.MaxUint8),
		offsetting[uint16](inst("offsets", "U16T1[D16]"), math.MaxUint16),
		offsetting[uint32](inst("offsets", "U32T1[D16]"), math.MaxUint16),
		offsetting[uint64](inst("offsets", "U64T1[D16]"), math.MaxUint16),
		scattering[dtype.Float16](inst("scatter", "F16T1[D16]", "dtype.Float16")),
		scattering[dtype.BFloat16](inst("scatter", "BF16T1[D16]", "dtype.BFloat16")),
		scattering[float32](inst("scatter", "F32T1[D16]", "float32")),
		scattering[float64](inst("scatter", "F64T1[D16]", "float64")),
		scattering[int8](inst("scatter", "I8T1[D16]", "int8")),
		scattering[int16](inst("scatter", "I16T1[D16]", "int16")),
		scattering[int32](inst("scatter", "I32T1[D16]", "int32")),
		scattering[int64](inst("scatter", "I64T1[D16]", "int64")),
		scattering[uint8](inst("scatter", "U8T1[D16]", "uint8")),
		scattering[uint16](inst("scatter", "U16T1[D16]", "uint16")),
		scattering[uint32](inst("scatter", "U32T1[D16]", "uint32")),
		scattering[uint64](inst("scatter", "U64T1[D16]", "uint64")),
		adding[dtype.Float16](inst("atomicAdd", "F16T1[D16]", "dtype.Float16")),
		adding[dtype.BFloat16](inst("atomicAdd", "BF16T1[D16]", "dtype.BFloat16")),
		adding[float32](inst("atomicAdd", "F32T1[D16]", "float32")),
		adding[float64](inst("atomicAdd", "F64T1[D16]", "float64")),
		adding[int32](inst("atomicAdd", "I32T1[D16]", "int32")),
		adding[int64](inst("atomicAdd", "I64T1[D16]", "int64")),
		adding[uint32](inst("atomicAdd", "U32T1[D16]", "uint32")),
		adding[uint64](inst("atomicAdd", "U64T1[D16]", "uint64")),
		{Name: "gather/rank2", Kernel: inst("gather2", "D4", "D8"), Setup: func(r *rand.Rand) Setup {
			const m, n, stride = 7, 21, 9
			p := random[float32](r, n*stride)
			z := blank[float32](m, n)
			var want []float32
			for i := range m * n {
				want = append(want, p[i/n+i%n*stride])
			}
			return Setup{Args: []any{arr(p), stride, z}, Want: []Want{exactly(z, want)}}
		}},
		{Name: "gather/one", Kernel: gatherOne, Grid: []int{6}, Setup: func(r *rand.Rand) Setup {
			p := random[float64](r, 12)
			want := slices.Clone(p)
			for i := range 6 {
				want[i+6] = p[i] * 2
			}
			a := arr(p)
			return Setup{Args: []any{a, 6}, Want: []Want{exactly(a, want)}}
		}},
		{Name: "gather/lazy", Kernel: lazyLoads, Setup: func(r *rand.Rand) Setup {
			p := small[int32](r, 20, -1, 1)
			want := int32(600)
			for _, v := range p {
				if v > 0 {
					want++
				} else if v == 0 {
					want += 100
				}
			}
			z := blank[int32](1)
			return Setup{Args: []any{arr(p), 20, z}, Want: []Want{exactly(z, []int32{want})}}
		}},
		{Name: "atomic/old", Kernel: atomicOld, Grid: []int{9}, Setup: func(*rand.Rand) Setup {
			counter, tickets := arr(make([]int32, 1)), arr(make([]int32, 80))
			return Setup{Args: []any{counter, tickets}, Want: []Want{exactly(counter, []int32{72}), exactly(tickets, append(slices.Repeat([]int32{1}, 72), make([]int32, 8)...))}}
		}},
	}
}

// gathering reads at offsets of which some are masked: those would lie outside.
func gathering[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("gather"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const n = 50
		p := random[E](r, n)
		at := small[int32](r, 37, -20, n+20)
		z, w := blank[E](37), blank[E](37)
		return Setup{Args: []any{arr(p), arr(at), n, z, w}, Want: []Want{
			exactly(z, mapped(func(i int32) E {
				if i < 0 || i >= n {
					return fromF64[E](7)
				}
				return p[i]
			}, at)),
			exactly(w, mapped(func(i int32) E { return p[min(max(i, 0), n-1)] }, at)),
		}}
	}}
}

// offsetting accesses elements at different offsets up to a greatest one, which is among them.
func offsetting[I int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](kernel any, most int) Case {
	return Case{Name: label[I]("offsets"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const n = 32
		p := random[int32](r, most+1)
		at := append(mapped(func(i int) I { return I(i) }, r.Perm(most)[:n-1]), I(most))
		z, zeros := blank[int32](n), make([]int32, most+1)
		q, sums, swapped, want := arr(zeros), arr(zeros), arr(zeros), slices.Clone(zeros)
		for _, i := range at {
			want[i] = p[i]
		}
		return Setup{Args: []any{arr(p), arr(at), q, sums, swapped, z}, Want: []Want{
			exactly(z, mapped(func(i I) int32 { return p[i] }, at)), exactly(q, want), exactly(sums, want), exactly(swapped, want),
		}}
	}}
}

// scattering writes a permutation, so that no two lanes meet, into a part of a larger memory.
func scattering[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("scatter"), Kernel: kernel, Grid: []int{3}, Setup: func(r *rand.Rand) Setup {
		const n = 37
		x, at := random[E](r, n), mapped(func(i int) uint32 { return uint32(i) }, r.Perm(n + 13)[:n])
		p := blank[E](n + 20)
		want := values[E](p)
		for i, k := range at {
			want[int(k)+2] = x[i]
		}
		part := p.narrowed(0, 2, n+15)
		return Setup{Args: []any{arr(x), arr(at), part, n}, Want: []Want{exactly(part, want[2:n+15])}}
	}}
}

// adding counts in bins, in whole numbers, which every order adds up to the same.
func adding[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("atomic"), Kernel: kernel, Grid: []int{8}, Setup: func(r *rand.Rand) Setup {
		const n = 128
		x, by := small[int32](r, n, -3, 10), small[E](r, n, 0, 3)
		bins := small[E](r, 11, 0, 5)
		p := arr(bins)
		want := slices.Clone(bins)
		for i, k := range x {
			if k >= 0 {
				want[k] = plus(want[k], by[i])
			}
		}
		return Setup{Args: []any{arr(x), arr(by), p}, Want: []Want{exactly(p, want)}}
	}}
}

// ordered are the cases of loads that must see what was stored before.
func ordered() []Case {
	var all []Case
	for _, n := range []int{0, 1, 3, 6} {
		all = append(all,
			Case{Name: fmt.Sprintf("order/readBack/%d", n), Kernel: readBack, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
				x := small[int32](r, 8*8, -9, 9)
				a, m := arr(x), tiles{slices.Clone(x), 8}
				readBackHost(m, n)
				return Setup{Args: []any{a, n}, Want: []Want{exactly(a, m.x)}}
			}},
			Case{Name: fmt.Sprintf("order/pointer/%d", n), Kernel: pointerChain, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
				x := append(small[int64](r, 8, -9, 9), make([]int64, 8)...)
				p, want := arr(x), slices.Clone(x)
				pointerChainHost(want, n)
				return Setup{Args: []any{p, n}, Want: []Want{exactly(p, want)}}
			}},
			Case{Name: fmt.Sprintf("order/out/%d", n), Kernel: outTwice, Setup: func(r *rand.Rand) Setup {
				x := small[float32](r, 6*9, -9, 9)
				z := blank[float32](6, 9)
				return Setup{Args: []any{arr(x, 6, 9), n, z}, Want: []Want{exactly(z, mapped(func(v float32) float32 {
					v++
					for range n {
						v *= 2
					}
					if n > 1 {
						v -= 3
					}
					return v
				}, x))}}
			}})
	}
	return append(all,
		Case{Name: "order/swap", Kernel: swapHalves, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x := random[float32](r, 16)
			a := arr(x)
			return Setup{Args: []any{a}, Want: []Want{exactly(a, append(slices.Clone(x[8:]), x[:8]...))}}
		}},
		Case{Name: "order/persistent", Kernel: persistent, Grid: []int{3}, Setup: func(r *rand.Rand) Setup {
			x := small[int32](r, 13*21, -99, 99)
			z := blank[int32](13, 21)
			return Setup{Args: []any{arr(x, 13, 21), z}, Want: []Want{exactly(z, mapped(func(v int32) int32 { return 2 * v }, x))}}
		}})
}

// tiles is memory seen as tiles of n elements.
type tiles struct {
	x []int32
	n int
}

// store sets each element of tile to to what f makes of its place.
func (t tiles) store(to int, f func(lane int) int32) {
	out := make([]int32, t.n)
	for lane := range out {
		out[lane] = f(lane)
	}
	copy(t.x[to*t.n:], out)
}

func (t tiles) at(i, lane int) int32 { return t.x[i*t.n+lane] }

// readBackHost does what readBack must do.
func readBackHost(t tiles, n int) {
	t.store(0, func(l int) int32 { return t.at(0, l) + 1 })
	t.store(0, func(l int) int32 { return t.at(0, l) * 2 })
	for i := range n {
		t.store(i+1, func(l int) int32 { return t.at(i, l)*2 + t.at(0, l) })
	}
	if n > 2 {
		t.store(1, func(l int) int32 { return t.at(1, l) + 100 })
		if n > 3 {
			t.store(0, func(l int) int32 { return t.at(1, l) + 1000 })
		}
	} else {
		t.store(0, func(l int) int32 { return t.at(1, l) - 5 })
	}
	t.store(2, func(l int) int32 { return t.at(0, l) + t.at(1, l) })
	for i := n; i > 0; i-- {
		if i%2 == 0 {
			t.store(i, func(l int) int32 { return t.at(i, l) + t.at(i-1, l) })
			continue
		}
		t.store(i-1, func(l int) int32 { return t.at(i-1, l) + 1 })
	}
}

// pointerChainHost does what pointerChain must do.
func pointerChainHost(p []int64, n int) {
	slices.Reverse(p[:8])
	for k := range n {
		v := slices.Clone(p[:8])
		for i := range v {
			if k%2 == 0 {
				p[(i+1)&7] = v[i]*3 + 1
			} else if i > 2 {
				p[i] += v[i]
			}
		}
	}
	copy(p[8:], p[:8])
}
