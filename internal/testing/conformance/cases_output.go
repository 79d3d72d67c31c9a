package conformance

import (
	"fmt"
	"math/rand/v2"
)

// outputs are the cases of Print and Assert.
func outputs() []Case {
	return []Case{
		{Name: "print", Kernel: prints, Grid: []int{4}, Setup: func(*rand.Rand) Setup {
			x := []int32{1, 2, 3, 4, 5, 6, 7, 8, -9, 10, 2, 3, 0, 1, 0, 1}
			var want []string
			for _, i := range []int{0, 2, 3} {
				e := x[4*i:]
				want = append(want, fmt.Sprintf("block %d of 4: [%d, %d, %d, %d]", i, e[0], e[1], e[2], e[3]))
			}
			want = append(want, "f 2.50, hex 2a, mask [0, 1, 0, 0], 100%", "turn 0", "turn 1")
			return Setup{Args: []any{arr(x), float32(2.5)}, Prints: want}
		}},
		{Name: "assert/block", Kernel: asserts, Setup: func(*rand.Rand) Setup {
			x := make([]int32, 37)
			x[21] = -1
			return Setup{Args: []any{arr(x), blank[int32](37)}, Fault: &Fault{Text: "x must not be negative", Block: [3]uint32{2, 0, 0}, Line: "// here"}}
		}},
		{Name: "assert/holds", Kernel: asserts, Setup: func(r *rand.Rand) Setup {
			x := small[int32](r, 37, 0, 9)
			z := blank[int32](37)
			return Setup{Args: []any{arr(x), z}, Want: []Want{exactly(z, x)}}
		}},
		{Name: "assert/deep", Kernel: assertsDeep, Setup: func(*rand.Rand) Setup {
			return Setup{Args: []any{5, blank[int32](8)}, Fault: &Fault{Text: "too far", Line: "// deep"}}
		}},
	}
}
