// The offset in a static layout is folded: only the address and the thread's number are left.
package emit

import . "github.com/cutile-go/cutile/cute"

func layoutStatic(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	x.Set(x.At(3, 5), i/8, i%8)
	return
}

func LayoutStatic(x Tensor[float32]) { layoutStatic(x).Launch(warp()) }
