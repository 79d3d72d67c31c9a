package gomlx_test

import (
	"fmt"

	_ "github.com/cutile-go/cutile/bridge/gomlx"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/graph"
)

func Example() {
	backend, err := backends.NewWithConfig("cutile:cpu")
	if err != nil {
		panic(err)
	}
	defer backend.Finalize()
	length := graph.MustNewExec(backend, func(x *graph.Node) *graph.Node {
		return graph.Sqrt(graph.ReduceAllSum(graph.Mul(x, x)))
	})
	fmt.Println(length.MustExec([]float32{3, 4})[0].Value())
	// Output: 5
}
