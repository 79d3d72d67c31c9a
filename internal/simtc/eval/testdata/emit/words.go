// Words of package cute that are one instruction of PTX become that; the PTX is what the assembler gets.
package emit

import . "github.com/cutile-go/cutile/cute"

func words(x Tensor[float32]) (_ Kernel) {
	i := ThreadIdx().X
	v := FMA(x.At(i), 2, Rsqrt(x.At(i)))
	v += ShuffleBfly(v, 1)
	x.Set(Exp2(v), i)
	return
}

func Words(x Tensor[float32]) { words(x).Launch(warp()) }
