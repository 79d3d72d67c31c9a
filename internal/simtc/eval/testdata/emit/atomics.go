// An atomic operation is one instruction, of the width that the tensor has, with the address that its layout gives.
package emit

import . "github.com/cutile-go/cutile/cute"

func atomics(x Tensor[int32]) (_ Kernel) {
	old := AtomicAdd(x, 1, 0)
	AtomicMax(x, old, 1)
	return
}

func Atomics(x Tensor[int32]) { atomics(x).Launch(warp()) }
