// A loop whose number must be known, here to index an array, is unrolled.
package emit

import . "github.com/cutile-go/cutile/tile"

func LoopUnrolled(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	weights := [3]float32{1, 2, 1}
	var sum F32T1[D8]
	for i := range 3 {
		sum += F32T1[D8](weights[i]) * x.Load(i)
	}
	z.Store(sum)
}
