// The parts of variables that a branch changes are what an if yields.
package emit

import . "github.com/cutile-go/cutile/tile"

func IfElse(n int, z Out[F32T1[D8]]) {
	a, b := 1, 2
	if n > 10 {
		a = n
	} else {
		a = n + 5
	}
	z.Store(F32T1[D8](a * b))
}
