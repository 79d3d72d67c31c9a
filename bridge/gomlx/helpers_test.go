package gomlx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	bridge "github.com/cutile-go/cutile/bridge/gomlx"
	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// open makes a back end on the CPU, which the test closes.
func open(t testing.TB) backends.Backend {
	t.Helper()
	b, err := bridge.New("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// openGo makes GoMLX's own back end in Go. It computes one operation after the other: the race detector finds races in its parallel
// executions.
func openGo(t testing.TB) backends.Backend {
	t.Helper()
	b, err := backends.NewWithConfig("go:ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// array is an array in Go's memory.
type array struct {
	flat any
	dims []int
}

func of[T any](flat []T, dims ...int) array {
	if dims == nil {
		dims = []int{len(flat)}
	}
	return array{flat, dims}
}

func scalar[T any](x T) array { return array{[]T{x}, nil} }

func (a array) shape() shapes.Shape {
	return shapes.Shape{DType: dtypes.FromGoType(reflect.TypeOf(a.flat).Elem()), Dimensions: a.dims}
}

// op unwraps the result of an operation.
func op(x backends.Op, err error) backends.Op {
	if err != nil {
		panic(err)
	}
	return x
}

type building = func(b backends.Builder, x []backends.Op) []backends.Op

// compile compiles a computation with parameters of the shapes of arrays.
func compile(t testing.TB, backend backends.Backend, f building, args ...array) backends.Executable {
	t.Helper()
	b := backend.Builder(t.Name())
	var in []backends.Op
	for i, a := range args {
		in = append(in, op(b.Parameter(fmt.Sprint("x", i), a.shape(), nil)))
	}
	exec, err := b.Compile(f(b, in), nil)
	if err != nil {
		t.Fatal(err)
	}
	return exec
}

// upload copies arrays to the device.
func upload(t testing.TB, backend backends.Backend, args ...array) []backends.Buffer {
	t.Helper()
	var in []backends.Buffer
	for _, a := range args {
		x, err := backend.BufferFromFlatData(0, a.flat, a.shape())
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, x)
	}
	return in
}

// download copies a buffer from the device.
func download(t testing.TB, backend backends.Backend, x backends.Buffer) array {
	t.Helper()
	s, err := backend.BufferShape(x)
	if err != nil {
		t.Fatal(err)
	}
	flat := reflect.MakeSlice(reflect.SliceOf(s.DType.GoType()), s.Size(), s.Size()).Interface()
	if err := backend.BufferToFlatData(x, flat); err != nil {
		t.Fatal(err)
	}
	return array{flat, s.Dimensions}
}

// run computes.
func run(t testing.TB, backend backends.Backend, f building, args ...array) []array {
	t.Helper()
	exec := compile(t, backend, f, args...)
	out, err := exec.Execute(upload(t, backend, args...), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var results []array
	for i, x := range out {
		a := download(t, backend, x)
		if want := exec.Outputs()[i]; !want.Equal(a.shape()) {
			t.Fatalf("output %d is %s, the executable says %s", i, a.shape(), want)
		}
		results = append(results, a)
	}
	return results
}

// same checks an array of any elements that have exact results.
func same[T comparable](t testing.TB, what string, got array, want []T, dims ...int) {
	t.Helper()
	if dims == nil {
		dims = []int{len(want)}
	}
	g, ok := got.flat.([]T)
	if !ok || fmt.Sprint(got.dims) != fmt.Sprint(dims) || !reflect.DeepEqual(g, want) && len(want) > 0 {
		t.Errorf("%s: %T%v %v, want %T%v %v", what, got.flat, got.dims, got.flat, want, dims, want)
	}
}

// near checks floats and complex numbers; a NaN is near a NaN.
func near(t testing.TB, what string, got array, want []complex128, tolerance float64) {
	t.Helper()
	g := widen(got.flat)
	if len(g) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(g), len(want))
	}
	part := func(a, b, size float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tolerance*max(1, size)
	}
	for i := range g {
		size := max(math.Abs(real(want[i])), math.Abs(imag(want[i])))
		if !part(real(g[i]), real(want[i]), size) || !part(imag(g[i]), imag(want[i]), size) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g[i], want[i])
		}
	}
}

// widen gives numbers and bools as complex128.
func widen(flat any) []complex128 {
	v := reflect.ValueOf(flat)
	out := make([]complex128, v.Len())
	for i := range out {
		switch x := v.Index(i); {
		case x.CanComplex():
			out[i] = x.Complex()
		case x.CanFloat():
			out[i] = complex(x.Float(), 0)
		case x.CanInt():
			out[i] = complex(float64(x.Int()), 0)
		case x.Kind() == reflect.Bool && x.Bool():
			out[i] = 1
		case x.CanUint():
			out[i] = complex(float64(x.Uint()), 0)
		}
	}
	return out
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
