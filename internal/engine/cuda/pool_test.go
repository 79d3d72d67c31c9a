package cuda_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

const mib = 1 << 20

// TestPool: freed memory stays with the device until it is trimmed, serves later buffers, and is zero again.
func TestPool(t *testing.T) {
	drv, d := open(t, fake.Options{Devices: []fake.Device{{Name: "small", Major: 9, Memory: 10 * mib}}})
	s := newStream(t, d)
	a, b := alloc(t, d, 4*mib), alloc(t, d, 4*mib)
	check(t, s.Write(a, 0, bytes.Repeat([]byte{1}, 4*mib)))
	check(t, s.Wait(background))
	check(t, a.Free())
	check(t, d.Trim())
	if n := d.Unused(); n != 0 {
		t.Errorf("%d bytes are kept after Trim", n)
	}
	check(t, b.Free())
	drv.ResetTrace()
	c := alloc(t, d, 3*mib)
	if n := d.Unused(); n != mib {
		t.Errorf("%d bytes are kept, want 1 MiB", n)
	}
	if names := drv.Names(); slices.Contains(names, "cuMemAlloc") || slices.Contains(names, "cuCtxSynchronize") {
		t.Errorf("allocating called %v", names)
	}
	got := make([]byte, 3*mib)
	check(t, s.Read(background, got, c, 0))
	if slices.ContainsFunc(got, func(b byte) bool { return b != 0 }) {
		t.Error("memory of the pool is not zero")
	}
	if _, err := d.Alloc(8 * mib); err == nil || !strings.Contains(err.Error(), "(7.0 MiB of 10.0 MiB are free)") {
		t.Errorf("what the pool keeps is not free: %v", err)
	}
	old := fake.New(fake.Options{Version: 11010})
	before, err := cuda.Open(0, cuda.Options{Driver: old, Oldest: 11000})
	check(t, err)
	x, err := before.Alloc(100)
	check(t, err)
	check(t, x.Free())
	check(t, before.Trim())
	check(t, before.Close())
	if names := old.Names(); !slices.Contains(names, "cuMemAlloc") || !slices.Contains(names, "cuMemFree") || before.Unused() != 0 {
		t.Errorf("without pools the calls are %v", names)
	}
}

// TestStaging writes and reads sizes around those of the parts, from several goroutines, by way of pinned memory and without.
func TestStaging(t *testing.T) {
	for name, setup := range map[string]func(*fake.Driver){
		"pinned":     func(*fake.Driver) {},
		"none":       func(d *fake.Driver) { d.Fail("cuMemHostAlloc", 1, cudrv.OutOfMemory) },
		"no more":    func(d *fake.Driver) { d.Fail("cuMemHostAlloc", 3, cudrv.OutOfMemory) },
		"no event":   func(d *fake.Driver) { d.Fail("cuEventCreate", 1, cudrv.OutOfMemory) },
		"no 2 event": func(d *fake.Driver) { d.Fail("cuEventCreate", 2, cudrv.OutOfMemory) },
	} {
		t.Run(name, func(t *testing.T) {
			drv, d := open(t, fake.Options{Quiet: true})
			setup(drv)
			var all sync.WaitGroup
			for g := range 3 {
				all.Go(func() {
					r := rand.New(rand.NewPCG(uint64(g), 1))
					s, b := newStream(t, d), alloc(t, d, 11*mib)
					for _, n := range []int{1, 64<<10 - 1, 64 << 10, 2*mib - 1, 2 * mib, 2*mib + 1, 4*mib + 70<<10, 10 * mib} {
						want, off := make([]byte, n), r.IntN(100)
						for i := range want {
							want[i] = byte(r.Uint32())
						}
						src := bytes.Clone(want)
						check(t, s.Write(b, int64(off), src))
						clear(src) // the copy may not need it any more
						got := make([]byte, n)
						check(t, s.Read(background, got, b, int64(off)))
						if !bytes.Equal(got, want) {
							t.Errorf("%d bytes at %d differ", n, off)
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// TestWriteDoesNotWait: a large write returns while the work in front of it still runs.
func TestWriteDoesNotWait(t *testing.T) {
	d, gate := held(t)
	k, s, b, big := compile(t, d), newStream(t, d), alloc(t, d, 16), alloc(t, d, 3*mib)
	check(t, s.Launch(k, one, vaddArgs(4, b, b, b)))
	src := bytes.Repeat([]byte{7}, 3*mib)
	check(t, s.Write(big, 0, src))
	clear(src)
	e, err := s.Record()
	check(t, err)
	if e.Done() {
		t.Error("the write was done before the kernel")
	}
	close(gate)
	got := make([]byte, 3*mib)
	check(t, s.Read(background, got, big, 0))
	if got[0] != 7 || got[len(got)-1] != 7 {
		t.Error("the write is not there")
	}
}

// TestStagingFails fails each call once that large copies make; the error names the call, and the stream goes on unless the context is lost.
func TestStagingFails(t *testing.T) {
	use := func(d *cuda.Device, s engine.Stream, b engine.Buffer) error {
		data := bytes.Repeat([]byte{3}, 5*mib)
		if err := s.Write(b, 0, data); err != nil {
			return err
		}
		return s.Read(background, data, b, 0)
	}
	drv, d := open(t, fake.Options{})
	s, b := newStream(t, d), alloc(t, d, 5*mib)
	drv.ResetTrace()
	check(t, use(d, s, b))
	seen := map[string]int{}
	for _, call := range drv.Names() {
		seen[call]++
		optional := call == "cuMemHostAlloc" || call == "cuEventCreate"
		if optional && seen[call] > 1 { // how many parts there are depends on how fast copies are
			continue
		}
		for _, code := range []cudrv.Result{cudrv.InvalidValue, cudrv.IllegalAddress} {
			drv, d := open(t, fake.Options{Quiet: true})
			s, b := newStream(t, d), alloc(t, d, 5*mib)
			drv.Fail(call, seen[call], code)
			err := use(d, s, b)
			_, sticky := code.Sticky()
			fine := !sticky && optional // there is another way
			if fine != (err == nil) || err != nil && cudrv.Code(err) != code {
				t.Errorf("%s %d %v: the error is %v", call, seen[call], code, err)
			}
			if !sticky {
				s = newStream(t, d)
				check(t, use(d, s, b))
			}
		}
	}
	for _, call := range []string{"cuMemHostAlloc", "cuEventRecord", "cuEventSynchronize", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync"} {
		if seen[call] == 0 {
			t.Errorf("%s was not tried", call)
		}
	}
}
