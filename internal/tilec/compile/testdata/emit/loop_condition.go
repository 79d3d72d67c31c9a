// A loop with a condition is a loop of Tile IR that breaks.
package emit

import . "github.com/cutile-go/cutile/tile"

func LoopCondition(n int, z Out[F32T1[D8]]) {
	steps := 0
	for n > 1 {
		n /= 2
		steps++
	}
	z.Store(F32T1[D8](steps))
}
