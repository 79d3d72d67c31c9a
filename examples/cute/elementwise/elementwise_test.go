package elementwise_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

func Example() {
	dev, err := cutile.Open("cpu", cutile.WithChecks()) // or "cuda"
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	a, _ := cutile.FromSlice(dev, []float32{1, -2, 3, -4}, 2, 2)
	c, _ := cutile.NewTensor[float32](dev, 2, 2)
	if err := elementwise.Add(cute.Of[float32](a), cute.Of[float32](a), cute.Of[float32](c), cute.C(elementwise.ReLU)); err != nil {
		panic(err)
	}
	fmt.Println(c.Slice())
	// Output: [2 0 6 0] <nil>
}

func TestAdd(t *testing.T) {
	dev := simttest.Device(t)
	epilogues := []struct {
		fn   elementwise.Epilogue
		want func(float64) float64
	}{
		{elementwise.ReLU, func(x float64) float64 { return max(x, 0) }},
		{elementwise.Identity, func(x float64) float64 { return x }},
	}
	for i, shape := range [][2]int{{33, 129}, {1, 1}, {17, 700}, {64, 256}} {
		m, n := shape[0], shape[1]
		a, b := make([]float32, m*n), make([]float32, m*n)
		for i := range a {
			a[i], b[i] = float32(i%13)-6, float32(i%7)-3.5
		}
		x, y, z := simttest.Tensor(t, dev, a, m, n), simttest.Tensor(t, dev, b, m, n), simttest.Tensor(t, dev, make([]float32, m*n), m, n)
		epi := epilogues[i%2]
		got := simttest.Call(t, z, elementwise.Add, cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z), cute.C(epi.fn))
		for i := range got {
			if want := epi.want(float64(a[i]) + float64(b[i])); float64(got[i]) != want {
				t.Fatalf("%dx%d: element %d is %v, want %v", m, n, i, got[i], want)
			}
		}
	}
}

func TestAssemble(t *testing.T) {
	x := simttest.Tensor(t, simttest.Device(t), make([]float32, 64), 8, 8)
	for name, marks := range map[string][]cute.Mark{"any": nil, "vectors": {cute.CompactDynamic(0, nil, 1), cute.CompactDynamic(1, nil, 4)}} {
		t.Run(name, func(t *testing.T) {
			a := cute.Of[float32](x, marks...)
			simttest.Assemble(t, simttest.Archs, elementwise.Add, a, a, a, elementwise.ReLU)
		})
	}
}
