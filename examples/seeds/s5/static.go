package main

import (
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// foo has a dynamic and a static argument. fmt.Println runs while foo is compiled, and cute.Printf at run time.
func foo(x int32, y cute.Constexpr[int]) error {
	fmt.Println("x =", x)
	fmt.Println("y =", y.V)
	cute.Printf("x: %d\n", x)
	cute.Printf("y: %d\n", y.V)
	return nil
}

func static() error {
	return cute.Jit(foo)(2, cute.C(2))
}

// epilogue becomes part of a kernel.
type epilogue = func(float32) float32

func relu(x float32) float32     { return max(x, 0) }
func identity(x float32) float32 { return x }

func activate(x cute.Tensor[float32], op cute.Constexpr[epilogue]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	x.Set(op.V(x.At(i)), i)
	return
}

func activateAll(x cute.Tensor[float32], op cute.Constexpr[epilogue]) error {
	activate(x, op).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(x.Size(), 1, 1)})
	return nil
}

func fused() error {
	return onCPU(func(dev *cutile.Device) error {
		x, err := cutile.FromSlice(dev, []float32{-2, -1, 0, 1})
		if err != nil {
			return err
		}
		for _, op := range []epilogue{identity, relu} {
			if err := cute.Jit(activateAll)(cute.Of[float32](x, cute.Static()), cute.C(op)); err != nil {
				return err
			}
			fmt.Println(x.Slice())
		}
		return nil
	})
}
