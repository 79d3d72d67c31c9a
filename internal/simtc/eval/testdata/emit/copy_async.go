// CpAsync copies from global to shared memory without registers; the thread waits for its own copies, then for the others.
package emit

import . "github.com/cutile-go/cutile/cute"

func copyAsync(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	s := Alloc[float32](MakeOrderedLayout(S(32, 4), S(1, 0)), 16)
	CpAsync(x.Slice(I(i), All), s.Slice(I(i), All))
	CpAsyncCommit()
	CpAsyncWait(0)
	SyncThreads()
	x.Set(s.At(31-i, 0), i, 0)
	return
}

func CopyAsync(x Tensor[float32]) { copyAsync(x).Launch(warp()) }
