// Structs and arrays leave no trace: their fields and elements are values.
package emit

import . "github.com/cutile-go/cutile/tile"

type pair struct{ lo, hi F32T1[D8] }

func (p pair) width() F32T1[D8] { return p.hi - p.lo }

func Structs(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	pairs := [2]pair{{lo: x.Load(0), hi: x.Load(1)}, {hi: x.Load(2)}}
	pairs[0], pairs[1] = pairs[1], pairs[0]
	z.Store(pairs[0].width())
}
