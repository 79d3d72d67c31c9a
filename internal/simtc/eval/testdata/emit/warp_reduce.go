// A word that is several instructions: the sum over a warp, in five steps.
package emit

import . "github.com/cutile-go/cutile/cute"

func warpReduce(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	x.Set(WarpReduce(x.At(i), func(a, b float32) float32 { return a + b }), i)
	return
}

func WarpSum(x Tensor[float32]) { warpReduce(x).Launch(warp()) }
