package gomlx_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
)

// BenchmarkBesideGo measures computations on this back end and on GoMLX's own one in Go, one after the other: the ratio of the times
// is what counts.
func BenchmarkBesideGo(b *testing.B) {
	random := func(dims ...int) *tensors.Tensor {
		x := make([]float32, product(dims))
		for i := range x {
			x[i] = float32(i%17) / 17
		}
		return tensors.FromFlatDataAndDimensions(x, dims...)
	}
	for _, c := range []struct {
		name string
		f    any
		args []*tensors.Tensor
	}{
		{"dense", func(x, w *graph.Node) *graph.Node { return graph.Dot(x, w) }, []*tensors.Tensor{random(256, 512), random(512, 512)}},
		{"training", network, networkData(128, 256, 256, 10)},
		{"softmax", func(x *graph.Node) *graph.Node { return graph.Softmax(x) }, []*tensors.Tensor{random(1024, 1024)}},
		{"convolution", func(x, w *graph.Node) *graph.Node { return graph.Convolve(x, w).Strides(1).PadSame().Done() },
			[]*tensors.Tensor{random(4, 32, 32, 16), random(3, 3, 16, 32)}},
	} {
		for _, config := range []string{"cutile:cpu", "go"} {
			b.Run(fmt.Sprint(c.name, "/", config), func(b *testing.B) {
				backend, err := backends.NewWithConfig(config)
				if err != nil {
					b.Fatal(err)
				}
				defer backend.Finalize()
				exec := graph.MustNewExecAny(backend, c.f)
				args := make([]any, len(c.args))
				for i, a := range c.args {
					if args[i], err = a.Clone(); err != nil {
						b.Fatal(err)
					}
				}
				step := func() {
					for _, out := range exec.MustExec(args...) {
						out.MustConstFlatData(func(any) {})
						out.MustFinalizeAll()
					}
				}
				step() // compiles
				for b.Loop() {
					step()
				}
			})
		}
	}
}
