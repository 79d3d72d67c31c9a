package cpu_test

import (
	"context"
	"math"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

type (
	vals  = []*tileir.Value
	attrs = map[string]tileir.Attr
)

// kernel builds an entry operation by operation.
type kernel struct {
	t      testing.TB
	entry  *tileir.Entry
	module *tileir.Module
	block  *tileir.Block
	line   int
}

func newKernel(t testing.TB, params ...tileir.Type) *kernel {
	e := &tileir.Entry{Name: "k", Body: &tileir.Block{}}
	for _, p := range params {
		e.Params = append(e.Params, &tileir.Value{Type: p})
	}
	return &kernel{t: t, entry: e, block: e.Body, module: &tileir.Module{Entries: []*tileir.Entry{e}}}
}

// op adds an operation whose operands are all required.
func (k *kernel) op(name string, operands vals, as attrs, results ...tileir.Type) vals {
	groups := make([]vals, len(operands))
	for i, v := range operands {
		groups[i] = vals{v}
	}
	return k.opGroups(name, groups, as, nil, results...)
}

func (k *kernel) opGroups(name string, groups []vals, as attrs, regions []*tileir.Block, results ...tileir.Type) vals {
	k.t.Helper()
	in := tileir.Lookup(name)
	if in == nil {
		k.t.Fatalf("no operation %q", name)
	}
	list := make([]tileir.Attr, len(in.Attrs))
	for n, a := range as {
		i := in.AttrIndex(n)
		if i < 0 {
			k.t.Fatalf("%s has no attribute %q", name, n)
		}
		list[i] = a
	}
	k.line++
	op := tileir.NewOp(in, groups, list, results, regions, tileir.Loc{File: "k.ir", Line: k.line, Col: 1})
	k.block.Ops = append(k.block.Ops, op)
	return op.Results
}

func (k *kernel) one(name string, operands vals, as attrs, result tileir.Type) *tileir.Value {
	k.t.Helper()
	return k.op(name, operands, as, result)[0]
}

// region builds a block with arguments.
func (k *kernel) region(args []tileir.Type, body func(args vals)) *tileir.Block {
	outer := k.block
	b := &tileir.Block{}
	for _, a := range args {
		b.Args = append(b.Args, &tileir.Value{Type: a})
	}
	k.block = b
	body(b.Args)
	k.block = outer
	return b
}

// constant makes a constant of elements, or of one element for all.
func constant[E any](k *kernel, t *tileir.TileType, elems ...E) *tileir.Value {
	return k.one("constant", nil, attrs{"value": &tileir.Constant{Type: t, Data: bytesOf(elems)}}, t)
}

func (k *kernel) i32(v int32) *tileir.Value { return constant(k, tileir.Tile(tileir.I32), v) }

// bools makes a constant of truth values.
func (k *kernel) bools(v ...bool) *tileir.Value {
	data := make([]byte, (len(v)+7)/8)
	for i, b := range v {
		if b {
			data[i/8] |= 1 << (i % 8)
		}
	}
	var shape []int
	if len(v) > 1 {
		shape = []int{len(v)}
	}
	t := tileir.Tile(tileir.I1, shape...)
	return k.one("constant", nil, attrs{"value": &tileir.Constant{Type: t, Data: data}}, t)
}

// view makes a dense tensor view and a partition view over it.
func (k *kernel) view(base *tileir.Value, tile []int, shape ...int64) *tileir.Value {
	strides, n := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i], n = n, n*shape[i]
	}
	return k.partition(base, tile, nil, tileir.PadZero, shape, strides)
}

func (k *kernel) partition(base *tileir.Value, tile, dims []int, pad tileir.Padding, shape, strides []int64) *tileir.Value {
	tv := &tileir.TensorViewType{Elem: base.Type.(*tileir.TileType).Elem, Shape: shape, Strides: strides}
	v := k.one("make_tensor_view", vals{base}, nil, tv)
	if dims == nil {
		for i := range tile {
			dims = append(dims, i)
		}
	}
	return k.one("make_partition_view", vals{v}, nil, &tileir.PartitionViewType{Tile: tile, Tensor: tv, DimMap: dims, Padding: pad})
}

func (k *kernel) load(view *tileir.Value, index ...*tileir.Value) *tileir.Value {
	t := view.Type.(tileir.ViewType).TileType()
	return k.opGroups("load_view_tko", []vals{{view}, index}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, t, tileir.Token)[0]
}

func (k *kernel) store(v, view *tileir.Value, index ...*tileir.Value) {
	k.opGroups("store_view_tko", []vals{{v}, {view}, index}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, tileir.Token)
}

func (k *kernel) ids() vals {
	s := tileir.Tile(tileir.I32)
	return k.op("get_tile_block_id", nil, nil, s, s, s)
}

func (k *kernel) ret() { k.op("return", nil, nil) }

// setup compiles the kernel on a device.
func (k *kernel) compile(d *cpu.Device) engine.Kernel {
	k.t.Helper()
	if err := tileir.Verify(k.module, tileir.Newest); err != nil {
		k.t.Fatalf("the test's module is wrong: %v", err)
	}
	kern, err := d.Compile(context.Background(), k.module, "k")
	if err != nil {
		k.t.Fatalf("compile: %v", err)
	}
	return kern
}

// bytesOf gives the memory of a slice.
func bytesOf[E any](s []E) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// upload makes a buffer with the elements of a slice.
func upload[E any](t testing.TB, d *cpu.Device, s []E) engine.Buffer {
	t.Helper()
	b, err := d.Alloc(int64(len(bytesOf(s))))
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Host(), bytesOf(s))
	return b
}

// elems sees the bytes of a buffer as elements.
func elems[E any](b engine.Buffer) []E {
	var e E
	h := b.Host()
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(h))), len(h)/int(unsafe.Sizeof(e)))
}

// launch runs a kernel once and waits.
func launch(t testing.TB, d *cpu.Device, k engine.Kernel, grid [3]uint32, args ...uint64) error {
	t.Helper()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Launch(k, grid, args); err != nil {
		t.Fatal(err)
	}
	return s.Wait(context.Background())
}

func newDevice(t testing.TB, o cpu.Options) *cpu.Device {
	d := cpu.New(o)
	t.Cleanup(func() { d.Close() })
	return d
}

func f32bits(f float32) uint64 { return uint64(math.Float32bits(f)) }
