package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

var bg = context.Background()

func newStream(t testing.TB, d *cpu.Device) engine.Stream {
	t.Helper()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// increment is a kernel that adds one to a tile of n numbers a block.
func increment(t testing.TB, n int, total int64) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	v := k.view(k.entry.Params[0], []int{n}, total)
	id := k.ids()[0]
	tt := tileir.Tile(tileir.I32, n)
	k.store(k.one("addi", vals{k.load(v, id), constant(k, tt, int32(1))}, nil, tt), v, id)
	k.ret()
	return k
}

func TestStreamOrder(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 3})
	const n = 1 << 14
	kern := increment(t, 256, n).compile(d)
	s := newStream(t, d)
	a, b := upload(t, d, make([]int32, n)), upload(t, d, make([]int32, n))
	src := make([]int32, n)
	for i := range src {
		src[i] = int32(i)
	}
	for range 40 {
		if err := s.Write(a, 0, bytesOf(src)); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if err := s.Launch(kern, [3]uint32{n / 256, 1, 1}, []uint64{a.Address()}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Copy(b, 4, a, 0, 4*(n-1)); err != nil {
			t.Fatal(err)
		}
		for i := range src { // Write has taken a copy
			src[i]++
		}
	}
	got := make([]int32, n)
	if err := s.Read(bg, bytesOf(got), b, 0); err != nil {
		t.Fatal(err)
	}
	for i, v := range got[1:] {
		if v != int32(i)+39+5 {
			t.Fatalf("element %d is %d, want %d", i+1, v, i+44)
		}
	}
}

func TestFaultIsReportedOnce(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 4})
	k := newKernel(t, tileir.PointerTile(tileir.F32))
	k.store(constant(k, tileir.Tile(tileir.F32, 16), float32(1)), k.view(k.entry.Params[0], []int{16}, 1<<20), k.ids()[0])
	k.ret()
	kern := k.compile(d)
	buf := upload(t, d, make([]float32, 16*100))
	good := increment(t, 4, 4).compile(d)
	num := upload(t, d, make([]int32, 4))
	s := newStream(t, d)
	for round := range 20 {
		s.Launch(kern, [3]uint32{1000, 1, 1}, []uint64{buf.Address()})
		s.Launch(good, [3]uint32{1, 1, 1}, []uint64{num.Address()}) // skipped
		err := s.Wait(bg)
		var f *engine.Fault
		if !errors.As(err, &f) || f.Block[0] < 100 || f.Block[0] > 200 {
			t.Fatalf("%v", err)
		}
		if err := s.Wait(bg); err != nil {
			t.Fatalf("second Wait: %v", err)
		}
		s.Launch(good, [3]uint32{1, 1, 1}, []uint64{num.Address()})
		if err := s.Wait(bg); err != nil {
			t.Fatal(err)
		}
		if got := elems[int32](num)[0]; got != int32(round+1) {
			t.Fatalf("%d increments, want %d", got, round+1)
		}
	}
	s.Launch(kern, [3]uint32{1000, 1, 1}, []uint64{buf.Address()})
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "outside memory") {
		t.Errorf("Close: %v", err)
	}
}

func TestFirstFault(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 1})
	k := newKernel(t)
	lt := attrs{"comparison_predicate": tileir.CompareLessThan, "signedness": tileir.Signed}
	ok := k.one("cmpi", vals{k.ids()[0], k.i32(37)}, lt, tileir.Tile(tileir.I1))
	k.op("assert", vals{ok}, attrs{"message": tileir.String("x")})
	k.ret()
	err := launch(t, d, k.compile(d), [3]uint32{1000, 1, 1})
	var f *engine.Fault
	if !errors.As(err, &f) || f.Block[0] != 37 {
		t.Errorf("%v", err)
	}
}

// spin is a kernel that waits until a number in memory is no longer zero.
func spin(t testing.TB) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	s := tileir.Tile(tileir.I32)
	zero := k.i32(0)
	body := k.region(nil, func(vals) {
		v := k.op("load_ptr_tko", k.entry.Params, attrs{"memory_ordering_semantics": tileir.MemoryAcquire, "memory_scope": tileir.ScopeDevice}, s, tileir.Token)[0]
		ne := k.one("cmpi", vals{v, zero}, attrs{"comparison_predicate": tileir.CompareNotEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
		k.opGroups("if", []vals{{ne}}, nil, []*tileir.Block{k.region(nil, func(vals) { k.opGroups("break", []vals{{}}, nil, nil) }), nil})
		k.opGroups("continue", []vals{{}}, nil, nil)
	})
	k.opGroups("loop", []vals{{}}, nil, []*tileir.Block{body})
	k.ret()
	return k
}

// release is a kernel that sets that number.
func release(t testing.TB) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	k.op("store_ptr_tko", vals{k.entry.Params[0], k.i32(1)}, attrs{"memory_ordering_semantics": tileir.MemoryRelease, "memory_scope": tileir.ScopeDevice}, tileir.Token)
	k.ret()
	return k
}

func TestAsynchronousAndContext(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 2})
	flag := upload(t, d, make([]int32, 1))
	wait, set := spin(t).compile(d), release(t).compile(d)
	a, b := newStream(t, d), newStream(t, d)
	if err := a.Launch(wait, [3]uint32{1, 1, 1}, []uint64{flag.Address()}); err != nil {
		t.Fatal(err)
	}
	done, err := a.Record()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
	defer cancel()
	if err := a.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %v", err)
	}
	if err := done.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || done.Done() {
		t.Errorf("event: %v", err)
	}
	if err := a.Read(ctx, make([]byte, 4), flag, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Read: %v", err)
	}
	first, _ := b.Record()
	if err := b.Launch(set, [3]uint32{1, 1, 1}, []uint64{flag.Address()}); err != nil {
		t.Fatal(err)
	}
	if err := b.WaitEvent(done); err != nil {
		t.Fatal(err)
	}
	last, _ := b.Record()
	if err := b.Wait(bg); err != nil {
		t.Fatal(err)
	}
	if !done.Done() || !last.Done() {
		t.Error("events are not done")
	}
	if ns, err := last.Elapsed(first); err != nil || ns < 0 {
		t.Errorf("elapsed %d, %v", ns, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Launch(set, [3]uint32{1, 1, 1}, []uint64{0}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("launch on a closed stream: %v", err)
	}
}

// TestWorkersOfTheProgram: a device takes as many workers as the program may run, and leaves that number alone.
func TestWorkersOfTheProgram(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if d := newDevice(t, cpu.Options{}); !strings.Contains(d.Description(), "3 workers") || runtime.GOMAXPROCS(0) != 3 {
		t.Errorf("%s, GOMAXPROCS is %d", d.Description(), runtime.GOMAXPROCS(0))
	}
}

// TestDescription: a device names the level of its machine code, or says why it interprets.
func TestDescription(t *testing.T) {
	for _, c := range []struct {
		env  string
		o    cpu.Options
		want string
	}{
		{"", cpu.Options{Interpret: true}, "interpreter (the program asks for it)"},
		{"", cpu.Options{CheckAssumes: true}, "interpreter (it checks what kernels promise)"},
		{"interpreter", cpu.Options{}, "interpreter (CUTILE_CPU=interpreter asks for it)"},
		{"native", cpu.Options{}, "interpreter (there is no machine code for level neon)"},
	} {
		t.Setenv("CUTILE_CPU", c.env)
		if target, err := host.Choose(); err != nil {
			t.Fatal(err)
		} else if c.env == "native" && runtime.GOARCH == "amd64" {
			c.want = target.Level.String()
		}
		c.o.Workers = 2
		if got, want := newDevice(t, c.o).Description(), fmt.Sprintf("%s/%s %s", runtime.GOOS, runtime.GOARCH, c.want); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ", 2 workers") {
			t.Errorf("CUTILE_CPU=%q, %+v: %q, want %q", c.env, c.o, got, want)
		}
	}
}

func TestWrongCalls(t *testing.T) {
	d, other := newDevice(t, cpu.Options{}), newDevice(t, cpu.Options{})
	kern := increment(t, 4, 4).compile(d)
	s, o := newStream(t, d), newStream(t, other)
	buf := upload(t, d, make([]int32, 4))
	for _, c := range []struct {
		err  error
		want string
	}{
		{s.Launch(kern, [3]uint32{1, 1, 1}, nil), "takes 1 arguments, but got 0"},
		{s.Launch(kern, [3]uint32{0, 1, 1}, []uint64{0}), "every extent of the grid must be at least 1, but got [0 1 1]"},
		{s.Launch(kern, [3]uint32{1, 1, 0}, []uint64{0}), "every extent of the grid must be at least 1, but got [1 1 0]"},
		{s.Launch(kern, [3]uint32{1, 0, 1}, []uint64{0}), "every extent of the grid must be at least 1"},
		{s.Launch(kern, [3]uint32{1 << 31, 1 << 31, 8}, []uint64{0}), "more than 2^62 blocks"},
		{o.Launch(kern, [3]uint32{1, 1, 1}, []uint64{0}), "another device"},
		{s.Write(buf, 10, make([]byte, 8)), "bytes 10 to 18 of a buffer of 16 bytes"},
		{o.Write(buf, 0, nil), "another device"},
		{s.Copy(buf, 0, buf, -1, 2), "bytes -1 to 1"},
		{s.Read(bg, make([]byte, 20), buf, 0), "bytes 0 to 20"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	if _, err := d.Alloc(-1); err == nil || !strings.Contains(err.Error(), "between 0 and") {
		t.Error(err)
	}
	if b, err := d.Alloc(1 << 37); err == nil { // some systems promise anything
		b.Free()
	} else if !strings.Contains(err.Error(), "cannot allocate 137438953984 bytes") {
		t.Errorf("128 GiB: %v", err)
	}
	gone := cpu.New(cpu.Options{})
	if err := gone.Close(); err != nil {
		t.Error(err)
	}
	if _, err := gone.Alloc(1); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Alloc on a closed device: %v", err)
	}
	if _, err := gone.NewStream(); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("NewStream on a closed device: %v", err)
	}
	if d.Name() != "cpu" || d.Target() != "cpu" || !strings.Contains(d.Description(), "workers") {
		t.Error("the device has the wrong name")
	}
	if b := upload(t, d, make([]byte, 3)); b.Address()%256 != 0 || b.Size() != 3 || len(b.Host()) != 3 {
		t.Error("the buffer is wrong")
	}
}

// TestLaunchAllocatesNothing counts allocations of a launch and a wait, in steady state, for one block and for many.
func TestLaunchAllocatesNothing(t *testing.T) {
	if testenv.Race() {
		t.Skip("the race detector allocates")
	}
	d := newDevice(t, cpu.Options{Workers: 2})
	gemm := gemmKernel(t, 64, 64, 64, 16, 16, 16).compile(d)
	add := increment(t, 64, 1<<14).compile(d)
	fused := fusedKernel(t, 256).compile(d)
	buf := upload(t, d, make([]float32, 3*64*64))
	base := buf.Address()
	s := newStream(t, d)
	for _, c := range []struct {
		name string
		k    engine.Kernel
		grid [3]uint32
		args []uint64
	}{
		{"one block", add, [3]uint32{1, 1, 1}, []uint64{base}}, {"many blocks", add, [3]uint32{100, 1, 1}, []uint64{base}},
		{"gemm", gemm, [3]uint32{4, 4, 1}, []uint64{base, base + 4*64*64, base + 8*64*64}},
		{"fused", fused, [3]uint32{8, 1, 1}, []uint64{base}},
	} {
		run := func() {
			s.Launch(c.k, c.grid, c.args)
			s.Launch(c.k, c.grid, c.args)
			if err := s.Wait(bg); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			run()
		}
		if n := testing.AllocsPerRun(50, run); n >= 1 {
			t.Errorf("%s: %v allocations per launch", c.name, n)
		}
	}
}

// fusedKernel has reductions, scans, gathers, conversions and control flow: whatever may allocate.
func fusedKernel(t testing.TB, n int) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.F32))
	f, s := tileir.Tile(tileir.F32), tileir.Tile(tileir.I32)
	id := k.ids()[0]
	x := k.load(k.view(k.entry.Params[0], []int{n}, int64(8*n)), id)
	at := k.one("iota", nil, nil, tileir.Tile(tileir.I32, n))
	base := k.one("broadcast", vals{k.one("reshape", k.entry.Params[:1], nil, tileir.PointerTile(tileir.F32, 1))}, nil, tileir.PointerTile(tileir.F32, n))
	ps := k.one("offset", vals{base, at}, nil, tileir.PointerTile(tileir.F32, n))
	y := k.op("load_ptr_tko", vals{ps}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, tileir.Tile(tileir.F32, n), tileir.Token)[0]
	add := func(e, a *tileir.Value) *tileir.Value { return k.one("addf", vals{e, a}, nearest, f) }
	run := k.fold("scan", y, 0, attrs{"reverse": tileir.Bool(false)}, tileir.Tile(tileir.F32, n), add)
	half := k.one("ftof", vals{run}, nearest, tileir.Tile(tileir.F16, n))
	back := k.one("ftof", vals{half}, nearest, tileir.Tile(tileir.F32, n))
	sum := k.fold("reduce", back, 0, nil, f, add)
	best := k.argmax(x, at, 0, nil)
	body := k.region([]tileir.Type{s, f, s}, func(a vals) {
		k.opGroups("continue", []vals{{k.one("addf", vals{a[1], sum}, nearest, f), best[1]}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {sum, best[1]}}, nil, []*tileir.Block{body}, f, s)
	wide := k.one("broadcast", vals{k.one("reshape", r[:1], nil, tileir.Tile(tileir.F32, 1))}, nil, tileir.Tile(tileir.F32, n))
	zero := constant(k, tileir.Tile(tileir.F32, n), float32(0))
	out := k.one("mulf", vals{wide, zero}, nearest, tileir.Tile(tileir.F32, n))
	k.opGroups("atomic_rmw_tko", []vals{{ps}, {out}}, attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": tileir.AtomicAddF}, nil, tileir.Tile(tileir.F32, n), tileir.Token)
	k.ret()
	return k
}

// TestManyStreams runs kernels on several streams at once and checks that none disturbs another.
func TestManyStreams(t *testing.T) {
	d := newDevice(t, cpu.Options{Workers: 3})
	const n = 1 << 12
	kern := increment(t, 64, n).compile(d)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := d.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			b, err := d.Alloc(4 * n)
			if err != nil {
				t.Error(err)
				return
			}
			for range 30 {
				s.Launch(kern, [3]uint32{n / 64, 1, 1}, []uint64{b.Address()})
			}
			got := make([]int32, n)
			if err := s.Read(bg, bytesOf(got), b, 0); err != nil {
				t.Error(err)
			}
			for i, v := range got {
				if v != 30 {
					t.Errorf("element %d is %d", i, v)
					break
				}
			}
			b.Free()
		})
	}
	wg.Wait()
}

// TestWorkersDoNotMatter compares results of different numbers of workers bit by bit.
func TestWorkersDoNotMatter(t *testing.T) {
	var want []float32
	for _, workers := range []int{1, 2, 5} {
		d := newDevice(t, cpu.Options{Workers: workers})
		x := make([]float32, 96*96)
		for i := range x {
			x[i] = float32(i*7919%1000) / 37
		}
		a, b, c := upload(t, d, x), upload(t, d, x), upload(t, d, make([]float32, 96*96))
		if err := launch(t, d, gemmKernel(t, 96, 96, 96, 8, 16, 32).compile(d), [3]uint32{12, 6, 1}, a.Address(), b.Address(), c.Address()); err != nil {
			t.Fatal(err)
		}
		got := append([]float32(nil), elems[float32](c)...)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%d workers: element %d is %v, want %v", workers, i, got[i], want[i])
			}
		}
		want = got
	}
}
