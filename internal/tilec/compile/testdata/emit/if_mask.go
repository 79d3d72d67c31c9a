// A mask is a condition for each element: Where selects.
package emit

import . "github.com/cutile-go/cutile/tile"

func IfMask(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	v := x.Load(z.Index(0))
	z.Store(Where(v > 0, v, v/10))
}
