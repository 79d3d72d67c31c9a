// A release waits for all accesses before it, and what follows an acquire waits for that.
package emit

import . "github.com/cutile-go/cutile/tile"

func ReleaseAcquire(x InOut[F32T1[D8]], flag Ptr[int32]) {
	x.Store(1, 0)
	ScatterOrdered(flag, I32(0), I32(1), true, Release, DeviceScope)
	GatherOrdered[I32](flag, I32(1), true, 0, Acquire, DeviceScope)
	x.Store(x.Load(1), 2)
}
