package fake_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start gives a driver with the first device's context current; the test must free all that it makes.
func start(t *testing.T, opts fake.Options) *fake.Driver {
	t.Helper()
	d := fake.New(opts)
	runtime.LockOSThread()
	check(t, d.Init())
	ctx, err := d.DevicePrimaryCtxRetain(0)
	check(t, err)
	check(t, d.CtxSetCurrent(ctx))
	t.Cleanup(func() {
		defer runtime.UnlockOSThread()
		check(t, d.DevicePrimaryCtxRelease(0))
		if leaks := d.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %v", leaks)
		}
	})
	return d
}

// load loads a fake cubin with one kernel.
func load(t *testing.T, d *fake.Driver, name string, params ...int) cudrv.Function {
	t.Helper()
	m, _, err := d.ModuleLoadData((&fake.Cubin{Target: "sm_90", Entries: []fake.Entry{{Name: name, Params: params}}, Payload: []byte("p")}).Encode())
	check(t, err)
	f, err := d.ModuleGetFunction(m, name)
	check(t, err)
	return f
}

func stream(t *testing.T, d *fake.Driver) cudrv.Stream {
	t.Helper()
	s, err := d.StreamCreate()
	check(t, err)
	return s
}

var one = [3]uint32{1, 1, 1}

func TestMemory(t *testing.T) {
	d := start(t, fake.Options{Devices: []fake.Device{{Name: "small", Major: 9, Memory: 1000}}})
	p, err := d.MemAlloc(600)
	check(t, err)
	if p%256 != 0 {
		t.Errorf("address %#x is not aligned to 256", p)
	}
	got := make([]byte, 4)
	check(t, d.MemcpyDtoH(got, p))
	if bytes.Equal(got, make([]byte, 4)) {
		t.Error("fresh memory is zero, which would hide that nobody zeroed it")
	}
	if _, err := d.MemAlloc(600); cudrv.Code(err) != cudrv.OutOfMemory {
		t.Errorf("too much memory: %v", err)
	}
	check(t, d.MemcpyHtoD(p+596, []byte("abcd")))
	check(t, d.MemcpyDtoH(got, p+596))
	if string(got) != "abcd" {
		t.Errorf("read back %q", got)
	}
	for name, err := range map[string]error{
		"past the end":   d.MemcpyHtoD(p+597, []byte("abcd")),
		"no allocation":  d.MemcpyDtoH(got, p-1),
		"negative count": d.MemsetD8Async(p, 0, -1, 0),
		"overlap":        d.MemcpyDtoDAsync(p, p+2, 4, 0),
		"inside":         d.MemFree(p + 1),
	} {
		if cudrv.Code(err) != cudrv.InvalidValue {
			t.Errorf("%s: %v, want CUDA_ERROR_INVALID_VALUE", name, err)
		}
	}
	check(t, d.MemFree(p))
	if free, total, err := d.MemGetInfo(); free != 1000 || total != 1000 || err != nil {
		t.Errorf("after MemFree %d of %d are free, %v", free, total, err)
	}
	if err := d.MemFree(p); cudrv.Code(err) != cudrv.InvalidValue {
		t.Errorf("second free: %v", err)
	}
}

// TestStreams holds one stream with a kernel and sees that its later work waits, that the other stream's does not, and that
// an event makes it.
func TestStreams(t *testing.T) {
	gate := make(chan bool)
	d := start(t, fake.Options{Run: func(l *fake.Launch) error {
		if l.Args[1] == 1 {
			<-gate
		}
		b, err := l.Memory(l.Args[0])
		if err == nil {
			b[0]++
		}
		return err
	}})
	f := load(t, d, "inc", 8, 1)
	a, b := stream(t, d), stream(t, d)
	p, err := d.MemAlloc(8)
	check(t, err)
	check(t, d.MemsetD8Async(p, 0, 8, a))
	check(t, d.StreamSynchronize(a))
	launch := func(s cudrv.Stream, at cudrv.DevicePtr, hold uint64) {
		words := []uint64{uint64(at), 0xff00 | hold} // only the low byte is the parameter
		check(t, d.LaunchKernel(f, one, one, 0, s, []unsafe.Pointer{unsafe.Pointer(&words[0]), unsafe.Pointer(&words[1])}))
	}
	launch(a, p, 1)
	ev, err := d.EventCreate()
	check(t, err)
	check(t, d.EventRecord(ev, a))
	src := []byte{7}
	check(t, d.MemcpyHtoDAsync(p+1, src, a))
	src[0] = 99 // the call has read it
	launch(b, p+2, 0)
	check(t, d.StreamSynchronize(b))
	for name, ask := range map[string]func() (bool, error){
		"stream": func() (bool, error) { return d.StreamQuery(a) },
		"event":  func() (bool, error) { return d.EventQuery(ev) },
	} {
		if done, err := ask(); done || err != nil {
			t.Errorf("the held %s is done: %v, %v", name, done, err)
		}
	}
	check(t, d.StreamWaitEvent(b, ev))
	check(t, d.MemcpyDtoDAsync(p+3, p, 1, b)) // must see the held kernel's work
	if done, _ := d.StreamQuery(b); done {
		t.Error("the stream does not wait for the event")
	}
	close(gate)
	check(t, d.EventSynchronize(ev))
	check(t, d.CtxSynchronize())
	got := make([]byte, 4)
	check(t, d.MemcpyDtoH(got, p))
	if want := []byte{1, 7, 1, 1}; !bytes.Equal(got, want) {
		t.Errorf("memory is %v, want %v", got, want)
	}
	if ms, err := d.EventElapsedTime(ev, ev); ms != 0 || err != nil {
		t.Errorf("elapsed to itself %v, %v", ms, err)
	}
}

func TestLaunchArguments(t *testing.T) {
	var got fake.Launch
	d := start(t, fake.Options{Run: func(l *fake.Launch) error { got = *l; got.Args = slices.Clone(l.Args); return nil }})
	f := load(t, d, "k", 1, 2, 4, 8)
	words := [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	params := make([]unsafe.Pointer, 4)
	for i := range words {
		params[i] = unsafe.Pointer(&words[i])
	}
	check(t, d.LaunchKernel(f, [3]uint32{2, 3, 4}, one, 0, 0, params))
	clear(words[:]) // the call has read them
	check(t, d.CtxSynchronize())
	want := []uint64{0xff, 0xffff, 0xffffffff, ^uint64(0)}
	if !slices.Equal(got.Args, want) || got.Grid != [3]uint32{2, 3, 4} || got.Kernel != "k" || string(got.Cubin.Payload) != "p" {
		t.Errorf("the kernel got %+v, want arguments %x", got, want)
	}
	for name, err := range map[string]error{
		"empty grid":  d.LaunchKernel(f, [3]uint32{1, 0, 1}, one, 0, 0, params),
		"grid":        d.LaunchKernel(f, [3]uint32{1, 1 << 16, 1}, one, 0, 0, params),
		"block":       d.LaunchKernel(f, one, [3]uint32{64, 64, 1}, 0, 0, params),
		"few params":  d.LaunchKernel(f, one, one, 0, 0, params[:3]),
		"no function": d.LaunchKernel(99, one, one, 0, 0, params),
		"no stream":   d.LaunchKernel(f, one, one, 0, 99, params),
	} {
		want := cudrv.InvalidValue
		if strings.HasPrefix(name, "no ") {
			want = cudrv.InvalidHandle
		}
		if cudrv.Code(err) != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestPoison runs a kernel that follows a wild pointer: all later calls of the context fail, and its end frees everything.
func TestPoison(t *testing.T) {
	d := start(t, fake.Options{Run: func(l *fake.Launch) error { _, err := l.Memory(16); return err }})
	f := load(t, d, "wild")
	s := stream(t, d)
	_, err := d.MemAlloc(8)
	check(t, err)
	check(t, d.LaunchKernel(f, one, one, 0, s, nil))
	if err := d.StreamSynchronize(s); cudrv.Code(err) != cudrv.IllegalAddress {
		t.Errorf("the wait gives %v", err)
	}
	if _, err := d.MemAlloc(8); cudrv.Code(err) != cudrv.IllegalAddress {
		t.Errorf("a later call gives %v", err)
	}
	check(t, d.DevicePrimaryCtxRelease(0))
	if leaks := d.Leaks(); len(leaks) > 0 {
		t.Errorf("leaks: %v", leaks)
	}
	ctx, err := d.DevicePrimaryCtxRetain(0) // a new context works
	check(t, err)
	check(t, d.CtxSetCurrent(ctx))
	p, err := d.MemAlloc(8)
	check(t, err)
	check(t, d.MemFree(p))
}

func TestContexts(t *testing.T) {
	d := fake.New(fake.Options{})
	if _, err := d.DeviceGetCount(); cudrv.Code(err) != cudrv.NotInitialized {
		t.Errorf("before Init: %v", err)
	}
	check(t, d.Init())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := d.MemAlloc(1); cudrv.Code(err) != cudrv.InvalidContext {
		t.Errorf("without a context: %v", err)
	}
	ctx, err := d.DevicePrimaryCtxRetain(0)
	check(t, err)
	check(t, d.CtxSetCurrent(ctx))
	if runtime.GOOS == "linux" {
		other := make(chan error)
		go func() { // no two locked goroutines share a thread
			runtime.LockOSThread()
			_, err := d.MemAlloc(1)
			other <- err
		}()
		if err := <-other; cudrv.Code(err) != cudrv.InvalidContext {
			t.Errorf("on another thread: %v", err)
		}
	}
	check(t, d.DevicePrimaryCtxRelease(0))
	if _, err := d.MemAlloc(1); cudrv.Code(err) != cudrv.ContextIsDestroyed {
		t.Errorf("after the release: %v", err)
	}
	if err := d.DevicePrimaryCtxRelease(0); cudrv.Code(err) != cudrv.InvalidContext {
		t.Errorf("second release: %v", err)
	}
	if err := fake.New(fake.Options{Devices: []fake.Device{}}).Init(); cudrv.Code(err) != cudrv.NoDevice {
		t.Errorf("a machine without a GPU: %v", err)
	}
}

func TestModules(t *testing.T) {
	d := start(t, fake.Options{})
	_, _, err := d.ModuleLoadData([]byte("\x7fELF"))
	if cudrv.Code(err) != cudrv.InvalidImage || !strings.HasSuffix(err.Error(), "\n\tthis is not a fake cubin") {
		t.Errorf("wrong image: %v", err)
	}
	if _, _, err := d.ModuleLoadData((&fake.Cubin{Target: "sm_80"}).Encode()); cudrv.Code(err) != cudrv.NoBinaryForGPU {
		t.Errorf("wrong target: %v", err)
	}
	m, _, err := d.ModuleLoadData((&fake.Cubin{}).Encode())
	check(t, err)
	if _, err := d.ModuleGetFunction(m, "f"); cudrv.Code(err) != cudrv.NotFound {
		t.Errorf("wrong name: %v", err)
	}
	check(t, d.ModuleUnload(m))
	if err := d.ModuleUnload(m); cudrv.Code(err) != cudrv.InvalidHandle {
		t.Errorf("second unload: %v", err)
	}
}

func TestTraceAndFail(t *testing.T) {
	d := start(t, fake.Options{})
	d.ResetTrace()
	d.Fail("cuMemAlloc", 2, cudrv.OutOfMemory)
	p, err := d.MemAlloc(8)
	check(t, err)
	if _, err := d.MemAlloc(8); err == nil || !strings.HasPrefix(err.Error(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory") {
		t.Errorf("the call that was to fail gives %v", err)
	}
	q, err := d.MemAlloc(16)
	check(t, err)
	if leaks := d.Leaks(); len(leaks) != 3 || !slices.Contains(leaks, "16 bytes at 0x700000200") {
		t.Errorf("leaks %v", leaks)
	}
	check(t, d.MemFree(p))
	check(t, d.MemFree(q))
	var got []string
	for _, c := range d.Trace() {
		got = append(got, c.String())
	}
	want := []string{"cuMemAlloc(8) = 0x700000000", "cuMemAlloc(8) = CUDA_ERROR_OUT_OF_MEMORY", "cuMemAlloc(16) = 0x700000200",
		"cuMemFree(0x700000000)", "cuMemFree(0x700000200)"}
	if !slices.Equal(got, want) {
		t.Errorf("trace\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if names := d.Names("cuMemFree"); !slices.Equal(names, []string{"cuMemAlloc", "cuMemAlloc", "cuMemAlloc"}) {
		t.Errorf("names %v", names)
	}
}

// TestHammer has several goroutines use one driver, each with its own stream and memory.
func TestHammer(t *testing.T) {
	d := start(t, fake.Options{Run: func(l *fake.Launch) error {
		b, err := l.Memory(l.Args[0])
		if err == nil {
			b[0]++
		}
		return err
	}, Quiet: true})
	f := load(t, d, "inc", 8)
	ctx, err := d.DevicePrimaryCtxRetain(0)
	check(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := hammer(d, ctx, f); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	check(t, d.DevicePrimaryCtxRelease(0))
}

func hammer(d *fake.Driver, ctx cudrv.Context, f cudrv.Function) error {
	if err := d.CtxSetCurrent(ctx); err != nil {
		return err
	}
	s, err := d.StreamCreate()
	if err != nil {
		return err
	}
	p, err := d.MemAlloc(1)
	if err != nil {
		return err
	}
	if err := d.MemsetD8Async(p, 0, 1, s); err != nil {
		return err
	}
	words := []uint64{uint64(p)}
	for range 100 {
		if err := d.LaunchKernel(f, one, one, 0, s, []unsafe.Pointer{unsafe.Pointer(&words[0])}); err != nil {
			return err
		}
	}
	got := make([]byte, 1)
	if err := d.MemcpyDtoHAsync(got, p, s); err != nil {
		return err
	}
	if got[0] != 100 {
		return &cudrv.Error{Call: "100 increments", Code: cudrv.Result(got[0])}
	}
	if err := d.MemFree(p); err != nil {
		return err
	}
	return d.StreamDestroy(s)
}

func TestElapsed(t *testing.T) {
	d := start(t, fake.Options{Run: func(*fake.Launch) error { time.Sleep(5 * time.Millisecond); return nil }})
	f, s := load(t, d, "sleep"), stream(t, d)
	a, err := d.EventCreate()
	check(t, err)
	b, err := d.EventCreate()
	check(t, err)
	if _, err := d.EventElapsedTime(a, b); cudrv.Code(err) != cudrv.InvalidHandle {
		t.Errorf("events that were not recorded: %v", err)
	}
	check(t, d.EventRecord(a, s))
	check(t, d.LaunchKernel(f, one, one, 0, s, nil))
	check(t, d.EventRecord(b, s))
	if _, err := d.EventElapsedTime(a, b); cudrv.Code(err) != cudrv.NotReady {
		t.Errorf("an event that is not done: %v", err)
	}
	check(t, d.EventSynchronize(b))
	if ms, err := d.EventElapsedTime(a, b); ms < 5 || err != nil {
		t.Errorf("elapsed %v ms, %v; want 5 or more", ms, err)
	}
}
