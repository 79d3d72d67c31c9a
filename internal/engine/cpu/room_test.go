package cpu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/polls"
	"github.com/cutile-go/cutile/tileir"
)

// TestBlockMemory: what one block takes is bounded before anything is allocated, with the operation that takes most.
func TestBlockMemory(t *testing.T) {
	d := newDevice(t, cpu.Options{Limits: limit.Limits{BlockMemory: 1 << 20}})
	for name, test := range map[string]struct {
		build func(k *kernel)
		want  string
	}{
		"tiles": {func(k *kernel) {
			k.one("permute", vals{counted(k, 512, 512)}, attrs{"permutation": tileir.Ints{1, 0}}, tileir.Tile(tileir.F64, 512, 512))
		}, "makes 2097152 of them"},
		"alloca": {func(k *kernel) {
			k.one("alloca", nil, attrs{"num_elem": tileir.Int(1 << 40), "alignment": tileir.Int(16)}, tileir.PointerTile(tileir.F32))
		}, "alloca makes 4398046511104"},
		"allocas": {func(k *kernel) {
			for range 9 {
				k.one("alloca", nil, attrs{"num_elem": tileir.Int(1 << 61), "alignment": tileir.Int(16)}, tileir.PointerTile(tileir.F32))
			}
		}, "alloca"},
		"global": {func(k *kernel) {
			k.module.Globals = []*tileir.Global{{Name: "g", Value: &tileir.Constant{Type: tileir.Tile(tileir.F64, 1<<20), Data: make([]byte, 8)}}}
			k.one("get_global", nil, attrs{"name": tileir.String("g")}, tileir.PointerTile(tileir.F64))
		}, "globals up to g take 8388608 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKernel(t)
			test.build(k)
			k.ret()
			_, err := d.Compile(t.Context(), k.module, "k")
			var refused *cpu.CompileError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "Limits.BlockMemory") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want one with %q and the limit", err, test.want)
			}
		})
	}
}

// TestNoRoom: local memory that no buffer can have is an error of the launch, whatever the limit says.
func TestNoRoom(t *testing.T) {
	alloca := func(k *kernel, n int64) {
		k.one("alloca", nil, attrs{"num_elem": tileir.Int(n), "alignment": tileir.Int(16)}, tileir.PointerTile(tileir.I8))
	}
	for name, test := range map[string]struct {
		build func(k *kernel)
		want  string
	}{
		"alloca": {func(k *kernel) { alloca(k, 1<<40) }, "cpu: a buffer has between 0 and 2^38 bytes, not 1099511627776"},
		"a second alloca": {func(k *kernel) {
			alloca(k, 16)
			alloca(k, 1<<41)
		}, "cpu: a buffer has between 0 and 2^38 bytes, not 2199023255552"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 2, Limits: limit.Limits{BlockMemory: 1 << 60}})
			k := newKernel(t)
			test.build(k)
			k.ret()
			kern, err := d.Compile(t.Context(), k.module, "k")
			if err == nil {
				err = launch(t, d, kern, [3]uint32{3, 1, 1})
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestNumbersOfBuffers: where all numbers of buffers are in use, only that of a freed one can be had again.
func TestNumbersOfBuffers(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	old, other := upload(t, d, []int32{1}), upload(t, d, []int32{2})
	cpu.UseUp(d)
	if b, err := d.Alloc(4); err == nil || !strings.Contains(err.Error(), "cpu: there are 4194303 buffers already; free some") {
		t.Fatalf("%v, %v", b, err)
	}
	if err := old.Free(); err != nil {
		t.Fatal(err)
	}
	again, err := d.Alloc(4)
	if err != nil || again.Address() != old.Address() || elems[int32](again)[0] != 0 || elems[int32](other)[0] != 2 {
		t.Fatalf("%v, %v", again, err)
	}
	if _, err := d.Alloc(4); err == nil {
		t.Error("a number was had twice")
	}
	if err := other.Free(); err != nil {
		t.Fatal(err)
	}
	k := newKernel(t)
	for _, name := range []string{"a", "b"} {
		k.module.Globals = append(k.module.Globals, &tileir.Global{Name: name, Value: &tileir.Constant{Type: tileir.Tile(tileir.I32, 4), Data: make([]byte, 16)}})
		k.one("get_global", nil, attrs{"name": tileir.String(name)}, tileir.PointerTile(tileir.I32))
	}
	k.ret()
	if _, err := d.Compile(t.Context(), k.module, "k"); err == nil || !strings.Contains(err.Error(), "buffers already") {
		t.Fatalf("two globals and one number: %v", err)
	}
	if _, err := d.Alloc(4); err != nil {
		t.Errorf("a kernel that was refused keeps a global: %v", err)
	}
}

// TestCompileHonoursContext: the engine's own compiler ends with its context, wherever it looks at it.
func TestCompileHonoursContext(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	k := newKernel(t)
	for range 20 {
		bigOps["permute"](k)
	}
	k.ret()
	polls.Each(t, 60, func(ctx context.Context) error {
		_, err := d.Compile(ctx, k.module, "k")
		return err
	})
}

// TestSharedConstants: constants that share room give the same results as those with a place of their own, and so do
// blocks of which few run at a time.
func TestSharedConstants(t *testing.T) {
	const n = 1 << 20
	d := newDevice(t, cpu.Options{Workers: 4, Limits: limit.Limits{BlockMemory: 80 << 20}})
	k := newKernel(t, tileir.PointerTile(tileir.F64))
	tt := tileir.Tile(tileir.F64, 1024, 1024)
	sum := constant(k, tt, 0.0)
	for i := range 20 { // 8 MiB each
		c := constant(k, tt, float64(i+1))
		p := k.one("permute", vals{c}, attrs{"permutation": tileir.Ints{1, 0}}, tt)
		sum = k.one("addf", vals{sum, p}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tt)
	}
	view := k.view(k.entry.Params[0], []int{1024, 1024}, 1024, 1024)
	k.store(sum, view, k.i32(0), k.i32(0))
	k.ret()
	out := upload(t, d, make([]float64, n))
	if err := launch(t, d, k.compile(d), [3]uint32{3, 1, 1}, out.Address()); err != nil {
		t.Fatal(err)
	}
	for i, v := range elems[float64](out) {
		if v != 210 {
			t.Fatalf("element %d is %v, want 210", i, v)
		}
	}
}
