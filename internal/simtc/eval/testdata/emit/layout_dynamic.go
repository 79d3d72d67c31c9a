// The same as with a static layout, with strides that the caller gives: each is a parameter, and the algebra is code.
package emit

import . "github.com/cutile-go/cutile/cute"

func layoutDynamic(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	x.Set(x.At(3, 5), i/8, i%8)
	return
}

func LayoutDynamic(x Tensor[float32]) { layoutDynamic(x).Launch(warp()) }
