// Package wrong passes what functions do not take: the Go compiler refuses it, at the line of the call.
package wrong

import "github.com/cutile-go/cutile/cute"

type epilogue = func(float32) float32

func half(x cute.Tensor[cute.Float16], y cute.Float16) error { return nil }

var compiled = cute.Jit(half)

func calls(a cute.Tensor[cute.Float16], x cute.Tensor[float32], n int, f epilogue) {
	compiled(n, a) // want "cannot use n (variable of type int) as cute.Tensor[cute.Float16] value in argument to compiled" // want "cannot use a (variable of struct type cute.Tensor[cute.Float16]) as cute.Float16 value in argument to compiled"
	compiled(x, 1) // want "cannot use x (variable of struct type cute.Tensor[float32]) as cute.Tensor[cute.Float16] value in argument to compiled"
	compiled(a)    // want "not enough arguments in call to compiled"
}

func kernel(x cute.Tensor[float32], f cute.Constexpr[epilogue]) (_ cute.Kernel) { return }

func launches(x cute.Tensor[float32], f epilogue) {
	kernel(x, f)                                                                     // want "cannot use f (variable of func type epilogue) as cute.Constexpr[epilogue] value in argument to kernel"
	kernel(x, cute.C(func(x, y float32) float32 { return x }))                       // want "cannot use cute.C(func(x, y float32) float32 {…}) (value of struct type cute.Constexpr[func(x float32, y float32) float32]) as cute.Constexpr[epilogue] value in argument to kernel"
	kernel(x, cute.C(f)).Launch(cute.Launch{Grid: cute.D3(1, 1)})                    // want "not enough arguments in call to cute.D3"
	kernel(x, cute.C(f)).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), SharedBytes: 1}) // want "unknown field SharedBytes in struct literal of type cute.Launch"
}

func branches(n int) int {
	v := 1
	if n > 0 {
		v = 2.5 // want "cannot use 2.5 (untyped float constant) as int value in assignment (truncated)"
		w := v  // want "declared and not used: w"
	}
	return v + w // want "undefined: w"
}
