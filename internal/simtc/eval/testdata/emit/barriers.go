// An mbarrier counts arrivals and bytes: one thread starts a bulk copy, and all wait for its bytes.
package emit

import . "github.com/cutile-go/cutile/cute"

func barriers(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	s := Alloc[float32](MakeLayout(I(32)), 128)
	b := MakeMbarriers(1)
	if i == 0 {
		b.Init(0, 1)
		FenceBarrierInit()
	}
	SyncThreads()
	if i == 0 {
		b.ArriveExpect(0, 128)
		BulkLoad(x, s, b, 0)
	}
	b.Wait(0, 0)
	x.Set(s.At(31-i), i)
	return
}

func Barriers(x Tensor[float32]) { barriers(x).Launch(warp()) }
