//go:build !nocuda && linux && (amd64 || arm64)

package cutile_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// machineCode stands for an assembler: the C library takes anything that looks like an ELF file.
type machineCode struct{}

func (machineCode) Versions(context.Context) ([]tileir.Version, error) { return tileir.Versions(), nil }

func (machineCode) Assemble(context.Context, cuda.Job) ([]byte, error) {
	return []byte("\x7fELF and more"), nil
}

// onLibrary opens a GPU of a C library in place of the driver.
func onLibrary(t testing.TB) (*cutile.Device, cudrv.Driver) {
	t.Helper()
	lib := filepath.Join(t.TempDir(), "libcuda.so.1")
	out, err := exec.Command(testenv.CC(t), "-O2", "-shared", "-fPIC", "-o", lib, "internal/driver/cudrv/testdata/driver.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drv, err := cudrv.OpenLibrary(lib)
	must(t, err)
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: machineCode{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev, drv
}

// TestLibraryPinned copies through pinned memory of a C library, which is no memory of Go.
func TestLibraryPinned(t *testing.T) {
	dev, _ := onLibrary(t)
	x, in, out := zeros[float32](t, dev, 70_000), pinned(t, dev, 70_000), pinned(t, dev, 70_000)
	for r := range 3 {
		fillPinned(t, in, r)
		must(t, in.CopyTo(t.Context(), dev.Stream(), x))
		must(t, out.CopyFrom(t.Context(), dev.Stream(), x))
		holdsPinned(t, out, r, 1)
	}
	must(t, errors.Join(in.Close(), out.Close(), dev.Trim()))
	if s := dev.Stats(); s.PinnedBytes != 0 || s.UnusedPinnedBytes != 0 {
		t.Errorf("left: %+v", s)
	}
}

// BenchmarkPinned compares writes of a slice, which go through pinned memory of the device, with copies of pinned memory, over the C library, which
// copies at once.
func BenchmarkPinned(b *testing.B) {
	dev, _ := onLibrary(b)
	const n = 4 << 20
	ctx, x, p, data := context.Background(), zeros[float32](b, dev, n), pinned(b, dev, n), make([]float32, n)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(4 * n)
		for b.Loop() {
			must(b, x.Write(ctx, data))
		}
	})
	b.Run("pinned", func(b *testing.B) {
		b.SetBytes(4 * n)
		for b.Loop() {
			must(b, p.CopyTo(ctx, dev.Stream(), x))
		}
	})
}

// BenchmarkLibrary measures what a launch costs the program on a GPU, over a C library that does nothing in place of the driver: prepared, in a
// graph of 100, and as a bare call of the library's function.
func BenchmarkLibrary(b *testing.B) {
	dev, drv := onLibrary(b)
	ctx, x := context.Background(), ramp(b, dev, 16)
	p, err := cutile.Prepare(ctx, dev.Grid(1), nothing, x, 1)
	must(b, err)
	g, err := dev.Stream().Capture(func() error {
		for range 100 {
			if err := p.Launch(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	must(b, err)
	bare, err := bareLaunch(drv)
	must(b, err)
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"prepared", func() error { return p.Launch(ctx) }},
		{"bare", bare},
		{"graph of 100", func() error { return g.Replay(dev.Stream()) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// bareLaunch gives a call of cuLaunchKernel with nothing around it, in the context that the thread has.
func bareLaunch(drv cudrv.Driver) (func() error, error) {
	dev, err := drv.DeviceGet(0)
	if err != nil {
		return nil, err
	}
	c, err := drv.DevicePrimaryCtxRetain(dev)
	if err = errors.Join(err, drv.CtxSetCurrent(c)); err != nil {
		return nil, err
	}
	m, _, err := drv.ModuleLoadData([]byte("\x7fELF and more"))
	if err != nil {
		return nil, err
	}
	f, err := drv.ModuleGetFunction(m, "nothing")
	if err != nil {
		return nil, err
	}
	s, err := drv.StreamCreate()
	if err != nil {
		return nil, err
	}
	words := new([4]uint64)
	params := make([]unsafe.Pointer, len(words))
	for i := range words {
		params[i] = unsafe.Pointer(&words[i])
	}
	one := [3]uint32{1, 1, 1}
	return func() error {
		if err := drv.CtxSetCurrent(c); err != nil { // the goroutine may have moved to another thread
			return err
		}
		return drv.LaunchKernel(f, one, one, 0, s, params)
	}, nil
}
