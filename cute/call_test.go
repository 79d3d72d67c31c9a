package cute_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

func TestGeneric(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 4)
	check(t, cute.Jit(generic[float32])(cute.Of[float32](x), 3))
	wantEach(t, x, func(i int) float32 { return 3 * float32(i) })
	y := must(cutile.FromSlice(dev, []int32{1, 2, 3, 4}))(t)
	check(t, cute.Jit(generic[int32])(cute.Of[int32](y), -2))
	if got := must(y.Slice())(t); got[3] != -8 {
		t.Errorf("got %v", got)
	}
	z := must(cutile.NewTensor[dtype.Float16](dev, 4))(t)
	check(t, z.Fill(t.Context(), dtype.Float16FromFloat32(1.5)))
	check(t, cute.Jit(generic[cute.Float16])(cute.Of[cute.Float16](z), 0.5))
	if got := must(z.Slice())(t); got[0].Float32() != 0.75 {
		t.Errorf("got %v", got)
	}
}

func TestLiteral(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 4)
	check(t, asLiteral(cute.Of[float32](x)))
	wantEach(t, x, func(i int) float32 { return 7 * float32(i) })
}

func TestVariadic(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 4)
	call := cute.Jit(rest)
	check(t, call(cute.Of[float32](x), 2, 3))
	must(cute.Call(t.Context(), call, x, 5, 0.5))(t)
	must(cute.Call(t.Context(), call, x))(t)
	wantEach(t, x, func(i int) float32 { return 15 * float32(i) })
	_, err := cute.Call(t.Context(), call, x, 5, "a")
	wantError(t, err, "expects argument #2 (by) to be a float32, but got string")
}

func TestResults(t *testing.T) {
	a, b, c, d, e, err := cute.Jit(numbers)(5, 65535, 3, 0.25)
	if a != -5 || b != 0 || c != 1.5 || d != 0.75 || e || err != nil {
		t.Error(a, b, c, d, e, err)
	}
}

// TestNoError: there is no way to tell what went wrong but a panic.
func TestNoError(t *testing.T) {
	call := cute.Jit(noError)
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "cute_test.noError must have error as its last result") {
			t.Errorf("recovered %q", r)
		}
	}()
	call(1)
}

// TestGoroutines: calls and compilations at the same time; the race detector looks on.
func TestGoroutines(t *testing.T) {
	dev, _ := open(t)
	call := cute.Jit(config.run)
	before := cute.CompileStats()
	var wg sync.WaitGroup
	for i := range 8 {
		x := vector(t, dev, 50)
		wg.Go(func() {
			for range 20 {
				if err := call(config{16, float32(i % 2)}, cute.Of[float32](x)); err != nil {
					t.Error(err)
				}
			}
		})
		defer wantEach(t, x, func(j int) float32 { return float32(j + 20*(i%2)) })
	}
	wg.Wait()
	if got := since(before); got.Evaluated != 2 {
		t.Errorf("got %+v", got)
	}
}

func BenchmarkCall(b *testing.B) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	x, err := cutile.NewTensor[float32](dev, 4)
	if err != nil {
		b.Fatal(err)
	}
	call := cute.Jit(runScale)
	b.ReportAllocs()
	for b.Loop() {
		if err := call(cute.Of[float32](x), 2); err != nil {
			b.Fatal(err)
		}
	}
	dev.Sync(b.Context())
}

func BenchmarkHost(b *testing.B) {
	call := cute.Jit(sum)
	b.ReportAllocs()
	for b.Loop() {
		if got, _, err := call(1, 2); got != 3 || err != nil {
			b.Fatal(got, err)
		}
	}
}
