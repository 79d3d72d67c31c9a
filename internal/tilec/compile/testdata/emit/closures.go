// Functions are values while the kernel is compiled: a call is inlined, and writes what the closure holds.
package emit

import . "github.com/cutile-go/cutile/tile"

func Closures(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	count := 0
	load := func(i int) F32T1[D8] {
		count++
		return x.Load(i)
	}
	sum := load(0) + load(1)
	z.Store(sum / F32T1[D8](count))
}
