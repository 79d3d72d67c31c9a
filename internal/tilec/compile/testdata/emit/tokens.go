// Memory tokens order the accesses of one tensor: a load waits for stores, a store for all before it.
package emit

import . "github.com/cutile-go/cutile/tile"

func Tokens(x InOut[F32T1[D8]]) {
	a := x.Load(0)
	b := x.Load(1)
	x.Store(a+b, 0)
	x.Store(x.Load(0), 1)
}
