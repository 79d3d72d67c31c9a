package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		{Name: "print/many", Kernel: printsMany, Grid: []int{1}, Setup: func(r *rand.Rand) Setup {
			x := small[int32](r, 64*64, -500, 500)
			rows := func(text func(v int32) string) string {
				var lines []string
				for i := range 64 {
					lines = append(lines, "["+strings.Join(mapped(text, x[64*i:64*i+64]), ", ")+"]")
				}
				return "[" + strings.Join(lines, ", ") + "]"
			}
			want := rows(func(v int32) string { return fmt.Sprint(v) }) + ", halves " + rows(func(v int32) string { return fmt.Sprintf("%g", float64(v)/2) }) + " and "
			want += rows(func(v int32) string {
				if v > 100 {
					return "1"
				}
				return "0"
			}) + "."
			return Setup{Args: []any{arr(x, 64, 64)}, Prints: []string{want}}
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
		{Name: "zero/quotient", Kernel: quotients, Setup: func(*rand.Rand) Setup {
			return Setup{Args: []any{0, 3, blank[int32](8)}, Fault: &Fault{Text: "division by zero", Line: "// quotient"}}
		}},
		{Name: "zero/remainder", Kernel: quotients, Setup: func(*rand.Rand) Setup {
			return Setup{Args: []any{3, 0, blank[int32](8)}, Fault: &Fault{Text: "division by zero", Line: "// remainder"}}
		}},
		ahead("zero/skips", aheadSkips, 1, map[int]int{0: 1, 2: 1, 3: 0}), ahead("zero/groups", aheadGroups, 2, map[int]int{0: 0, 1: 0, 2: 1, 3: 1}),
		ahead("zero/turns", aheadGroups, 0, nil),
		{Name: "zero/square", Kernel: squares, Setup: func(r *rand.Rand) Setup {
			x, z := small[int8](r, 64*64, -9, 9), blank[int32](64, 64)
			want := mapped(func(v float64) int32 { return int32(3 * v) }, matmul(x, x, 1, 64, 64, 64))
			return Setup{Args: []any{arr(x, 64, 64), z, 3}, Want: []Want{exactly(z, want)}}
		}},
		{Name: "zero/guarded", Kernel: quotients, Setup: func(*rand.Rand) Setup {
			z := blank[int32](8)
			return Setup{Args: []any{-7, 100, z}, Want: []Want{exactly(z, slices.Repeat([]int32{-14 + 100}, 8))}}
		}},
	}
}

// ahead is a case of a loop whose turns multiply the tiles of a that are listed by those of b.
func ahead(name string, kernel any, n int, tiles map[int]int) Case {
	return Case{Name: name, Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		const size, k, turns = 64, 32, 4
		a, b := small[int8](r, size*2*k, -9, 9), small[int8](r, turns*k*size, -9, 9)
		want := make([]int32, size*size)
		for turn, tile := range tiles {
			for i := range want {
				for p := range k {
					want[i] += int32(a[i/size*2*k+tile*k+p]) * int32(b[(turn*k+p)*size+i%size])
				}
			}
		}
		z := blank[int32](size, size)
		return Setup{Args: []any{arr(a, size, 2*k), arr(b, turns*k, size), z, n}, Want: []Want{exactly(z, want)}}
	}}
}
