// A reduction is an operation with a region that combines two elements.
package emit

import . "github.com/cutile-go/cutile/tile"

func Reduction(x In[F32T2[D4, D8]], z Out[F32T2[D4, D1]]) {
	z.Store(x.Load(z.Index(0), 0).Sum1())
}
