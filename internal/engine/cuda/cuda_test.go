package cuda_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

var background = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// vadd is a kernel of cuTile Python: z = x + y, a block of 1024 elements; each array is pointer, extent and stride.
func vadd(t testing.TB) *tileir.Module {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "vadd_zero.13.3.tileirbc"))
	check(t, err)
	m, _, err := bytecode.Read(b)
	check(t, err)
	return m
}

const vaddName = "vadd_zero"

// assembler makes fake cubins.
type assembler struct {
	versions []tileir.Version
	jobs     []cuda.Job
}

func (a *assembler) Versions(context.Context) ([]tileir.Version, error) { return a.versions, nil }

func (a *assembler) Assemble(_ context.Context, job cuda.Job) ([]byte, error) {
	a.jobs = append(a.jobs, job)
	c := &fake.Cubin{Target: job.Target, Payload: job.Bytecode}
	for _, e := range job.Module.Entries {
		entry := fake.Entry{Name: e.Name}
		for _, p := range e.Params {
			n := 8
			if tt := p.Type.(*tileir.TileType); !tt.Pointer {
				n = tt.Elem.Bytes()
			}
			entry.Params = append(entry.Params, n)
		}
		c.Entries = append(c.Entries, entry)
	}
	return c.Encode(), nil
}

// runVadd is what the kernel does, in Go.
func runVadd(l *fake.Launch) error {
	if l.Block != [3]uint32{1, 1, 1} || len(l.Args) != 9 {
		return fmt.Errorf("block %v with %d arguments", l.Block, len(l.Args))
	}
	var arrays [3][]byte
	for i := range arrays {
		b, err := l.Memory(l.Args[3*i])
		if err != nil {
			return err
		}
		arrays[i] = b
	}
	n := min(1024*int(l.Grid[0]), int(int32(l.Args[1])))
	for i := range n {
		sum := math.Float32frombits(binary.LittleEndian.Uint32(arrays[0][4*i:])) +
			math.Float32frombits(binary.LittleEndian.Uint32(arrays[1][4*i:]))
		binary.LittleEndian.PutUint32(arrays[2][4*i:], math.Float32bits(sum))
	}
	return nil
}

// open gives a device over a fake driver; at the end the test must have left nothing.
func open(t testing.TB, opts fake.Options) (*fake.Driver, *cuda.Device) {
	t.Helper()
	if opts.Run == nil {
		opts.Run = runVadd
	}
	drv := fake.New(opts)
	d, err := cuda.Open(0, cuda.Options{Driver: drv, Assembler: &assembler{versions: tileir.Versions()}, Oldest: opts.Version})
	check(t, err)
	t.Cleanup(func() {
		d.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %v", leaks)
		}
	})
	return drv, d
}

func compile(t testing.TB, d *cuda.Device) engine.Kernel {
	t.Helper()
	k, err := d.Compile(background, vadd(t), vaddName)
	check(t, err)
	return k
}

func newStream(t testing.TB, d *cuda.Device) *cuda.Stream {
	t.Helper()
	s, err := d.NewStream()
	check(t, err)
	return s.(*cuda.Stream)
}

func alloc(t testing.TB, d *cuda.Device, n int64) engine.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	check(t, err)
	return b
}

func floats(f ...float32) []byte {
	var b []byte
	for _, x := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// vaddArgs are the bits of the parameters; what lies above an i32's 32 bits is not read.
func vaddArgs(n int, arrays ...engine.Buffer) []uint64 {
	var args []uint64
	for _, a := range arrays {
		args = append(args, a.Address(), uint64(n)|0xdead<<32, 1)
	}
	return args
}

var one = [3]uint32{1, 1, 1}

// scenario uses everything once. It gives the first error, after closing the device.
func scenario(drv cudrv.Driver, m *tileir.Module) (result []byte, err error) {
	d, err := cuda.Open(0, cuda.Options{Driver: drv, Assembler: &assembler{versions: tileir.Versions()}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	k, err := d.Compile(background, m, vaddName)
	if err != nil {
		return nil, err
	}
	var bufs []engine.Buffer
	for range 3 {
		b, err := d.Alloc(16)
		if err != nil {
			return nil, err
		}
		bufs = append(bufs, b)
	}
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	if err := s.Write(bufs[0], 0, floats(1, 2, 3, 4)); err != nil {
		return nil, err
	}
	if err := s.Copy(bufs[1], 0, bufs[0], 8, 8); err != nil {
		return nil, err
	}
	first, err := s.Record()
	if err != nil {
		return nil, err
	}
	if err := s.Launch(k, one, vaddArgs(4, bufs...)); err != nil {
		return nil, err
	}
	last, err := s.Record()
	if err != nil {
		return nil, err
	}
	return finish(k, s, bufs, first, last)
}

// finish is the second half of scenario.
func finish(k engine.Kernel, s engine.Stream, bufs []engine.Buffer, first, last engine.Event) ([]byte, error) {
	if err := s.WaitEvent(first); err != nil {
		return nil, err
	}
	if err := last.Wait(background); err != nil {
		return nil, err
	}
	if _, err := last.Elapsed(first); err != nil {
		return nil, err
	}
	got := make([]byte, 16)
	if err := s.Read(background, got, bufs[2], 0); err != nil {
		return nil, err
	}
	for _, c := range []interface{ Close() error }{first, s, k} {
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	return got, bufs[0].Free()
}

func TestScenario(t *testing.T) {
	drv := fake.New(fake.Options{Run: runVadd})
	got, err := scenario(drv, vadd(t))
	check(t, err)
	if want := floats(4, 6, 3, 4); !slices.Equal(got, want) {
		t.Errorf("the kernel gives % x, want % x", got, want)
	}
	want := strings.Fields(`cuInit cuDriverGetVersion cuDeviceGetCount
		cuDeviceGet cuDeviceGetName cuDeviceTotalMem cuDeviceGetAttribute cuDeviceGetAttribute cuDeviceGetAttribute cuDeviceGetAttribute
		cuDevicePrimaryCtxRetain cuDeviceGetAttribute cuDeviceGetAttribute cuDeviceGetAttribute cuStreamCreate
		cuDeviceGetAttribute cuMemPoolCreate cuMemPoolSetAttribute
		cuModuleLoadDataEx cuModuleGetFunction
		cuMemAllocFromPoolAsync cuMemsetD8Async cuStreamSynchronize cuMemAllocFromPoolAsync cuMemsetD8Async cuStreamSynchronize
		cuMemAllocFromPoolAsync cuMemsetD8Async cuStreamSynchronize
		cuStreamCreate cuMemcpyHtoDAsync cuMemcpyDtoDAsync cuEventCreate cuEventRecord cuLaunchKernel cuEventCreate cuEventRecord
		cuStreamWaitEvent cuEventSynchronize cuEventElapsedTime
		cuStreamSynchronize cuMemcpyDtoHAsync cuStreamSynchronize
		cuEventDestroy cuStreamSynchronize cuStreamDestroy cuModuleUnload cuMemFreeAsync
		cuCtxSynchronize cuEventDestroy cuMemFreeAsync cuMemFreeAsync cuStreamSynchronize cuMemPoolDestroy cuStreamDestroy cuDevicePrimaryCtxRelease`)
	if got := drv.Names("cuCtxSetCurrent"); !slices.Equal(got, want) {
		t.Errorf("calls\n%s\nwant\n%s", strings.Join(got, " "), strings.Join(want, " "))
	}
	if leaks := drv.Leaks(); len(leaks) > 0 {
		t.Errorf("leaks: %v", leaks)
	}
}

// TestEveryCallFails runs the scenario once for each of its calls, which fails then: the error comes back with its code,
// and nothing stays behind.
func TestEveryCallFails(t *testing.T) {
	m := vadd(t)
	clean := fake.New(fake.Options{Run: runVadd})
	_, err := scenario(clean, m)
	check(t, err)
	seen := map[string]int{}
	for _, call := range clean.Names() {
		seen[call]++
		for _, code := range []cudrv.Result{cudrv.OutOfMemory, cudrv.IllegalAddress} {
			name := fmt.Sprintf("%s %d %v", call, seen[call], code)
			drv := fake.New(fake.Options{Run: runVadd})
			drv.Fail(call, seen[call], code)
			_, err := scenario(drv, m)
			if !errors.Is(err, &cudrv.Error{Call: call, Code: code}) {
				t.Errorf("%s: the error is %v", name, err)
			}
			leaks := drv.Leaks()
			if call == "cuDevicePrimaryCtxRelease" { // which was to give all that back
				leaks = nil
			}
			if len(leaks) > 0 {
				t.Errorf("%s: leaks %v", name, leaks)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d functions were tried", len(seen))
	}
}

func TestDevices(t *testing.T) {
	drv := fake.New(fake.Options{Devices: []fake.Device{
		{Name: "NVIDIA H200", Major: 9, Memory: 143771 << 20, Multiprocessors: 132},
		{Name: "NVIDIA RTX", Major: 12, Memory: 500 << 10, Multiprocessors: 1},
	}, Version: 13020})
	infos, err := cuda.Devices(drv)
	check(t, err)
	var got []string
	for _, i := range infos {
		got = append(got, i.Name()+" "+i.Target()+" "+i.String())
	}
	want := []string{
		"cuda:0 sm_90 NVIDIA H200 (sm_90, 132 multiprocessors, 140.4 GiB, driver for CUDA 13.2)",
		"cuda:1 sm_120 NVIDIA RTX (sm_120, 1 multiprocessors, 500.0 KiB, driver for CUDA 13.2)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if infos, err := cuda.Devices(fake.New(fake.Options{Devices: []fake.Device{}})); len(infos) != 0 || err != nil {
		t.Errorf("without a GPU: %v, %v", infos, err)
	}
	d, err := cuda.Open(1, cuda.Options{Driver: drv})
	check(t, err)
	if d.Name() != "cuda:1" || d.Target() != "sm_120" || d.Description() != infos[1].String() {
		t.Errorf("opened %s, %s, %s", d.Name(), d.Target(), d.Description())
	}
	check(t, d.Close())
}

func TestOpenErrors(t *testing.T) {
	for want, open := range map[string]struct {
		ordinal int
		opts    fake.Options
	}{
		"cuda:3: no such GPU: only cuda:0 is visible; see nvidia-smi -L and CUDA_VISIBLE_DEVICES": {3, fake.Options{}},
		"cuda:-1: no such GPU: only cuda:0 is visible; see nvidia-smi":                            {-1, fake.Options{}},
		"cuda:2: no such GPU: cuda:0 to cuda:1 are visible":                                       {2, fake.Options{Devices: make([]fake.Device, 2)}},
		"cuInit: CUDA_ERROR_NO_DEVICE (100): no device; no NVIDIA GPU is visible":                 {0, fake.Options{Devices: []fake.Device{}}},
		"cuda:0: the NVIDIA driver supports CUDA 11.3; kernels need 11.4 (release R470) or later: update the driver": {
			0, fake.Options{Version: 11030}},
	} {
		drv := fake.New(open.opts)
		_, err := cuda.Open(open.ordinal, cuda.Options{Driver: drv})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %v", leaks)
		}
	}
	t.Setenv(cudrv.LibraryEnv, filepath.Join(t.TempDir(), "none.so"))
	if _, err := cuda.Open(0, cuda.Options{}); !errors.Is(err, cuda.ErrNoDriver) {
		t.Errorf("without a driver: %v", err)
	}
	if _, err := cuda.Devices(nil); !errors.Is(err, cuda.ErrNoDriver) {
		t.Errorf("without a driver: %v", err)
	}
}

// TestLaunchAllocates counts the allocations of a launch and a write that come again and again.
func TestLaunchAllocates(t *testing.T) {
	_, d := open(t, fake.Options{Quiet: true, Run: func(*fake.Launch) error { return nil }})
	k, s, b := compile(t, d), newStream(t, d), alloc(t, d, 16)
	var asEngine engine.Stream = s
	args := vaddArgs(4, b, b, b)
	launch := func() {
		if err := asEngine.Launch(k, one, args); err != nil {
			t.Error(err)
		}
		for range 20 { // let the fake's stream keep up, or its queue grows
			runtime.Gosched()
		}
	}
	for range 1000 {
		launch()
	}
	check(t, s.Wait(background))
	if n := testing.AllocsPerRun(1000, launch); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
}
