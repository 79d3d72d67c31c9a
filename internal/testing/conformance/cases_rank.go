package conformance

import (
	"math/rand/v2"
	"slices"
)

// ranks are the cases of tiles of ranks 0, 5 and 6.
func ranks() []Case {
	return []Case{
		{Name: "rank/5", Kernel: inst("rank5", "D2", "D1", "D4", "D2", "D8"), Grid: []int{1, 1, 1}, Setup: func(r *rand.Rand) Setup {
			shape := []int{2, 1, 4, 2, 8}
			x := small[float32](r, product(shape), -9, 9)
			same := mapped(func(v float32) float32 {
				if v > 0 {
					return v + v
				}
				return -v
			}, x)
			sum := along(x, shape, 2, func(line []float32) []float32 {
				s := float32(0)
				for _, v := range line {
					s += v
				}
				return []float32{s}
			})
			at := along(x, shape, 4, func(line []float32) []int32 { return []int32{int32(slices.Index(line, slices.Max(line)))} })
			a := arr(x, shape...)
			turned := values[float32](a.permuted(4, 3, 2, 1, 0))
			as := []*Array{blank[float32](shape...), blank[float32](2, 1, 1, 2, 8), blank[float32](8, 2, 4, 1, 2), blank[int32](2, 1, 4, 2, 1)}
			return Setup{Args: []any{a, as[0], as[1], as[2], as[3]},
				Want: []Want{exactly(as[0], same), exactly(as[1], sum), exactly(as[2], turned), exactly(as[3], at)}}
		}},
		{Name: "rank/6", Kernel: inst("rank6", "D2", "D2", "D1", "D2", "D4", "D8"), Grid: []int{1, 1, 1}, Setup: func(r *rand.Rand) Setup {
			shape := []int{2, 2, 1, 2, 4, 8}
			x := small[int16](r, product(shape), -99, 99)
			same := along(x, shape, 5, func(line []int16) []int16 {
				out := mapped(func(v int16) int16 { return max(v, -v) }, line)
				for i := 1; i < len(out); i++ {
					out[i] += out[i-1]
				}
				return out
			})
			peak := along(x, shape, 1, func(line []int16) []int16 { return []int16{slices.Max(line)} })
			some := along(x, shape, 5, func(line []int16) []bool { return []bool{slices.Max(line) > 0} })
			a := arr(x, shape...)
			turned := values[int16](a.permuted(0, 1, 2, 3, 5, 4))
			as := []*Array{blank[int16](shape...), blank[int16](2, 1, 1, 2, 4, 8), blank[int16](2, 2, 1, 2, 8, 4), blank[bool](2, 2, 1, 2, 4, 1)}
			return Setup{Args: []any{a, as[0], as[1], as[2], as[3]},
				Want: []Want{exactly(as[0], same), exactly(as[1], peak), exactly(as[2], turned), exactly(as[3], some)}}
		}},
		{Name: "rank/spread", Kernel: inst("spread6", "D2", "D1", "D2", "D2", "D2", "D4"), Setup: func(r *rand.Rand) Setup {
			shape := []int{3, 2, 2, 5, 2, 7} // no multiples of the tile: blocks share the leading axes
			x := small[float64](r, 4, -9, 9)
			z := blank[float64](shape...)
			want := make([]float64, product(shape))
			for i := range want {
				want[i] = x[i%7%4] + 4 + 2 + 3 + 4 + 4 + 6
			}
			return Setup{Args: []any{arr(x), 3.0, z}, Want: []Want{exactly(z, want)}}
		}},
	}
}
