// A break to a label sets an exit cell, leaves the inner loop, and is tested behind it.
package emit

import . "github.com/cutile-go/cutile/tile"

func Label(n int, z Out[F32T1[D8]]) {
	sum := 0
outer:
	for i := range n {
		for j := range n {
			if i*j > 30 {
				break outer
			}
			sum += j
		}
		sum *= 2
	}
	z.Store(F32T1[D8](sum))
}
