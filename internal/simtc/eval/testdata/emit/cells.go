// A variable is a cell: static as long as nobody gives it a dynamic value in a branch or a loop.
package emit

import . "github.com/cutile-go/cutile/cute"

func cells(x Tensor[int32], n int32) (_ Kernel) {
	a, b := int32(1), int32(2)
	if n > 0 {
		a = n
	}
	x.Set(a*10, 0)
	x.Set(b*10, 1)
	return
}

func Cells(x Tensor[int32], n int32) { cells(x, n).Launch(warp()) }
