// Conversions between element types are operations; those of one element type cost nothing.
package emit

import . "github.com/cutile-go/cutile/tile"

func Convert(x In[F32T1[D8]], z Out[I32T1[D8]]) {
	h := F16T1[D8](x.Load(z.Index(0)))
	z.Store(I32T1[D8](F16T1[D8](h)))
}
