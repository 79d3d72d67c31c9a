package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestGoroutines runs one program from many goroutines, on streams of their own and on the default one, with shared arguments.
func TestGoroutines(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 17, 33)
	y := g.Parameter("y", dtype.F32, 33)
	h := graph.Relu(graph.MatMul(graph.Add(x, y), graph.Constant(g, counting(33*21, 5), 33, 21)))
	p, err := g.Compile(t.Context(), dev, graph.Sub(h, graph.ReduceMax(h)), graph.ReduceSum(h, 1))
	if err != nil {
		t.Fatal(err)
	}
	shared, err := device.FromSlice(dev, counting(33, 3))
	if err != nil {
		t.Fatal(err)
	}
	input := func(i int) *device.Tensor[float32] {
		in, err := device.FromSlice(dev, counting(17*33, 7+i), 17, 33)
		if err != nil {
			t.Error(err)
		}
		return in
	}
	want := make([][]float32, 8)
	for i := range want {
		out, err := p.Run(t.Context(), dev, input(i), shared)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = floats(t, out[0])
	}
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			in := input(i)
			for n := range 12 {
				var on device.Target = dev
				if n%2 == 1 {
					s, err := dev.NewStream()
					if err != nil {
						t.Error(err)
						return
					}
					defer s.Close()
					on = s
				}
				out, err := p.Run(t.Context(), on, in, shared)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := out[0].(*device.Tensor[float32]).Slice()
				if err != nil || len(got) != len(want[i]) {
					t.Errorf("%d elements, %v", len(got), err)
					return
				}
				for j := range got {
					if got[j] != want[i][j] {
						t.Errorf("goroutine %d: element %d is %v, expected %v", i, j, got[j], want[i][j])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestResults: parameters, constants, an array twice and views of each other may be results, each in memory of its own.
func TestResults(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.I32, 2, 3)
	unused := g.Parameter("unused", dtype.F64, 5)
	c := graph.Constant(g, []int32{7, 8})
	d := graph.Transpose(x)
	p, err := g.Compile(t.Context(), dev, x, c, d, d, graph.Full(g, int32(4), 3), graph.Full(g, int32(4), 0, 3))
	if err != nil {
		t.Fatal(err)
	}
	in, _ := device.FromSlice(dev, []int32{1, 4, 2, 5, 3, 6}, 3, 2)
	some, _ := device.NewTensor[float64](dev, 5)
	out, err := p.Run(t.Context(), dev, in.T(), some) // a view
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{1, 2, 3, 4, 5, 6}, {7, 8}, {1, 4, 2, 5, 3, 6}, {1, 4, 2, 5, 3, 6}, {4, 4, 4}, {}} {
		got, err := out[i].(*device.Tensor[int32]).Slice()
		if err != nil || len(got) != len(want) {
			t.Fatalf("result %d is %v (%v), expected %v", i, got, err, want)
		}
		for j := range want {
			if got[j] != want[j] {
				t.Errorf("result %d is %v, expected %v", i, got, want)
				break
			}
		}
	}
	into := []device.AnyTensor{out[3], out[1], out[2], out[0].(*device.Tensor[int32]).Reshape(3, 2), out[4], out[5]}
	if err := p.RunInto(t.Context(), dev, into, in.T(), some); err == nil || !strings.Contains(err.Error(), "result 1, int32[2 3]: the tensor is int32[3 2]") {
		t.Errorf("memory of another shape: %v", err)
	}
	into[0], into[3] = out[0], out[2]
	if err := p.RunInto(t.Context(), dev, into, in.T(), some); err == nil || !strings.Contains(err.Error(), "result 4, int32[3 2]: the tensor shares memory with that for result 3") {
		t.Errorf("memory of another result: %v", err)
	}
	into[3] = in
	if err := p.RunInto(t.Context(), dev, into, in.Reshape(2, 3), some); err == nil || !strings.Contains(err.Error(), "the tensor shares memory with argument 1, for parameter x int32[2 3]") {
		t.Errorf("memory of an argument: %v", err)
	}
	into[3] = out[3]
	if err := p.RunInto(t.Context(), dev, into, in.Reshape(2, 3), some); err != nil {
		t.Fatal(err)
	}
	if got, _ := out[3].(*device.Tensor[int32]).Slice(); got[1] != 5 || got[2] != 4 {
		t.Errorf("the second run gave %v, expected [1 5 4 3 2 6]", got)
	}
	if err := out[2].(*device.Tensor[int32]).Fill(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	if got, _ := out[3].(*device.Tensor[int32]).Slice(); got[0] != 1 {
		t.Errorf("writing to a result changed another one: %v", got)
	}
	_ = unused
}

// TestMistakes: each mistake is reported with its line and what to do.
func TestMistakes(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2, 3)
	y := g.Parameter("y", dtype.F32, 4)
	_, _, line, _ := runtime.Caller(0)
	z := graph.Add(x, y)
	graph.Softmax(z, 1) // no further mistake
	graph.Add(x, graph.Constant(g, []int32{1}))
	graph.Reshape(x, 4, -1)
	graph.MatMul(x, x)
	graph.And(x, x)
	graph.Concat(0, x, graph.New().Parameter("other", dtype.F32, 2, 3))
	graph.Slice(x, []int{0, 0}, []int{3, 3}, nil)
	graph.Constant(g, []float32{1, 2, 3}, 2, 2)
	graph.Number(g, dtype.U8, 300)
	graph.Full(g, float32(0), 1<<20, 1<<20)
	_, err = g.Compile(t.Context(), dev, z)
	if err == nil {
		t.Fatal("no mistake")
	}
	wants := []string{
		fmt.Sprintf("program_test.go:%d: ", line+1) + "graph: add: the shapes of [float32[2 3] float32[4]] do not fit: axes, aligned at the last one, must have the same extent, or 1",
		"add: operand 1 is float32[2 3] and operand 2 int32[1], expected the same element type: convert one of them",
		"reshape: float32[2 3] has 6 elements, from which no extent for -1 in [4 -1] follows",
		"matmul: the arrays are float32[2 3] and float32[2 3], expected as many columns of the first as rows of the second",
		"and: operand 2 is float32[2 3], expected integers or bool: convert it",
		"operand 2 belongs to another graph",
		"slice: 0 to 3 by 1 along axis 0 of float32[2 3], expected 0 ≤ start ≤ limit ≤ 2 and a positive stride",
		"constant: an array of shape [2 2] has 4 elements, but the slice has 3",
		"number: 300 is no uint8",
		"has more than the 2147483647 elements that an array may have",
	}
	plain(t, err.Error())
	lines := strings.Split(err.Error(), "\n")
	for i, want := range wants {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("mistake %d: expected %q in\n%v", i+1, want, err)
			break
		}
	}
	if len(lines) != len(wants) {
		t.Errorf("%d mistakes, expected %d:\n%v", len(lines), len(wants), err)
	}
}

// TestRunMistakes: what does not fit is refused before anything runs.
func TestRunMistakes(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	other, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	p, err := g.Compile(t.Context(), dev, graph.Neg(x))
	if err != nil {
		t.Fatal(err)
	}
	good, _ := device.FromSlice(dev, []float32{1, 2})
	wrong, _ := device.FromSlice(dev, []float32{1, 2, 3})
	ints, _ := device.FromSlice(dev, []int32{1, 2})
	far, _ := device.FromSlice(other, []float32{1, 2})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		on   device.Target
		args []device.AnyTensor
		want string
	}{
		{t.Context(), dev, nil, "graph: 0 arguments, expected 1, for x float32[2]"},
		{t.Context(), dev, []device.AnyTensor{wrong}, "graph: argument 1, for parameter x float32[2]: the tensor is float32[3]"},
		{t.Context(), dev, []device.AnyTensor{ints}, "the tensor is int32[2]"},
		{t.Context(), dev, []device.AnyTensor{nil}, "the tensor is nil"},
		{t.Context(), dev, []device.AnyTensor{(*device.Tensor[float32])(nil)}, "the tensor is nil"},
		{t.Context(), dev, []device.AnyTensor{good.Narrow(0, 1, 9)}, "9"},
		{t.Context(), dev, []device.AnyTensor{far}, "the tensor is on another device"},
		{t.Context(), other, []device.AnyTensor{good}, "compiled for another device"},
		{t.Context(), dev.Grid(3), []device.AnyTensor{good}, "a program runs on a device or a stream"},
		{cancelled, dev, []device.AnyTensor{good}, "cancel"},
	} {
		if _, err := p.Run(c.ctx, c.on, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected %q in it", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
	out, err := p.Run(t.Context(), dev, good)
	if err != nil {
		t.Fatalf("after the mistakes: %v", err)
	}
	p.Close()
	if _, err := p.Run(t.Context(), dev, good); !errors.Is(err, device.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if floats(t, out[0])[1] != -2 {
		t.Errorf("the result is %v", out[0])
	}
}
