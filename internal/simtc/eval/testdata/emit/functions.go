// Functions are static: a closure is inlined where it is called, and changes what it holds.
package emit

import . "github.com/cutile-go/cutile/cute"

func functions(x Tensor[int32], n int32) (_ Kernel) {
	calls := 0
	twice := func(f func(int32) int32, v int32) int32 {
		calls++
		return f(f(v))
	}
	x.Set(twice(func(v int32) int32 { return v*v + 1 }, n), calls)
	return
}

func Functions(x Tensor[int32], n int32) { functions(x, n).Launch(warp()) }
