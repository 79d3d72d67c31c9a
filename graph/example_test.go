package graph_test

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// A layer of a neural network: the product, the bias and the activation are one kernel, and the softmax is another one.
func Example() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()

	g := graph.New()
	x := g.Parameter("x", dtype.F32, 3, 2)
	w := graph.Constant(g, []float32{1, 0, 0.5, 0, 1, 0.5}, 2, 3)
	b := graph.Constant(g, []float32{0.5, -0.5, 0})
	y := graph.Softmax(graph.Relu(graph.Add(graph.MatMul(x, w), b)), -1)
	p, err := g.Compile(ctx, dev, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)

	in, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 6, 5}, 3, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := p.Run(ctx, dev, in)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := out[0].(*cutile.Tensor[float32]).Slice()
	fmt.Printf("%.3f %v\n", rows, err)
	// Output:
	// kernel dot_add_max(a0 left 3, a1 right 3, a2 sum 2)
	//   %8[3*a0+a1] = max(add(dot<a2>(%0[2*a0+a2], %1[a1+3*a2]), %2[a1]), 0)
	// kernel reduce_max_sub_exp_reduce_sum_div(a0 grid 3, a1 row 3)
	//   t0 = exp(sub(%8[3*a0+a1], max<a1>(%8[3*a0+a1])))
	//   %17[3*a0+a1] = div(t0, sum<a1>(t0))
	// [0.333 0.333 0.333 0.333 0.333 0.333 0.665 0.090 0.245] <nil>
}
