package conformance

import (
	"fmt"
	"math/rand/v2"
)

// controls are the cases of branches, loops, functions and closures. Go runs the same functions for the reference.
func controls() []Case {
	var all []Case
	for _, f := range []struct {
		name string
		f    func(int) int
	}{
		{"ifElse", ifElse}, {"ifInit", ifInit}, {"loopCount", loopCount}, {"loopStep", loopStep}, {"loopWhile", loopWhile},
		{"loopForever", loopForever}, {"loopRange", loopRange}, {"loopGeometric", loopGeometric}, {"loopNested", loopNested},
		{"loopLimit", loopLimit}, {"switches", switches}, {"switchContinue", switchContinue}, {"returns", returns},
		{"results", resultsOf}, {"closures", closures}, {"scopes", scopes}, {"shortCircuit", shortCircuit}, {"machine", machine},
	} {
		for _, n := range []int{-12, -1, 0, 1, 2, 3, 4, 7, 10, 13, 27, 64} {
			all = append(all, Case{Name: fmt.Sprintf("control/%s/%d", f.name, n), Kernel: control, Setup: func(*rand.Rand) Setup {
				z := blank[int64](1)
				return Setup{Args: []any{n, f.f, z}, Want: []Want{exactly(z, []int64{int64(f.f(n))})}}
			}})
		}
	}
	for n, want := range map[int]int64{-1: -7, 0: 1, 5: 1, 6: 5, 9: 5} {
		all = append(all, Case{Name: fmt.Sprintf("control/earlyReturn/%d", n), Kernel: earlyReturn, Setup: func(*rand.Rand) Setup {
			z := blank[int64](1)
			return Setup{Args: []any{n, z}, Want: []Want{exactly(z, []int64{want})}}
		}})
	}
	return append(all, tilesInLoop(), maskInLoopCase())
}

func tilesInLoop() Case {
	return Case{Name: "control/tilesInLoops", Kernel: tilesInLoops, Setup: func(r *rand.Rand) Setup {
		x := small[int32](r, 45, -100, 100)
		const n = 2
		want := make([]int32, 8)
		for lane := range want {
			sum, peak, turns := int32(0), int32(0), int32(0)
			for i := range 6 {
				v := int32(0) // the padding
				if at := i*8 + lane; at < len(x) {
					v = x[at]
				}
				if i%2 == 0 {
					sum += v
				} else {
					sum -= v
				}
				if i == n {
					peak = max(peak, v)
					turns++
				} else if i > n {
					sum += peak
				}
			}
			want[lane] = sum + turns
		}
		z := blank[int32](8)
		return Setup{Args: []any{arr(x), n, z}, Want: []Want{exactly(z, want)}}
	}}
}

// maskInLoopCase follows the sequence n/2, 3n+1 until all elements of a tile have come to 1.
func maskInLoopCase() Case {
	return Case{Name: "control/maskInLoop", Kernel: maskInLoop, Setup: func(r *rand.Rand) Setup {
		x := small[int32](r, 21, 1, 60)
		end, steps := make([]int32, len(x)), make([]int32, len(x))
		for i, v := range x {
			for ; v > 1 && steps[i] < 200; steps[i]++ {
				if v%2 == 1 {
					v = 3*v + 1
				} else {
					v /= 2
				}
			}
			end[i] = v
		}
		z, w := blank[int32](len(x)), blank[int32](len(x))
		return Setup{Args: []any{arr(x), z, w}, Want: []Want{exactly(z, end), exactly(w, steps)}}
	}}
}
