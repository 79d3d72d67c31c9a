package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestOtherDevice: a program refuses tensors, streams and memory for results of another device than its own, and goes on after that. A slice
// cannot be a tensor on two devices, so that no program can be given one.
func TestOtherDevice(t *testing.T) {
	var devs [2]*device.Device
	var tensors [2]*device.Tensor[float32]
	data := [2][]float32{{1, 2, 3}, {4, 5, 6}}
	for i := range devs {
		dev, err := device.Open("cpu")
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		x, err := device.Wrap(dev, data[i])
		if err != nil {
			t.Fatal(err)
		}
		devs[i], tensors[i] = dev, x
	}
	if _, err := device.Wrap(devs[1], data[0]); err == nil || !strings.Contains(err.Error(), "wrapped") {
		t.Errorf("the same slice on a second device: %v, expected a refusal", err)
	}
	if _, err := device.Wrap(devs[1], data[0][1:]); err == nil || !strings.Contains(err.Error(), "wrapped") {
		t.Errorf("a part of the slice on a second device: %v, expected a refusal", err)
	}
	g := graph.New()
	p, err := g.Compile(t.Context(), devs[0], graph.Neg(g.Parameter("x", dtype.F32, 3)))
	if err != nil {
		t.Fatal(err)
	}
	mine, other := tensors[0], tensors[1]
	results := func(r device.AnyTensor) []device.AnyTensor { return []device.AnyTensor{r} }
	run := func(on device.Target, x device.AnyTensor) error {
		_, err := p.Run(t.Context(), on, x)
		return err
	}
	_, profiled := p.Profile(t.Context(), devs[0], other)
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"an argument", run(devs[0], other), "argument 1, for parameter x float32[3]: the tensor is on another device that was opened as cpu, too (each call of Open makes a device); the program was compiled for device cpu: copy"},
		{"an argument of another shape", run(devs[0], other.Narrow(0, 0, 2)), "argument 1, for parameter x float32[3]: the tensor is float32[2]"},
		{"a profile", profiled, "argument 1, for parameter x float32[3]: the tensor is on another device"},
		{"another device", run(devs[1], mine), "the program was compiled for another device that was opened as cpu, too (each call of Open makes a device); the stream is one of device cpu"},
		{"everything of another device", run(devs[1], other), "the program was compiled for another device"},
		{"a result", p.RunInto(t.Context(), devs[0], results(other), mine), "the tensor for result 1, float32[3]: the tensor is on another device"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.what, c.err, c.want)
			continue
		}
		plain(t, c.err.Error())
	}
	out, err := p.Run(t.Context(), devs[0], mine)
	if err != nil {
		t.Fatal(err)
	}
	if got := floats(t, out[0]); !slices.Equal(got, []float32{-1, -2, -3}) || !slices.Equal(data[1], []float32{4, 5, 6}) {
		t.Errorf("after the refusals the result is %v, and the other device's elements are %v", got, data[1])
	}
}
