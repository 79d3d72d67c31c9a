// Fold and Scan take the combination from a function of the kernel's; two accumulators for an argmax.
package emit

import . "github.com/cutile-go/cutile/tile"

func Fold(x In[F32T1[D8]], z Out[F32T1[D8]], at Out[I32T1[D1]]) {
	v := x.Load(0)
	z.Store(v.Scan0(1, func(a, b F32) F32 { return a * b }))
	at.Store(v.ArgMax0())
}
