// A division by a power of two is a product, which is exact.
package emit

import . "github.com/cutile-go/cutile/tile"

func Reciprocal(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	z.Store(x.Load(z.Index(0)) / 8)
}
