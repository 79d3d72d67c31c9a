// A range over Unroll leaves no loop; its index is static, and so are the offsets.
package emit

import . "github.com/cutile-go/cutile/cute"

func loopUnrolled(x Tensor[float32]) (_ Kernel) {
	sum := float32(0)
	for i := range Unroll(3) {
		sum += x.At(i)
	}
	x.Set(sum, 3)
	return
}

func LoopUnrolled(x Tensor[float32]) { loopUnrolled(x).Launch(warp()) }
