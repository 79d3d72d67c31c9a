package vulkan_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// scenario uses everything once. It gives the first error, and whether the results are right.
func scenario(t *testing.T, in *driver.Instance, adjust func(*driver.Info)) (err error, right bool) {
	m, err := vulkan.Open(0, vulkan.Options{Instance: in, Adjust: adjust})
	if err != nil {
		return err, false
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	s, err := m.NewStream()
	if err != nil {
		return err, false
	}
	many, err := m.Load("many", code(t, "many"))
	if err != nil {
		return err, false
	}
	cp, err := m.Load("copy", code(t, "copy"))
	if err != nil {
		return err, false
	}
	scratch, err := m.Load("scratch", code(t, "scratch"))
	if err != nil {
		return err, false
	}
	other, err := m.NewStream()
	if err != nil {
		return err, false
	}
	var bufs [3]engine.Buffer
	for i := range bufs {
		if bufs[i], err = m.Alloc(80); err != nil {
			return err, false
		}
	}
	from, err := s.Record()
	if err != nil {
		return err, false
	}
	args := []uint64{bufs[0].Address()}
	for i := range 19 {
		args = append(args, uint64(i))
	}
	out := make([]byte, 76)
	for _, f := range []func() error{
		func() error { return other.WaitEvent(from) },
		func() error { return other.Launch(scratch, one, []uint64{bufs[2].Address()}) },
		func() error { return other.Launch(scratch, [3]uint32{9, 1, 1}, []uint64{bufs[2].Address()}) },
		func() error { return other.Wait(background) },
		func() error { return s.Launch(many, [3]uint32{19, 1, 1}, args) },
		func() error { return s.Launch(cp, [3]uint32{19, 1, 1}, []uint64{args[0], bufs[1].Address()}) },
		func() error { return s.Copy(bufs[0], 0, bufs[1], 0, 76) },
		func() error { return s.Write(bufs[0], 0, []byte{9}) },
		func() error { return s.Read(background, out, bufs[0], 0) },
		func() error { e, err := s.Record(); return errors.Join(err, elapsed(e, from)) },
		many.Close, cp.Close, bufs[0].Free, bufs[1].Free, s.Close, other.Close,
	} {
		if err := f(); err != nil {
			return err, false
		}
	}
	want := toBytes(ramp(19))
	want[0] = 9
	return nil, slices.Equal(out, want)
}

func elapsed(e, from engine.Event) error {
	if e == nil {
		return nil
	}
	if err := e.Wait(background); err != nil {
		return err
	}
	_, err := e.Elapsed(from)
	return errors.Join(err, e.Close(), from.Close())
}

// TestEveryCallFails lets each call of the driver fail, one after the other, by each of the errors that can come: the error is
// told, or nothing is wrong, and everything is given back.
func TestEveryCallFails(t *testing.T) {
	testenv.Alone(t)
	in, _ := instance(t)
	lib := in.Library()
	for i, adjust := range []func(*driver.Info){nil, discrete} {
		for _, code := range []driver.Result{driver.OutOfDeviceMemory, driver.DeviceLost}[i:] {
			for nth := int64(1); ; nth++ {
				var calls, failed atomic.Int64
				var name string
				lib.Inject(func(call string) driver.Result {
					if calls.Add(1) != nth {
						return driver.Success
					}
					failed.Add(1)
					name = call
					return code
				})
				err, right := scenario(t, in, adjust)
				lib.Inject(nil)
				noLeaks(t, lib)
				what := fmt.Sprintf("call %d, %s, gives %v", nth, name, code)
				switch {
				case err == nil && !right:
					t.Errorf("%s: wrong results without an error", what)
				case err != nil && !errors.Is(err, &driver.Error{Code: code}):
					t.Errorf("%s: error %v", what, err)
				}
				if failed.Load() == 0 {
					if err != nil || nth < 60 {
						t.Fatalf("after %d calls nothing fails any more: %v", nth, err)
					}
					break
				}
			}
		}
	}
}

// TestLost: a lost device stays lost, and a new one works.
func TestLost(t *testing.T) {
	in, _ := instance(t)
	m := openOn(t, in, 0, vulkan.Options{})
	s, k := newStream(t, m), load(t, m, "copy")
	x := alloc(t, m, s, 4)
	check(t, s.Launch(k, one, []uint64{x.Address(), x.Address()}))
	m.lib.Inject(func(call string) driver.Result {
		if call == "vkQueueSubmit" {
			return driver.DeviceLost
		}
		return driver.Success
	})
	err := s.Launch(k, one, []uint64{x.Address(), x.Address()})
	m.lib.Inject(nil)
	var f *engine.Fault
	const text = "the driver has lost the device (VK_ERROR_DEVICE_LOST): a kernel did what it must not"
	if !errors.As(err, &f) || f.Kernel != "copy" {
		t.Errorf("error %v", err)
	}
	wants(t, err, "kernel copy: "+text)
	if !errors.Is(err, &driver.Error{Code: driver.DeviceLost, Call: "vkQueueSubmit"}) {
		t.Errorf("%v does not hold the driver's error", err)
	}
	_, alloced := m.Alloc(1)
	_, made := m.NewStream()
	_, loaded := m.Load("copy", code(t, "copy"))
	_, recorded := s.Record()
	for _, err := range []error{alloced, made, loaded, recorded, s.Wait(background), s.Write(x, 0, []byte{1}), s.Read(background, make([]byte, 1), x, 0), s.Close()} {
		wants(t, err, text)
	}
	check(t, x.Free())
	check(t, k.Close())
	check(t, m.Close())
	noLeaks(t, m.lib)
	if err, right := scenario(t, in, nil); err != nil || !right {
		t.Errorf("afterwards: %v, right %v", err, right)
	}
}

func TestOutOfMemory(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		total := m.Info().Memory()
		for _, n := range []int64{math.MaxInt64 - 512, total + 1} {
			_, err := m.Alloc(n)
			wants(t, err, "cannot allocate ")
			wants(t, err, "in use by this device): vk")
			wants(t, err, ": VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)")
			wants(t, err, "free tensors that are no longer used")
			if !errors.Is(err, &driver.Error{Code: driver.OutOfDeviceMemory}) {
				t.Errorf("%v is not out of memory", err)
			}
		}
		// What is kept for later is given back first.
		s := newStream(t, m)
		args := make([]uint64, 20)
		y := alloc(t, m, s, 20)
		args[0] = y.Address()
		for range 3 {
			check(t, s.Launch(load(t, m, "many"), one, args))
		}
		check(t, s.Wait(background))
		check(t, s.Close())
		before := m.lib.Live()["VkDeviceMemory"]
		failed := false
		m.lib.Inject(func(call string) driver.Result {
			if call == "vkAllocateMemory" && !failed {
				failed = true
				return driver.OutOfDeviceMemory
			}
			return driver.Success
		})
		defer m.lib.Inject(nil)
		alloc(t, m, newStream(t, m), 1)
		if after := m.lib.Live()["VkDeviceMemory"]; !failed || after > before+1 {
			t.Errorf("%d pieces of memory, %d before", after, before)
		}
	})
}
