package cute_test

import "github.com/cutile-go/cutile/cute"

// A chain of functions that each call the one before twice: as many calls as 2 to the power of their number.
func d0(x float32) float32  { return x * x }
func d1(x float32) float32  { return d0(x) * d0(x) }
func d2(x float32) float32  { return d1(x) * d1(x) }
func d3(x float32) float32  { return d2(x) * d2(x) }
func d4(x float32) float32  { return d3(x) * d3(x) }
func d5(x float32) float32  { return d4(x) * d4(x) }
func d6(x float32) float32  { return d5(x) * d5(x) }
func d7(x float32) float32  { return d6(x) * d6(x) }
func d8(x float32) float32  { return d7(x) * d7(x) }
func d9(x float32) float32  { return d8(x) * d8(x) }
func d10(x float32) float32 { return d9(x) * d9(x) }
func d11(x float32) float32 { return d10(x) * d10(x) }
func d12(x float32) float32 { return d11(x) * d11(x) }
func d13(x float32) float32 { return d12(x) * d12(x) }
func d14(x float32) float32 { return d13(x) * d13(x) }
func d15(x float32) float32 { return d14(x) * d14(x) }
func d16(x float32) float32 { return d15(x) * d15(x) }
func d17(x float32) float32 { return d16(x) * d16(x) }
func d18(x float32) float32 { return d17(x) * d17(x) }
func d19(x float32) float32 { return d18(x) * d18(x) }
func d20(x float32) float32 { return d19(x) * d19(x) }

func doubling(x cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	x.Set(d20(x.At(i)), i)
	return
}

func runDoubling(x cute.Tensor[float32]) error {
	doubling(x).Launch(grid(x.Size()))
	return nil
}

// nest has unrolled loops in one another: the product of their turns.
func nest(x cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	for a := range cute.Unroll(200) {
		for b := range cute.Unroll(200) {
			x.Set(float32(a*b), i)
		}
	}
	return
}

func runNest(x cute.Tensor[float32]) error {
	nest(x).Launch(grid(x.Size()))
	return nil
}

// text doubles a text that is known when it is compiled.
func text(x cute.Tensor[float32]) error {
	s := "x"
	for range cute.Unroll(60) {
		s += s
	}
	scale(x, float32(len(s))).Launch(grid(x.Size()))
	return nil
}

// shouting prints.
func shouting(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Printf("%g\n", x.At(0))
	return
}

var runShouting = cute.Jit(func(x cute.Tensor[float32]) error {
	shouting(x).Launch(grid(1))
	return nil
})
