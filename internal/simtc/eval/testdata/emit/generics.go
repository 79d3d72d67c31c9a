// Type arguments choose the instructions.
package emit

import . "github.com/cutile-go/cutile/cute"

func average[T Num](a, b T) T { return (a + b) / 2 }

func generics(x Tensor[float32], n int32) (_ Kernel) {
	x.Set(average(x.At(0), x.At(1))+float32(average(n, 8)), 0)
	return
}

func Generics(x Tensor[float32], n int32) { generics(x, n).Launch(warp()) }
