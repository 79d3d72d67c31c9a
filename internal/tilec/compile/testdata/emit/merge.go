// Equal operations are merged, and those that nothing uses dropped.
package emit

import . "github.com/cutile-go/cutile/tile"

func Merge(x, y In[F32T1[D8]], z Out[F32T1[D8]]) {
	a, b := x.Load(0), y.Load(0)
	unused := Sin(a)
	_ = unused
	z.Store((a + b) * (a + b))
}
