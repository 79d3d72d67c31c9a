// What is known is computed while the kernel is compiled: constants exactly, variables in their type.
package emit

import . "github.com/cutile-go/cutile/tile"

func Constants(z Out[F32T1[D8]]) {
	const third = 1.0 / 3
	n := 7
	n *= n
	z.Store(F32T1[D8](third) + F32T1[D8](n))
}
