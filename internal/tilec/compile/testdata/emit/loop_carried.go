// A loop carries parts: one field of the struct, not the one that stays constant.
package emit

import . "github.com/cutile-go/cutile/tile"

type counter struct{ n, step int }

func LoopCarried(n int, z Out[F32T1[D8]]) {
	c := counter{step: 3}
	for range n {
		c.n += c.step
	}
	z.Store(F32T1[D8](c.n * c.step))
}
