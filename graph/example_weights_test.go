package graph_test

import (
	"context"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/npy"
)

// Weights from a file that numpy.savez wrote become constants of a graph. Weights that change, as in training, are parameters
// instead: cutile.ReadTensor makes a tensor of what Archive.Open returns.
func ExampleRaw_npz() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	file, err := os.Open("testdata/layer.npz") // numpy.savez("layer.npz", weight=…, bias=…)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	archive, err := npy.OpenArchive(file, info.Size())
	if err != nil {
		fmt.Println(err)
		return
	}

	g := graph.New()
	weight := func(name string) *graph.Value {
		a, err := archive.Read(name)
		if err != nil {
			fmt.Println(err)
			return nil
		}
		return graph.Raw(g, a.Type.DType(), a.Data, a.Shape...)
	}
	x := g.Parameter("x", dtype.F32, 1, 2)
	y := graph.Add(graph.MatMul(x, weight("weight")), weight("bias"))
	show(ctx, dev, g, x, y, []float32{1, 2})
	// Output:
	// float32[1 3] [1.5 1.5 1.5]
}

// The bias of a convolution has one number for each channel of the result, which is its second axis.
func ExampleConv() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 1, 1, 3, 3) // one picture with one channel
	w := graph.Constant(g, []float32{1, 1, 1, 1, 1, 0, 0, -1}, 2, 1, 2, 2)
	bias := graph.Constant(g, []float32{0.5, 100})
	y := graph.Add(graph.Conv(x, w, graph.ConvOptions{}), graph.Reshape(bias, -1, 1, 1))
	show(context.Background(), dev, g, x, y, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9})
	// Output:
	// float32[1 2 2 2] [12.5 16.5 24.5 28.5 96 96 96 96]
}

// show computes y, of a graph with one parameter, and prints it.
func show(ctx context.Context, dev *device.Device, g *graph.Graph, x, y *graph.Value, elements []float32) {
	p, err := g.Compile(ctx, dev, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := cutile.FromSlice(dev, elements, x.Shape()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := p.Run(ctx, dev, in)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := out[0].(*cutile.Tensor[float32]).Slice()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(y, result)
}
