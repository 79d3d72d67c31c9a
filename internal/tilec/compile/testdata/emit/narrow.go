// int has 64 bits; where the ranges prove that 32 compute the same, the passes compute in 32.
package emit

import . "github.com/cutile-go/cutile/tile"

func Narrow(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	left := x.Len(0)/8 - BlockID(0)
	z.Store(F32T1[D8](max(left, 3)))
}
