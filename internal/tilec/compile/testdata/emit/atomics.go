// Atomic operations are read-modify-write operations of Tile IR, relaxed and for the device unless said otherwise.
package emit

import . "github.com/cutile-go/cutile/tile"

func Atomics(bins In[I32T1[D8]], counts Ptr[int32]) {
	AtomicAdd(counts, bins.Load(BlockID(0)), I32T1[D8](1), true)
}
