package languagetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// affine is a generic struct that a kernel takes: its fields become parameters.
type affine[B tile.Dim] struct {
	X      tile.In[tile.I64T1[B]]
	Scale  int
	limits limits
	Weight [2]tile.In[tile.I64T1[B]]
	F      func(int) int
	_      tile.Size[B]
	Out    tile.Out[tile.I64T1[B]]
	acc    tile.I64
}

type limits struct {
	lo, hi int32
	on     bool
}

// run uses the struct's state in a loop: a view, numbers and a sum together.
func (a *affine[B]) run() tile.I64T1[B] {
	var sum tile.I64T1[B]
	for i := range a.X.Tiles(0) {
		sum += a.X.Load(i) * tile.I64T1[B](a.Scale)
		a.Scale++
		for _, w := range a.Weight {
			sum -= w.Load(i)
		}
	}
	if a.limits.on {
		sum = min(max(sum, tile.I64T1[B](a.limits.lo)), tile.I64T1[B](a.limits.hi))
	}
	return sum
}

func structKernel[B tile.Dim](a affine[B], bias int) {
	v := a.run()
	a.Out.Store(v + tile.I64T1[B](a.F(bias)+int(a.acc)))
}

// hostAffine is what the host passes for an affine.
type hostAffine struct {
	X      *cutile.Tensor[int64]
	Scale  int
	Limits limits
	Weight [2]*cutile.Tensor[int64]
	F      func(int) int
	Out    *cutile.Tensor[int64]
	Acc    int64
}

func squared(n int) int { return n * n }

func TestStructParameters(t *testing.T) {
	dev := open(t)
	const n = 8
	from := func(f func(i int) int64) *cutile.Tensor[int64] {
		v := make([]int64, 2*n)
		for i := range v {
			v[i] = f(i)
		}
		x, err := cutile.FromSlice(dev, v)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x, w0, w1 := func(i int) int64 { return int64(i * i) }, func(i int) int64 { return int64(7 * i) }, func(i int) int64 { return int64(i - 3) }
	out := zeros[int64](t, dev, n)
	arg := hostAffine{from(x), 2, limits{-100, 400, true}, [2]*cutile.Tensor[int64]{from(w0), from(w1)}, squared, out, 1000}
	if err := cutile.Launch(t.Context(), dev, structKernel[tile.D8], arg, 5); err != nil {
		t.Fatal(err)
	}
	want := make([]int64, n)
	for i := range want {
		sum := x(i)*2 - w0(i) - w1(i) + x(i+n)*3 - w0(i+n) - w1(i+n)
		want[i] = min(max(sum, -100), 400) + 25 + 1000
	}
	if got := values(t, out); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}

	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"names", []any{struct {
			X, Weight *cutile.Tensor[int64]
			Rest      [6]int
			Out       *cutile.Tensor[int64]
			Acc, B    int
		}{}}, "argument #2 (a.Scale) is field Weight of struct"},
		{"count", []any{arg}, "expects 11 arguments (a.X, a.Scale, a.limits.lo, a.limits.hi, a.limits.on, a.Weight[0], a.Weight[1], a.F, a.Out, a.acc, bias), but got 10"},
		{"type", []any{hostAffine{from(x), 2, limits{}, arg.Weight, squared, out, 1}, "x"}, "expects argument #11 (bias) to be an int, but got string"},
		{"slice for an array", []any{struct {
			X      *cutile.Tensor[int64]
			Scale  int
			Limits limits
			Weight []*cutile.Tensor[int64]
			F      func(int) int
			Out    *cutile.Tensor[int64]
			Acc    int
		}{Weight: arg.Weight[:]}, 5}, "but got 10: a.Weight is an array, but a slice was given: pass an array of *cutile.Tensor[int64], of the same length"},
		{"function", []any{hostAffine{from(x), 2, limits{}, arg.Weight, nil, out, 1}, 1}, "expects argument #8 (a.F) to be a func(int) int, but got a nil func(int) int"},
	} {
		err := cutile.Launch(t.Context(), dev, structKernel[tile.D8], c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v\nwant %q", c.name, err, c.want)
		}
	}
}

// leaves returns from a kernel on many ways; what it has stored by then stays.
func leaves(n int, z tile.InOut[one]) {
	i := tile.BlockID(0)
	if i == 0 {
		return
	}
	z.Store(1, i)
	if i == 1 {
		return
	} else if i < 4 {
		z.Store(2, i)
		if i == 2 {
			return
		}
	}
	for k := range n {
		if k == i {
			z.Store(one(100+k), i)
			return
		}
		for j := 0; ; j++ {
			if j+k == 2*i {
				z.Store(one(-j), i)
				return
			}
			if j > 2 {
				break
			}
		}
	}
	switch {
	case i%5 == 0:
		return
	case i%5 == 1:
		break
	default:
		z.Store(one(7*i), i)
	}
	z.Store(z.Load(i)+1000, i)
}

func TestKernelReturns(t *testing.T) {
	dev := open(t)
	out := zeros[int64](t, dev, blocks)
	const n = 9
	if err := cutile.Launch(t.Context(), dev.Grid(blocks), leaves, n, out); err != nil {
		t.Fatal(err)
	}
	for i, got := range values(t, out) {
		if want := left(n, i); got != want {
			t.Errorf("block %d: %d, want %d", i, got, want)
		}
	}
}

// left is what block i of leaves leaves behind.
func left(n, i int) (z int64) {
	if i == 0 {
		return
	}
	z = 1
	if i == 1 {
		return
	} else if i < 4 {
		z = 2
		if i == 2 {
			return
		}
	}
	for k := range n {
		if k == i {
			return int64(100 + k)
		}
		for j := 0; ; j++ {
			if j+k == 2*i {
				return int64(-j)
			}
			if j > 2 {
				break
			}
		}
	}
	switch {
	case i%5 == 0:
		return
	case i%5 == 1:
		break
	default:
		z = int64(7 * i)
	}
	return z + 1000
}
