package cutile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// faulty is a GPU that changes a word of memory when it has run a kernel.
type faulty struct {
	mu   sync.Mutex
	args []int                   // that point to the memory
	off  int                     // of the word, in bytes
	word func(old uint32) uint32 // nil for a GPU that is right
}

// wrong makes the GPU change a word after each launch; right ends that.
func (f *faulty) wrong(arg, off int, word func(old uint32) uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.args, f.off, f.word = []int{arg}, off, word
}

// wrongToo makes it change a word of another memory, too.
func (f *faulty) wrongToo(arg int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.args = append(f.args, arg)
}

func (f *faulty) right() { f.wrong(0, 0, nil) }

func (f *faulty) after(l *fake.Launch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.word == nil {
		return
	}
	for _, arg := range f.args {
		m, err := l.Memory(l.Args[arg] + uint64(f.off))
		if err != nil {
			panic(err)
		}
		binary.LittleEndian.PutUint32(m, f.word(binary.LittleEndian.Uint32(m)))
	}
}

// set gives a function that makes a word a number.
func set(x float32) func(uint32) uint32 {
	return func(uint32) uint32 { return math.Float32bits(x) }
}

// times gives a function that multiplies a word.
func times(by float32) func(uint32) uint32 {
	return func(old uint32) uint32 { return math.Float32bits(math.Float32frombits(old) * by) }
}

// shadowed opens a GPU whose driver runs PTX, and compares its launches.
func shadowed(t *testing.T, f *faulty, s cutile.Shadow, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040, Silent: true, After: f.after})
	dev, err := cutile.Open("cuda", append([]cutile.Option{cutile.WithAssembler("own"), cutile.WithWorkers(1), cutile.WithShadow(s)}, opts...)...)
	must(t, err)
	t.Cleanup(func() {
		dev.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("left on the device: %v", leaks)
		}
	})
	return dev
}

// compared checks how many launches were compared, and how many not.
func compared(t *testing.T, dev *cutile.Device, compared, not int64) {
	t.Helper()
	if s := dev.Stats(); s.Compared != compared || s.NotCompared != not {
		t.Errorf("%d launches were compared and %d not, want %d and %d", s.Compared, s.NotCompared, compared, not)
	}
}

// TestShadow: launches of a GPU that is right are compared, and their results are its own.
func TestShadow(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *cutile.Device{
		"cuda":   func(t *testing.T) *cutile.Device { return shadowed(t, &faulty{}, cutile.Shadow{}) },
		"vulkan": func(t *testing.T) *cutile.Device { return onVulkan(t, cutile.WithShadow(cutile.Shadow{})) },
		"cpu": func(t *testing.T) *cutile.Device {
			t.Setenv("CUTILE_CHECKS", "off")
			dev, err := cutile.Open("cpu", cutile.WithShadow(cutile.Shadow{}))
			must(t, err)
			t.Cleanup(func() { dev.Close() })
			return dev
		},
	} {
		t.Run(name, func(t *testing.T) { rightLaunches(t, open(t)) })
	}
}

func rightLaunches(t *testing.T, dev *cutile.Device) {
	ctx := t.Context()
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, z.Narrow(0, 32, 64)))
	must(t, cutile.Launch(ctx, dev, add[tile.D16], x.Narrow(0, 3, 30), x.Narrow(0, 7, 34), z.Narrow(0, 1, 28))) // two views of one memory
	holds(t, "offset", z.Narrow(0, 0, 3), "[0 12 14]")
	a, b := ramp(t, dev, 6, 10), zeros[float32](t, dev, 10, 6)
	must(t, cutile.Launch(ctx, dev, addMatrix[tile.D2, tile.D4], a, a, b.T()))
	holds(t, "transposed", b.Narrow(0, 0, 1), "[2 22 42 62 82 102]")
	y, w := zeros[float32](t, dev, 50), zeros[float32](t, dev, 50)
	must(t, cutile.Launch(ctx, dev, twoOuts[tile.D16], x.Narrow(0, 0, 50), y, w))
	must(t, cutile.Launch(ctx, dev.Grid(4), put[tile.D16], x, z, 60))
	must(t, cutile.Launch(ctx, dev, take[tile.D16], x.Narrow(0, 64, 64), 0, y.Narrow(0, 0, 16))) // no elements, at the end of the memory
	holds(t, "nothing", y.Narrow(0, 0, 2), "[-1 -1]")
	p, err := cutile.Prepare(ctx, dev, scale[tile.D16], x, 2, z)
	must(t, err)
	for range 3 {
		must(t, p.Launch(ctx))
	}
	must(t, dev.Sync(ctx))
	compared(t, dev, 9, 0)
	// Work on two streams is in order where it uses the same memory, and copies and writes are in order with launches.
	s, err := dev.NewStream()
	must(t, err)
	for i := range 10 {
		must(t, x.Write(ctx, make([]float32, 64)))
		must(t, x.Fill(ctx, float32(i)))
		must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, z))
		must(t, cutile.Launch(ctx, s, add[tile.D16], z, x, y.Narrow(0, 0, 48)))
		must(t, w.Copy(ctx, y))
		must(t, cutile.Launch(ctx, dev, scale[tile.D16], w, 2, z.Narrow(0, 0, 50)))
		if got, err := z.Slice(); err != nil || got[20] != float32(6*i) {
			t.Fatalf("turn %d gives %v, %v", i, got, err)
		}
	}
	must(t, s.Close())
	compared(t, dev, 39, 0)
	// Copies of much memory take longer than it takes to begin the next launch, on another stream.
	none, much, copied := zeros[float32](t, dev, 1<<22), zeros[float32](t, dev, 1<<22), zeros[float32](t, dev, 1<<22)
	last := much.Narrow(0, 1<<22-16, 1<<22)
	must(t, last.Fill(ctx, 21))
	if s, err = dev.NewStream(); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		must(t, copied.Copy(ctx, none))
	}
	must(t, copied.Copy(ctx, much))
	must(t, cutile.Launch(ctx, s, scale[tile.D16], copied.Narrow(0, 1<<22-16, 1<<22), 2, z.Narrow(0, 0, 16)))
	holds(t, "behind a copy", z.Narrow(0, 0, 2), "[42 42]")
	must(t, s.Close())
	compared(t, dev, 40, 0)
}

// TestShadowChecks: a device that checks still does.
func TestShadowChecks(t *testing.T) {
	dev := open(t, cutile.WithShadow(cutile.Shadow{}))
	must(t, cutile.Launch(t.Context(), dev.Grid(4), smoothInPlace, ramp(t, dev, 16)))
	err := dev.Sync(t.Context())
	fails(t, err, "data race at element (4) of x")
	if d := (*cutile.DifferenceError)(nil); errors.As(err, &d) {
		t.Errorf("it is a difference: %v", err)
	}
}

// TestShadowOrder: writes and copies wait for the launches before them, of which the CPU takes long.
func TestShadowOrder(t *testing.T) {
	dev := shadowed(t, &faulty{}, cutile.Shadow{})
	ctx := t.Context()
	x, y, z, w := ramp(t, dev, 64), zeros[float32](t, dev, 64), zeros[float32](t, dev, 64), zeros[float32](t, dev, 64)
	must(t, cutile.Launch(ctx, dev, tripleSlowly[tile.D16], x, y)) // loads the kernel
	must(t, y.Fill(ctx, 0))
	must(t, dev.Sync(ctx))
	must(t, cutile.Launch(ctx, dev, tripleSlowly[tile.D16], x, y))
	must(t, w.Copy(ctx, y))
	must(t, x.Write(ctx, make([]float32, 64)))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], y, 2, z))
	must(t, y.Write(ctx, make([]float32, 64)))
	holds(t, "what was written", y.Narrow(0, 0, 3), "[0 0 0]")
	holds(t, "before a write", z.Narrow(0, 0, 3), "[6 12 18]")
	holds(t, "what was copied", w.Narrow(0, 0, 3), "[3 6 9]")
	compared(t, dev, 3, 0)
}

// TestShadowWrap: memory of the program is compared, too, also where the program changes it between launches.
func TestShadowWrap(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu", cutile.WithShadow(cutile.Shadow{}))
	must(t, err)
	defer dev.Close()
	data := make([]float32, 16)
	x, err := cutile.Wrap(dev, data)
	must(t, err)
	for i := range 3 {
		data[5] = float32(i)
		must(t, cutile.Launch(t.Context(), dev.Grid(1), double[tile.D16], x))
		must(t, dev.Sync(t.Context()))
		if data[5] != float32(2*i) {
			t.Errorf("launch %d gives %v", i, data)
		}
	}
	compared(t, dev, 3, 0)
}

// TestShadowDifference: what a difference is called, for kernels and arguments of all kinds.
func TestShadowDifference(t *testing.T) {
	f := &faulty{}
	dev := shadowed(t, f, cutile.Shadow{})
	ctx := t.Context()
	for _, c := range []struct {
		name     string
		arg, off int
		word     func(uint32) uint32
		launch   func() error
		want     []string // none if there is no difference
		is       cutile.DifferenceError
	}{
		{"an element", 4, 4 * 51, set(104.5), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 2, zeros[float32](t, dev, 64))
		}, []string{"kernels_test.go:29:2: kernel cutile_test.scale[D16], block (3, 0, 0): element (51) of z is 104.5 on cuda:0, but 104 on the CPU; " +
			"1 of 64 elements of type float32 differ, with a relative tolerance of 0.00012; on the CPU this Store stores it; CUTILE_OVERRIDE=FOLDER writes its Tile IR"},
			cutile.DifferenceError{Tensor: "z", Index: []int{51}, Got: "104.5", Want: "104", Count: 1, Elements: 64, Block: [3]int{3, 0, 0}}},
		{"within the tolerance", 4, 4 * 51, times(1.0001), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 2, zeros[float32](t, dev, 64))
		}, nil, cutile.DifferenceError{}},
		{"within that of the median", 4, 0, set(1e-3), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 0.5, zeros[float32](t, dev, 64).Narrow(0, 0, 64))
		}, []string{"element (0) of z is 0.001 on cuda:0, but 0.5 on the CPU"}, cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "0.001", Want: "0.5", Count: 1, Elements: 64}},
		{"beside an outlier", 4, 0, set(2.125), func() error {
			x := ramp(t, dev, 64)
			must(t, x.Narrow(0, 9, 10).Fill(ctx, 1e30))
			return cutile.Launch(ctx, dev, scale[tile.D16], x, 2, zeros[float32](t, dev, 64))
		}, []string{"element (0) of z is 2.125 on cuda:0, but 2 on the CPU; 1 of 64"}, cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "2.125", Want: "2", Count: 1, Elements: 64}},
		{"a small one", 4, 0, set(1e-3), func() error {
			x := ramp(t, dev, 64)
			must(t, x.Narrow(0, 0, 1).Fill(ctx, 0))
			return cutile.Launch(ctx, dev, scale[tile.D16], x, 2, zeros[float32](t, dev, 64))
		}, nil, cutile.DifferenceError{}},
		{"NaN", 4, 0, set(float32(math.NaN())), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 2, zeros[float32](t, dev, 64))
		}, []string{"element (0) of z is NaN on cuda:0, but 2 on the CPU"}, cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "NaN", Want: "2", Count: 1, Elements: 64}},
		{"NaN on both", 4, 0, func(uint32) uint32 { return 0xffc12345 }, func() error {
			x := ramp(t, dev, 64)
			must(t, x.Narrow(0, 0, 1).Fill(ctx, float32(math.NaN())))
			return cutile.Launch(ctx, dev, scale[tile.D16], x, 2, zeros[float32](t, dev, 64))
		}, nil, cutile.DifferenceError{}},
		{"infinity", 4, 0, set(float32(math.Inf(1))), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 1e38, zeros[float32](t, dev, 64))
		}, []string{"element (0) of z is +Inf on cuda:0, but 1e+38 on the CPU"}, cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "+Inf", Want: "1e+38", Count: 1, Elements: 64}},
		{"minus zero", 4, 0, func(uint32) uint32 { return 1 << 31 }, func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 0, zeros[float32](t, dev, 64))
		}, nil, cutile.DifferenceError{}},
		{"a view of a matrix on its side", 10, 4 * (2*8 + 3), set(-1), func() error { // behind the view's first element
			z := zeros[float32](t, dev, 10, 8).Narrow(0, 1, 9).Narrow(1, 2, 8)
			return cutile.Launch(ctx, dev, addMatrix[tile.D2, tile.D4], ramp(t, dev, 6, 8), ramp(t, dev, 6, 8), z.T())
		}, []string{"kernels_test.go:", "block (1, 0, 0): element (3, 2) of z is -1 on cuda:0, but 54 on the CPU; 1 of 48 elements"},
			cutile.DifferenceError{Tensor: "z", Index: []int{3, 2}, Got: "-1", Want: "54", Count: 1, Elements: 48, Block: [3]int{1, 0, 0}}},
		{"the second result", 6, 4, set(7), func() error {
			return cutile.Launch(ctx, dev, twoOuts[tile.D4], ramp(t, dev, 8), zeros[float32](t, dev, 8), zeros[float32](t, dev, 8))
		}, []string{"kernels_test.go:", "block (0, 0, 0): element (1) of z is 7 on cuda:0, but -2 on the CPU"},
			cutile.DifferenceError{Tensor: "z", Index: []int{1}, Got: "7", Want: "-2", Count: 1, Elements: 8}},
		{"two halves", 5, 8, set(0), func() error {
			return cutile.Launch(ctx, dev, toHalf[tile.D2, tile.D4], ramp(t, dev, 4, 4), zeros[dtype.Float16](t, dev, 4, 4))
		}, []string{"element (1, 0) of z is 0 on cuda:0, but 5 on the CPU; 2 of 16 elements of type float16 differ, with a relative tolerance of 0.0039;"},
			cutile.DifferenceError{Tensor: "z", Index: []int{1, 0}, Got: "0", Want: "5", Count: 2, Elements: 16}},
		{"bytes with signs", 3, 4, func(uint32) uint32 { return 0x0807faff }, func() error {
			return cutile.Launch(ctx, dev, narrow, ramp(t, dev, 8), zeros[int8](t, dev, 8))
		}, []string{"block (1, 0, 0): element (4) of z is -1 on cuda:0, but 5 on the CPU; 2 of 8 elements of type int8 differ; on"},
			cutile.DifferenceError{Tensor: "z", Index: []int{4}, Got: "-1", Want: "5", Count: 2, Elements: 8, Block: [3]int{1, 0, 0}}},
		{"integers are exact", 0, 0, func(uint32) uint32 { return 1 }, func() error {
			return cutile.Launch(ctx, dev, blockNumbers, zeros[int32](t, dev, 1<<10))
		}, []string{"block (0, 0, 0): element (0) of z is 1 on cuda:0, but 0 on the CPU"},
			cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "1", Want: "0", Count: 1, Elements: 1 << 10}},
		{"an element that nobody stores", 3, 4 * 62, set(1), func() error {
			return cutile.Launch(ctx, dev.Grid(4), put[tile.D16], ramp(t, dev, 64), zeros[float32](t, dev, 64), 60)
		}, []string{"kernel cutile_test.put[D16]: element (62) of z is 1 on cuda:0, but 0 on the CPU; ", "; no block stores it on the CPU"},
			cutile.DifferenceError{Tensor: "z", Index: []int{62}, Got: "1", Want: "0", Count: 1, Elements: 64}},
		{"outside of a view", 4, 4 * 40, func(uint32) uint32 { return 0x1234 }, func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 32), 2, zeros[float32](t, dev, 64).Narrow(0, 1, 33))
		}, []string{"kernel cutile_test.scale[D16]: byte 164 of the memory of z, outside of the tensor, is 0x34 on cuda:0, but 0x0 on the CPU; 2 bytes there differ; no block stores it"},
			cutile.DifferenceError{Tensor: "z", Got: "0x34", Want: "0x0", Count: 2}},
		{"a tensor that is read", 0, 4, set(0), func() error {
			return cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 32), 2, zeros[float32](t, dev, 32))
		}, []string{"element (1) of x is 0 on cuda:0, but 2 on the CPU; ", "no block stores it on the CPU"},
			cutile.DifferenceError{Tensor: "x", Index: []int{1}, Got: "0", Want: "2", Count: 1, Elements: 32}},
		{"several blocks that store", 1, 0, func(uint32) uint32 { return 9 }, func() error {
			return cutile.Launch(ctx, dev.Grid(3), overwritten, zeros[int32](t, dev, 1), zeros[int32](t, dev, 1))
		}, []string{"kernels_shadow_test.go:", "block (2, 0, 0): element (0) of z is 9 on cuda:0, but 2 on the CPU; ", "on the CPU this Scatter stores it, in the last of 3 blocks that do"},
			cutile.DifferenceError{Tensor: "z", Index: []int{0}, Got: "9", Want: "2", Count: 1, Elements: 1, Block: [3]int{2, 0, 0}}},
		{"two stores of a block", 0, 20, set(9), func() error {
			return cutile.Launch(ctx, dev.Grid(2), storedTwice, zeros[float32](t, dev, 8))
		}, []string{"kernels_shadow_test.go:37:2: kernel cutile_test.storedTwice, block (1, 0, 0): element (5) of z is 9 on cuda:0, but 2 on the CPU; ", "; on the CPU this Store stores it;"},
			cutile.DifferenceError{Tensor: "z", Index: []int{5}, Got: "9", Want: "2", Count: 1, Elements: 8, Block: [3]int{1, 0, 0}}},
		{"a race", 0, 0, set(-5), func() error {
			return cutile.Launch(ctx, dev.Grid(4), smoothInPlace, ramp(t, dev, 16))
		}, []string{"element (0) of x is -5 on cuda:0", "with checks, the launch ends with: data race at element (4) of x: this Store and the Load of block (0, 0, 0)"}, cutile.DifferenceError{Tensor: "x", Index: []int{0}, Got: "-5", Want: "6", Elements: 16, Block: [3]int{1, 0, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.wrong(c.arg, c.off, c.word)
			must(t, c.launch())
			err := dev.Sync(ctx)
			f.right()
			t.Log(err)
			if c.want == nil {
				must(t, err)
				return
			}
			fails(t, err, c.want...)
			var e *cutile.Error
			var d *cutile.DifferenceError
			if !errors.As(err, &e) || !errors.As(err, &d) || e.Stage != cutile.StageRun || e.Pos != d.Pos || e.Message != d.Message {
				t.Fatalf("the error is %#v", err)
			}
			got, want := fmt.Sprint(d.Tensor, d.Index, d.Got, d.Want, d.Elements, d.Block), fmt.Sprint(c.is.Tensor, c.is.Index, c.is.Got, c.is.Want, c.is.Elements, c.is.Block)
			if got != want || c.is.Count > 0 && d.Count != c.is.Count {
				t.Errorf("got %s, %d; want %s, %d", got, d.Count, want, c.is.Count)
			}
			if !strings.Contains(err.Error(), d.Error()) && d.Error() != err.Error() {
				t.Errorf("the difference is %v, and the error %v", d, err)
			}
			must(t, c.launch()) // of a GPU that is right again
			must(t, dev.Sync(ctx))
		})
	}
}

// TestShadowFirst: of several tensors that differ the first one that the kernel writes is named.
func TestShadowFirst(t *testing.T) {
	f := &faulty{}
	dev := shadowed(t, f, cutile.Shadow{})
	ctx := t.Context()
	x, y, z := ramp(t, dev, 8), zeros[float32](t, dev, 8), zeros[float32](t, dev, 8)
	f.wrong(6, 4, set(50))
	f.wrongToo(3)
	must(t, cutile.Launch(ctx, dev, twoOuts[tile.D4], x, y, z))
	fails(t, dev.Sync(ctx), "element (1) of y is 50 on cuda:0, but 2 on the CPU; 1 of 8")
	f.wrong(0, 4, set(50))
	f.wrongToo(4)
	must(t, cutile.Launch(ctx, dev, scale[tile.D4], x, 2, z))
	fails(t, dev.Sync(ctx), "element (1) of z is 50 on cuda:0, but 4 on the CPU; 1 of 8")
}

// TestShadowSpread: a difference is reported once: what follows begins with the results of the device. Work that is queued meanwhile does not run.
func TestShadowSpread(t *testing.T) {
	f := &faulty{}
	dev := shadowed(t, f, cutile.Shadow{})
	ctx := t.Context()
	x, y, z := ramp(t, dev, 16), zeros[float32](t, dev, 16), zeros[float32](t, dev, 16)
	f.wrong(4, 0, set(100))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, y))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], y, 2, z))
	_, err := z.Slice()
	fails(t, err, "element (0) of z is 100 on cuda:0, but 2 on the CPU")
	f.right()
	holds(t, "what did not run", z.Narrow(0, 0, 3), "[0 0 0]")
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], y, 2, z))
	holds(t, "what follows", z.Narrow(0, 0, 3), "[200 8 12]")
	compared(t, dev, 2, 0)
}

// TestShadowWarn: differences are logged, and launches go on.
func TestShadowWarn(t *testing.T) {
	f, book := &faulty{}, &logbook{}
	dev := shadowed(t, f, cutile.Shadow{Warn: true, Tolerance: 0.1}, cutile.WithLogger(slog.New(book)))
	ctx := t.Context()
	x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
	f.wrong(4, 4*15, times(1.05))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, z))
	must(t, dev.Sync(ctx))
	if strings.Contains(fmt.Sprint(book.lines), "WARN") {
		t.Errorf("a difference within the tolerance is logged: %q", book.lines)
	}
	f.wrong(4, 4*15, times(1.2))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, z))
	must(t, cutile.Launch(ctx, dev, scale[tile.D16], z, 2, x))
	must(t, dev.Sync(ctx))
	book.has(t, "WARN a launch differs from the CPU", "device=cuda:0", "kernels_test.go:29:2: kernel cutile_test.scale[D16], block (0, 0, 0): element (15) of z is 38.4", "with a relative tolerance of 0.1;")
	compared(t, dev, 3, 0)
}

// TestShadowLeft: launches that cannot be compared run all the same, and the logger is told why, once.
func TestShadowLeft(t *testing.T) {
	ctx := t.Context()
	ones := func(uint32) uint32 { return 1 }
	for _, c := range []struct {
		name   string
		shadow cutile.Shadow
		launch func(dev *cutile.Device) error
		want   string
	}{
		{"a global", cutile.Shadow{}, func(dev *cutile.Device) error {
			return cutile.Launch(ctx, dev, count[tile.D4], zeros[int32](t, dev, 8))
		}, "it has a global variable that may keep numbers from one launch to the next"},
		{"addresses", cutile.Shadow{}, func(dev *cutile.Device) error {
			return cutile.Launch(ctx, dev, addressed, ramp(t, dev, 8), zeros[int32](t, dev, 1))
		}, "it computes with addresses"},
		{"the order of blocks", cutile.Shadow{}, func(dev *cutile.Device) error {
			return cutile.Launch(ctx, dev.Grid(4), enqueue, zeros[int32](t, dev, 4), zeros[int32](t, dev, 4))
		}, "its results depend on the order in which its blocks run, on the CPU, too"},
		{"time", cutile.Shadow{Time: 1}, func(dev *cutile.Device) error {
			return cutile.Launch(ctx, dev, blockNumbers, zeros[int32](t, dev, 16))
		}, "on the CPU it takes longer than 1ns: raise Shadow.Time"},
		{"memory", cutile.Shadow{Memory: 100}, func(dev *cutile.Device) error {
			return cutile.Launch(ctx, dev, blockNumbers, zeros[int32](t, dev, 26))
		}, "its tensors lie in 104 bytes of memory: raise Shadow.Memory, which is 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, book := &faulty{}, &logbook{}
			dev := shadowed(t, f, c.shadow, cutile.WithLogger(slog.New(book)))
			f.wrong(map[bool]int{true: 1}[c.name == "the order of blocks"], 0, ones)
			for range 2 {
				must(t, c.launch(dev))
				must(t, dev.Sync(ctx))
			}
			book.has(t, "WARN launches of a kernel are not compared with the CPU", "device=cuda:0", "kernel=cutile_test.", c.want)
			if n := strings.Count(fmt.Sprint(book.lines), "not compared"); n != 1 {
				t.Errorf("it is said %d times: %q", n, book.lines)
			}
			compared(t, dev, 0, 2)
		})
	}
}

// TestShadowFault: the error of a GPU that does not know where its kernel failed has what the CPU knows.
func TestShadowFault(t *testing.T) {
	dev := shadowed(t, &faulty{}, cutile.Shadow{})
	x, z := ramp(t, dev, 8), zeros[float32](t, dev, 8)
	must(t, x.Narrow(0, 5, 6).Fill(t.Context(), -1))
	must(t, cutile.Launch(t.Context(), dev, positive[tile.D2], x, z))
	err := dev.Sync(t.Context())
	fails(t, err, "kernels_test.go:80:", "kernel cutile_test.positive[D2], block (2, 0, 0): ", "and all its memory are lost", "; on the CPU the launch ends with: assertion failed: x must not be negative")
	var e *cutile.Error
	if !errors.As(err, &e) || e.Block != [3]int{2, 0, 0} || e.Pos.Line != 80 {
		t.Errorf("the error is %+v", e)
	}
	if dev.Close() == nil {
		t.Error("Close hides the fault")
	}
}

// TestShadowOverride: Tile IR that was changed by hand is compared with what the compiler made, on GPUs and on the CPU.
func TestShadowOverride(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	t.Setenv("CUTILE_SHADOW", "1")
	for name, on := range map[string]string{"cuda": "on cuda:0, but 2 on the CPU", "cpu": "on cpu, but 2 in the interpreter"} {
		ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		dir := t.TempDir()
		t.Setenv("CUTILE_OVERRIDE", dir)
		launch := func(kernel any, args ...any) error {
			dev, err := cutile.Open(name)
			must(t, err)
			defer dev.Close()
			x := ramp(t, dev, 64)
			must(t, x.Narrow(0, 1, 2).Fill(t.Context(), -1))
			must(t, cutile.Launch(t.Context(), dev, kernel, append(append([]any{x}, args...), zeros[float32](t, dev, 64))...))
			return dev.Sync(t.Context())
		}
		change := func(kernel string, f func(text string) string) {
			t.Helper()
			files, err := filepath.Glob(filepath.Join(dir, kernel))
			must(t, err)
			if len(files) == 0 {
				t.Fatalf("no text of %s", kernel)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				must(t, err)
				must(t, os.WriteFile(file, []byte(f(string(text))), 0o644))
			}
		}
		must(t, launch(scale[tile.D16], 2))
		change("*scale*", func(text string) string { return strings.ReplaceAll(text, "mulf", "addf") })
		fails(t, launch(scale[tile.D16], 2), "kernels_test.go:29:2: kernel cutile_test.scale[D16], block (0, 0, 0): element (0) of z is 3 "+on, "64 of 64 elements")

		if err := launch(positive[tile.D16]); err == nil {
			t.Error("an assertion holds that does not")
		}
		change("*positive*", func(text string) string {
			var kept []string
			for line := range strings.Lines(text) {
				if !strings.Contains(line, "assert ") {
					kept = append(kept, line)
				}
			}
			return strings.Join(kept, "")
		})
		err := launch(positive[tile.D16])
		fails(t, err, "kernels_test.go:80:", "block (0, 0, 0): the launch ends without an error on "+name, " with: assertion failed: x must not be negative")
		var d *cutile.DifferenceError
		if !errors.As(err, &d) || d.Tensor != "" || d.Pos.Line != 80 {
			t.Errorf("the difference is %+v", d)
		}
	}
}

// TestShadowCute: kernels of package cute are compared, too.
func TestShadowCute(t *testing.T) {
	f := &faulty{}
	dev := shadowed(t, f, cutile.Shadow{})
	a, b, z := ramp(t, dev, 32, 256), ramp(t, dev, 32, 256), zeros[float32](t, dev, 32, 256)
	call := func() error {
		if _, err := cute.Call(t.Context(), elementwise.Add, a, b, z, elementwise.Epilogue(elementwise.Identity)); err != nil {
			return err
		}
		return dev.Sync(t.Context())
	}
	must(t, call())
	compared(t, dev, 1, 0)
	f.wrong(10, 4*5, set(1)) // behind the extents and strides of two tensors
	err := call()
	t.Log(err)
	fails(t, err, "elementwise.go:", "kernel ", "block (0, 0, 0): element (0, 5) of tC is 1 on cuda:0, but 12 on the CPU; 1 of 8192 elements of type float32 differ", " of thread (1, 0, 0) stores it")
	f.right()
	must(t, call())
	compared(t, dev, 3, 0)
}

// TestShadowOptions: what the option and the environment may say.
func TestShadowOptions(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	for env, want := range map[string]string{
		"": "", "0": "", "off": "", "1": "", "on": "", "memory=4GiB": "", "warn": "", "warn,tolerance=0.5, time=10s,memory=1000": "",
		"yes":          `cutile: CUTILE_SHADOW is "yes": expected off, or a list of on, 1, warn, tolerance=, time=, memory=, not "yes"`,
		"1,":           `not ""`,
		"warned":       `not "warned"`,
		"tolerance=x":  `cutile: CUTILE_SHADOW is "tolerance=x": tolerance=x: invalid syntax`,
		"tolerance=-1": "cutile: Shadow.Tolerance is -1: expected 0 for the default, or a positive number",
		"time=-1s":     "cutile: Shadow.Time is -1s: expected 0",
		"memory=4GB":   `memory=4GB: invalid syntax`,
		"off,warn":     `not "off"`,
		"memory=-1":    "cutile: Shadow.Memory is -1: expected 0",
	} {
		t.Setenv("CUTILE_SHADOW", env)
		dev, err := cutile.Open("cpu")
		if want != "" {
			fails(t, err, want)
			continue
		}
		must(t, err)
		must(t, cutile.Launch(t.Context(), dev, blockNumbers, zeros[int32](t, dev, 16)))
		must(t, dev.Sync(t.Context()))
		compared(t, dev, map[bool]int64{true: 0, false: 1}[env == "" || env == "0" || env == "off"], 0)
		must(t, dev.Close())
	}
	t.Setenv("CUTILE_SHADOW", "")
	for _, s := range []cutile.Shadow{{Tolerance: math.NaN()}, {Tolerance: math.Inf(1)}, {Time: -time.Second}, {Memory: -1}} {
		_, err := cutile.Open("cpu", cutile.WithShadow(s))
		fails(t, err, "cutile: Shadow.")
	}
}

// TestShadowConcurrent: goroutines with streams of their own launch at the same time on memory that they share in part, and copy beside.
func TestShadowConcurrent(t *testing.T) {
	drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"), cutile.WithShadow(cutile.Shadow{}))
	must(t, err)
	defer dev.Close()
	x := ramp(t, dev, 64)
	const routines, turns = 4, 10
	var all sync.WaitGroup
	for n := range routines {
		all.Go(func() {
			s, err := dev.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			y, z := zeros[float32](t, dev, 64), zeros[float32](t, dev, 64)
			for i := range turns {
				for _, err := range []error{
					cutile.Launch(t.Context(), s, scale[tile.D16], x, float32(n+i), y),
					cutile.Launch(t.Context(), dev, add[tile.D16], x, y, z),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				if got, err := z.Slice(); err != nil || got[9] != float32(10*(n+i)+10) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	must(t, dev.Sync(t.Context()))
	compared(t, dev, 2*routines*turns, 0)
	if n := strings.Count(strings.Join(drv.Leaks(), " "), "event"); n > routines+1 {
		t.Errorf("%d events are kept", n)
	}
}

// TestShadowStops: waits end with their contexts, and Close stops what does not end.
func TestShadowStops(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	for name, limits := range map[string]cutile.Limits{"given up": {}, "late": {Close: 20 * time.Millisecond}} {
		dev, err := cutile.Open("cpu", cutile.WithShadow(cutile.Shadow{}), cutile.WithLimits(limits))
		must(t, err)
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		must(t, cutile.Launch(t.Context(), dev, tripleNever[tile.D16], x, z))
		must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], z, 2, x))
		if name == "given up" {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if err := dev.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: Sync: %v", name, err)
			}
			cancel()
		}
		fails(t, dev.Close(), "stopped")
	}
}

// TestShadowStopsReference: what does not end on the side that it is compared with is stopped by Close, and by Shadow.Time. The limit on the
// time of launches on the CPU is not for it.
func TestShadowStopsReference(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	for _, name := range []string{"cpu", "cuda"} {
		dir := t.TempDir()
		t.Setenv("CUTILE_OVERRIDE", dir)
		open := func(s cutile.Shadow, limits cutile.Limits) (dev *cutile.Device, x, z *cutile.Tensor[float32]) {
			dev, err := cutile.Open(name, cutile.WithShadow(s), cutile.WithLimits(limits), cutile.WithAssembler("own"))
			must(t, err)
			return dev, ramp(t, dev, 64), zeros[float32](t, dev, 64)
		}
		// The text of a kernel that ends takes the place of one that does not.
		dev, x, z := open(cutile.Shadow{}, cutile.Limits{})
		for _, kernel := range []any{triple[tile.D16], tripleNever[tile.D16]} {
			_, err := cutile.Prepare(t.Context(), dev, kernel, x, z)
			must(t, err)
		}
		must(t, dev.Close())
		text := func(pattern string) (files []string, text string) {
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			must(t, err)
			if len(files) == 0 {
				t.Fatalf("%s: no texts of %s", name, pattern)
			}
			data, err := os.ReadFile(files[0])
			must(t, err)
			return files, string(data)
		}
		_, ends := text("*triple_D16.*")
		files, _ := text("*tripleNever_D16.*")
		for _, f := range files {
			must(t, os.WriteFile(f, []byte(strings.ReplaceAll(ends, "cutile_test_triple_D16", "cutile_test_tripleNever_D16")), 0o644))
		}
		dev, x, z = open(cutile.Shadow{Time: 200 * time.Millisecond}, cutile.Limits{Run: map[string]time.Duration{"cuda": 5 * time.Millisecond}[name]})
		must(t, cutile.Launch(t.Context(), dev, tripleNever[tile.D16], x, z))
		must(t, dev.Sync(t.Context()))
		compared(t, dev, 0, 1)
		must(t, dev.Close())
		if name == "cpu" { // which Close stops
			dev, x, z = open(cutile.Shadow{}, cutile.Limits{Close: 20 * time.Millisecond})
			must(t, cutile.Launch(t.Context(), dev, tripleNever[tile.D16], x, z))
			fails(t, dev.Close(), "stopped")
		}
	}
}
