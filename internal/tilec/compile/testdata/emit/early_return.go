// A return from the middle of a helper: what follows it is lowered on the other way alone.
package emit

import . "github.com/cutile-go/cutile/tile"

func EarlyReturn(n int, z Out[F32T1[D8]]) {
	z.Store(F32T1[D8](clipped(n)))
}

func clipped(n int) int {
	if n > 100 {
		return 100
	}
	n *= 3
	return n + 1
}
