package cute_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestTypedNil: a nil pointer in an interface is not a nil interface, and methods with pointer receivers run on nil.
func TestTypedNil(t *testing.T) {
	a, b, c, d, e, err := typedNil(5)
	check(t, err)
	a2, b2, c2, d2, e2, err := cute.Jit(typedNil)(5)
	check(t, err)
	if a != a2 || b != b2 || c != c2 || d != d2 || e != e2 {
		t.Errorf("got %v %v %v %v %v, want %v %v %v %v %v", a2, b2, c2, d2, e2, a, b, c, d, e)
	}
	_, err = cute.Jit(nilField)(5)
	wantError(t, err, "this pointer is nil", "h.n + n")
}

// TestUntold: the type arguments of a function value are known only by the types of its parameters.
func TestUntold(t *testing.T) {
	_, err := cute.Jit(untold[int8])(300)
	wantError(t, err, "edges_kernels_test.go:", "no parameter's type mentions type parameter T, so a call cannot infer it: add a parameter whose type mentions it, such as _ T")
	_, err = cute.Jit(callsUntold)(untold[int8], 300)
	wantError(t, err, "argument #1 (f)", "no parameter's type mentions type parameter T")
}

// TestLent: what a host function would change for itself alone is refused.
func TestLent(t *testing.T) {
	n, v, s := 1, []int{1, 2}, &counted32{1}
	const lost = "of the host function leads to, which the calling program would not see"
	wantError(t, cute.Jit(setsPointer)(&n), "this sets what argument n "+lost, "*n = 7")
	wantError(t, cute.Jit(setsSlice)(v), "this sets what argument v "+lost, "v[0] = 7")
	wantError(t, cute.Jit((*counted32).setsReceiver)(s), "this sets what argument s "+lost)
	if got, err := cute.Jit(copiesFirst)(v, &n); got != 10 || err != nil || n != 1 || v[0] != 1 {
		t.Errorf("got %v, %v, %v, %v", got, err, n, v)
	}
}

// TestBeyond32: sizes and quotients are those of ints of 64 bits, whatever their numbers are; in a kernel, what 32 bits would cut is an
// error of a checked launch.
func TestBeyond32(t *testing.T) {
	for _, c := range [][2]int{{1<<31 - 100, 256}, {math.MaxInt32, math.MaxInt32}, {1 << 40, 3}, {7, 2}} {
		got, err := cute.Jit(ceilDivOf)(c[0], c[1])
		if want, _ := ceilDivOf(c[0], c[1]); got != want || err != nil {
			t.Errorf("CeilDiv(%d, %d) is %d, %v, want %d", c[0], c[1], got, err, want)
		}
	}
	for _, c := range [][2]int{{65536, 65536}, {math.MaxInt32, 2}, {1 << 33, 1 << 20}} {
		a, b, err := cute.Jit(sizeOf)(c[0], c[1])
		if wantA, wantB, _ := sizeOf(c[0], c[1]); a != wantA || b != wantB || err != nil {
			t.Errorf("%v: %d and %d, %v, want %d and %d", c, a, b, err, wantA, wantB)
		}
	}
	dev, _ := open(t)
	x := must(cutile.FromSlice(dev, []int64{10, 20, 30, 40, 50, 60, 70, 80}, 2, 4))(t)
	p := must(cutile.NewTensor[int64](dev, 1))(t)
	for _, i := range []int{2, 1 << 30, 1<<30 + 1, -1 << 30, -1 << 31, 1 << 60, 1 << 62, math.MinInt64} {
		check(t, cute.Jit(readsFar)(cute.Of[int64](x), cute.Of[int64](p), i))
		if err := dev.Sync(t.Context()); err == nil {
			t.Errorf("row %d of 2: no error, and the element is %v", i, must(p.Slice())(t))
		}
	}
	check(t, cute.Jit(ceilDivIn)(cute.Of[int64](p), 1<<31-100, 256))
	if got := must(p.Slice())(t); got[0] != 8388608 {
		t.Errorf("CeilDiv in a kernel is %d", got[0])
	}
}

// TestGrids: no grid is cut to fewer bits, and none has more blocks than a GPU takes.
func TestGrids(t *testing.T) {
	dev, _ := open(t)
	x := must(cutile.NewTensor[int32](dev, 1))(t)
	call := cute.Jit(onGrid)
	for _, g := range [][3]int{{1 << 31, 1, 1}, {1 << 32, 1, 1}, {1<<32 + 3, 1, 1}, {-1<<32 + 2, 1, 1}, {math.MinInt64, 1, 1}, {1, 65536, 1}, {1, 1, 70000}, {1, -1, 1}} {
		wantError(t, call(cute.Of[int32](x), g[0], g[1], g[2]), "edges_kernels_test.go:", "its extents must be 0 to 2147483647, 65535 and 65535")
	}
	check(t, call(cute.Of[int32](x), 2, 3, 5))
	check(t, call(cute.Of[int32](x), 0, 3, 5))
	if got := must(x.Slice())(t); got[0] != 30 {
		t.Errorf("%d blocks ran, want 30", got[0])
	}
}

// TestDeadline: a call that waits for its kernels, as no tensor says on which device they run, ends with its context.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := cute.Call(ctx, cute.Jit(endlessly), 1<<60)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 3*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

// TestPanicAtTheEnd: a function that always panics has that mistake, and no other one.
func TestPanicAtTheEnd(t *testing.T) {
	err := cute.Jit(endlesslyIn)(cute.C(2))
	wantError(t, err, "it must be 1")
	if strings.Contains(err.Error(), "as its error") {
		t.Errorf("got %v", err)
	}
	check(t, cute.Jit(endlesslyIn)(cute.C(1)))
}

// TestStaticAny: a static argument may be of any type.
func TestStaticAny(t *testing.T) {
	for x, want := range map[any]int{3: 1, "three": 2, true: 0, nil: 0} {
		if got, err := cute.Jit(kindOf)(cute.C(x)); got != want || err != nil {
			t.Errorf("%v: %d, %v, want %d", x, got, err, want)
		}
	}
}

// TestNegativeZero: a static number keeps its sign.
func TestNegativeZero(t *testing.T) {
	if got, err := cute.Jit(inverseOf)(cute.C(math.Copysign(0, -1))); !math.IsInf(got, -1) || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got := cute.Round(float32(math.Inf(-1))); !math.IsInf(float64(got), -1) {
		t.Errorf("Round(-Inf) is %v", got)
	}
}

// TestForeignFields: fields of types without registered source are in nobody's way.
func TestForeignFields(t *testing.T) {
	c := withForeign{time.Now(), new(sync.Mutex), time.Second, 7}
	if got, err := cute.Jit(besideForeign)(c); got != 7 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestPrintsParts: what is inside of values prints as fmt prints it.
func TestPrintsParts(t *testing.T) {
	var out bytes.Buffer
	check(t, cute.Jit(printsParts, cute.Options{Output: &out})())
	if want := "[1.5 0.1] [0.1 1e+30] {0.25 3} [0.1 2]\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestOnlyKernels: a host function has no threads, which its line says and not the verifier.
func TestOnlyKernels(t *testing.T) {
	_, err := cute.Jit(asksThread)(1)
	wantError(t, err, "edges_kernels_test.go:", "ThreadIdx is for kernels: a host function has one thread and no memory")
	_, err = cute.Jit(waitsForThreads)(1)
	wantError(t, err, "edges_kernels_test.go:", "SyncThreads is for kernels: a host function has one thread and no memory")
}
