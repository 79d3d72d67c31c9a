// Break and continue of the innermost loop are those of Tile IR.
package emit

import . "github.com/cutile-go/cutile/tile"

func Break(n int, z Out[F32T1[D8]]) {
	sum := 0
	for i := range n {
		if i == 5 {
			continue
		}
		if sum > 100 {
			break
		}
		sum += i
	}
	z.Store(F32T1[D8](sum))
}
