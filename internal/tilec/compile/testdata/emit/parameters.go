// A parameter that is a struct or an array stands for its fields and elements, in order.
package emit

import . "github.com/cutile-go/cutile/tile"

type settings struct {
	scale float32
	from  [2]In[F32T1[D8]]
}

func Parameters(s settings, z Out[F32T1[D8]]) {
	i := z.Index(0)
	z.Store(F32T1[D8](s.scale) * (s.from[0].Load(i) + s.from[1].Load(i)))
}
