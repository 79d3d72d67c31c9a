// Alloc takes shared memory at a static address; a barrier stands between the threads that write and those that read.
package emit

import . "github.com/cutile-go/cutile/cute"

func sharedMemory(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	s := Alloc[float32](MakeLayout(I(32)), 16)
	s.Set(x.At(i), i)
	SyncThreads()
	x.Set(s.At(31-i), i)
	return
}

func SharedMemory(x Tensor[float32]) { sharedMemory(x).Launch(warp()) }
