package main

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// half has a tensor and a float16 number as parameters.
func half(x cute.Tensor[cute.Float16], y cute.Float16) error {
	cute.Printf("%v, %v\n", x.Shape(), y)
	return nil
}

// Half is called like a Go function, so the Go compiler checks the arguments; see testdata/wrong.
var Half = cute.Jit(half)

func checked() error {
	return onCPU(func(dev *cutile.Device) error {
		a, err := cutile.NewTensor[dtype.Float16](dev, 10, 10)
		if err != nil {
			return err
		}
		b := 32
		if err := Half(cute.Of[cute.Float16](a), cute.Float16(b)); err != nil {
			return err
		}
		_, err = cute.Call(context.Background(), Half, a, b) // a call without Go's types: 32 is converted to a float16
		return err
	})
}

func swapped() error {
	return onCPU(func(dev *cutile.Device) error {
		a, err := cutile.NewTensor[dtype.Float16](dev, 10, 10)
		if err != nil {
			return err
		}
		before := cute.CompileStats()
		if _, err = cute.Call(context.Background(), Half, 32, a); err == nil {
			return fmt.Errorf("swapped arguments are taken")
		}
		fmt.Println(err)
		fmt.Println("compiled for it:", cute.CompileStats().Evaluated-before.Evaluated)
		return nil
	})
}
