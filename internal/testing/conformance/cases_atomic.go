package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// sharing are the cases of memory that blocks share, and of promises about it.
func sharing() []Case {
	return []Case{
		updating[int32](inst("updates", "I32T1[D16]", "int32")),
		updating[uint32](inst("updates", "U32T1[D16]", "uint32")),
		updating[int64](inst("updates", "I64T1[D16]", "int64")),
		updating[uint64](inst("updates", "U64T1[D16]", "uint64")),
		exchanging[int32](inst("swaps", "I32T1[D16]", "int32")),
		exchanging[uint64](inst("swaps", "U64T1[D16]", "uint64")),
		exchanging[float32](inst("swaps", "F32T1[D16]", "float32")),
		exchanging[float64](inst("swaps", "F64T1[D16]", "float64")),
		accumulating[dtype.Float16](inst("accumulate", "F16T1[D8]")),
		accumulating[dtype.BFloat16](inst("accumulate", "BF16T1[D8]")),
		accumulating[float32](inst("accumulate", "F32T1[D8]")),
		accumulating[float64](inst("accumulate", "F64T1[D8]")),
		accumulating[int32](inst("accumulate", "I32T1[D8]")),
		accumulating[uint64](inst("accumulate", "U64T1[D8]")),
		accumulatingInts[int32](inst("accumulateInts", "I32T1[D4]")),
		accumulatingInts[uint32](inst("accumulateInts", "U32T1[D4]")),
		accumulatingInts[int64](inst("accumulateInts", "I64T1[D4]")),
		{Name: "order/handOver", Kernel: inst("handOver"), Grid: []int{2}, Setup: func(*rand.Rand) Setup {
			flag, value := arr([]int32{0}), arr([]int32{7})
			return Setup{Args: []any{flag, value}, Want: []Want{exactly(flag, []int32{2}), exactly(value, []int32{64})}}
		}},
		{Name: "global/table", Kernel: inst("globals"), Setup: func(*rand.Rand) Setup {
			seen, z := blank[int32](4), blank[int16](8)
			return Setup{Args: []any{seen, z}, Want: []Want{exactly(seen, []int32{5, 6, 7, 0}), exactly(z, []int16{19, 17, 13, 11, 7, 5, 3, 2})}}
		}},
		{Name: "global/count", Kernel: inst("tally"), Grid: []int{11}, Setup: func(*rand.Rand) Setup {
			z := arr([]int32{-1})
			return Setup{Args: []any{z, 11}, Want: []Want{exactly(z, []int32{11})}}
		}},
		{Name: "scratch", Kernel: inst("scratch"), Since: tileir.V13_4, Setup: func(r *rand.Rand) Setup {
			x := random[int32](r, 24)
			y, b := blank[int32](24), blank[uint8](96)
			var want []int32
			var raw []uint8
			for i := range x {
				want = append(want, x[i/8*8+7-i%8])
			}
			for i, v := range want {
				part := bytesOf([]int32{v})
				if i%8 == 0 {
					part[0] = 255
				}
				raw = append(raw, part...)
			}
			return Setup{Args: []any{arr(x), y, b}, Want: []Want{exactly(y, want), exactly(b, raw)}}
		}},
		{Name: "grid/waits", Kernel: inst("waits"), Grid: []int{1}, Since: tileir.V13_4, Setup: func(r *rand.Rand) Setup {
			x := small[float32](r, 8, -9, 9)
			a := arr(x)
			return Setup{Args: []any{a}, Want: []Want{exactly(a, mapped(func(v float32) float32 { return (v + 1) * 2 }, x))}}
		}},
		{Name: "order/views", Kernel: inst("orderedViews"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x := small[int32](r, 16, -9, 9)
			a := arr(x)
			want := slices.Clone(x)
			for i := range 8 {
				want[8+i] = x[i] + 1
			}
			return Setup{Args: []any{a}, Want: []Want{exactly(a, want)}}
		}},
		{Name: "hints/kernel", Kernel: inst("tuned"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x := random[int32](r, 16)
			a := arr(x)
			return Setup{Args: []any{a}, Want: []Want{exactly(a, append(slices.Clone(x[8:]), x[8:]...))}}
		}},
		{Name: "hints", Kernel: inst("hinted"), Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x, y := small[int32](r, 16, -9, 9), small[int32](r, 16, -9, 9)
			a := arr(x)
			want := slices.Clone(x)
			for i := range 8 {
				want[i] = x[8+i]*2 + y[8+i]
			}
			return Setup{Args: []any{a, arr(y)}, Want: []Want{exactly(a, want)}}
		}},
		{Name: "promise/holds", Kernel: inst("promises"), Setup: func(r *rand.Rand) Setup {
			x := random[int32](r, 40)
			z := blank[int32](8)
			want := make([]int32, 8)
			for i := range want {
				want[i] = x[32+i] + int32(i/2) + 4
			}
			return Setup{Args: []any{arr(x), 32, z}, Want: []Want{exactly(z, want)}}
		}},
		{Name: "promise/broken", Kernel: inst("broken"), Setup: func(*rand.Rand) Setup {
			return Setup{Args: []any{12, blank[int32](8)}, Fault: &Fault{Text: "a promise does not hold: element 0 is 12, which 8 does not divide", Line: "// promise"}}
		}},
	}
}

// updating folds numbers into eight regions of memory by eight operations, which commute.
func updating[E intElem](kernel any) Case {
	return Case{Name: label[E]("atomic/modes"), Kernel: kernel, Grid: []int{4}, Setup: func(r *rand.Rand) Setup {
		const n = 7
		x, at, p := random[E](r, 64), small[int32](r, 64, -2, n-1), random[E](r, 8*n)
		want := slices.Clone(p)
		for i, k := range at {
			if k < 0 {
				continue
			}
			for m, f := range []func(a, b E) E{
				plus[E], func(a, b E) E { return max(a, b) }, func(a, b E) E { return min(a, b) }, func(a, b E) E { return a & b },
				func(a, b E) E { return a | b }, func(a, b E) E { return a ^ b }, plus[E], func(a, b E) E { return max(a, b) },
			} {
				want[m*n+int(k)] = f(want[m*n+int(k)], x[i])
			}
		}
		a := arr(p)
		return Setup{Args: []any{arr(x), arr(at), a, n}, Want: []Want{exactly(a, want)}}
	}}
}

func exchanging[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("atomic/swap"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x, p := small[E](r, 16, 1, 99), small[E](r, 16, 100, 120)
		a, was, had := arr(p), blank[E](16), blank[E](16)
		old, seen, want := make([]E, 16), slices.Clone(x), slices.Clone(p) // what is held back gives what it compares with
		add := func(v E, n float64) E { return fromF64[E](toF64(v) + n) }
		for i := range want {
			if i < 12 {
				old[i], want[i] = want[i], x[i]
			}
			if i > 3 {
				if seen[i] = want[i]; want[i] == x[i] {
					want[i] = add(x[i], 1)
				}
			}
			if i < 2 && want[i] == x[i] {
				want[i] = add(x[i], 5)
			}
		}
		return Setup{Args: []any{arr(x), a, was, had}, Want: []Want{exactly(a, want), exactly(was, old), exactly(had, seen)}}
	}}
}

func accumulating[E dtype.Elem](kernel any) Case {
	return Case{Name: label[E]("accumulate"), Kernel: kernel, Grid: []int{5}, Setup: func(r *rand.Rand) Setup {
		x, y := small[E](r, 5*8, 0, 9), small[E](r, 13, 0, 9)
		want := slices.Clone(y)
		for i, v := range x {
			if at := i / 8 % 2 * 8; at+i%8 < len(want) {
				want[at+i%8] = plus(want[at+i%8], v)
			}
		}
		a := arr(y)
		return Setup{Args: []any{arr(x), a}, Want: []Want{exactly(a, want)}}
	}}
}

func accumulatingInts[E intElem](kernel any) Case {
	return Case{Name: label[E]("accumulate/modes"), Kernel: kernel, Grid: []int{6}, Setup: func(r *rand.Rand) Setup {
		x := random[E](r, 6*4)
		high, low, bits, sum := random[E](r, 4), random[E](r, 4), random[E](r, 3), random[E](r, 13)
		as := []*Array{arr(high), arr(low), arr(bits), arr(sum)}
		high, low, bits, sum = slices.Clone(high), slices.Clone(low), slices.Clone(bits), slices.Clone(sum)
		for i, v := range x {
			j := i % 4
			high[j], low[j] = max(high[j], v), min(low[j], v)
			if j < 3 {
				bits[j] ^= v
			}
			if k := i/4*2 + j; k < len(sum) {
				sum[k] += v
			}
		}
		return Setup{Args: []any{arr(x), as[0], as[1], as[2], as[3]}, Want: []Want{exactly(as[0], high), exactly(as[1], low), exactly(as[2], bits), exactly(as[3], sum)}}
	}}
}
