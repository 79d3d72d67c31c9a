// A switch compares in order and branches.
package emit

import . "github.com/cutile-go/cutile/cute"

func switched(x Tensor[int32], n int) (_ Kernel) {
	v := int32(0)
	switch n {
	case 1, 2:
		v = 10
	case 3:
		v = 20
	default:
		v = -1
	}
	x.Set(v, 0)
	return
}

func Switched(x Tensor[int32], n int) { switched(x, n).Launch(warp()) }
