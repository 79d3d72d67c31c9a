package cpu_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// gate holds the making of machine code until it is opened.
type gate struct {
	device  *cpu.Device
	reached chan struct{} // closed when machine code is at the gate
	opened  chan struct{}
	instead func() (*host.Code, error) // nil for what the system does
	memory  atomic.Int64               // pieces that frames hold
}

// newGate makes a device on which machine code is not made before the gate is opened.
func newGate(t *testing.T, o cpu.Options) *gate {
	if !machineCode() {
		t.Skip("the machine has no machine code")
	}
	g := &gate{reached: make(chan struct{}), opened: make(chan struct{})}
	var once sync.Once
	o.Early = true
	o.Memory = func(n int) ([]byte, func() error, error) {
		g.memory.Add(1)
		return make([]byte, n), func() error { g.memory.Add(-1); return nil }, nil
	}
	g.device = cpu.New(cpu.WithMap(o, func(code []byte, functions ...host.Function) (*host.Code, error) {
		once.Do(func() { close(g.reached) })
		<-g.opened
		if g.instead != nil {
			return g.instead()
		}
		return host.Map(code, functions...)
	}))
	t.Cleanup(func() {
		g.open()
		g.device.Close()
	})
	return g
}

func (g *gate) open() {
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

// TestEarly: a small launch runs before the machine code of its kernel is there, a later one with it, and nothing stays of what ran before.
func TestEarly(t *testing.T) {
	g := newGate(t, cpu.Options{Workers: 2})
	k := increment(t, 16, 64).compile(g.device)
	room := upload(t, g.device, make([]int32, 64))
	for i := range 4 {
		if i == 2 {
			if !cpu.Early(k) || g.memory.Load() == 0 {
				t.Errorf("no launch was interpreted")
			}
			g.open()
			cpu.Made(k)
			if cpu.Early(k) || g.memory.Load() != 0 || !cpu.HasCode(k) {
				t.Errorf("the code is there: %v, but frames hold %d pieces of memory", cpu.HasCode(k), g.memory.Load())
			}
		}
		if err := launchOn(t, g.device, k, room.Address()); err != nil {
			t.Fatal(err)
		}
		if got := elems[int32](room); !slices.Equal(got, slices.Repeat([]int32{int32(i + 1)}, 64)) {
			t.Errorf("launch %d leaves %v", i, got)
		}
	}
	if cpu.IdleFrames(k) == 0 {
		t.Error("no launch ran with machine code")
	}
	if err := k.Close(); err != nil || g.memory.Load() != 0 {
		t.Errorf("%v, and frames of the closed kernel hold %d pieces of memory", err, g.memory.Load())
	}
}

// TestEarlyUnasked: machine code is made without a launch, too.
func TestEarlyUnasked(t *testing.T) {
	g := newGate(t, cpu.Options{})
	g.open()
	k := increment(t, 16, 64).compile(g.device)
	cpu.Made(k)
	if cpu.Early(k) || !cpu.HasCode(k) {
		t.Errorf("there is machine code: %v", cpu.HasCode(k))
	}
}

// TestEarlyGlobals: what early launches left in a global, later ones find there.
func TestEarlyGlobals(t *testing.T) {
	g := newGate(t, cpu.Options{})
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	k.module.Globals = []*tileir.Global{{Name: "n", Value: &tileir.Constant{Type: tileir.Tile(tileir.I32, 4), Data: bytesOf([]int32{1, 2, 3, 4})}}}
	n := k.view(k.one("get_global", nil, attrs{"name": tileir.String("n")}, tileir.PointerTile(tileir.I32)), []int{4}, 4)
	v := k.load(n, k.i32(0))
	twice := k.one("addi", vals{v, v}, nil, v.Type)
	k.store(twice, n, k.i32(0))
	k.store(twice, k.view(k.entry.Params[0], []int{4}, 4), k.i32(0))
	k.ret()
	kern, room := k.compile(g.device), upload(t, g.device, make([]int32, 4))
	for i := range 3 {
		if i == 2 {
			g.open()
			cpu.Made(kern)
		}
		if err := launch(t, g.device, kern, [3]uint32{1, 1, 1}, room.Address()); err != nil {
			t.Fatal(err)
		}
		if got, want := elems[int32](room)[3], int32(8<<i); got != want {
			t.Errorf("launch %d leaves %d, want %d", i, got, want)
		}
	}
}

// sumTo adds up the numbers below a bound, which is an argument or lies in memory.
func sumTo(t *testing.T, inMemory bool) *kernel {
	s := tileir.Tile(tileir.I32)
	k := newKernel(t, tileir.PointerTile(tileir.I32), s)
	room, n := k.entry.Params[0], k.entry.Params[1]
	if inMemory {
		n = k.op("load_ptr_tko", vals{room}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, s, tileir.Token)[0]
	}
	body := k.region([]tileir.Type{s, s}, func(in vals) {
		k.opGroups("continue", []vals{{k.one("addi", in, nil, s)}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{k.i32(0)}, {n}, {k.i32(1)}, {k.i32(0)}}, nil, []*tileir.Block{body}, s)
	k.opGroups("store_ptr_tko", []vals{{room}, r}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, tileir.Token)
	k.ret()
	return k
}

// TestEarlyOrLate: only launches that are known to be small do not wait for machine code.
func TestEarlyOrLate(t *testing.T) {
	for name, c := range map[string]struct {
		kernel *kernel
		blocks uint32
		n      int32
		early  bool
	}{
		"few blocks":         {increment(t, 1024, 1<<20), 4, 0, true},
		"many blocks":        {increment(t, 1024, 1<<20), 1 << 10, 0, false},
		"few iterations":     {sumTo(t, false), 1, 100, true},
		"none":               {sumTo(t, false), 1, -5, true},
		"many iterations":    {sumTo(t, false), 1, 100_000, false},
		"iterations unknown": {sumTo(t, true), 1, 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.kernel.t = t
			g := newGate(t, cpu.Options{Workers: 1})
			k, s := c.kernel.compile(g.device), newStream(t, g.device)
			room := upload(t, g.device, slices.Repeat([]int32{c.n}, 1<<20))
			args := []uint64{room.Address(), uint64(uint32(c.n))}[:len(c.kernel.entry.Params)]
			if err := s.Launch(k, [3]uint32{c.blocks, 1, 1}, args); err != nil {
				t.Fatal(err)
			}
			if !c.early {
				time.Sleep(10 * time.Millisecond) // a launch that does not wait begins meanwhile
				g.open()
			}
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			g.open()
			cpu.Made(k)
			if got := cpu.IdleFrames(k) == 0; got != c.early {
				t.Errorf("the launch ran before there was machine code: %v, want %v", got, c.early)
			}
		})
	}
}

// TestNeverEarly: what could go on without an end, and devices whose results show who made them, have machine code when Compile returns.
func TestNeverEarly(t *testing.T) {
	for name, c := range map[string]struct {
		o      cpu.Options
		kernel *kernel
	}{
		"an endless loop": {cpu.Options{}, spin(t)}, "a large block": {cpu.Options{}, increment(t, 1<<20, 1<<20)},
		"zeros for subnormal numbers": {cpu.Options{FlushToZero: true}, increment(t, 16, 64)}, "twins": {cpu.Options{Twins: true}, increment(t, 16, 64)},
		"checks": {cpu.Options{CheckAssumes: true}, increment(t, 16, 64)}, "an interpreter": {cpu.Options{Interpret: true}, increment(t, 16, 64)},
	} {
		c.kernel.t = t
		g := newGate(t, c.o)
		g.open()
		k := c.kernel.compile(g.device)
		if cpu.Early(k) || cpu.HasCode(k) == (c.o.Interpret || c.o.CheckAssumes) {
			t.Errorf("%s: a launch could be early: %v; there is machine code: %v", name, cpu.Early(k), cpu.HasCode(k))
		}
	}
}

// TestEarlyStop: a launch that waits for machine code can be stopped. If it makes that itself, it ends when it is made.
func TestEarlyStop(t *testing.T) {
	for _, begun := range []bool{true, false} {
		g := newGate(t, cpu.Options{})
		k, s := increment(t, 1024, 1<<20).compile(g.device), newStream(t, g.device)
		room := upload(t, g.device, make([]int32, 1<<20))
		if begun {
			<-g.reached // before there is a launch
		}
		if err := s.Launch(k, [3]uint32{1 << 10, 1, 1}, []uint64{room.Address()}); err != nil {
			t.Fatal(err)
		}
		s.(engine.Stopping).Stop()
		if !begun {
			g.open()
		}
		if err := s.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("begun before: %v: the launch ends with %v", begun, err)
		}
	}
}

// TestEarlyClose: closing a kernel or a device waits for the end of the making.
func TestEarlyClose(t *testing.T) {
	for name, closed := range map[string]func(d *cpu.Device, k engine.Kernel) error{
		"kernel": func(_ *cpu.Device, k engine.Kernel) error { return k.Close() },
		"device": func(d *cpu.Device, _ engine.Kernel) error { return d.Close() },
	} {
		g := newGate(t, cpu.Options{})
		k := increment(t, 16, 64).compile(g.device)
		room := upload(t, g.device, make([]int32, 64))
		if err := launchOn(t, g.device, k, room.Address()); err != nil {
			t.Fatal(err)
		}
		<-g.reached
		done := make(chan error)
		go func() { done <- closed(g.device, k) }()
		select {
		case err := <-done:
			t.Errorf("%s: Close returned %v while code was made", name, err)
			continue
		case <-time.After(10 * time.Millisecond):
		}
		g.open()
		if err := errors.Join(<-done, k.Close()); err != nil || g.memory.Load() != 0 {
			t.Errorf("%s: %v, and frames hold %d pieces of memory", name, err, g.memory.Load())
		}
	}
}

// TestEarlyFails: an error of making machine code is the error of each launch from then on. A refusal is none: the kernel stays interpreted.
func TestEarlyFails(t *testing.T) {
	for name, c := range map[string]struct {
		instead func() (*host.Code, error)
		want    string
	}{
		"error": {func() (*host.Code, error) { return nil, errors.New("a file cannot be written") }, "kernel k: cpu: a file cannot be written"},
		"panic": {func() (*host.Code, error) { panic("no") }, "kernel k: BUG: cpu: compiling panicked: no"},
		"refused": {func() (*host.Code, error) {
			return nil, &host.RefusedError{Step: "pages to write", Err: errors.New("no")}
		}, ""},
		"room": {func() (*host.Code, error) { return nil, &cpu.CompileError{Text: "one block takes too much"} }, ""},
	} {
		g := newGate(t, cpu.Options{})
		g.instead = c.instead
		k := increment(t, 16, 64).compile(g.device)
		room := upload(t, g.device, make([]int32, 64))
		if err := launchOn(t, g.device, k, room.Address()); err != nil {
			t.Fatalf("%s: the first launch: %v", name, err)
		}
		g.open()
		cpu.Made(k)
		for range 2 {
			err := launchOn(t, g.device, k, room.Address())
			if (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: a later launch ends with %v, want %q", name, err, c.want)
			}
		}
		if want := c.want == ""; cpu.Early(k) || elems[int32](room)[63] != map[bool]int32{true: 3, false: 1}[want] {
			t.Errorf("%s: the launches leave %d", name, elems[int32](room)[63])
		}
		if err := k.Close(); err != nil || g.memory.Load() != 0 {
			t.Errorf("%s: %v, and frames hold %d pieces of memory", name, err, g.memory.Load())
		}
	}
}

// TestEarlyTogether: streams launch one kernel while its machine code becomes ready.
func TestEarlyTogether(t *testing.T) {
	for range 20 {
		g := newGate(t, cpu.Options{Workers: 2})
		k := increment(t, 16, 64).compile(g.device)
		var all sync.WaitGroup
		for i := range 4 {
			room, s := upload(t, g.device, make([]int32, 64)), newStream(t, g.device)
			all.Go(func() {
				for n := range 40 {
					if i == 0 && n == 10 {
						g.open()
					}
					if err := errors.Join(s.Launch(k, [3]uint32{4, 1, 1}, []uint64{room.Address()}), s.Wait(t.Context())); err != nil {
						t.Error(err)
						return
					}
				}
				if got := elems[int32](room); got[0] != 40 || got[63] != 40 {
					t.Errorf("stream %d leaves %v", i, got)
				}
			})
		}
		all.Wait()
		cpu.Made(k)
		if cpu.Early(k) {
			t.Error("the variant that was interpreted is still there")
		}
	}
}

// TestEarlyProducts: matrix products have the same bits before and after.
func TestEarlyProducts(t *testing.T) {
	const n = 16
	g := newGate(t, cpu.Options{})
	k := gemmKernel(t, n, n, n, n, n, n).compile(g.device)
	x, y, z := upload(t, g.device, randomFloats(n*n, 1, 1)), upload(t, g.device, randomFloats(n*n, 1, 2)), upload(t, g.device, make([]float32, n*n))
	run := func() []float32 {
		if err := launch(t, g.device, k, [3]uint32{1, 1, 1}, x.Address(), y.Address(), z.Address()); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(elems[float32](z))
	}
	first := run()
	g.open()
	cpu.Made(k)
	if later := run(); !slices.Equal(first, later) || first[0] == 0 {
		t.Errorf("the first launch gives %v, a later one %v", first, later)
	}
}
