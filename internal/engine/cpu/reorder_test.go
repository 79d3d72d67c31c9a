package cpu_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// ordered is a kernel that stores to a buffer, loads it again and stores what it read plus one, twice: once in straight
// code and once in a loop. With tokens each operation waits for the one before.
func ordered(t *testing.T, tokens bool) *kernel {
	const n = 64
	p := tileir.PointerTile(tileir.I32)
	k := newKernel(t, p, p)
	s, tt := tileir.Tile(tileir.I32), tileir.Tile(tileir.I32, n)
	x, y := k.view(k.entry.Params[0], []int{n}, n), k.view(k.entry.Params[1], []int{n}, n)
	weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	zero := k.i32(0)
	one := constant(k, tt, int32(1))
	last := k.one("make_token", nil, nil, tileir.Token)
	after := func() vals {
		if tokens {
			return vals{last}
		}
		return nil
	}
	load := func(view *tileir.Value) *tileir.Value {
		r := k.opGroups("load_view_tko", []vals{{view}, {zero}, after()}, weak, nil, tt, tileir.Token)
		last = r[1]
		return r[0]
	}
	store := func(v, view *tileir.Value) {
		last = k.opGroups("store_view_tko", []vals{{v}, {view}, {zero}, after()}, weak, nil, tileir.Token)[0]
	}
	bump := func() {
		store(k.one("addi", vals{load(x), one}, nil, tt), y)
		store(k.one("muli", vals{load(y), load(y)}, nil, tt), x)
	}
	bump()
	start := last
	body := k.region([]tileir.Type{s, tileir.Token}, func(args vals) {
		last = args[1]
		bump()
		k.opGroups("continue", []vals{{last}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{zero}, {k.i32(2)}, {k.i32(1)}, {start}}, nil, []*tileir.Block{body}, tileir.Token)
	last = r[0]
	store(k.one("subi", vals{load(x), one}, nil, tt), x)
	k.ret()
	return k
}

func TestReorder(t *testing.T) {
	run := func(tokens bool, seed uint64) int32 {
		d := newDevice(t, cpu.Options{Workers: 1, Reorder: seed})
		x, y := upload(t, d, make([]int32, 64)), upload(t, d, make([]int32, 64))
		if err := launch(t, d, ordered(t, tokens).compile(d), [3]uint32{1, 1, 1}, x.Address(), y.Address()); err != nil {
			t.Fatal(err)
		}
		got := elems[int32](x)
		for i, v := range got {
			if v != got[0] {
				t.Fatalf("element %d is %d, element 0 is %d", i, v, got[0])
			}
		}
		return got[0]
	}
	const want = 24 // ((0+1)^2 + 1)^2 = 4, (4+1)^2 = 25, less one
	if got := run(false, 0); got != want {
		t.Errorf("in program order the result is %d, want %d", got, want)
	}
	caught := 0
	for seed := range uint64(50) {
		if got := run(true, seed); got != want {
			t.Errorf("seed %d: with tokens the result is %d, want %d", seed, got, want)
		}
		if run(false, seed) != want {
			caught++
		}
	}
	if caught == 0 {
		t.Error("no seed shows that tokens are missing")
	}
	t.Logf("missing tokens were caught by %d of 50 seeds", caught)
}

// TestReorderKernels runs what does not depend on memory order under many seeds: break, if, prints and assertions.
func TestReorderKernels(t *testing.T) {
	for seed := range uint64(20) {
		var out strings.Builder
		d := newDevice(t, cpu.Options{Workers: 1, Reorder: seed, Output: &out})
		p := tileir.PointerTile(tileir.F32)
		k := newKernel(t, p)
		i1 := tileir.Tile(tileir.I1)
		lt := attrs{"comparison_predicate": tileir.CompareLessThan, "signedness": tileir.Signed}
		print := func(text string) {
			k.opGroups("print_tko", []vals{nil}, attrs{"str": tileir.String(text)}, nil, tileir.Token)
		}
		print("a")
		k.one("addi", vals{k.i32(1), k.i32(2)}, nil, tileir.Tile(tileir.I32))
		print("b")
		cond := k.one("cmpi", vals{k.i32(1), k.i32(2)}, lt, i1)
		k.opGroups("if", []vals{{cond}}, nil, []*tileir.Block{k.region(nil, func(vals) { k.ret() }), nil})
		k.op("assert", vals{k.one("cmpi", vals{k.i32(2), k.i32(1)}, lt, i1)}, attrs{"message": tileir.String("after a return")})
		print("c")
		k.ret()
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, 0); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if out.String() != "ab" {
			t.Fatalf("seed %d: printed %q, want %q", seed, out.String(), "ab")
		}
	}
}

// endless is a kernel whose loops never end: every other block is in a loop, the others in a for within a loop.
func endless(t *testing.T) *kernel {
	k := newKernel(t)
	eq := attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}
	odd := k.one("andi", vals{k.ids()[0], k.i32(1)}, nil, tileir.Tile(tileir.I32))
	cond := k.one("cmpi", vals{odd, k.i32(0)}, eq, tileir.Tile(tileir.I1))
	next := func() { k.opGroups("continue", []vals{nil}, nil, nil) }
	forever := func(body func()) *tileir.Block {
		return k.region(nil, func(vals) {
			k.opGroups("loop", []vals{nil}, nil, []*tileir.Block{k.region(nil, func(vals) { body(); next() })})
			k.opGroups("yield", []vals{nil}, nil, nil)
		})
	}
	long := func() {
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32)}, func(vals) { next() })
		k.opGroups("for", []vals{{k.i32(0)}, {k.i32(1 << 30)}, {k.i32(1)}, nil}, nil, []*tileir.Block{body})
	}
	k.opGroups("if", []vals{{cond}}, nil, []*tileir.Block{forever(func() {}), forever(long)})
	k.ret()
	return k
}

func isStopped(err error) bool {
	var f *engine.Fault
	return errors.As(err, &f) && f.Text == "stopped" && f.Kernel == "k"
}

func TestStop(t *testing.T) {
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	one := [3]uint32{2, 1, 1}
	t.Run("Stop", func(t *testing.T) {
		d := newDevice(t, cpu.Options{Workers: 2})
		s, kern := newStream(t, d), endless(t).compile(d)
		s.Launch(kern, one, nil)
		s.Launch(kern, one, nil)
		if err := s.Wait(soon()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		s.(*cpu.Stream).Stop()
		if err := s.Wait(bg); !isStopped(err) {
			t.Fatal(err)
		}
		num := upload(t, d, make([]int32, 4)) // the stream is usable again
		s.Launch(increment(t, 4, 4).compile(d), [3]uint32{1, 1, 1}, []uint64{num.Address()})
		if err := s.Wait(bg); err != nil || elems[int32](num)[0] != 1 {
			t.Errorf("after a stop: %v, %v", err, elems[int32](num))
		}
		s.(*cpu.Stream).Stop() // with nothing to do
		s.Launch(increment(t, 4, 4).compile(d), [3]uint32{1, 1, 1}, []uint64{num.Address()})
		if err := s.Wait(bg); err != nil || elems[int32](num)[0] != 2 {
			t.Errorf("after an idle stop: %v, %v", err, elems[int32](num))
		}
	})
	t.Run("Close", func(t *testing.T) {
		d := newDevice(t, cpu.Options{Workers: 2})
		s := newStream(t, d)
		s.Launch(endless(t).compile(d), one, nil)
		if err := s.Wait(soon()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err := s.Close(); !isStopped(err) {
			t.Error(err)
		}
	})
	t.Run("Device", func(t *testing.T) {
		d := cpu.New(cpu.Options{Workers: 2})
		a, b := newStream(t, d), newStream(t, d)
		b.Launch(endless(t).compile(d), one, nil)
		done, _ := b.Record()
		a.WaitEvent(done)
		if err := b.Read(soon(), nil, upload(t, d, make([]byte, 4)), 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err := d.Close(); !isStopped(err) {
			t.Error(err)
		}
	})
	t.Run("StopOnCancel", func(t *testing.T) {
		d := newDevice(t, cpu.Options{Workers: 2, StopOnCancel: true})
		s := newStream(t, d)
		s.Launch(endless(t).compile(d), one, nil)
		if err := s.Wait(soon()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err := s.Wait(bg); !isStopped(err) {
			t.Error(err)
		}
	})
	t.Run("blocks", func(t *testing.T) { // without loops, between blocks
		d := newDevice(t, cpu.Options{Workers: 2, StopOnCancel: true})
		s := newStream(t, d)
		k := newKernel(t)
		k.ret()
		s.Launch(k.compile(d), [3]uint32{1 << 31, 1 << 10, 1}, nil)
		if err := s.Wait(soon()); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err := s.Wait(bg); !isStopped(err) {
			t.Error(err)
		}
	})
}
