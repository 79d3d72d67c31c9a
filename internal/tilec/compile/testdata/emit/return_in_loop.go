// A return from a loop of a helper sets an exit cell and the results, and breaks the loop.
package emit

import . "github.com/cutile-go/cutile/tile"

func ReturnInLoop(n int, z Out[F32T1[D8]]) {
	z.Store(F32T1[D8](search(n)))
}

func search(n int) int {
	for i := range n {
		if i*i > n {
			return i
		}
	}
	return -1
}
