// An if on something static leaves one side and no branch.
package emit

import . "github.com/cutile-go/cutile/cute"

func ifStatic(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	if x.Rank() == 1 {
		x.Set(1, i)
	} else {
		x.Set(Sin(x.At(i)), i)
	}
	return
}

func IfStatic(x Tensor[float32]) { ifStatic(x).Launch(warp()) }
