// Command s4 reproduces the listings of seed S4, which follows a program from a compiled host function to the launch of
// its kernels by the driver.
package main

import (
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	for i, l := range listings {
		fmt.Printf("%d. %s\n", i+1, l.title)
		if l.show == nil {
			fmt.Println(l.why)
		} else if err := l.show(); err != nil {
			return fmt.Errorf("listing %d: %w", i+1, err)
		}
	}
	return nil
}

// onVector runs a program with a vector of 0, 1, 2 … on a CPU.
func onVector(n int, f func(x *cutile.Tensor[float32]) error) error {
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	x, err := cutile.FromSlice(dev, data)
	if err != nil {
		return err
	}
	return f(x)
}
