package graph_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestProfile measures a program of two kernels, and runs it again, as a profile changes nothing.
func TestProfile(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 8, 16)
	y := graph.MatMul(graph.Softmax(x, 1), graph.Transpose(x, 1, 0))
	p, err := g.Compile(t.Context(), dev, y)
	if err != nil {
		t.Fatal(err)
	}
	ones, err := device.Full[float32](dev, 1, 8, 16)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := p.Profile(t.Context(), dev, ones)
	if err != nil {
		t.Fatal(err)
	}
	if len(profile) != 2 {
		t.Fatalf("a profile of %d kernels, expected 2: %v", len(profile), profile)
	}
	for _, k := range profile {
		if k.Time <= 0 || k.Operations <= 0 || k.Bytes <= 0 {
			t.Errorf("kernel %s takes %v for %d operations and %d bytes", k.Kernel, k.Time, k.Operations, k.Bytes)
		}
	}
	if text := profile.String(); !strings.Contains(text, "kernel dot(") || !strings.Contains(text, "in 2 kernels") {
		t.Errorf("the table lacks the product or the sum:\n%s", text)
	}
	if _, err := p.Profile(t.Context(), dev); err == nil || !strings.Contains(err.Error(), "0 arguments, expected 1") {
		t.Errorf("without arguments: %v", err)
	}
	out, err := p.Run(t.Context(), dev, ones)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := out[0].(*device.Tensor[float32]).Slice(); err != nil || got[0] != 1 {
		t.Errorf("the mean of ones is %v, %v", got, err)
	}
}
