// A loop over a range is a for of Tile IR, which carries the variables that it changes.
package emit

import . "github.com/cutile-go/cutile/tile"

func Loop(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	var sum F32T1[D8]
	for i := range x.Tiles(0) {
		sum += x.Load(i)
	}
	z.Store(sum)
}
