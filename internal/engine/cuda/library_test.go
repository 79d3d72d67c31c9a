//go:build !nocuda && linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// library loads the C stand-in for the driver through the real loader.
func library(t testing.TB, options ...string) cudrv.Driver {
	t.Helper()
	out := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-shared", "-fPIC", "-o", out}, options...)
	args = append(args, filepath.Join("..", "..", "driver", "cudrv", "testdata", "driver.c"))
	if b, err := exec.Command(testenv.CC(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	drv, err := cudrv.OpenLibrary(out)
	check(t, err)
	return drv
}

// TestLibrary runs the C kernel axpy through the engine.
func TestLibrary(t *testing.T) {
	d, err := cuda.Open(0, cuda.Options{Driver: library(t)})
	check(t, err)
	if want := "C test device (sm_90, 4 multiprocessors, 1.0 GiB, driver for CUDA 13.4)"; d.Description() != want {
		t.Errorf("description %q, want %q", d.Description(), want)
	}
	k, log, err := d.Load([]byte("some PTX"), "axpy", 4)
	check(t, err)
	if log != "compiled by C" {
		t.Errorf("log %q", log)
	}
	s, x, y := newStream(t, d), alloc(t, d, 16), alloc(t, d, 16)
	check(t, s.Write(x, 0, floats(1, 2, 3, 4)))
	args := []uint64{y.Address(), x.Address(), uint64(math.Float32bits(10)) | 0xdead<<32, 3 | 0xbad<<16}
	check(t, s.LaunchBlock(k, [3]uint32{1, 2, 3}, one, 64, args))
	got := make([]byte, 16)
	check(t, s.Read(t.Context(), got, y, 0))
	if want := floats(10, 20, 30, 0); !bytes.Equal(got, want) {
		t.Errorf("axpy gives % x, want % x", got, want)
	}
	if err := s.Launch(k, one, args); cudrv.Code(err) != cudrv.InvalidValue { // the C kernel wants another grid
		t.Errorf("launch: %v", err)
	}
	check(t, d.Close())
	if _, err := s.Record(); !errors.Is(err, cuda.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestLibraryOld(t *testing.T) {
	_, err := cuda.Open(0, cuda.Options{Driver: library(t, "-DVERSION=12080"), Choice: cuda.AssemblerTileiras})
	want := "cuda:0: the NVIDIA driver supports CUDA 12.8; kernels need 13.0 (release R580, for code of tileiras) or later: update the driver"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// BenchmarkLaunch is the cost of a launch above the driver's own work, of which the C library has next to none.
func BenchmarkLaunch(b *testing.B) {
	d, err := cuda.Open(0, cuda.Options{Driver: library(b)})
	check(b, err)
	defer d.Close()
	k, _, err := d.Load([]byte("some PTX"), "axpy", 4)
	check(b, err)
	s, x := newStream(b, d), alloc(b, d, 16)
	args := []uint64{x.Address(), x.Address(), 0, 0}
	b.ReportAllocs()
	for b.Loop() {
		check(b, s.LaunchBlock(k, [3]uint32{1, 2, 3}, one, 64, args))
	}
}

// BenchmarkGraph is the cost of 100 launches, one by one and as a graph, above the driver's own work, of which the C library has next to none.
func BenchmarkGraph(b *testing.B) {
	d, err := cuda.Open(0, cuda.Options{Driver: library(b)})
	check(b, err)
	defer d.Close()
	k, _, err := d.Load([]byte("some PTX"), "axpy", 4)
	check(b, err)
	s, x := newStream(b, d), alloc(b, d, 16)
	args := []uint64{x.Address(), x.Address(), uint64(math.Float32bits(0)), 0}
	hundred := func(on engine.Stream) error {
		for range 100 {
			if err := on.(*cuda.Stream).LaunchBlock(k, [3]uint32{1, 2, 3}, one, 64, args); err != nil {
				return err
			}
		}
		return nil
	}
	g, err := d.NewGraph(1, func(on []engine.Stream) error { return hundred(on[0]) })
	check(b, err)
	for _, c := range []struct {
		name string
		do   func() error
	}{{"launches", func() error { return hundred(s) }}, {"replay", func() error { return s.Replay(g) }}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check(b, c.do())
			}
		})
	}
}
