//go:build !nocuda && linux && (amd64 || arm64)

package cudrv_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// library compiles testdata/driver.c.
func library(t *testing.T, options ...string) string {
	t.Helper()
	cc, out := testenv.CC(t), filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-fvisibility=hidden", "-o", out}, options...)
	if b, err := exec.Command(cc, append(args, filepath.Join("testdata", "driver.c"))...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, b)
	}
	return out
}

// open gives a driver with a context current on the test's thread.
func open(t *testing.T, options ...string) cudrv.Driver {
	t.Helper()
	d, err := cudrv.OpenLibrary(library(t, options...))
	check(t, err)
	check(t, d.Init())
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	dev, err := d.DeviceGet(0)
	check(t, err)
	ctx, err := d.DevicePrimaryCtxRetain(dev)
	check(t, err)
	check(t, d.CtxSetCurrent(ctx))
	t.Cleanup(func() {
		check(t, d.CtxSynchronize())
		if left, total, err := d.MemGetInfo(); err == nil && left != total {
			t.Errorf("%d bytes were not freed", total-left)
		}
		check(t, d.CtxSetCurrent(0))
		check(t, d.DevicePrimaryCtxRelease(dev))
	})
	return d
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNativeDevice(t *testing.T) {
	d := open(t)
	version, err := d.DriverGetVersion()
	check(t, err)
	n, err := d.DeviceGetCount()
	check(t, err)
	dev, err := d.DeviceGet(0)
	check(t, err)
	name, err := d.DeviceGetName(dev)
	check(t, err)
	major, err := d.DeviceGetAttribute(dev, cudrv.ComputeMajor)
	check(t, err)
	total, err := d.DeviceTotalMem(dev)
	check(t, err)
	if version != 13040 || n != 1 || dev != 7 || name != "C test device" || major != 9 || total != 1<<30 {
		t.Errorf("got version %d, %d devices, device %d %q, compute %d, %d bytes", version, n, dev, name, major, total)
	}
	if _, err := d.DeviceGet(3); cudrv.Code(err) != cudrv.InvalidDevice {
		t.Errorf("DeviceGet(3): %v, want CUDA_ERROR_INVALID_DEVICE", err)
	}
}

func floats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func bytesOf(f []float32) []byte {
	var b []byte
	for _, x := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// launcher holds what a launch of axpy needs, on the heap.
type launcher struct {
	words  [4]uint64
	params [4]unsafe.Pointer
}

func newLauncher(y, x cudrv.DevicePtr, a float32, n int) *launcher {
	l := &launcher{words: [4]uint64{uint64(y), uint64(x), uint64(math.Float32bits(a)), uint64(n)}}
	for i := range l.words {
		l.params[i] = unsafe.Pointer(&l.words[i])
	}
	return l
}

func TestNativeLaunch(t *testing.T) {
	d := open(t)
	m, log, err := d.ModuleLoadData([]byte("\x7fELF and more"))
	check(t, err)
	if log != "" {
		t.Errorf("log of a cubin is %q", log)
	}
	f, err := d.ModuleGetFunction(m, "axpy")
	check(t, err)
	s, err := d.StreamCreate()
	check(t, err)
	x, y := alloc(t, d, 32), alloc(t, d, 32)
	in := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	check(t, d.MemcpyHtoDAsync(x, bytesOf(in), s))
	check(t, d.MemsetD8Async(y, 0, 32, s))
	l := newLauncher(y, x, 10, 6) // of the 8 elements that the grid covers
	check(t, d.LaunchKernel(f, [3]uint32{2, 2, 3}, [3]uint32{1, 1, 1}, 64, s, l.params[:]))
	check(t, d.StreamSynchronize(s))
	got := make([]byte, 32)
	check(t, d.MemcpyDtoHAsync(got, y, s))
	if want := []float32{10, 20, 30, 40, 50, 60, 0, 0}; !slices.Equal(floats(got), want) {
		t.Errorf("axpy gives %v, want %v", floats(got), want)
	}
	check(t, d.MemcpyDtoDAsync(x, y, 16, s))
	check(t, d.MemcpyDtoH(got, x))
	if want := []float32{10, 20, 30, 40, 5, 6, 7, 8}; !slices.Equal(floats(got), want) {
		t.Errorf("after the copy x is %v, want %v", floats(got), want)
	}
	check(t, d.MemcpyHtoD(x, bytesOf(in)))
	check(t, d.MemcpyDtoH(got, x))
	if !slices.Equal(floats(got), in) {
		t.Errorf("x is %v, want %v", floats(got), in)
	}
	early := []cudrv.LaunchAttribute{{ID: cudrv.ProgrammaticSerialization, Value: [16]uint32{1}}}
	unknown := []cudrv.LaunchAttribute{early[0], {ID: 99}}
	check(t, d.LaunchKernelEx(f, [3]uint32{2, 2, 3}, [3]uint32{1, 1, 1}, 64, s, early, l.params[:]))
	check(t, d.MemcpyDtoH(got, y))
	if want := []float32{20, 40, 60, 80, 100, 120, 0, 0}; !slices.Equal(floats(got), want) {
		t.Errorf("the second launch gives %v, want %v", floats(got), want)
	}
	if err := d.LaunchKernelEx(f, [3]uint32{2, 2, 3}, [3]uint32{1, 1, 1}, 64, s, unknown, l.params[:]); cudrv.Code(err) != cudrv.InvalidValue {
		t.Errorf("an unknown attribute: %v", err)
	}
	src := bytesOf(in)
	if n := testing.AllocsPerRun(200, func() {
		if d.LaunchKernel(f, [3]uint32{2, 2, 3}, [3]uint32{1, 1, 1}, 64, s, l.params[:]) != nil ||
			d.LaunchKernelEx(f, [3]uint32{2, 2, 3}, [3]uint32{1, 1, 1}, 64, s, early, l.params[:]) != nil || d.MemcpyHtoDAsync(x, src, s) != nil {
			t.Error("a call failed")
		}
	}); n != 0 && !raceEnabled {
		t.Errorf("a launch and a copy allocate %v times", n)
	}
	check(t, d.FuncSetAttribute(f, cudrv.FuncDynamicShared, 100000))
	for a, want := range map[cudrv.FuncAttribute]int{cudrv.FuncRegisters: 14, cudrv.FuncDynamicShared: 100000} {
		if v, err := d.FuncGetAttribute(f, a); err != nil || v != want {
			t.Errorf("attribute %d is %d, %v; want %d", a, v, err, want)
		}
	}
	tensor := &cudrv.TensorMap{Type: 6, Addr: x, Dims: []uint64{64, 1 << 33}, Strides: []uint64{128}, Box: []uint32{32, 8}, Steps: []uint32{1, 2}, Swizzle: 64}
	encoded, err := d.TensorMapEncodeTiled(tensor)
	check(t, err)
	var words [16]uint64
	if _, err := binary.Decode(encoded[:], binary.LittleEndian, &words); err != nil ||
		words != [16]uint64{6, 2, uint64(x), 64, 1 << 33, 128, 32, 8, 2, 0, 2, 2, 0} {
		t.Errorf("the driver got %v for the tensor map, %v", words, err)
	}
	check(t, d.StreamDestroy(s))
	check(t, d.ModuleUnload(m))
	check(t, d.MemFree(x))
	check(t, d.MemFree(y))
}

func alloc(t *testing.T, d cudrv.Driver, n int64) cudrv.DevicePtr {
	t.Helper()
	p, err := d.MemAlloc(n)
	check(t, err)
	return p
}

func TestNativeEvents(t *testing.T) {
	for name, c := range map[string]struct {
		options []string
		tick    float32
	}{"new": {nil, 0.25}, "old": {[]string{"-DNO_OPTIONAL"}, 1}} {
		t.Run(name, func(t *testing.T) {
			d := open(t, c.options...)
			s, err := d.StreamCreate()
			check(t, err)
			a, err := d.EventCreate()
			check(t, err)
			b, err := d.EventCreate()
			check(t, err)
			if done, err := d.EventQuery(a); done || err != nil {
				t.Errorf("a query that is not ready gives %v, %v; want false and no error", done, err)
			}
			check(t, d.EventRecord(a, s))
			check(t, d.EventRecord(b, s))
			check(t, d.StreamWaitEvent(s, b))
			check(t, d.EventSynchronize(b))
			for _, e := range []cudrv.Event{a, b} {
				if done, err := d.EventQuery(e); !done || err != nil {
					t.Errorf("query of a recorded event gives %v, %v", done, err)
				}
			}
			if done, err := d.StreamQuery(s); !done || err != nil {
				t.Errorf("query of the stream gives %v, %v", done, err)
			}
			if ms, err := d.EventElapsedTime(a, b); err != nil || ms != c.tick {
				t.Errorf("elapsed %v, %v; want %v", ms, err, c.tick)
			}
			check(t, d.EventDestroy(a))
			check(t, d.EventDestroy(b))
			check(t, d.StreamDestroy(s))
		})
	}
}

func TestNativePTX(t *testing.T) {
	d := open(t)
	m, log, err := d.ModuleLoadData([]byte(".version 9.0"))
	check(t, err)
	if log != "compiled by C" {
		t.Errorf("log %q", log)
	}
	check(t, d.ModuleUnload(m))
	_, _, err = d.ModuleLoadData([]byte("a bad program"))
	want := "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218); the PTX is wrong; the log says where\n\tline 3: bad instruction"
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	if _, _, err := d.ModuleLoadData(nil); cudrv.Code(err) != cudrv.InvalidImage {
		t.Errorf("an empty image gives %v", err)
	}
}

func TestNativeErrors(t *testing.T) {
	d := open(t)
	_, err := d.MemAlloc(1 << 31)
	want := "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory (says C); free tensors that are no longer used"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	if !errors.Is(err, &cudrv.Error{Code: cudrv.OutOfMemory}) || errors.Is(err, &cudrv.Error{Code: cudrv.NotFound}) {
		t.Error("errors.Is does not tell the code")
	}
	check(t, d.CtxSetCurrent(0))
	if _, err := d.StreamCreate(); cudrv.Code(err) != cudrv.InvalidContext {
		t.Errorf("without a context: %v", err)
	}
	ctx, err := d.DevicePrimaryCtxRetain(7)
	check(t, err)
	check(t, d.CtxSetCurrent(ctx))
	check(t, d.DevicePrimaryCtxRelease(7))
}

func TestNativeOptional(t *testing.T) {
	d := open(t, "-DNO_OPTIONAL")
	_, _, err := d.MemGetInfo()
	want := "cuMemGetInfo: CUDA_ERROR_NOT_FOUND (500): the installed driver does not have this function"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := d.LaunchKernelEx(1, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, 0, nil, nil); cudrv.Code(err) != cudrv.NotFound {
		t.Errorf("a launch with attributes: %v", err)
	}
	if _, err := d.MemAlloc(1 << 31); err == nil || !strings.HasPrefix(err.Error(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2); free tensors") {
		t.Errorf("without error texts: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	_, err := cudrv.OpenLibrary(library(t, "-DNO_WAIT_EVENT"))
	if err == nil || !strings.Contains(err.Error(), "libcuda.so.1): it has no function cuStreamWaitEvent; the NVIDIA driver is too old") {
		t.Errorf("missing function: %v", err)
	}
	if !errors.Is(err, cudrv.ErrNoDriver) {
		t.Error("a missing function is not ErrNoDriver")
	}
	gone := filepath.Join(t.TempDir(), "libnone.so")
	t.Setenv(cudrv.LibraryEnv, gone)
	_, err = cudrv.Open()
	if !errors.Is(err, cudrv.ErrNoDriver) {
		t.Fatalf("missing library: %v", err)
	}
	for _, part := range []string{"no CUDA driver (tried " + gone + "): ", "cannot open shared object file", "install the NVIDIA driver", cudrv.LibraryEnv} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v\nlacks %q", err, part)
		}
	}
	lib := library(t)
	t.Setenv(cudrv.LibraryEnv, lib)
	d, err := cudrv.Open()
	check(t, err)
	if again, err := cudrv.Open(); err != nil || again != d {
		t.Errorf("the second Open gives %v, %v; want the same driver", again, err)
	}
}

// TestNativeGraph captures launches in the C library, replays them and puts others in their place.
func TestNativeGraph(t *testing.T) {
	d := open(t)
	m, _, err := d.ModuleLoadData([]byte("\x7fELF and more"))
	check(t, err)
	f, err := d.ModuleGetFunction(m, "axpy")
	check(t, err)
	s, err := d.StreamCreate()
	check(t, err)
	x, y := alloc(t, d, 16), alloc(t, d, 16)
	check(t, d.MemcpyHtoD(x, bytesOf([]float32{1, 2, 3, 4})))
	check(t, d.MemsetD8Async(y, 0, 16, s))
	capture := func(factors ...float32) cudrv.Graph {
		check(t, d.StreamBeginCapture(s))
		for _, a := range factors {
			check(t, d.LaunchKernel(f, [3]uint32{1, 2, 3}, [3]uint32{1, 1, 1}, 64, s, newLauncher(y, x, a, 4).params[:]))
		}
		g, err := d.StreamEndCapture(s)
		check(t, err)
		return g
	}
	want := func(factor float32) {
		t.Helper()
		got := make([]byte, 16)
		check(t, d.MemcpyDtoH(got, y))
		if all := []float32{factor, 2 * factor, 3 * factor, 4 * factor}; !slices.Equal(floats(got), all) {
			t.Errorf("y is %v, want %v", floats(got), all)
		}
	}
	g, other, shorter := capture(1, 10), capture(100, 1000), capture(1)
	want(0)
	e, err := d.GraphInstantiate(g)
	check(t, err)
	check(t, d.GraphLaunch(e, s))
	check(t, d.GraphLaunch(e, s))
	want(22)
	check(t, d.GraphExecUpdate(e, other))
	if err := d.GraphExecUpdate(e, shorter); cudrv.Code(err) != cudrv.GraphExecUpdateFailure {
		t.Errorf("an update with less work: %v", err)
	}
	if n := testing.AllocsPerRun(1, func() { check(t, d.GraphLaunch(e, s)) }); n != 0 && !raceEnabled {
		t.Errorf("a replay allocates %v times", n)
	}
	want(2222)
	for _, g := range []cudrv.Graph{g, other, shorter} {
		check(t, d.GraphDestroy(g))
	}
	check(t, d.GraphExecDestroy(e))
	check(t, d.MemFree(x))
	check(t, d.MemFree(y))
	old := open(t, "-DNO_OPTIONAL")
	if err := old.StreamBeginCapture(s); cudrv.Code(err) != cudrv.NotFound {
		t.Errorf("a driver without graphs: %v", err)
	}
}

// TestNativePool uses pools, pinned memory and peers of the C library.
func TestNativePool(t *testing.T) {
	d := open(t)
	s, err := d.StreamCreate()
	check(t, err)
	p, err := d.MemPoolCreate(7)
	check(t, err)
	if _, err := d.MemPoolCreate(3); cudrv.Code(err) != cudrv.InvalidValue {
		t.Errorf("a pool of another device: %v", err)
	}
	check(t, d.MemPoolSetAttribute(p, cudrv.PoolReleaseThreshold, math.MaxUint64))
	check(t, d.MemPoolSetAccess(p, 7))
	a, err := d.MemAllocFromPoolAsync(100, p, s)
	check(t, err)
	b, err := d.MemAllocFromPoolAsync(50, p, s)
	check(t, err)
	check(t, d.MemFreeAsync(a, s))
	check(t, d.MemPoolTrimTo(p, 120))
	for attr, want := range map[cudrv.PoolAttribute]uint64{cudrv.PoolReleaseThreshold: math.MaxUint64, cudrv.PoolReserved: 120, cudrv.PoolUsed: 50} {
		if v, err := d.MemPoolGetAttribute(p, attr); err != nil || v != want {
			t.Errorf("attribute %d is %d, %v, want %d", attr, v, err, want)
		}
	}
	host, err := d.MemHostAlloc(48)
	check(t, err)
	copy(host, bytesOf([]float32{1, 2, 3, 4}))
	check(t, d.MemcpyHtoDAsync(b, host[:16], s))
	ctx, err := d.DevicePrimaryCtxRetain(7)
	check(t, err)
	check(t, d.MemcpyPeerAsync(b+16, ctx, b, ctx, 16, s))
	check(t, d.MemcpyDtoHAsync(host[32:], b+16, s))
	if got := floats(host[32:]); !slices.Equal(got, []float32{1, 2, 3, 4}) {
		t.Errorf("the copies give %v", got)
	}
	check(t, d.DevicePrimaryCtxRelease(7))
	if n, err := d.PointerGetDevice(b); err != nil || n != 0 {
		t.Errorf("the memory is of device %d, %v", n, err)
	}
	if _, err := d.PointerGetDevice(16); cudrv.Code(err) != cudrv.InvalidValue {
		t.Errorf("no memory: %v", err)
	}
	can, err := d.DeviceCanAccessPeer(7, 8)
	if self, err2 := d.DeviceCanAccessPeer(7, 7); err != nil || err2 != nil || !can || self {
		t.Errorf("peers %v %v, %v %v", can, err, self, err2)
	}
	check(t, d.MemFreeHost(host))
	check(t, d.MemFreeAsync(b, s))
	check(t, d.MemPoolDestroy(p))
	old := open(t, "-DNO_OPTIONAL")
	for name, err := range map[string]error{
		"cuMemPoolCreate": func() error { _, err := old.MemPoolCreate(7); return err }(),
		"cuMemHostAlloc":  func() error { _, err := old.MemHostAlloc(8); return err }(),
	} {
		if cudrv.Code(err) != cudrv.NotFound || !strings.Contains(err.Error(), name) {
			t.Errorf("a driver without %s: %v", name, err)
		}
	}
}
