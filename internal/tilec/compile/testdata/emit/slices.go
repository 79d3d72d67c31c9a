// A slice is a window on an array, known when the kernel is compiled.
package emit

import . "github.com/cutile-go/cutile/tile"

func Slices(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	all := []F32T1[D8]{x.Load(0), x.Load(1), x.Load(2)}
	tail := all[1:]
	tail[0] = all[0] * 5
	z.Store(all[1] + F32T1[D8](len(tail)))
}
