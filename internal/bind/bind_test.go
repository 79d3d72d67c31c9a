package bind_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

func newDevice(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(cpu.New(cpu.Options{Workers: 1}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func newTensor(t *testing.T, d *device.Device, elem dtype.Type, shape ...int) *device.Tensor {
	t.Helper()
	view, err := strided.RowMajor(shape)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := d.Alloc(int64(view.Len() * elem.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return &device.Tensor{Memory: mem, View: view, Elem: elem}
}

func narrow(t *testing.T, x *device.Tensor, axis, from, to int) *device.Tensor {
	t.Helper()
	view, err := x.View.Narrow(axis, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return &device.Tensor{Memory: x.Memory, View: view, Elem: x.Elem}
}

func transpose(t *testing.T, x *device.Tensor) *device.Tensor {
	t.Helper()
	view, err := x.View.Transpose()
	if err != nil {
		t.Fatal(err)
	}
	return &device.Tensor{Memory: x.Memory, View: view, Elem: x.Elem}
}

func unwrap(x any) (*device.Tensor, any, error) {
	if t, ok := x.(*device.Tensor); ok && t != nil {
		return t, nil, nil
	}
	return nil, x, nil
}

// params writes parameters as "in float32 16 16", one an argument; they are named a, b, c …
func params(specs ...string) []compile.Param {
	kinds := map[string]compile.Kind{"scalar": compile.Scalar, "in": compile.In, "out": compile.Out, "inout": compile.InOut, "persistent": compile.Persistent,
		"ptr": compile.Ptr, "func": compile.Func, "none": compile.None}
	var all []compile.Param
	for i, spec := range specs {
		words := strings.Fields(spec)
		p := compile.Param{Name: string(rune('a' + i)), Path: []int{i}, Kind: kinds[words[0]]}
		if len(words) > 1 {
			p.Elem, _ = dtype.ByName(words[1])
			for _, w := range words[2:] {
				n := 0
				fmt.Sscan(w, &n)
				p.Tile = append(p.Tile, n)
			}
		}
		all = append(all, p)
	}
	return all
}

var noFunc = reflect.TypeFor[func()]()

func texts(wrong []bind.Mistake) []string {
	var all []string
	for _, m := range wrong {
		all = append(all, m.Text)
	}
	return all
}

func TestFactsAndBits(t *testing.T) {
	d := newDevice(t)
	whole := newTensor(t, d, dtype.F32, 32, 48)
	base := whole.Memory.Address()
	cases := []struct {
		name string
		x    *device.Tensor
		want compile.ArgFacts
		bits []uint64
	}{
		{"row-major", whole, compile.ArgFacts{Align16: true, Extent16: 0b11, Stride16: 0b01, Unit: 0b10}, []uint64{base, 32, 48, 48, 1}},
		{"transposed", transpose(t, whole), compile.ArgFacts{Align16: true, Extent16: 0b11, Stride16: 0b10, Unit: 0b01}, []uint64{base, 48, 32, 1, 48}},
		{"odd column", narrow(t, whole, 1, 1, 18), compile.ArgFacts{Extent16: 0b01, Stride16: 0b01, Unit: 0b10}, []uint64{base + 4, 32, 17, 48, 1}},
		{"fourth column", narrow(t, whole, 1, 4, 20), compile.ArgFacts{Align16: true, Extent16: 0b11, Stride16: 0b01, Unit: 0b10}, []uint64{base + 16, 32, 16, 48, 1}},
		{"one row", narrow(t, whole, 0, 5, 6), compile.ArgFacts{Align16: true, Extent16: 0b10, Stride16: 0b01, Unit: 0b10}, []uint64{base + 5*48*4, 1, 48, 48, 1}},
		{"one column", narrow(t, whole, 1, 0, 1), compile.ArgFacts{Align16: true, Extent16: 0b01, Stride16: 0b01, Unit: 0b10}, []uint64{base, 32, 1, 48, 1}},
		{"odd rows", newTensor(t, d, dtype.F32, 3, 6), compile.ArgFacts{Align16: true, Unit: 0b10}, nil},
		{"empty", newTensor(t, d, dtype.F32, 0, 6), compile.ArgFacts{Align16: true, Extent16: 0b01, Unit: 0b10}, nil},
	}
	for _, c := range cases {
		call := bind.New(params("in float32 16 16"), noFunc, d, unwrap)
		if wrong := call.Bind([]any{c.x}); wrong != nil {
			t.Fatalf("%s: %v", c.name, texts(wrong))
		}
		if got := call.Facts().Args[0]; got != c.want {
			t.Errorf("%s: facts %+v, want %+v", c.name, got, c.want)
		}
		bits, uses, wrong := call.Pack([]bool{false})
		if wrong != nil || len(uses) != 1 || uses[0].Memory != c.x.Memory || uses[0].Writes {
			t.Errorf("%s: uses %v, %v", c.name, uses, texts(wrong))
		}
		if c.bits != nil && !slices.Equal(bits, c.bits) {
			t.Errorf("%s: bits %v, want %v", c.name, bits, c.bits)
		}
	}
}

// TestKey: the key changes with the facts and with nothing else.
func TestKey(t *testing.T) {
	d := newDevice(t)
	a, b, odd := newTensor(t, d, dtype.F32, 16, 32), newTensor(t, d, dtype.F32, 64, 16), newTensor(t, d, dtype.F32, 64, 17)
	keys := map[string]bool{}
	for _, x := range []*device.Tensor{a, b, odd, transpose(t, a)} {
		call := bind.New(params("in float32 16 16"), noFunc, d, unwrap)
		if wrong := call.Bind([]any{x}); wrong != nil {
			t.Fatal(texts(wrong))
		}
		keys[string(call.Key())] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys, want 3: a and b promise the same", len(keys))
	}
}

// TestWide: extents or strides beyond 32 bits. The strides are those of a broadcast view, as no test has the memory.
func TestWide(t *testing.T) {
	d := newDevice(t)
	x := newTensor(t, d, dtype.I8, 1)
	for _, c := range []struct {
		extent int
		wide   bool
	}{{math.MaxInt32, false}, {math.MaxInt32 + 1, true}} {
		view, err := x.View.Broadcast([]int{c.extent})
		if err != nil {
			t.Fatal(err)
		}
		call := bind.New(params("in int8 16"), noFunc, d, unwrap)
		if wrong := call.Bind([]any{&device.Tensor{Memory: x.Memory, View: view, Elem: x.Elem}}); wrong != nil {
			t.Fatal(texts(wrong))
		}
		if got := call.Facts().Wide; got != c.wide {
			t.Errorf("extent %d: wide %v", c.extent, got)
		}
	}
}

type celsius float32

func TestScalars(t *testing.T) {
	d := newDevice(t)
	seven := int32(7)
	cases := []struct {
		elem string
		arg  any
		bits uint64
		want string // the end of the error
	}{
		{"int32", int32(-1), 0xffffffff, ""},
		{"int32", 3, 3, ""},
		{"int32", &seven, 7, ""},
		{"int32", -1 << 31, 0x80000000, ""},
		{"int32", 1 << 31, 0, "to be an int32, but got 2147483648, which does not fit"},
		{"int32", int64(3), 0, "to be an int32, but got int64"},
		{"int32", 1.0, 0, "to be an int32, but got float64"},
		{"int64", -1, math.MaxUint64, ""},
		{"uint8", 255, 255, ""},
		{"uint8", -1, 0, "to be a uint8, but got -1, which does not fit"},
		{"uint8", 256, 0, "to be a uint8, but got 256, which does not fit"},
		{"uint64", -1, 0, "to be a uint64, but got -1, which does not fit"},
		{"uint64", uint(1 << 63), 1 << 63, ""},
		{"bool", true, 1, ""},
		{"bool", false, 0, ""},
		{"bool", 1, 0, "to be a bool, but got int"},
		{"float32", 0.1, uint64(math.Float32bits(0.1)), ""},
		{"float32", float32(0.1), uint64(math.Float32bits(0.1)), ""},
		{"float32", celsius(2), uint64(math.Float32bits(2)), ""},
		{"float32", 2, uint64(math.Float32bits(2)), ""},
		{"float32", 1<<24 + 1, 0, "to be a float32, but got 16777217, which does not fit"},
		{"float32", 1e300, 0, "to be a float32, but got 1e+300, which does not fit"},
		{"float32", math.Inf(1), uint64(math.Float32bits(float32(math.Inf(1)))), ""},
		{"float32", math.NaN(), uint64(math.Float32bits(float32(math.NaN()))), ""},
		{"float32", "x", 0, "to be a float32, but got string"},
		{"float32", nil, 0, "to be a float32, but got nil"},
		{"float32", (*float32)(nil), 0, "to be a float32, but got a nil *float32"},
		{"float64", math.MaxInt64, 0, "to be a float64, but got 9223372036854775807, which does not fit"},
		{"float64", 0.1, math.Float64bits(0.1), ""},
		{"float16", 0.5, 0x3800, ""},
		{"float16", dtype.Float16(0x3c00), 0x3c00, ""},
		{"float16", 65520.0, 0, "to be a float16, but got 65520, which does not fit"},
		{"float16", uint16(1), 0, "to be a float16, but got uint16"},
		{"uint16", dtype.Float16(1), 0, "to be a uint16, but got dtype.Float16"},
		{"bfloat16", 1, 0x3f80, ""},
		{"bfloat16", dtype.Float16(1), 0, "to be a bfloat16, but got dtype.Float16"},
	}
	for _, c := range cases {
		call := bind.New(params("scalar "+c.elem), noFunc, d, unwrap)
		wrong := call.Bind([]any{c.arg})
		if c.want != "" {
			if len(wrong) != 1 || wrong[0].Text != "expects argument #1 (a) "+c.want {
				t.Errorf("%s of %v: %q, want %q", c.elem, c.arg, texts(wrong), c.want)
			}
			continue
		}
		if wrong != nil {
			t.Errorf("%s of %v: %q", c.elem, c.arg, texts(wrong))
			continue
		}
		if bits, _, _ := call.Pack(make([]bool, 1)); !slices.Equal(bits, []uint64{c.bits}) {
			t.Errorf("%s of %v: bits %#x, want %#x", c.elem, c.arg, bits, c.bits)
		}
	}
}

// TestConverted: with conversion any integer is a number and any float a float, where they fit.
func TestConverted(t *testing.T) {
	const never = "never"
	cases := []struct {
		want dtype.Type
		arg  any
		bits uint64
		text string // "" where it fits, never where the type is not accepted
	}{
		{dtype.I8, uint8(127), 127, ""},
		{dtype.I8, uint8(128), 0, "128, which does not fit"},
		{dtype.I64, uint64(1 << 63), 0, "9223372036854775808, which does not fit"},
		{dtype.U64, int8(-1), 0, "-1, which does not fit"},
		{dtype.U32, uintptr(7), 7, ""},
		{dtype.I64, int64(math.MinInt64), 1 << 63, ""},
		{dtype.F32, uint64(1 << 63), uint64(math.Float32bits(1 << 63)), ""},
		{dtype.F32, int64(math.MinInt64), uint64(math.Float32bits(-1 << 63)), ""},
		{dtype.F64, uint64(math.MaxUint64), 0, "18446744073709551615, which does not fit"},
		{dtype.F16, int64(math.MinInt64), 0, "-9223372036854775808, which does not fit"},
		{dtype.F16, time.Duration(1 << 20), 0, "1048576, which does not fit"},
		{dtype.F16, float32(1e6), 0, "1e+06, which does not fit"},
		{dtype.F16, celsius(0.5), 0x3800, ""},
		{dtype.F16, dtype.Float16(0x3c00), 0x3c00, ""},
		{dtype.F8E8M0FNU, 0, 0, "0, which does not fit"},
		{dtype.F32, dtype.Float16(0x3c00), 0, never},
		{dtype.I32, dtype.Float16(0x3c00), 0, never},
		{dtype.I32, 1.0, 0, never},
		{dtype.I32, true, 0, never},
		{dtype.Bool, 1, 0, never},
		{dtype.F32, "x", 0, never},
	}
	for _, c := range cases {
		v := reflect.ValueOf(c.arg)
		if got := bind.Accepts(c.want, v.Type(), true); got != (c.text != never) {
			t.Errorf("%v accepts %T: %t", c.want, c.arg, got)
		} else if got {
			if bits, text := bind.Number(c.want, v); bits != c.bits || text != c.text {
				t.Errorf("%v of %v: bits %#x, %q, want %#x, %q", c.want, c.arg, bits, text, c.bits, c.text)
			}
		}
	}
}

// TestScalarPointer: a pointer is read at each launch, and what it points to must fit then.
func TestScalarPointer(t *testing.T) {
	n := 1
	call := bind.New(params("scalar int8"), noFunc, newDevice(t), unwrap)
	if wrong := call.Bind([]any{&n}); wrong != nil {
		t.Fatal(texts(wrong))
	}
	n = -2
	if bits, _, wrong := call.Pack(make([]bool, 1)); wrong != nil || bits[0] != 0xfe {
		t.Errorf("bits %#x, %v", bits, texts(wrong))
	}
	n = 1000
	if _, _, wrong := call.Pack(make([]bool, 1)); len(wrong) != 1 || !strings.Contains(wrong[0].Text, "1000, which does not fit") {
		t.Errorf("got %v", texts(wrong))
	}
}

func TestMistakes(t *testing.T) {
	d, other := newDevice(t), newDevice(t)
	f32 := newTensor(t, d, dtype.F32, 16, 16)
	f16 := newTensor(t, d, dtype.F16, 16, 16)
	line := newTensor(t, d, dtype.F32, 16)
	away := newTensor(t, other, dtype.F32, 16, 16)
	closed := newTensor(t, d, dtype.F32, 16, 16)
	closed.Memory.Close()
	broken := &device.Tensor{Err: fmt.Errorf("cutile: no such view")}
	row, _ := line.View.Broadcast([]int{16, 16})
	wide := &device.Tensor{Memory: line.Memory, View: row, Elem: dtype.F32}
	cases := []struct {
		name   string
		params []compile.Param
		args   []any
		want   []string
	}{
		{"rank and element", params("in float32 16 16", "in float16 16 16"), []any{f32, line},
			[]string{"expects argument #2 (b) to be a rank-2 tensor of float16, but got *cutile.Tensor[float32] of rank 1"}},
		{"all at once", params("in float32 16", "scalar int32", "out float32 16 16"), []any{f32, 1.5, f16}, []string{
			"expects argument #1 (a) to be a rank-1 tensor of float32, but got *cutile.Tensor[float32] of rank 2",
			"expects argument #2 (b) to be an int32, but got float64",
			"expects argument #3 (c) to be a rank-2 tensor of float32, but got *cutile.Tensor[float16] of rank 2",
		}},
		{"too few", params("in float32 16 16", "scalar int32"), []any{f32}, []string{"expects 2 arguments (a, b), but got 1"}},
		{"none is no argument", params("none", "in float32 16 16"), []any{f32, 1}, []string{"expects 1 argument (b), but got 2"}},
		{"no parameters", params(), []any{1}, []string{"expects no arguments, but got 1"}},
		{"nil", params("in float32 16 16"), []any{nil}, []string{"expects argument #1 (a) to be a rank-2 tensor of float32, but got nil"}},
		{"slice", params("in float32 16 16"), []any{[]float32{1}}, []string{"expects argument #1 (a) to be a rank-2 tensor of float32, but got []float32"}},
		{"nil tensor", params("ptr float32"), []any{(*device.Tensor)(nil)}, []string{"expects argument #1 (a) to be a tensor of float32, but got a nil *device.Tensor"}},
		{"tensor for scalar", params("scalar int32"), []any{f32}, []string{"expects argument #1 (a) to be an int32, but got *cutile.Tensor[float32] of rank 2"}},
		{"other device", params("in float32 16 16"), []any{away}, []string{"expects argument #1 (a) to be on device cpu, but it is on another one that was opened as cpu, too (each call of Open makes a device)"}},
		{"closed", params("in float32 16 16"), []any{closed}, []string{"argument #1 (a), *cutile.Tensor[float32] of shape [16 16], is closed"}},
		{"broken view", params("in float32 16 16"), []any{broken}, []string{"argument #1 (a): cutile: no such view"}},
		{"broadcast Out", params("out float32 16 16"), []any{wide},
			[]string{"argument #1 (a) is written, but two of its indices are one element, as in a broadcast view: shape [16 16] with strides [0 1]"}},
		{"broadcast In", params("in float32 16 16"), []any{wide}, nil},
		{"unexported field", params("scalar int32"), []any{struct{ n string }{}}, []string{"argument #1 (a): cannot pass the struct field by field: n is not exported"}},
		{"unexported number", params("scalar int32"), []any{struct{ n int }{5}}, nil},
		{"struct", params("scalar int32", "in float32 16 16"), []any{struct {
			N int
			X *device.Tensor
		}{1, f32}}, nil},
	}
	for _, c := range cases {
		call := bind.New(c.params, noFunc, d, unwrap)
		if got := texts(call.Bind(c.args)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestFunctionArguments(t *testing.T) {
	kernel := reflect.TypeFor[func(func(float64) float64)]()
	for _, c := range []struct {
		arg  any
		want string
	}{
		{3, "expects argument #1 (a) to be a func(float64) float64, but got int"},
		{math.MaxInt, "expects argument #1 (a) to be a func(float64) float64, but got int"},
		{func(int) {}, "expects argument #1 (a) to be a func(float64) float64, but got func(int)"},
		{(func(float64) float64)(nil), "expects argument #1 (a) to be a func(float64) float64, but got a nil func(float64) float64"},
	} {
		call := bind.New(params("func"), kernel, newDevice(t), unwrap)
		if got := texts(call.Bind([]any{c.arg})); !slices.Equal(got, []string{c.want}) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestGrid(t *testing.T) {
	d := newDevice(t)
	tensor := func(shape ...int) *device.Tensor {
		return &device.Tensor{Memory: newTensor(t, d, dtype.I8, 1).Memory, View: mustView(t, shape), Elem: dtype.I8}
	}
	cases := []struct {
		name   string
		params []compile.Param
		args   []any
		given  *bind.Grid
		want   bind.Grid
		wrong  []string
	}{
		{"rank 0", params("out int8"), []any{tensor()}, nil, bind.Grid{1, 1, 1}, nil},
		{"rank 1", params("out int8 16"), []any{tensor(33)}, nil, bind.Grid{3, 1, 1}, nil},
		{"rank 2", params("out int8 16 32"), []any{tensor(33, 64)}, nil, bind.Grid{3, 2, 1}, nil},
		{"rank 3", params("out int8 1 16 32"), []any{tensor(5, 16, 1)}, nil, bind.Grid{5, 1, 1}, nil},
		{"rank 4", params("out int8 1 2 16 32"), []any{tensor(5, 6, 33, 65)}, nil, bind.Grid{15, 3, 3}, nil},
		{"empty", params("out int8 16 32"), []any{tensor(0, 64)}, nil, bind.Grid{0, 2, 1}, nil},
		{"two alike", params("out int8 16", "out int8 32"), []any{tensor(33), tensor(70)}, nil, bind.Grid{3, 1, 1}, nil},
		{"two that differ", params("out int8 16", "in int8 16", "out int8 16"), []any{tensor(33), tensor(1), tensor(16)}, nil, bind.Grid{3, 1, 1},
			[]string{"argument #1 (a) needs the grid (3, 1, 1), but argument #3 (c) needs (1, 1, 1): the Outs of a launch must have the same number of tiles"}},
		{"given and right", params("out int8 16"), []any{tensor(33)}, &bind.Grid{3, 1, 1}, bind.Grid{3, 1, 1}, nil},
		{"given and wrong", params("out int8 16"), []any{tensor(33)}, &bind.Grid{4, 1, 1}, bind.Grid{4, 1, 1},
			[]string{"the grid (4, 1, 1) was given, but argument #1 (a), of shape [33] in tiles of [16], needs (3, 1, 1)"}},
		{"given", params("inout int8 16"), []any{tensor(33)}, &bind.Grid{7, 2, 1}, bind.Grid{7, 2, 1}, nil},
		{"as great as a grid can be", params(), nil, &bind.Grid{1<<31 - 1, 65535, 65535}, bind.Grid{1<<31 - 1, 65535, 65535}, nil},
		{"z too great", params(), nil, &bind.Grid{1, 1, 65536}, bind.Grid{1, 1, 65536},
			[]string{"the grid (1, 1, 65536) is out of range: axis 2 may have 0 to 65535 blocks"}},
		{"none", params("inout int8 16"), []any{tensor(33)}, nil, bind.Grid{},
			[]string{"has no Out that says how many blocks to run: give the grid, as in cutile.Launch(ctx, dev.Grid(16), ...)"}},
		{"y too great", params("out int8 1 1"), []any{tensor(1, 65536)}, nil, bind.Grid{1, 65536, 1},
			[]string{"the grid (1, 65536, 1) is out of range: axis 1 may have 0 to 65535 blocks"}},
		{"negative", params(), nil, &bind.Grid{-1, 1, 1}, bind.Grid{-1, 1, 1},
			[]string{"the grid (-1, 1, 1) is out of range: axis 0 may have 0 to 2147483647 blocks"}},
		{"x too great", params("out int8 1 1 1 1"), []any{tensor(1<<20, 1<<20, 1, 1)}, nil, bind.Grid{1 << 31, 1, 1},
			[]string{"the grid (2147483648, 1, 1) is out of range: axis 0 may have 0 to 2147483647 blocks"}},
		{"what the device runs at once", params("persistent int8 16 32"), []any{tensor(33, 128)}, nil, bind.Grid{6, 1, 1}, nil},
		{"fewer tiles than that", params("persistent int8 16"), []any{tensor(33)}, nil, bind.Grid{3, 1, 1}, nil},
		{"no tiles", params("persistent int8 16 1"), []any{tensor(33, 0)}, nil, bind.Grid{0, 1, 1}, nil},
		{"two persistent ones", params("persistent int8 16", "persistent int8 16"), []any{tensor(33), tensor(80)}, nil, bind.Grid{5, 1, 1}, nil},
		{"given for persistent", params("persistent int8 16"), []any{tensor(33)}, &bind.Grid{9, 1, 1}, bind.Grid{9, 1, 1}, nil},
		{"persistent beside an Out", params("out int8 16", "persistent int8 16"), []any{tensor(20), tensor(80)}, nil, bind.Grid{2, 1, 1}, nil},
		{"persistent along two axes", params("persistent int8 16"), []any{tensor(33)}, &bind.Grid{3, 2, 1}, bind.Grid{3, 2, 1},
			[]string{"the grid (3, 2, 1) was given, but argument #1 (a), a tile.Persistent, is written by blocks along the first axis: give a grid of one axis and one block at least, or none"}},
		{"persistent without blocks", params("persistent int8 16"), []any{tensor(33)}, &bind.Grid{0, 1, 1}, bind.Grid{0, 1, 1},
			[]string{"the grid (0, 1, 1) was given, but argument #1 (a), a tile.Persistent, is written by blocks along the first axis: give a grid of one axis and one block at least, or none"}},
		{"an Out of two axes beside persistent", params("out int8 16 16", "persistent int8 16"), []any{tensor(33, 17), tensor(33)}, nil, bind.Grid{3, 2, 1},
			[]string{"argument #1 (a) needs the grid (3, 2, 1), but argument #2 (b), a tile.Persistent, is written by blocks along the first axis: its tiles must lie along its first axis"}},
		{"an empty Out beside persistent", params("out int8 16", "persistent int8 16"), []any{tensor(0), tensor(33)}, nil, bind.Grid{0, 1, 1}, nil},
		{"an Out that is empty along its second axis beside persistent", params("out int8 16 16", "persistent int8 16"), []any{tensor(33, 0), tensor(33)}, nil, bind.Grid{3, 0, 1}, nil},
		{"a grid for an empty Out beside persistent", params("out int8 16", "persistent int8 16"), []any{tensor(0), tensor(33)}, &bind.Grid{0, 1, 1}, bind.Grid{0, 1, 1}, nil},
		{"too many tiles", params("persistent int8 1 1"), []any{tensor(1<<20, 1<<20)}, &bind.Grid{1, 1, 1}, bind.Grid{1, 1, 1},
			[]string{"argument #1 (a), of shape [1048576 1048576] in tiles of [1 1], has more than 2147483647 tiles: choose larger ones"}},
	}
	for _, c := range cases {
		call := bind.New(c.params, noFunc, d, unwrap)
		call.Resident = func() int { return 6 }
		if wrong := call.Bind(c.args); wrong != nil {
			t.Fatalf("%s: %v", c.name, texts(wrong))
		}
		got, wrong := call.Grid(c.given)
		if got != c.want || !slices.Equal(texts(wrong), c.wrong) {
			t.Errorf("%s: grid %v, %q; want %v, %q", c.name, got, texts(wrong), c.want, c.wrong)
		}
	}
}

func mustView(t *testing.T, shape []int) strided.View {
	t.Helper()
	v, err := strided.RowMajor(shape)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOverlaps(t *testing.T) {
	d := newDevice(t)
	x, y := newTensor(t, d, dtype.F32, 16, 16), newTensor(t, d, dtype.F32, 16, 16)
	top, bottom, left, right := narrow(t, x, 0, 0, 8), narrow(t, x, 0, 8, 16), narrow(t, x, 1, 0, 8), narrow(t, x, 1, 8, 16)
	const tail = " is written, but shares memory with argument "
	const hint = ": pass a copy, or use one InOut for both"
	cases := []struct {
		name   string
		params []compile.Param
		args   []any
		writes []bool
		want   []string
	}{
		{"two memories", params("in float32 16 16", "out float32 16 16"), []any{x, y}, nil, nil},
		{"two Ins", params("in float32 16 16", "in float32 16 16", "out float32 16 16"), []any{x, x, y}, nil, nil},
		{"In and Out", params("in float32 16 16", "out float32 16 16"), []any{x, x}, nil, []string{"argument #2 (b)" + tail + "#1 (a)" + hint}},
		{"Out and In", params("out float32 16 16", "in float32 16 16"), []any{x, left}, nil, []string{"argument #1 (a)" + tail + "#2 (b)" + hint}},
		{"InOut and part", params("inout float32 16 16", "in float32 16 16"), []any{top, left}, nil, []string{"argument #1 (a)" + tail + "#2 (b)" + hint}},
		{"columns apart", params("in float32 16 16", "out float32 16 16"), []any{left, right}, nil, nil},
		{"Ptr reaches all", params("ptr float32", "out float32 16 16"), []any{top, bottom}, nil, []string{"argument #2 (b)" + tail + "#1 (a)" + hint}},
		{"read Ptr", params("ptr float32", "in float32 16 16"), []any{top, bottom}, []bool{false, false}, nil},
		{"written Ptr", params("ptr float32", "in float32 16 16"), []any{top, bottom}, []bool{true, false}, []string{"argument #1 (a)" + tail + "#2 (b)" + hint}},
		{"written Ptrs", params("ptr float32", "ptr float32"), []any{x, y}, []bool{true, true}, nil},
		{"two Ptrs", params("ptr float32", "ptr float32"), []any{x, x}, []bool{false, true},
			[]string{"argument #2 (b)" + tail + "#1 (a): pass a copy, or use one Ptr for both"}},
	}
	for _, c := range cases {
		call := bind.New(c.params, noFunc, d, unwrap)
		if wrong := call.Bind(c.args); wrong != nil {
			t.Fatalf("%s: %v", c.name, texts(wrong))
		}
		if got := texts(call.Overlaps(c.writes)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRebindDoesNotAllocate: a prepared launch goes this way.
func TestRebindDoesNotAllocate(t *testing.T) {
	d := newDevice(t)
	x, y := newTensor(t, d, dtype.F32, 64, 64), newTensor(t, d, dtype.F32, 64, 64)
	call := bind.New(params("in float32 16 16", "scalar float32", "out float32 16 16"), noFunc, d, unwrap)
	scale := float32(1)
	args := []any{x, &scale, y}
	writes := []bool{false, false, true}
	n := testing.AllocsPerRun(100, func() {
		args[0], args[2] = args[2], args[0]
		if call.Bind(args) != nil || call.Overlaps(writes) != nil {
			t.Fatal("refused")
		}
		if _, wrong := call.Grid(nil); wrong != nil {
			t.Fatal("refused")
		}
		call.Pack(writes)
	})
	if n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
