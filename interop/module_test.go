package interop_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/interop"
	"github.com/cutile-go/cutile/tile"
)

func need(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file is a file of another compiler.
func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/kernels/" + name)
	need(t, err)
	return b
}

func onCPU(t testing.TB, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", opts...)
	need(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// onGPU is a GPU whose driver runs PTX, and cubins that were made of it.
func onGPU(t *testing.T, opts ...cutile.Option) (*cutile.Device, *simttest.GPU) {
	t.Helper()
	gpu := &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30, Multiprocessors: 4}, CUDA: 13040, Cubins: map[string]string{
		string(file(t, "kernels.sm_80.cubin")): string(file(t, "kernels.ptx")), string(file(t, "cluster.sm_90.cubin")): string(file(t, "cluster.ptx")),
	}}
	dev, _ := onDriver(t, gpu, opts...)
	return dev, gpu
}

// onDriver opens a GPU, and checks at the end that nothing is left on it.
func onDriver(t *testing.T, gpu *simttest.GPU, opts ...cutile.Option) (*cutile.Device, *fake.Driver) {
	t.Helper()
	t.Setenv("CUTILE_CACHE", t.TempDir()) // without ptxas, whose machine code this driver does not run
	drv := gpu.Driver()
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Choice: cuda.AssemblerOwn})))
	dev, err := cutile.Open("cuda", opts...)
	need(t, err)
	t.Cleanup(func() {
		dev.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("left on the device: %v", leaks)
		}
	})
	return dev, drv
}

// onEach runs a test with PTX on the CPU and on a GPU, and with a cubin on a GPU.
func onEach(t *testing.T, name string, test func(*testing.T, *cutile.Device, *interop.Module)) {
	with := func(dev *cutile.Device, file []byte) func(*testing.T) {
		return func(t *testing.T) {
			m, err := interop.LoadModule(t.Context(), dev, file)
			need(t, err)
			test(t, dev, m)
			need(t, m.Close())
		}
	}
	gpu, _ := onGPU(t)
	cubin := map[string]string{"kernels": "kernels.sm_80.cubin", "cluster": "cluster.sm_90.cubin"}[name]
	t.Run("cpu", with(onCPU(t), file(t, name+".ptx")))
	t.Run("cuda", with(gpu, file(t, name+".ptx")))
	if cubin != "" {
		t.Run("cubin", with(gpu, file(t, cubin)))
	}
}

func kernel(t testing.TB, m *interop.Module, name string) *interop.Kernel {
	t.Helper()
	k, err := m.Kernel(name)
	need(t, err)
	return k
}

func vector(t testing.TB, dev *cutile.Device, n int) *cutile.Tensor[float32] {
	t.Helper()
	x, err := cutile.Arange[float32](dev, 0, float32(n), 1)
	need(t, err)
	return x
}

func empty[E dtype.Elem](t testing.TB, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	need(t, err)
	return x
}

func elements[E dtype.Elem](t testing.TB, x *cutile.Tensor[E]) []E {
	t.Helper()
	s, err := x.Slice()
	need(t, err)
	return s
}

// TestBetweenTiles: a kernel of CUDA C++ between two tile kernels, on one stream.
func TestBetweenTiles(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const n = 1000
		x, y, z := vector(t, dev, n), empty[float32](t, dev, n), empty[float32](t, dev, n)
		need(t, cutile.Launch(t.Context(), dev, twice[tile.D64], x, y))
		saxpy := kernel(t, m, "saxpy")
		need(t, saxpy.Launch(dev.Stream(), interop.Config{Grid: [3]int{8}, Block: [3]int{128}}, y, interop.In(x), float32(3), int32(n)))
		need(t, cutile.Launch(t.Context(), dev, twice[tile.D64], y, z))
		for i, v := range elements(t, z) {
			if want := float32(2*i+3*i) * 2; v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	})
}

// TestOrder: random launches of tile kernels and of CUDA kernels, on several streams, captured or not, are in the order of their tensors.
func TestOrder(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const n, tensors = 96, 4
		saxpy := kernel(t, m, "saxpy")
		other, err := dev.NewStream()
		need(t, err)
		r := rand.New(rand.NewPCG(3, 4))
		var x []*cutile.Tensor[float32]
		var want [][]float32
		for range tensors {
			x = append(x, vector(t, dev, n))
			want = append(want, elements(t, x[len(x)-1]))
		}
		step := func(on *cutile.Stream) (func() error, func()) {
			p, by, kind := r.Perm(tensors), float32(r.IntN(5)-2), r.IntN(3)
			a, b, c := p[0], p[1], p[2]
			queue := func() error {
				switch kind {
				case 0:
					return saxpy.Launch(on, interop.Config{Grid: [3]int{3}, Block: [3]int{32}}, x[c], interop.In(x[a]), by, int32(n))
				case 1:
					return cutile.Launch(t.Context(), on, plus[tile.D16], x[a], x[b], x[c])
				}
				return saxpy.Launch(on, interop.Config{Grid: [3]int{1}, Block: [3]int{n}}, interop.InOut(x[c]), x[c], -by, int32(n))
			}
			plain := func() {
				for i := range n {
					want[c][i] = [...]float32{want[c][i] + by*want[a][i], want[a][i] + want[b][i], want[c][i] - by*want[c][i]}[kind]
				}
			}
			return queue, plain
		}
		for range 20 {
			on := []*cutile.Stream{dev.Stream(), other}[r.IntN(2)]
			if r.IntN(2) == 0 {
				queue, plain := step(on)
				need(t, queue())
				plain()
			} else {
				var steps []func()
				g, err := on.Capture(func() error {
					for range 1 + r.IntN(3) {
						queue, plain := step(on)
						steps = append(steps, plain)
						if err := queue(); err != nil {
							return err
						}
					}
					return nil
				})
				need(t, err)
				for range 1 + r.IntN(2) {
					need(t, g.Replay([]*cutile.Stream{dev.Stream(), other}[r.IntN(2)]))
					for _, f := range steps {
						f()
					}
				}
				need(t, g.Close())
			}
			for i := range x { // small numbers, so that all is exact
				if slices.ContainsFunc(want[i], func(v float32) bool { return v > 1<<16 || v < -1<<16 }) {
					need(t, x[i].Fill(t.Context(), 1))
					for j := range n {
						want[i][j] = 1
					}
				}
			}
		}
		for i := range x {
			if got := elements(t, x[i]); !slices.Equal(got, want[i]) {
				t.Errorf("tensor %d is %v, want %v", i, got[:8], want[i][:8])
			}
		}
		need(t, other.Close())
	})
}

// TestFrozen: a tensor that may not be written can only be read.
func TestFrozen(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		x, y, saxpy := vector(t, dev, 32), vector(t, dev, 32), kernel(t, m, "saxpy")
		need(t, x.Freeze(t.Context()))
		c := interop.Config{Grid: [3]int{1}, Block: [3]int{32}}
		need(t, saxpy.Launch(dev.Stream(), c, y, interop.In(x), float32(1), int32(32)))
		for _, arg := range []any{x, interop.Out(x), interop.InOut(x)} {
			if err := saxpy.Launch(dev.Stream(), c, y, arg, float32(1), int32(32)); !errors.Is(err, cutile.ErrFrozen) {
				t.Errorf("%T: %v", arg, err)
			}
		}
		if err := saxpy.Launch(dev.Stream(), c, x, interop.In(x), float32(1), int32(32)); !errors.Is(err, cutile.ErrFrozen) { // of both uses, one writes
			t.Errorf("read and written: %v", err)
		}
		need(t, saxpy.Launch(dev.Stream(), c, y, interop.In(x.Narrow(0, 0, 1).Broadcast(32)), float32(1), int32(32))) // which is only read
		need(t, y.Close())
		if err := saxpy.Launch(dev.Stream(), c, y, interop.In(x), float32(1), int32(32)); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("a closed tensor: %v", err)
		}
	})
}

// TestFault: the next wait says which kernel failed, on the CPU with its line.
func TestFault(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"lines.ptx", "lines.cu:4:3: kernel fill, block (0, 0, 0): thread (16, 0, 0): "}, {"kernels.ptx", "PTX:"},
	} {
		dev := onCPU(t)
		m, err := interop.LoadModule(t.Context(), dev, file(t, c.file))
		need(t, err)
		y := empty[int32](t, dev, 16)
		need(t, kernel(t, m, "fill").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, y, int32(32)))
		err = dev.Sync(t.Context())
		var e *cutile.Error
		if !errors.As(err, &e) || e.Stage != cutile.StageRun || e.Kernel != "fill" || !e.Pos.IsValid() || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.file, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	dev, _ := onGPU(t)
	m, err := interop.LoadModule(t.Context(), dev, file(t, "kernels.ptx"))
	need(t, err)
	y := empty[int32](t, dev, 64)
	need(t, kernel(t, m, "fill").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, y, int32(1<<20)))
	if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "kernel fill") {
		t.Errorf("on a GPU: %v", err)
	}
}

// TestClosedModule: what is left of a closed module is an error, and closing a device closes its modules.
func TestClosedModule(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		count, n := kernel(t, m, "count"), empty[int32](t, dev, 1)
		launch := func() error {
			return count.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, n)
		}
		need(t, launch())
		g, err := dev.Stream().Capture(launch)
		need(t, err)
		need(t, m.Close())
		need(t, m.Close())
		if k, err := m.Kernel("saxpy"); !errors.Is(err, cutile.ErrClosed) || k != nil {
			t.Errorf("a kernel of a closed module: %v", err)
		}
		if err := launch(); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("a launch gives %v", err)
		}
		if err := g.Replay(dev.Stream()); err == nil && strings.HasPrefix(dev.Name(), "cuda") {
			t.Error("a graph of its kernels runs on")
		}
		need(t, dev.Sync(t.Context()))
		need(t, g.Close())
	})
	dev, err := cutile.Open("cpu")
	need(t, err)
	m, err := interop.LoadModule(t.Context(), dev, file(t, "kernels.ptx"))
	need(t, err)
	k := kernel(t, m, "count")
	need(t, dev.Close())
	if _, err := interop.LoadModule(context.Background(), dev, file(t, "kernels.ptx")); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("loading on a closed device: %v", err)
	}
	if err := k.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, uintptr(0)); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("a launch on a closed device: %v", err)
	}
	need(t, m.Close())
}

// TestConcurrent: goroutines load, launch and close modules while the device is closed. What fails says that something was closed.
func TestConcurrent(t *testing.T) {
	code := []byte(echo(nil, nil))
	for range 5 {
		dev, err := cutile.Open("cpu")
		need(t, err)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					m, err := interop.LoadModule(context.Background(), dev, code)
					if err != nil {
						if !errors.Is(err, cutile.ErrClosed) && !errors.Is(err, context.Canceled) {
							t.Errorf("loading: %v", err)
						}
						return
					}
					n, err := cutile.NewTensor[uint8](dev, 8)
					if err != nil {
						return
					}
					k, err := m.Kernel("echo")
					if err != nil {
						t.Error(err)
						return
					}
					var closing sync.WaitGroup
					closing.Go(func() { m.Close() })
					for range 3 {
						if err := k.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, n); err != nil && !errors.Is(err, cutile.ErrClosed) {
							t.Errorf("launching: %v", err)
						}
					}
					closing.Wait()
				}
			})
		}
		time.Sleep(2 * time.Millisecond)
		need(t, dev.Close())
		all.Wait()
	}
}
