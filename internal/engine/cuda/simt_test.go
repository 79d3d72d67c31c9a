package cuda_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/simt"
)

// simtModule is a module of two kernels, and what was made of it.
func simtModule() (*simt.Module, []byte) {
	m, c := &simt.Module{Name: "pair"}, &fake.Cubin{}
	for _, name := range []string{"scale", "shift"} {
		m.Kernels = append(m.Kernels, &simt.Func{Name: name, Params: []simt.Param{{Name: "x", Type: "u64"}, {Name: "n", Type: "u32"}}, Block: [3]int{64, 2, 1}})
		c.Entries = append(c.Entries, fake.Entry{Name: name, Params: []int{8, 4}})
	}
	return m, c.Encode()
}

// simtLaunches are made in this order: the driver must be asked before a kernel has more than 48 KiB, and again only
// before it has still more.
var simtLaunches = []struct {
	kernel string
	shared uint32
	asks   bool
}{
	{"scale", 0, false}, {"scale", 48 << 10, false}, {"scale", 48<<10 + 16, true}, {"shift", 100 << 10, true},
	{"scale", 48<<10 + 16, false}, {"shift", 200 << 10, true}, {"shift", 100 << 10, false}, {"scale", 1, false},
}

// simtRun is the use of a device for that module.
type simtRun struct {
	drv    *fake.Driver
	major  int
	driver int
	leaves bool // modules, streams and memory are left for the device to close
	again  bool // what fails is tried once more
	ran    []string
	failed []error // of what was tried again
	before int     // how many calls were made before the device was closed
}

// String says which GPU and driver it is.
func (r simtRun) String() string {
	return fmt.Sprintf("sm_%d0, CUDA %s, closed by the device %v", r.major, cudrv.VersionName(r.driver), r.leaves)
}

// newRun makes a driver that notes the kernels that it runs.
func newRun(r simtRun) *simtRun {
	r.drv = fake.New(fake.Options{Version: r.driver, Devices: []fake.Device{{Name: "Fake GPU", Major: r.major, Memory: 1 << 30, Multiprocessors: 1}},
		TensorMap: func(*cudrv.TensorMap) ([128]byte, error) { return [128]byte{1}, nil },
		Run: func(l *fake.Launch) error {
			r.ran = append(r.ran, l.Kernel)
			return nil
		}})
	return &r
}

// try does a step, again where that was asked for.
func (r *simtRun) try(step func() error) error {
	err := step()
	if err != nil && r.again {
		r.failed = append(r.failed, err)
		return step()
	}
	return err
}

// device opens the device, fails the calls that the caller names, and gives the first error after closing all. Failing is
// told after the device was opened, which TestEveryCallFails covers.
func (r *simtRun) device(failing func()) (err error) {
	d, err := cuda.Open(0, cuda.Options{Driver: r.drv, Oldest: 11000})
	if err != nil {
		return err
	}
	r.drv.ResetTrace()
	failing()
	defer func() {
		r.before = len(r.drv.Trace())
		err = errors.Join(err, d.Close())
	}()
	m, image := simtModule()
	var loaded engine.SIMTModule
	var s engine.Stream
	var b engine.Buffer
	for _, step := range []func() error{
		func() (err error) { loaded, err = d.LoadSIMT(background, m, image); return err },
		func() (err error) { s, err = d.NewStream(); return err },
		func() (err error) { b, err = d.Alloc(256); return err },
	} {
		if err := r.try(step); err != nil {
			return err
		}
	}
	if r.major >= 9 {
		if err := r.try(func() error { _, err := d.TensorMap(engine.TensorMap{Type: "f32", Rank: 1}); return err }); err != nil {
			return err
		}
	}
	for _, l := range simtLaunches {
		k, err := loaded.Kernel(l.kernel)
		if err != nil {
			return err
		}
		launch := engine.SIMTLaunch{Grid: [3]uint32{3, 1, 1}, Shared: l.shared, Args: []uint64{b.Address(), 7}, Buffers: []engine.Buffer{b}}
		if err := r.try(func() error { return s.(engine.SIMTStream).LaunchSIMT(k, launch) }); err != nil {
			return err
		}
	}
	if r.leaves {
		return nil
	}
	if err := s.Wait(background); err != nil {
		return err
	}
	return errors.Join(s.Close(), loaded.Close(), loaded.Close(), b.Free())
}

// use is device, for which a lock that is held after an error is an error and no endless test.
func (r *simtRun) use(t *testing.T, failing func()) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- r.device(failing) }()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatalf("%v: the device does not close after %v", r, r.drv.Names("cuCtxSetCurrent"))
		return nil
	}
}

// checkTrace holds the calls of the driver against what it wants: dynamic shared memory is allowed before it is used, and
// each module that was loaded is unloaded once. It goes with its context only where that is lost, or where the last try to
// unload it fails.
func (r *simtRun) checkTrace(t *testing.T, name string) {
	t.Helper()
	if leaks := r.drv.Leaks(); len(leaks) > 0 {
		t.Errorf("%s: leaks %v", name, leaks)
	}
	loaded, gone, names := map[any]int{}, false, map[any]string{}
	allowed := map[string]int{}
	lost := false
	for i, c := range r.drv.Trace() {
		if lost && c.Name == "cuModuleUnload" {
			t.Errorf("%s: %v: the context is lost, and the module with it", name, c)
		}
		_, sticky := c.Code.Sticky()
		lost = lost || sticky
		gone = gone || lost || c.Code != cudrv.Success && i >= r.before
		if c.Code == cudrv.InvalidHandle || c.Code == cudrv.InvalidContext {
			t.Errorf("%s: %v: what it is called for was given back", name, c)
		}
		if c.Code != cudrv.Success {
			continue
		}
		switch c.Name {
		case "cuModuleLoadDataEx":
			loaded[c.Out]++
		case "cuModuleUnload":
			loaded[c.Args[0]]--
		case "cuModuleGetFunction":
			names[c.Out] = c.Args[1].(string)
		case "cuFuncSetAttribute":
			if c.Args[1] == cudrv.FuncDynamicShared {
				allowed[names[c.Args[0]]] = c.Args[2].(int)
			}
		case "cuLaunchKernel":
			kernel, block, shared := c.Args[0].(string), c.Args[2].([3]uint32), int(c.Args[3].(uint32))
			if shared > 48<<10 && shared > allowed[kernel] {
				t.Errorf("%s: %v has %d bytes of shared memory, but %d are allowed", name, c, shared, allowed[kernel])
			}
			if block != [3]uint32{64, 2, 1} {
				t.Errorf("%s: %v has blocks of %v", name, c, block)
			}
		}
	}
	for id, n := range loaded {
		if n < 0 || n > 0 && !gone {
			t.Errorf("%s: module %v was loaded and not unloaded %d times", name, id, n)
		}
	}
}

// kinds are the GPUs and drivers whose calls differ: clusters of more than eight blocks want sm_90 and CUDA 11.8.
var kinds = []simtRun{{major: 9, driver: 13040}, {major: 9, driver: 13040, leaves: true}, {major: 8, driver: 13040}, {major: 9, driver: 11070}}

// TestSIMTCalls: the calls of the driver where all goes well.
func TestSIMTCalls(t *testing.T) {
	for _, kind := range kinds {
		name := kind.String()
		r := newRun(kind)
		check(t, r.use(t, func() {}))
		r.checkTrace(t, name)
		var want, ran []string
		want = append(want, "cuModuleLoadDataEx")
		for range 2 {
			want = append(want, "cuModuleGetFunction")
			if kind.major >= 9 && kind.driver >= 11080 {
				want = append(want, "cuFuncSetAttribute")
			}
		}
		for _, l := range simtLaunches {
			if ran = append(ran, l.kernel); l.asks {
				want = append(want, "cuFuncSetAttribute")
			}
			want = append(want, "cuLaunchKernel")
		}
		want = append(want, "cuModuleUnload")
		got := slices.DeleteFunc(r.drv.Names(), func(n string) bool { return !slices.Contains(want, n) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: calls\n%s\nwant\n%s", name, strings.Join(got, " "), strings.Join(want, " "))
		}
		if !slices.Equal(r.ran, ran) {
			t.Errorf("%s: it ran %v, want %v", name, r.ran, ran)
		}
	}
}

// TestEverySIMTCallFails fails each call once that loading, launching and unloading a module makes: the error names the
// call, nothing stays behind, and where the context is not lost the same step works when it is tried again.
func TestEverySIMTCallFails(t *testing.T) {
	runs, again := 0, 0
	for _, kind := range kinds {
		clean := newRun(kind)
		check(t, clean.use(t, func() {}))
		seen := map[string]int{}
		for _, call := range clean.drv.Names() {
			seen[call]++
			for _, code := range []cudrv.Result{cudrv.OutOfMemory, cudrv.InvalidValue, cudrv.IllegalAddress} {
				runs++
				name := fmt.Sprintf("%v, %s %d %v", kind, call, seen[call], code)
				failing := func(r *simtRun) func() { return func() { r.drv.Fail(call, seen[call], code) } }
				r := newRun(kind)
				err := r.use(t, failing(r))
				if !errors.Is(err, &cudrv.Error{Call: call, Code: code}) {
					t.Errorf("%s: the error is %v", name, err)
				}
				_, sticky := code.Sticky()
				if err != nil && !sticky && !strings.Contains(err.Error(), call) {
					t.Errorf("%s: the error does not name the call: %v", name, err)
				}
				if call == "cuDevicePrimaryCtxRelease" { // which was to give all back
					continue
				}
				r.checkTrace(t, name)
				if kind := kind; !sticky {
					kind.again = true
					r := newRun(kind)
					err := r.use(t, failing(r))
					if len(r.failed) > 1 || len(r.failed) == 1 && (err != nil || len(r.ran) != len(simtLaunches)) {
						t.Errorf("%s: tried again after %v: %v, and it ran %v", name, r.failed, err, r.ran)
					}
					again += len(r.failed)
					r.checkTrace(t, name+", tried again")
				}
			}
		}
		for _, call := range []string{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel", "cuModuleUnload", "cuCtxSetCurrent"} {
			if seen[call] == 0 {
				t.Errorf("%s was not tried", call)
			}
		}
	}
	if again < 100 {
		t.Errorf("only %d steps were tried again", again)
	}
	t.Logf("%d calls failed, %d steps were tried again", runs, again)
}
