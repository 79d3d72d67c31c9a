// A switch is a chain of ifs, tested in order.
package emit

import . "github.com/cutile-go/cutile/tile"

func Switch(n int, z Out[F32T1[D8]]) {
	v := 0
	switch n {
	case 1, 2:
		v = 10
	case 3:
		v = n * n
	default:
		v = -1
	}
	z.Store(F32T1[D8](v))
}
