// Break, continue and labels are branches.
package emit

import . "github.com/cutile-go/cutile/cute"

func loopExits(x Tensor[int32], n int) (_ Kernel) {
	sum := int32(0)
outer:
	for i := range n {
		for j := range n {
			if x.At(j) < 0 {
				continue outer
			}
			if sum > 100 {
				break outer
			}
			sum += x.At(i)
		}
	}
	x.Set(sum, 0)
	return
}

func LoopExits(x Tensor[int32], n int) { loopExits(x, n).Launch(warp()) }
