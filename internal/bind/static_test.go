package bind_test

import (
	"fmt"
	"github.com/cutile-go/cutile/internal/device"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// TestCheckStatic: what a program's text tells of arguments, argument by argument; 0 is the launch.
func TestCheckStatic(t *testing.T) {
	value := func(x any) *bind.Static {
		return &bind.Static{Text: reflect.TypeOf(x).String(), Type: reflect.TypeOf(x)}
	}
	known := func(x any) *bind.Static { s := value(x); s.Const = x; return s }
	tensor := func(e dtype.Type, name string) *bind.Static {
		return &bind.Static{Text: "*cutile.Tensor[" + e.String() + "]", Tensor: true, Elem: e, Name: name}
	}
	shared := func(a, b string) string {
		return "argument #" + a + " is written, but shares memory with argument #" + b + ": pass a copy, or use one InOut for both"
	}
	x, other := tensor(dtype.F32, "x"), &bind.Static{Text: "strings.Builder"}
	type args = []*bind.Static
	for _, c := range []struct {
		name   string
		params []compile.Param
		args   args
		want   map[int]string
	}{
		{"none", params(), nil, nil},
		{"none, and one is given", params(), args{x}, map[int]string{0: "expects no arguments, but got 1"}},
		{"one of two", params("in float32 16", "none", "out float32 16"), args{x}, map[int]string{0: "expects 2 arguments (a, c), but got 1"}},
		{"anything", params("in float32 16", "scalar int32", "func"), args{nil, nil, nil}, nil},
		{"tensor", params("in float32 16", "ptr float32"), args{x, tensor(dtype.F32, "y")}, nil},
		{"other element", params("none", "in float16 16 8"), args{x}, map[int]string{1: "expects argument #1 (b) to be a rank-2 tensor of float16, but got *cutile.Tensor[float32]"}},
		{"number for a tensor", params("in float32 16", "ptr int8"), args{value(5), value(5)}, map[int]string{
			1: "expects argument #1 (a) to be a rank-1 tensor of float32, but got int", 2: "expects argument #2 (b) to be a tensor of int8, but got int"}},
		{"numbers", params("scalar int32", "scalar float32", "scalar bool", "scalar uint64", "scalar float16"),
			args{value(1), value(1.5), value(true), value(uint(3)), value(2.5)}, nil},
		{"numbers of other types", params("scalar int32", "scalar float32", "scalar bool", "scalar uint32"), args{value(1.5), value("x"), value(1), value(uint(1))},
			map[int]string{1: "expects argument #1 (a) to be an int32, but got float64", 2: "expects argument #2 (b) to be a float32, but got string",
				3: "expects argument #3 (c) to be a bool, but got int", 4: "expects argument #4 (d) to be a uint32, but got uint"}},
		{"numbers that are known", params("scalar int8", "scalar uint8", "scalar float16"), args{known(127), known(255), known(65504)}, nil},
		{"numbers that do not fit", params("scalar int8", "scalar uint8", "scalar float16", "scalar int8"), args{known(128), known(-1), known(1e6), known(-129)},
			map[int]string{1: "expects argument #1 (a) to be an int8, but got 128, which does not fit", 2: "expects argument #2 (b) to be a uint8, but got -1, which does not fit",
				3: "expects argument #3 (c) to be a float16, but got 1e+06, which does not fit", 4: "expects argument #4 (d) to be an int8, but got -129, which does not fit"}},
		{"something else for a number", params("scalar int32"), args{other}, map[int]string{1: "expects argument #1 (a) to be an int32, but got strings.Builder"}},
		{"a tensor for a number", params("scalar float32"), args{x}, map[int]string{1: "expects argument #1 (a) to be a float32, but got *cutile.Tensor[float32]"}},
		{"function", params("func"), args{{Text: "func()", Func: true}}, nil},
		{"no function", params("func", "func"), args{x, {Text: "int", Type: reflect.TypeFor[int]()}}, map[int]string{
			1: "expects argument #1 (a) to be a func(a int), but got *cutile.Tensor[float32]", 2: "expects argument #2 (b) to be a function, but got int"}},
		{"hidden field", params("scalar int32", "scalar int32"), args{{Text: "struct p.T", Hidden: "n"}, other}, map[int]string{
			1: "argument #1 (a): cannot pass the struct p.T field by field: n is not exported", 2: "expects argument #2 (b) to be an int32, but got strings.Builder"}},
		{"one variable, read twice", params("in float32 16", "in float32 16"), args{x, x}, nil},
		{"one variable, written first", params("out float32 16", "in float32 16"), args{x, x}, map[int]string{2: shared("1 (a)", "2 (b)")}},
		{"one variable, written last", params("in float32 16", "inout float32 16"), args{x, x}, map[int]string{2: shared("2 (b)", "1 (a)")}},
		{"one variable, three times", params("in float32 16", "out float32 16", "in float32 16"), args{x, x, x}, map[int]string{2: shared("2 (b)", "1 (a)"), 3: shared("2 (b)", "3 (c)")}},
		{"a pointer may be read", params("in float32 16", "ptr float32"), args{x, x}, nil},
		{"two variables", params("in float32 16", "out float32 16"), args{x, tensor(dtype.F32, "y")}, nil},
		{"no variables", params("in float32 16", "out float32 16"), args{tensor(dtype.F32, ""), tensor(dtype.F32, "")}, nil},
	} {
		types := make([]string, len(c.params))
		if c.name == "no function" {
			types[0] = "func(a int)"
		}
		if got := bind.CheckStatic(c.params, types, c.args); !maps.Equal(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
	}
}

func TestNeedsGrid(t *testing.T) {
	for want, p := range map[string][]compile.Param{
		"": params("in float32 16", "out float32 16"),
		"has no Out that says how many blocks to run: give the grid, as in cutile.Launch(ctx, dev.Grid(16), ...)": params("in float32 16", "inout float32 16"),
	} {
		if got := bind.NeedsGrid(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for g, want := range map[bind.Grid]bool{{1, 1, 1}: false, {0, 1, 1}: true, {1, 0, 1}: true, {1, 1, 0}: true, {5, 6, 7}: false} {
		if g.Empty() != want {
			t.Errorf("%v: empty %v", g, !want)
		}
	}
}

// fields are parameters that are fields of a struct parameter, or elements of an array in it.
func fields(kind string, names ...string) []compile.Param {
	all := make([]compile.Param, len(names))
	for i, name := range names {
		all[i] = params(kind)[0]
		all[i].Name, all[i].Path = name, []int{0, i}
	}
	return all
}

type hidden struct {
	ok bool
	n  int8
	u  uint16
	f  float32
	s  string
}

// TestStructs: fields and elements take the place of a struct or array; names must be those of the parameter.
func TestStructs(t *testing.T) {
	d := newDevice(t)
	x := newTensor(t, d, dtype.F32, 16)
	all := append(append(append(fields("scalar bool", "p.ok"), fields("scalar int8", "p.n")...), fields("scalar uint16", "p.u")...), fields("scalar float32", "p.f")...)
	for _, c := range []struct {
		name   string
		params []compile.Param
		arg    any
		bits   []uint64
		want   []string
	}{
		{"names", fields("scalar int32", "p.a", "p.B"), struct{ A, B int }{3, -1}, []uint64{3, 0xffffffff}, nil},
		{"hidden numbers", all, struct {
			ok bool
			n  int8
			u  uint16
			f  float32
		}{true, -2, 65535, 1}, []uint64{1, 0xfe, 0xffff, 0x3f800000}, nil},
		{"a hidden text", fields("scalar int32", "p.ok", "p.n", "p.u", "p.f", "p.s"), hidden{}, nil, []string{
			"expects argument #1 (p.ok) to be an int32, but got bool", "expects argument #2 (p.n) to be an int32, but got int8",
			"expects argument #3 (p.u) to be an int32, but got uint16", "expects argument #4 (p.f) to be an int32, but got float32",
			"argument #5 (p.s): cannot pass the struct bind_test.hidden field by field: s is not exported"}},
		{"nothing to pass", fields("scalar int32", "p.a"), struct {
			_ [0]int
			Z struct{}
			A int
		}{A: 7}, []uint64{7}, nil},
		{"arrays", fields("scalar int32", "p.a[0]", "p.a[1]", "p.b"), struct {
			A [2]int
			B int
		}{[2]int{5, 6}, 7}, []uint64{5, 6, 7}, nil},
		{"arrays of arrays", fields("scalar int32", "p.a[0][0]", "p.a[0][1]", "p.a[1][0]", "p.a[1][1]"), struct{ A [2][2]int }{[2][2]int{{1, 2}, {3, 4}}}, []uint64{1, 2, 3, 4}, nil},
		{"structs in structs", fields("scalar int32", "p.q.a", "p.b"), struct {
			Q struct{ A int }
			B int
		}{struct{ A int }{8}, 9}, []uint64{8, 9}, nil},
		{"an array alone", params("scalar int32", "scalar int32"), [2]int32{1, 2}, []uint64{1, 2}, nil},
		{"other names", fields("scalar int32", "p.a", "p.b"), struct{ A, C int }{}, nil, []string{
			"argument #2 (p.b) is field C of struct { A int; C int }: the fields of a struct must have the names of the parameter's, in the same order"}},
		{"other order", fields("scalar int32", "p.a", "p.b"), struct{ B, A int }{}, nil, []string{
			"argument #1 (p.a) is field B of struct { B int; A int }: the fields of a struct must have the names of the parameter's, in the same order",
			"argument #2 (p.b) is field A of struct { B int; A int }: the fields of a struct must have the names of the parameter's, in the same order"}},
		{"too many", fields("scalar int32", "p.a"), struct{ A, B int }{}, nil, []string{"expects 1 argument (p.a), but got 2"}},
		{"too few", fields("scalar int32", "p.a", "p.b"), struct{ A int }{}, nil, []string{"expects 2 arguments (p.a, p.b), but got 1"}},
	} {
		call := bind.New(c.params, noFunc, d, unwrap)
		wrong := call.Bind([]any{c.arg})
		if got := texts(wrong); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		if wrong != nil || c.want != nil {
			continue
		}
		if bits, _, _ := call.Pack(make([]bool, len(c.params))); !slices.Equal(bits, c.bits) {
			t.Errorf("%s: bits %#x, want %#x", c.name, bits, c.bits)
		}
	}
	call := bind.New(append(fields("in float32 16", "p.x"), fields("scalar int32", "p.n")...), noFunc, d, unwrap)
	if wrong := call.Bind([]any{struct {
		X *device.Tensor
		N int
	}{x, 3}}); wrong != nil {
		t.Error(texts(wrong))
	}
}

// TestUnequal: numbers of a launch that a kernel wants equal, by their names.
func TestUnequal(t *testing.T) {
	d := newDevice(t)
	call := bind.New(params("func", "scalar int32", "in float32 16 16", "none", "ptr float32", "out float32 16", "scalar int32"), noFunc, d, unwrap)
	x, p, y := newTensor(t, d, dtype.F32, 3, 5), newTensor(t, d, dtype.F32, 8), newTensor(t, d, dtype.F32, 7)
	call.Infer = func(int, any) (*compile.Kernel, error) { return nil, nil }
	if wrong := call.Bind([]any{func() {}, 11, x, p, y, 13}); wrong != nil {
		t.Fatal(texts(wrong))
	}
	bits, _, _ := call.Pack(make([]bool, 7))
	names := map[int]string{0: "argument #2 (b)", 2: "extent 0 of argument #3 (c)", 3: "extent 1 of argument #3 (c)", 8: "extent 0 of argument #5 (f)", 10: "argument #6 (g)"}
	values := map[int]uint64{0: 11, 2: 3, 3: 5, 8: 7, 10: 13}
	for a, name := range names {
		for b, other := range names {
			if bits[a] != values[a] {
				t.Fatalf("bits %v: %d is %d", bits, a, bits[a])
			}
			e := compile.Equal{A: compile.Number{Param: a, Bits: 32}, B: compile.Number{Param: b, Bits: 32}}
			e.Pos.Filename, e.Pos.Line = "k.go", 12
			got := texts(call.Unequal([]compile.Equal{e, e}, bits))
			if a == b {
				if got != nil {
					t.Errorf("%s and itself: %q", name, got)
				}
				continue
			}
			if len(got) != 2 {
				t.Errorf("%s and %s: %q", name, other, got)
				continue
			}
			if want := name + " is " + fmt.Sprint(values[a]) + ", but " + other + " is " + fmt.Sprint(values[b]) + ": k.go:12 requires them to be the same"; got[0] != want {
				t.Errorf("got %q, want %q", got[0], want)
			}
		}
	}
	for _, c := range []struct {
		n    compile.Number
		want int64
	}{{compile.Number{Param: -1, Const: 42, Bits: 64}, 42}, {compile.Number{Param: 0, Bits: 8}, -1}, {compile.Number{Param: 0, Bits: 16}, 255}, {compile.Number{Param: 1, Bits: 64}, -1}} {
		if got := c.n.Of([]uint64{255, 1<<64 - 1}); got != c.want {
			t.Errorf("%+v is %d, want %d", c.n, got, c.want)
		}
	}
}
