package conformance

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/conformance/helper"
	"github.com/cutile-go/cutile/tile"
)

// structures are the cases of structs, methods, lists, function arguments, generic helpers and scalars.
func structures() []Case {
	d := func(r *rand.Rand) []float64 { return random[float64](r, 37) }
	return []Case{
		statisticsCase[float32](inst("statistics", "F32T1[D8]")),
		statisticsCase[float64](inst("statistics", "F64T1[D8]")),
		statisticsCase[dtype.Float16](inst("statistics", "F16T1[D8]")),
		swapping(0), swapping(1), swapping(2),
		exact1("struct/polynomial", polynomial, d,
			func(x float64) float64 { return horner(x, 2, -3, 0.5, 1) },
			func(x float64) float64 { return horner(x, 1, 0, -1) },
			func(x float64) float64 {
				if x < -2 || x > 2 {
					return math.Copysign(20, x)
				}
				return x
			}),
		{Name: "struct/list", Kernel: list, Setup: func(r *rand.Rand) Setup {
			x := small[int32](r, 24, -9, 9)
			z, want := blank[int32](8), make([]int32, 8)
			for i := range want {
				want[i] = x[i] + 10*x[i+8] + 100*x[i+16]
			}
			return Setup{Args: []any{arr(x), z}, Want: []Want{exactly(z, want)}}
		}},
		applying[int16](inst("apply", "I16T1[D16]"), square[tile.I16T1[tile.D16]], sumDiff[tile.I16T1[tile.D16]]),
		applying[uint64](inst("apply", "U64T1[D16]"), square[tile.U64T1[tile.D16]], sumDiff[tile.U64T1[tile.D16]]),
		applying[float32](inst("apply", "F32T1[D16]"), square[tile.F32T1[tile.D16]], sumDiff[tile.F32T1[tile.D16]]),
		genericCase[float32](inst("generic", "float32", "D4", "D8")),
		genericCase[dtype.BFloat16](inst("generic", "dtype.BFloat16", "D4", "D8")),
		{Name: "scalar/all", Kernel: scalars, Setup: func(*rand.Rand) Setup {
			z := blank[float64](1)
			return Setup{Args: []any{int8(-128), int16(-32768), int32(1 << 30), int64(-1 << 50), uint8(255), uint16(65535), uint32(1 << 31), uint64(1 << 52),
				float32(1.5), 0.25, true, -7, uint(9), z},
				Want: []Want{exactly(z, []float64{-(-128 - 32768 + 1<<30 - 1<<50 + 255 + 65535 + 1<<31 + 1<<52 + 1.5 + 0.25 - 7 + 9)})}}
		}},
		{Name: "scalar/tiles", Kernel: scalarTiles, Setup: func(*rand.Rand) Setup {
			z := blank[float32](4)
			return Setup{Args: []any{fromF64[dtype.Float16](0.5), fromF64[dtype.BFloat16](-3), int8(-100), z}, Want: []Want{exactly(z, slices.Repeat([]float32{300.5}, 4))}}
		}},
		{Name: "scalar/constants", Kernel: constants, Setup: func(*rand.Rand) Setup {
			z, w := blank[int32](4), blank[float32](4)
			const m = 23
			return Setup{Args: []any{z, w}, Want: []Want{exactly(z, slices.Repeat([]int32{m<<2%7 + 1<<20 - 'a'}, 4)), exactly(w, slices.Repeat([]float32{1.0/3 + 1e-3*m}, 4))}}
		}},
	}
}

func statisticsCase[E floatElem](kernel any) Case {
	return Case{Name: label[E]("struct/statistics"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := small[E](r, 40, -9, 9)
		sum, sq, width, count := blank[E](8), blank[E](8), blank[E](8), blank[E](8)
		var want [4][]E
		for lane := range 8 {
			s, q, lo, hi, n := 0.0, 0.0, math.Inf(1), toF64(x[lane]), 0.0
			for i := 8 + lane; i < len(x); i += 8 {
				v := toF64(x[i])
				s, q, lo, hi, n = s+v, q+v*v, min(lo, v), max(hi, v), n+1
			}
			for i, v := range []float64{s, q, hi - lo, n} {
				want[i] = append(want[i], fromF64[E](v))
			}
		}
		return Setup{Args: []any{arr(x), sum, sq, width, count},
			Want: []Want{exactly(sum, want[0]), exactly(sq, want[1]), exactly(width, want[2]), exactly(count, want[3])}}
	}}
}

func swapping(n int) Case {
	return Case{Name: "struct/pair/" + string(rune('0'+n)), Kernel: pairs2, Setup: func(r *rand.Rand) Setup {
		x, y := random[float32](r, 37), random[float32](r, 37)
		a, b, tag := x, y, float32(n+helper.Shift)
		if tag > 4 {
			a, b = b, a
		}
		z, w := blank[float32](37), blank[float32](37)
		return Setup{Args: []any{arr(x), arr(y), n, z, w}, Want: []Want{
			exactly(z, mapped(func(v float32) float32 { return float32(v*2) + tag }, a)), exactly(w, mapped(func(v float32) float32 { return v * 2 }, b))}}
	}}
}

func applying[E dtype.Elem](kernel, f, g any) Case {
	return Case{Name: label[E]("function/apply"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x, y := small[E](r, 37, 0, 9), small[E](r, 37, 0, 9)
		z, w := blank[E](37), blank[E](37)
		val := func(v E) int64 { return int64(toF64(v)) }
		return Setup{Args: []any{arr(x), arr(y), f, g, plusFive, z, w}, Want: []Want{
			exactly(z, mapped2(func(a, b E) E { return wrapped[E](val(a)*val(a) + val(b)) }, x, y)),
			exactly(w, mapped2(func(a, b E) E { return wrapped[E](val(a)*val(a) - val(b) + 7) }, x, y))}}
	}}
}

func genericCase[E floatElem](kernel any) Case {
	return Case{Name: label[E]("function/generic"), Kernel: kernel, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
		x, y := small[E](r, 4, -3, 3), small[E](r, 8, -3, 3)
		z, w := blank[E](4, 8), blank[E](4)
		var wantZ, wantW []E
		for _, a := range x {
			sum := 0.0
			for _, b := range y {
				p := toF64(a) * toF64(b)
				sum += p
				wantZ = append(wantZ, fromF64[E](2*p+1))
			}
			wantW = append(wantW, fromF64[E](sum))
		}
		return Setup{Args: []any{arr(x), arr(y), z, w}, Want: []Want{exactly(z, wantZ), exactly(w, wantW)}}
	}}
}

// horner rounds after each operation, as the kernel does.
func horner(x float64, coefficients ...float64) float64 {
	sum := 0.0
	for _, c := range coefficients {
		product := float64(sum * x)
		sum = product + c
	}
	return sum
}
