package cute_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// Running on a GPU, numbers 69 to 72, with a driver that works on host memory.
var _ = []struct{}{
	add(69, "a program is loaded once, readied, launched and unloaded", func(t *testing.T) {
		for version, want := range map[int][]string{
			13000: {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute 14 1", "cuLaunchKernel", "cuLaunchKernel", "cuModuleUnload"},
			11070: {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel", "cuLaunchKernel", "cuModuleUnload"},
		} {
			drv, dev := openFake(t, version)
			x := vector(t, dev, 100)
			e := must(cute.Compile(t.Context(), cute.Jit(runScale), x, 2))(t)
			for range 2 {
				must(e.Run(t.Context(), x, 2))(t)
			}
			wantEach(t, x, func(i int) float32 { return 4 * float32(i) })
			check(t, e.Close())
			if got := program(drv); !slices.Equal(got, want) {
				t.Errorf("driver %d: got %q, want %q", version, got, want)
			}
		}
	}),
	add(70, "arguments go to the driver by parameter", func(t *testing.T) {
		drv, dev := openFake(t, 13000)
		x := vector(t, dev, 100)
		check(t, cute.Jit(runScale)(cute.Of[float32](x), 2))
		wantEach(t, x, func(i int) float32 { return 2 * float32(i) })
		for _, c := range drv.Trace() {
			if c.Name == "cuLaunchKernel" {
				if got := fmt.Sprint(c.Args[:4]); got != "[kernel_cute_test_runScale_0 [2 1 1] [64 1 1] 0]" {
					t.Errorf("launched %s", got)
				}
				if args := c.Args[5].([]uint64); len(args) != 3 || args[1] != 100 || args[2] != 0x40000000 {
					t.Errorf("arguments %#x", args)
				}
			}
		}
		drv.Fail("cuLaunchKernel", 1, cudrv.InvalidValue)
		wantError(t, cute.Jit(runScale)(cute.Of[float32](x), 2), "kernels_test.go:", "launch of kernel scale: ", "CUDA_ERROR_INVALID_VALUE")
	}),
	add(71, "shared memory beyond the usual is asked for, and every result is checked", func(t *testing.T) {
		drv, dev := openFake(t, 13000)
		x := vector(t, dev, 64)
		for _, bytes := range []int{100 << 10, 80 << 10} {
			check(t, cute.Jit(bigShared)(cute.Of[float32](x), bytes))
		}
		want := []string{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute 14 1", "cuFuncSetAttribute 8 102400", "cuLaunchKernel", "cuLaunchKernel"}
		if got := program(drv); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		for _, call := range []string{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute"} {
			drv.Fail(call, 1, cudrv.OutOfMemory)
			wantError(t, cute.Jit(runMap)(cute.Of[float32](x), cute.C[epilogue](relu)), call, "CUDA_ERROR_OUT_OF_MEMORY")
		}
		check(t, cute.Jit(runMap)(cute.Of[float32](x), cute.C[epilogue](relu)))
	}),
	add(72, "without a stream the device's own is used", func(t *testing.T) {
		drv, dev := openFake(t, 13000)
		x, y := vector(t, dev, 10), vector(t, dev, 10)
		check(t, cute.Jit(runScale)(cute.Of[float32](x), 2))
		s1, s2 := must(dev.NewStream())(t), must(dev.NewStream())(t)
		check(t, cute.Jit(chained)(cute.Of[float32](x), cute.Of[float32](y), cute.Stream{}, cute.StreamOf(s2)))
		check(t, cute.Jit(chained)(cute.Of[float32](x), cute.Of[float32](y), cute.StreamOf(s1), cute.StreamOf(s2)))
		must(cute.Call(t.Context(), cute.Jit(chained), x, y, s1, s2))(t)
		wantEach(t, x, func(i int) float32 { return 16 * float32(i) })
		wantEach(t, y, func(i int) float32 { return 27 * float32(i) })
		var on []cudrv.Stream
		for _, c := range drv.Trace() {
			if c.Name == "cuLaunchKernel" {
				on = append(on, c.Args[4].(cudrv.Stream))
			}
		}
		if len(on) != 7 || on[0] != on[1] || on[2] != on[4] || on[3] == on[0] || on[3] == on[2] || on[5] != on[3] || on[6] != on[4] {
			t.Errorf("launches are on the streams %v", on)
		}
	}),
}

// openFake opens a GPU that runs PTX on host memory.
func openFake(t *testing.T, version int) (*fake.Driver, *cutile.Device) {
	t.Helper()
	drv := fake.New(fake.Options{Version: version, Decode: simttest.DecodePTX, Run: runPTX, TensorMap: encodeForEmulator})
	eng, err := cuda.Open(0, cuda.Options{Driver: drv, Oldest: 11000})
	check(t, err)
	dev, err := device.New(eng, limit.Default)
	check(t, err)
	t.Cleanup(func() {
		dev.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %v", leaks)
		}
	})
	return drv, dev
}

// runPTX runs a launch on the emulator.
func runPTX(l *fake.Launch) error {
	loaded := simttest.LoadedOf(l)
	p, err := loaded.Program()
	if err != nil {
		return err
	}
	memory := &emu.Memory{}
	mapped := map[uint64]bool{}
	see := func(a uint64) []byte {
		data, err := l.Memory(a)
		if err != nil || mapped[a] {
			return nil
		}
		mapped[a] = true
		memory.Map(a, data, fmt.Sprintf("address %#x", a), false)
		return data
	}
	for i, a := range l.Args {
		if simt.TypeBits(loaded.Module.Kernel(l.Kernel).Params[i].Type) < 64 {
			continue
		}
		if data := see(a); len(data) >= 128 {
			if tensor, err := emu.DecodeTensorMap(data[:128]); err == nil {
				see(tensor.Addr)
			}
		}
	}
	launch := emu.Launch{Kernel: l.Kernel, Args: l.Args, Memory: memory, Shared: 200 << 10, Cooperative: l.Cooperative}
	for i, n := range l.Grid {
		launch.Grid[i] = int(n)
	}
	return p.Run(context.Background(), launch)
}

// program is the calls of a trace that are about code.
func program(drv *fake.Driver) (out []string) {
	for _, c := range drv.Trace() {
		switch {
		case c.Name == "cuFuncSetAttribute":
			out = append(out, fmt.Sprintf("%s %v %v", c.Name, c.Args[1], c.Args[2]))
		case strings.HasPrefix(c.Name, "cuModule") || strings.HasPrefix(c.Name, "cuLaunch"):
			out = append(out, c.Name)
		}
	}
	return out
}

// TestDevices: the device is that of the tensors, which must be one.
func TestDevices(t *testing.T) {
	a, _ := open(t)
	b, _ := open(t)
	call := cute.Jit(chained)
	x, y := cute.Of[float32](vector(t, a, 4)), cute.Of[float32](vector(t, b, 4))
	wantError(t, call(x, y, cute.Stream{}, cute.Stream{}), "argument #1 (x) is on device cpu, but argument #2 (y) is on another one that was opened as cpu, too")
	wantError(t, call(x, x, cute.StreamOf(b.Stream()), cute.Stream{}), "a stream is on another one")
	closed := vector(t, a, 4)
	z := cute.Of[float32](closed)
	closed.Close()
	for _, err := range []error{cute.Jit(runScale)(z, 1), func() error {
		b.Close()
		return cute.Jit(runScale)(y, 1)
	}()} {
		wantError(t, err, "argument #1 (x): closed")
		if !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("%v is no ErrClosed", err)
		}
	}
}

// TestFolder: another process finds PTX in the cache folder.
func TestFolder(t *testing.T) {
	const child = "CUTE_TEST_CHILD"
	if os.Getenv(child) != "" {
		check(t, cute.Jit(runScale, cute.Options{KeepPTX: true, Arch: "sm_86"})(cute.Of[float32](vectorOf(t, 4)), 1))
		s := cute.CompileStats()
		fmt.Printf("assembled %d, found %d\n", s.Assembled, s.Found)
		return
	}
	dir := t.TempDir()
	for _, want := range []string{"assembled 1, found 0", "assembled 0, found 1"} {
		cmd := exec.Command(must(os.Executable())(t), "-test.run=^TestFolder$")
		cmd.Env = append(os.Environ(), child+"=1", "CUTILE_CACHE="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("no %q: %v\n%s", want, err, out)
		}
	}
}
