package tileblas_test

import (
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Package mat computes on the CPU engine after a call of Use.
func Example() {
	if err := tileblas.Use(); err != nil {
		log.Fatal(err)
	}
	const n = 200
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64(i+j))
		}
		b.Set(i, i, 2)
	}
	var c mat.Dense
	c.Mul(a, b)
	fmt.Println(c.At(3, 4), c.At(n-1, n-1))
	// Output: 14 796
}

// An implementation on a device of the program, with two goroutines, called directly.
func ExampleNew() {
	dev, err := cutile.Open("cpu", cutile.WithWorkers(2))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := tileblas.New(dev, tileblas.Threshold(0)) // Gonum would compute such small products otherwise
	if err != nil {
		log.Fatal(err)
	}
	a := []float32{1, 2, 3, 4}
	b := []float32{1, 1, 0, 1}
	c := make([]float32, 4)
	x.Sgemm(blas.NoTrans, blas.Trans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2)
	fmt.Println(c)
	// Output: [3 2 7 4]
}
