// Package kerneltest has what the tests of all kernels share: seeded inputs, comparison with references in float64, and
// texts of errors.
package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// Num are the elements that tests use.
type Num interface {
	int8 | int32 | float32 | float64 | dtype.Float16 | dtype.BFloat16 | dtype.Float8E4M3FN | dtype.Float8E5M2
}

// CPU opens the CPU for the time of a test, or what CUTILE_THREADS puts in its place: see [threadtest.Instead].
func CPU(t testing.TB) *cutile.Device {
	t.Helper()
	defer threadtest.Instead()()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// Rand gives the same numbers at every run.
func Rand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// Random gives a tensor of numbers that are mostly between -2 and 2, or of whole numbers from -8 to 7, and what they are.
func Random[E Num](t testing.TB, dev *cutile.Device, r *rand.Rand, shape ...int) (*cutile.Tensor[E], []float64) {
	t.Helper()
	values := make([]float64, size(shape))
	for i := range values {
		values[i] = r.NormFloat64()
		if dtype.Of[E]().IsInt() {
			values[i] = float64(r.IntN(16) - 8)
		}
	}
	return Tensor[E](t, dev, values, shape...)
}

// Tensor gives a tensor of numbers and what is left of them.
func Tensor[E Num](t testing.TB, dev *cutile.Device, values []float64, shape ...int) (*cutile.Tensor[E], []float64) {
	t.Helper()
	data, kept := make([]E, len(values)), make([]float64, len(values))
	for i, v := range values {
		data[i] = from[E](v)
		kept[i] = number(data[i])
	}
	x, err := cutile.FromSlice(dev, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	if len(shape) == 0 {
		x = x.Reshape() // to rank 0
	}
	return x, kept
}

// New gives a tensor in which every element is -7, so that what a kernel leaves out shows.
func New[E Num](t testing.TB, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Fill(t.Context(), from[E](-7)); err != nil {
		t.Fatal(err)
	}
	return x
}

// Near compares a tensor with numbers: each may differ by tolerance, and by tolerance times its own magnitude.
func Near[E Num](t testing.TB, what string, got *cutile.Tensor[E], want []float64, tolerance float64) {
	t.Helper()
	all, err := got.Slice()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(all) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(all), len(want))
	}
	for i, w := range want {
		g := number(all[i])
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if d := math.Abs(g - w); !(d <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s of %v: element %d is %v, want %v", what, got.Shape(), i, g, w)
			return
		}
	}
}

// Must fails on errors.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Mismatch checks that an error is one about arguments, with these lines.
func Mismatch(t testing.TB, err error, lines ...string) {
	t.Helper()
	if !errors.Is(err, cutile.ErrMismatch) {
		t.Errorf("got %v, want a cutile.ErrMismatch", err)
		return
	}
	if want := strings.Join(lines, "\n"); err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func from[E Num](v float64) E {
	var e E
	switch p := any(&e).(type) {
	case *int8:
		*p = int8(v)
	case *int32:
		*p = int32(v)
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	case *dtype.Float16:
		*p = dtype.Float16FromFloat64(v)
	case *dtype.BFloat16:
		*p = dtype.BFloat16FromFloat64(v)
	case *dtype.Float8E4M3FN:
		*p = dtype.Float8E4M3FNFromFloat64(v)
	case *dtype.Float8E5M2:
		*p = dtype.Float8E5M2FromFloat64(v)
	default:
		panic(fmt.Sprintf("BUG: %T", e))
	}
	return e
}

func number[E Num](e E) float64 {
	switch x := any(e).(type) {
	case int8:
		return float64(x)
	case int32:
		return float64(x)
	case float32:
		return float64(x)
	case float64:
		return x
	case interface{ Float64() float64 }:
		return x.Float64()
	}
	panic(fmt.Sprintf("BUG: %T", e))
}
