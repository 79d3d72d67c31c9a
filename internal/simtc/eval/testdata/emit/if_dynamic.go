// An if on something dynamic is a branch; what both sides assign to is one register.
package emit

import . "github.com/cutile-go/cutile/cute"

func ifDynamic(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	v := x.At(i)
	if v > 0 {
		v *= 2
	} else {
		v = -v
	}
	x.Set(v, i)
	return
}

func IfDynamic(x Tensor[float32]) { ifDynamic(x).Launch(warp()) }
