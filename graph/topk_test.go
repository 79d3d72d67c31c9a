package graph_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestTopK compares the first elements along axes of any length with a stable sort in Go: of equal elements, infinities, NaN and zeros of both
// signs, too, which what surrounds parts of an axis must not come before.
func TestTopK(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ before, n, behind, k int }{
		{1, 1, 1, 1}, {3, 511, 1, 5}, {3, 512, 1, 5}, {2, 700, 3, 50}, {1, 1500, 2, 0}, {1, 1500, 1, 1}, {1, 3000, 1, 63}, {1, 3000, 1, 64}, {1, 3000, 1, 1200},
		{1, 66000, 1, 3}, {1, 65537, 1, 32768}, {4, 0, 2, 0},
	} {
		for _, least := range []bool{false, true} {
			t.Run(fmt.Sprint(c, least), func(t *testing.T) {
				few := []float32{float32(math.Inf(-1)), float32(math.Inf(1)), 0, float32(math.Copysign(0, -1)), 1, float32(math.NaN())}
				worst := float32(math.Inf(-1))
				if least {
					worst = float32(math.NaN())
				}
				for i, element := range []func() float32{
					func() float32 { return float32(r.NormFloat64()) },
					func() float32 { return few[r.IntN(len(few))] },
					func() float32 { return worst },
				} {
					if c.n > 1<<16 && i > 0 { // it takes long, and the parts are the same
						continue
					}
					compareTopK(t, dev, dtype.F32, c.before, c.n, c.behind, c.k, least, element, fmt.Sprint("kind ", i))
				}
				if c.n > 1<<16 {
					return
				}
				compareTopK(t, dev, dtype.I8, c.before, c.n, c.behind, c.k, least, func() int8 { return []int8{-128, 127, 3}[r.IntN(3)] }, "int8")
				compareTopK(t, dev, dtype.U32, c.before, c.n, c.behind, c.k, least, func() uint32 { return []uint32{0, math.MaxUint32, 3}[r.IntN(3)] }, "uint32")
			})
		}
	}
}

func compareTopK[E interface{ float32 | int8 | uint32 }](t *testing.T, dev *device.Device, elem dtype.Type, before, n, behind, k int, least bool, element func() E, what string) {
	t.Helper()
	data := make([]E, before*n*behind)
	for i := range data {
		data[i] = element()
	}
	g := graph.New()
	x := g.Parameter("x", elem, before, n, behind)
	values, indices := graph.TopK(x, k, 1, least)
	p, err := g.Compile(t.Context(), dev, values, indices)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	in, err := device.FromSlice(dev, data, before, n, behind)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(t.Context(), dev, in)
	if err != nil {
		t.Fatal(err)
	}
	at, err := out[1].(*device.Tensor[int32]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	got, err := out[0].(*device.Tensor[E]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	for b := range before {
		for e := range behind {
			row := func(i int) E { return data[(b*n+i)*behind+e] }
			for i, want := range firstOf(n, k, least, row) {
				place := (b*k+i)*behind + e
				if v := row(int(at[place])); int(at[place]) != want || v != got[place] && (v == v || got[place] == got[place]) {
					t.Fatalf("%s: element %d is %v at %d, expected %v at %d", what, i, got[place], at[place], row(want), want)
				}
			}
		}
	}
}

// firstOf gives the indices of the first elements of a row that is sorted in Go.
func firstOf[E interface{ float32 | int8 | uint32 }](n, k int, least bool, row func(i int) E) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := row(i), row(j)
		c := cmp.Compare(x, y)
		switch { // cmp puts NaN first
		case x != x && y != y:
			c = 0
		case x != x || y != y:
			c = -c
		}
		if !least {
			c = -c
		}
		return c
	})
	return order[:k]
}
