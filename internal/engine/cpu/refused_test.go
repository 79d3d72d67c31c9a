package cpu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestRefusedModules: modules that the verifier would not let through, or that go beyond this engine, are errors with the
// place, not panics.
func TestRefusedModules(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	ptr := func(e tileir.Elem) *tileir.TileType { return tileir.PointerTile(e) }
	value := func(k *kernel, tt *tileir.TileType, n int) *tileir.Value {
		return k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tt, Data: make([]byte, n)}}, tt)
	}
	device := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice}
	for want, build := range map[string]func(k *kernel){
		"a constant of 8 i32 elements has 8 bytes, but 32 were expected": func(k *kernel) { value(k, tileir.Tile(tileir.I32, 8), 8) },
		"a constant of 16 i1 elements has 3 bytes, but 2 were expected":  func(k *kernel) { value(k, tileir.Tile(tileir.I1, 16), 3) },
		"does not support constant: it has no value":                     func(k *kernel) { k.one("constant", nil, nil, tileir.Tile(tileir.I32, 4)) },
		"does not support addi of tile<4xi4>: it has no arithmetic":      func(k *kernel) { v := value(k, tileir.Tile(tileir.I4, 4), 4); k.one("addi", vals{v, v}, nil, v.Type) },
		"does not support addf of tile<4xi32>: it does not implement these attributes": func(k *kernel) {
			v := value(k, tileir.Tile(tileir.I32, 4), 16)
			k.one("addf", vals{v, v}, nearest, v.Type)
		},
		"does not support offset of tile<f32>: an offset must be an integer": func(k *kernel) {
			k.one("offset", vals{k.entry.Params[0], value(k, tileir.Tile(tileir.F32), 4)}, nil, ptr(tileir.I32))
		},
		"does not support offset of tile<i4>: an offset must be an integer": func(k *kernel) {
			k.one("offset", vals{k.entry.Params[0], value(k, tileir.Tile(tileir.I4), 1)}, nil, ptr(tileir.I32))
		},
		"does not support atomic_rmw_tko of tile<i16>: it does not implement this atomic": func(k *kernel) { k.swap16("atomic_rmw_tko", device) },
		"does not support atomic_cas_tko of tile<i16>: elements must have 4 or 8 bytes":   func(k *kernel) { k.swap16("atomic_cas_tko", device) },
		"does not support ftof of tile<4xi32>: it cannot convert from": func(k *kernel) {
			k.one("ftof", vals{value(k, tileir.Tile(tileir.I32, 4), 16)}, nearest, tileir.Tile(tileir.F32, 4))
		},
		"does not support ftof of tile<4xi32>: it cannot convert to": func(k *kernel) {
			k.one("ftof", vals{value(k, tileir.Tile(tileir.F32, 4), 16)}, nearest, tileir.Tile(tileir.I32, 4))
		},
		"does not support ftoi of tile<4xi32>: it cannot convert from": func(k *kernel) {
			k.one("ftoi", vals{value(k, tileir.Tile(tileir.I32, 4), 16)}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I32, 4))
		},
		"does not support itof of tile<4xi32>: it cannot convert to": func(k *kernel) {
			k.one("itof", vals{value(k, tileir.Tile(tileir.I32, 4), 16)}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I32, 4))
		},
		"does not support mmaf of tile<4x4xi32>: it cannot multiply": func(k *kernel) {
			v := value(k, tileir.Tile(tileir.I32, 4, 4), 64)
			k.one("mmaf", vals{v, v, value(k, tileir.Tile(tileir.F32, 4, 4), 64)}, nil, tileir.Tile(tileir.F32, 4, 4))
		},
		"does not support reduce: it has more than 8 operands": func(k *kernel) {
			var in vals
			var args []tileir.Type
			var out []tileir.Type
			for range 9 {
				in, args, out = append(in, value(k, tileir.Tile(tileir.I32, 64), 256)), append(args, tileir.Tile(tileir.I32), tileir.Tile(tileir.I32)), append(out, tileir.Tile(tileir.I32))
			}
			body := k.region(args, func(a vals) { k.opGroups("yield", []vals{a[:9]}, nil, nil) })
			k.opGroups("reduce", []vals{in}, attrs{"dim": tileir.Int(0)}, []*tileir.Block{body}, out...)
		},
		"does not support load_view_tko of partition_view<tile=(4), padding_value = nan, tensor_view<8xi32, strides=[1]>>: it does not have this padding value for this element type": func(k *kernel) {
			k.load(k.partition(k.entry.Params[0], []int{4}, nil, tileir.PadNaN, []int64{8}, []int64{1}), k.i32(0))
		},
		"its rank is above 8": func(k *kernel) {
			tv := &tileir.TensorViewType{Elem: tileir.I32, Shape: make([]int64, 9), Strides: make([]int64, 9)}
			k.one("make_tensor_view", vals{k.entry.Params[0]}, nil, tv)
		},
	} {
		for where, within := range enclosing {
			k := newKernel(t, ptr(tileir.I32), ptr(tileir.I16))
			within(k, func() { build(k) })
			k.ret()
			_, err := d.Compile(t.Context(), k.module, "k")
			var ce *cpu.CompileError
			if !errors.As(err, &ce) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "kernel k: k.ir:") {
				t.Errorf("%s: %v, want %q", where, err, want)
			}
		}
	}
}

// enclosing are the places where an operation may stand.
var enclosing = map[string]func(k *kernel, build func()){
	"the kernel": func(_ *kernel, build func()) { build() },
	"for": func(k *kernel, build func()) {
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32)}, func(vals) {
			build()
			k.opGroups("continue", []vals{nil}, nil, nil)
		})
		k.opGroups("for", []vals{{k.i32(0)}, {k.i32(2)}, {k.i32(1)}, nil}, nil, []*tileir.Block{body})
	},
	"loop": func(k *kernel, build func()) {
		body := k.region(nil, func(vals) {
			build()
			k.opGroups("break", []vals{nil}, nil, nil)
		})
		k.opGroups("loop", []vals{nil}, nil, []*tileir.Block{body})
	},
	"then": func(k *kernel, build func()) { k.branch(build, func() {}) },
	"else": func(k *kernel, build func()) { k.branch(func() {}, build) },
	"a reduction": func(k *kernel, build func()) {
		k.fold("reduce", constant(k, tileir.Tile(tileir.I32, 8), int32(1)), 0, nil, tileir.Tile(tileir.I32), func(elem, acc *tileir.Value) *tileir.Value {
			build()
			return k.one("addi", vals{elem, acc}, nil, elem.Type)
		})
	},
	"a scan": func(k *kernel, build func()) {
		k.fold("scan", constant(k, tileir.Tile(tileir.I32, 8), int32(1)), 0, attrs{"reverse": tileir.Bool(true)}, tileir.Tile(tileir.I32, 8), func(elem, acc *tileir.Value) *tileir.Value {
			build()
			return k.one("addi", vals{elem, acc}, nil, elem.Type)
		})
	},
}

func (k *kernel) branch(then, otherwise func()) {
	block := func(build func()) *tileir.Block {
		return k.region(nil, func(vals) {
			build()
			k.opGroups("yield", []vals{nil}, nil, nil)
		})
	}
	k.opGroups("if", []vals{{k.bools(true)}}, nil, []*tileir.Block{block(then), block(otherwise)})
}

// TestRefusedInStrips: operations on many elements, which are done strip by strip, are refused in the same way.
func TestRefusedInStrips(t *testing.T) {
	const n = 1 << 16
	for want, build := range map[string]func(k *kernel, x, y *tileir.Value) *tileir.Value{
		"addf of tile<65536xi32>: it does not implement these attributes": func(k *kernel, x, y *tileir.Value) *tileir.Value { return k.one("addf", vals{x, y}, nearest, x.Type) },
		"ftof of tile<65536xi32>: it cannot convert from": func(k *kernel, x, _ *tileir.Value) *tileir.Value {
			return k.one("ftof", vals{x}, nearest, x.Type)
		},
		"itof of tile<65536xi32>: it cannot convert to": func(k *kernel, x, _ *tileir.Value) *tileir.Value {
			return k.one("itof", vals{x}, attrs{"signedness": tileir.Signed}, x.Type)
		},
	} {
		d := newDevice(t, cpu.Options{})
		p := tileir.PointerTile(tileir.I32)
		k := newKernel(t, p, p, p)
		x, y := k.load(k.view(k.entry.Params[0], []int{n}, n), k.i32(0)), k.load(k.view(k.entry.Params[1], []int{n}, n), k.i32(0))
		v := k.one("addi", vals{x, y}, nil, x.Type)
		v = k.one("addi", vals{build(k, v, x), y}, nil, x.Type)
		k.store(v, k.view(k.entry.Params[2], []int{n}, n), k.i32(0))
		k.ret()
		if _, err := d.Compile(t.Context(), k.module, "k"); err == nil || !strings.Contains(err.Error(), "does not support "+want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func (k *kernel) swap16(op string, as attrs) {
	tt := tileir.Tile(tileir.I16)
	v := k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tt, Data: make([]byte, 2)}}, tt)
	if op == "atomic_rmw_tko" {
		k.opGroups(op, []vals{{k.entry.Params[1]}, {v}}, attrs{"mode": tileir.AtomicAdd, "memory_ordering_semantics": as["memory_ordering_semantics"], "memory_scope": as["memory_scope"]}, nil, tt, tileir.Token)
		return
	}
	k.opGroups(op, []vals{{k.entry.Params[1]}, {v}, {v}}, as, nil, tt, tileir.Token)
}

// TestRefusedGlobals: a module's memory is checked before it is made, and only what the kernel uses.
func TestRefusedGlobals(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for name, want := range map[string]string{
		"short": "global short: a constant of 4 i32 elements has 8 bytes, but 16 were expected", "good": "",
	} {
		k := newKernel(t)
		for n, bytes := range map[string]int{"short": 8, "good": 16} {
			k.module.Globals = append(k.module.Globals, &tileir.Global{Name: n, Value: &tileir.Constant{Type: tileir.Tile(tileir.I32, 4), Data: make([]byte, bytes)}})
		}
		k.one("get_global", nil, attrs{"name": tileir.String(name)}, tileir.PointerTile(tileir.I32))
		k.ret()
		kern, err := d.Compile(t.Context(), k.module, "k")
		if want == "" && err == nil {
			err = kern.Close()
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestClosedStream: every call on a closed stream says so, and calls that mix devices are refused before they wait.
func TestClosedStream(t *testing.T) {
	d, other := newDevice(t, cpu.Options{}), newDevice(t, cpu.Options{})
	kern := increment(t, 4, 4).compile(d)
	buf, foreign := upload(t, d, make([]int32, 4)), upload(t, other, make([]int32, 4))
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	open, o := newStream(t, d), newStream(t, other)
	event, err := open.Record()
	if err != nil {
		t.Fatal(err)
	}
	late, err := o.Record()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []engine.Event{event, late} {
		if err := e.Wait(t.Context()); err != nil || !e.Done() {
			t.Fatal(err)
		}
	}
	if n, err := event.Elapsed(event); n != 0 || err != nil {
		t.Errorf("from an event to itself: %d, %v", n, err)
	}
	_, elapsed := event.Elapsed(late)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, record := s.Record()
	for i, c := range []struct {
		err  error
		want string
	}{
		{s.Launch(kern, [3]uint32{1, 1, 1}, []uint64{buf.Address()}), "cpu: closed"},
		{s.Write(buf, 0, make([]byte, 4)), "cpu: closed"}, {s.Copy(buf, 0, buf, 4, 4), "cpu: closed"},
		{s.Read(t.Context(), make([]byte, 4), buf, 0), "cpu: closed"}, {record, "cpu: closed"}, {s.WaitEvent(event), "cpu: closed"},
		{s.Wait(t.Context()), "cpu: closed"}, {s.Close(), "cpu: closed"},
		{elapsed, "cpu: the events belong to different devices"},
		{open.WaitEvent(strangeEvent{}), "cpu: the event belongs to another engine"},
		{open.Copy(buf, 0, foreign, 0, 4), "cpu: the buffer belongs to another device"},
		{open.Copy(foreign, 0, buf, 0, 4), "cpu: the buffer belongs to another device"},
		{open.Copy(buf, 0, buf, 20, 1), "bytes 20 to 21 of a buffer of 16 bytes"}, {open.Copy(buf, 0, buf, 16, 0), ""},
		{open.Write(buf, 12, make([]byte, 4)), ""}, {open.Write(buf, 13, make([]byte, 4)), "bytes 13 to 17"},
		{open.Read(t.Context(), make([]byte, 4), foreign, 0), "cpu: the buffer belongs to another device"},
		{buf.Free(), ""}, {buf.Free(), "cpu: the buffer of 16 bytes was freed before"},
	} {
		if (c.err != nil) != (c.want != "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("call %d: %v, want %q", i, c.err, c.want)
		}
	}
}

type strangeEvent struct{ engine.Event }

// TestEarlyEvent: the time up to an event that has not happened is an error; waiting for it can be given up.
func TestEarlyEvent(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	s := newStream(t, d)
	flag := upload(t, d, make([]int32, 1))
	before, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Launch(spin(t).compile(d), [3]uint32{1, 1, 1}, []uint64{flag.Address()}); err != nil {
		t.Fatal(err)
	}
	after, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.Elapsed(before); err == nil || !strings.Contains(err.Error(), "has not happened yet") {
		t.Error(err)
	}
	s.(engine.Stopping).Stop()
	if err := s.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Error(err)
	}
	if n, err := after.Elapsed(before); err != nil || n < 0 || !after.Done() {
		t.Errorf("%d, %v", n, err)
	}
}
