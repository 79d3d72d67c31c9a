package cute_test

import (
	"bytes"
	"embed"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *kernels_test.go
var source embed.FS

var _ = cutile.Module(source)

// open opens the CPU, whose kernels print to a buffer.
func open(t *testing.T) (*cutile.Device, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	dev, err := cutile.Open("cpu", cutile.WithOutput(&out), cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev, &out
}

// vector makes the tensor 0, 1, 2 … of n elements.
func vector(t *testing.T, dev *cutile.Device, n int) *cutile.Tensor[float32] {
	t.Helper()
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	x, err := cutile.FromSlice(dev, data)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// wantEach compares a tensor with a function of the index.
func wantEach(t *testing.T, x *cutile.Tensor[float32], f func(i int) float32) {
	t.Helper()
	got, err := x.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != f(i) {
			t.Fatalf("element %d of %d is %v, want %v", i, len(got), v, f(i))
		}
	}
}

// wantError compares the text of an error.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Fatalf("error %v, want one with %q", err, p)
		}
	}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// since gives what was counted since a moment.
func since(old cute.Stats) cute.Stats {
	s := cute.CompileStats()
	return cute.Stats{Evaluated: s.Evaluated - old.Evaluated, Compiled: s.Compiled - old.Compiled, Hits: s.Hits - old.Hits,
		Assembled: s.Assembled - old.Assembled, Found: s.Found - old.Found, Loaded: s.Loaded - old.Loaded, Unloaded: s.Unloaded - old.Unloaded}
}

func TestScale(t *testing.T) {
	dev, _ := open(t)
	scaled := cute.Jit(runScale)
	for _, n := range []int{1, 300, 1000} {
		x := vector(t, dev, n)
		check(t, scaled(cute.Of[float32](x), 3))
		wantEach(t, x, func(i int) float32 { return 3 * float32(i) })
	}
}

// wantPrinted compares what is printed to the standard output, as by calls that name no device.
func wantPrinted(t *testing.T, want string, f func()) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	old := os.Stdout
	os.Stdout = w
	func() {
		defer func() { os.Stdout = old }()
		f()
	}()
	w.Close()
	if got := string(must(io.ReadAll(r))(t)); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// TestSharedTooLarge: the place that asks for more shared memory than a block can have, and no text of the module.
func TestSharedTooLarge(t *testing.T) {
	x := vectorOf(t, 4)
	for _, c := range []struct {
		f    func(cute.Tensor[float32]) error
		line string
		want string
	}{
		{runTooShared, "// the one that is too large", "4194320 bytes of shared memory: sm_90a has 232448 for one block: most of it is allocated here: use less"},
		{runTooSmem, "// Smem is too large", "1048576 bytes of shared memory: sm_90a has 232448 for one block"},
	} {
		_, err := cute.Compile(t.Context(), cute.Jit(c.f), x)
		var e *cutile.Error
		if !errors.As(err, &e) || e.Stage != cutile.StageLower || filepath.Base(e.Pos.Filename) != "launch_kernels_test.go" ||
			!strings.Contains(e.Message, c.want) || !strings.Contains(err.Error(), c.line) || strings.Contains(err.Error(), "gpu.module") {
			t.Errorf("got %v", err)
		}
	}
	_, err := cute.Compile(t.Context(), cute.Jit(runTooShared), x, cute.Options{Arch: "sm_89", KeepPTX: true})
	wantError(t, err, "4194320 bytes of shared memory: sm_89 has 101376 for one block")
}
