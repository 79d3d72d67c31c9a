package cute_test

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

// The first listing of CuTe DSL's page on arguments: x is dynamic, y static.
func ExampleJit() {
	call := cute.Jit(foo)
	if err := call(2, cute.C(2)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// x = ?
	// y = 2
	// x: 2
	// y: 2
}

// The second one, on type safety.
func ExampleCall() {
	call := cute.Jit(typed)
	a, b := cute.Tensor[cute.Float16]{}, 32
	_, err := cute.Call(context.Background(), call, b, a)
	fmt.Println(err)
	// Output:
	// function cute_test.typed: expects argument #1 (x) to be a tensor of float16, but got int
}

// An executor keeps what is static in its arguments, here y, and takes the dynamic ones anew.
func ExampleCompile() {
	e, err := cute.Compile(context.Background(), cute.Jit(foo), 1, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	for x := range 2 {
		if _, err := e.Run(context.Background(), x); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// x = ?
	// y = 5
	// x: 0
	// y: 5
	// x: 1
	// y: 5
}
