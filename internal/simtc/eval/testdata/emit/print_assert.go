// Printf and Assert are pseudo-instructions, which the PTX writer spells out.
package emit

import . "github.com/cutile-go/cutile/cute"

func printAssert(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	Assert(x.At(i) >= 0, "x is not negative")
	Printf("x[%d] = %v in %v\n", i, x.At(i), x.Layout())
	return
}

func PrintAssert(x Tensor[float32]) { printAssert(x).Launch(warp()) }
