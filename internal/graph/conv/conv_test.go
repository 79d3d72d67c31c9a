package conv_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/conv"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/testing/graphtest"
)

// random makes options for n spatial axes of arrays that are large enough for at least no window.
func random(r *rand.Rand, n int) conv.Options {
	var o conv.Options
	for range n {
		o.Size = append(o.Size, 1+r.IntN(5))
		o.Stride = append(o.Stride, 1+r.IntN(6)*r.IntN(2))
		o.Dilation = append(o.Dilation, 1+r.IntN(3)*r.IntN(2))
		o.Low, o.High = append(o.Low, r.IntN(5)-1), append(o.High, r.IntN(5)-1)
		o.BaseDilation = append(o.BaseDilation, 1+r.IntN(2)*r.IntN(2))
	}
	return o
}

// array is an array of small integers, for which sums are exact.
func array(r *rand.Rand, t dtype.Type, shape []int) *graphtest.Array {
	a := graphtest.New(t, shape)
	for i := range len(a.Bytes()) / t.Size() {
		a.Set(i, graphtest.Num{F: float64(r.IntN(7) - 3), I: int64(r.IntN(7) - 3)})
	}
	return a
}

// number gives an element as a float.
func number(a *graphtest.Array, i int) float64 {
	if a.Elem.IsFloat() {
		return a.Get(i).F
	}
	return float64(a.Get(i).I)
}

// taken gives the place of an element of a window along an axis, if the array has an element there.
func taken(o conv.Options, i, window, place, extent int) (int, bool) {
	at := window*o.Stride[i] + place*o.Dilation[i] - o.Low[i]
	return at / o.BaseDilation[i], at >= 0 && at%o.BaseDilation[i] == 0 && at/o.BaseDilation[i] < extent
}

// each calls f for each position in an array.
func each(shape []int, f func(at []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	at := make([]int, len(shape))
	for {
		f(at)
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func linear(shape, at []int) int {
	n := 0
	for i, d := range shape {
		n = n*d + at[i]
	}
	return n
}

// TestConv compares random convolutions with the sum of products that defines them.
func TestConv(t *testing.T) {
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.F16}
	ways := map[string]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, elem := r.IntN(4), types[r.IntN(len(types))]
		o := random(r, n)
		groups, batch := []int{1, 1, 2, 3, 8}[r.IntN(5)], 1+r.IntN(2)
		channels, outs := []int{1, 1, 3, 8, 17}[r.IntN(5)], []int{1, 2, 4, 9}[r.IntN(4)]
		if groups > 3 {
			channels = min(channels, 3)
		}
		xs, ws := []int{batch, groups * channels}, []int{groups * outs, channels}
		for i := range n {
			xs, ws = append(xs, 1+r.IntN(13)), append(ws, o.Size[i])
		}
		if n > 0 && r.IntN(4) == 0 { // a long row
			xs[1+n] = 40 + r.IntN(40)/n
		}
		g := &ir.Graph{}
		x, w := parameter(t, g, elem, xs), parameter(t, g, elem, ws)
		y, err := conv.Conv(g, x, w, groups, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ways[way(g)]++
		xa, wa := array(r, elem, xs), array(r, elem, ws)
		got := graphtest.Eval(map[*ir.Node]*graphtest.Array{x: xa, w: wa}, []*ir.Node{y})[0]
		each(y.Shape, func(at []int) {
			sum := 0.0
			group := at[1] / outs
			each(ws[1:], func(q []int) {
				from := []int{at[0], group*channels + q[0]}
				for i := range n {
					p, ok := taken(o, i, at[2+i], q[1+i], xs[2+i])
					if !ok {
						return
					}
					from = append(from, p)
				}
				sum += number(xa, linear(xs, from)) * number(wa, linear(ws, append([]int{at[1]}, q...)))
			})
			if v := number(got, linear(y.Shape, at)); v != sum {
				t.Fatalf("seed %d: %v by %v, %d groups, %+v: element %v is %v, expected %v", seed, xs, ws, groups, o, at, v, sum)
			}
		})
	}
	for name, n := range ways {
		t.Log(n, name)
	}
	if len(ways) < 10 {
		t.Errorf("only these ways occurred: %v", ways)
	}
}

// way tells what a convolution became.
func way(g *ir.Graph) string {
	has := map[ir.Op]bool{}
	for _, n := range g.Nodes {
		has[n.Op] = true
	}
	var ops []string
	for _, op := range []ir.Op{ir.Order, ir.Window, ir.Concat, ir.Copy, ir.Dot, ir.Reduce} {
		if has[op] {
			ops = append(ops, op.String())
		}
	}
	return strings.Join(ops, " ")
}

// TestFold compares random folds of windows with loops over the elements.
func TestFold(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := r.IntN(4)
		o := random(r, n)
		shape := []int{}
		for range n {
			shape = append(shape, 1+r.IntN(9))
		}
		name := []string{"sum", "max", "min"}[r.IntN(3)]
		fold := ir.FoldNamed(name)
		var err error
		g := &ir.Graph{}
		x := parameter(t, g, dtype.F64, shape)
		fill := constant(t, g, fold.Neutral(dtype.F64))
		from := x
		if r.IntN(2) == 0 {
			if from, err = g.Ordered(x, r.Perm(n)); err != nil {
				t.Fatal(err)
			}
		}
		y, err := conv.Fold(g, fold, from, fill, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		xa := array(r, dtype.F64, shape)
		got := graphtest.Eval(map[*ir.Node]*graphtest.Array{x: xa}, []*ir.Node{y})[0]
		each(y.Shape, func(at []int) {
			want := math.Float64frombits(fold.Neutral(dtype.F64))
			each(o.Size, func(q []int) {
				from := make([]int, n)
				for i := range n {
					var ok bool
					if from[i], ok = taken(o, i, at[i], q[i], shape[i]); !ok {
						return
					}
				}
				v := number(xa, linear(shape, from))
				switch name {
				case "sum":
					want += v
				case "max":
					want = max(want, v)
				case "min":
					want = min(want, v)
				}
			})
			if v := number(got, linear(y.Shape, at)); v != want {
				t.Fatalf("seed %d: %s of %v, %+v: element %v is %v, expected %v", seed, name, shape, o, at, v, want)
			}
		})
	}
}

func parameter(t *testing.T, g *ir.Graph, elem dtype.Type, shape []int) *ir.Node {
	t.Helper()
	n, err := g.Parameter("x", elem, shape)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func constant(t *testing.T, g *ir.Graph, bits uint64) *ir.Node {
	t.Helper()
	data := make([]byte, 8)
	for i := range data {
		data[i] = byte(bits >> (8 * i))
	}
	n, err := g.Constant(dtype.F64, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
