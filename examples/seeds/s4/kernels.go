package main

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

// function becomes part of a kernel.
type function = func(float32) float32

func double(x float32) float32 { return 2 * x }
func next(x float32) float32   { return x + 1 }

func apply(x cute.Tensor[float32], f cute.Constexpr[function]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(f.V(x.At(i)), i)
	}
	return
}

// twoLaunches is a host function that launches a kernel with two functions, so that each launch has its own kernel.
func twoLaunches(x cute.Tensor[float32]) error {
	l := cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(), 64), 1, 1), Block: cute.D3(64, 1, 1)}
	apply(x, cute.C(double)).Launch(l)
	apply(x, cute.C(next)).Launch(l)
	return nil
}

// add has results.
func add(a, b int) (int, error) { return a + b, nil }

// turns has a loop, and optionally a dynamic condition.
func turns(n int, dynamic cute.Constexpr[bool]) error {
	for i := range 3 {
		fmt.Println("turn", i)
	}
	if dynamic.V {
		if n > 1 {
			cute.Printf("more\n")
		}
	}
	return nil
}
