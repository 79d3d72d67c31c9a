package bytecode_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
)

// symbolModule makes a module whose only entry or global has a name.
func symbolModule(global, private bool, name string) *Module {
	m := kernel(func(b *builder) {
		if global {
			v := b.op("get_global", nil, named{"name": String(name)}, PointerTile(I16)).Results[0]
			b.op("store_ptr_tko", one(v, b.value(Tile(I16))), weak, Token)
		}
	})
	if global {
		m.Globals = []*Global{{Name: name, Private: private, Value: IntConstant(Tile(I16, 2), 1)}}
	} else {
		m.Entries[0].Name, m.Entries[0].Private = name, private
	}
	return m
}

// viewLoad loads a tile from a view and stores it, so that the load matters.
func viewLoad(e Elem, pad Padding, inside bool) *Module {
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(e), PointerTile(e), Tile(I32)}, func(p []*Value) {
		t := &TensorViewType{Elem: e, Shape: []int64{62}, Strides: []int64{1}}
		from := &PartitionViewType{Tile: []int{4}, Tensor: t, DimMap: []int{0}, Padding: pad}
		to := &PartitionViewType{Tile: []int{4}, Tensor: t, DimMap: []int{0}, Padding: NoPadding}
		x, _ := b.LoadViewTko(b.MakePartitionView(b.MakeTensorView(p[0], nil, nil, t), from), p[2:], MemoryWeak, WithInBounds(inside))
		b.StoreViewTko(x, b.MakePartitionView(b.MakeTensorView(p[1], nil, nil, t), to), p[2:], MemoryWeak, WithInBounds(inside))
	})
	return b.Module
}

// targetRules are modules that are valid, and what the assembler fails on without saying why; "" for what it takes.
var targetRules = []struct {
	m    *Module
	want string
}{
	{symbolModule(false, false, "a b"), `entry "a b": expected a name of letters a to z, digits, _ and $, but found ' '`},
	{symbolModule(false, false, "é"), `but found 'é'`},
	{symbolModule(false, false, "x.y"), `but found '.'`},
	{symbolModule(false, false, "9k"), `entry "9k": expected a name that starts with a letter a to z, _ or $`},
	{symbolModule(false, false, "_"), `entry _: the name is reserved in machine code`},
	{symbolModule(false, false, "WARP_SZ"), `entry WARP_SZ: the name is reserved in machine code`},
	{symbolModule(false, false, "$x_9"), ""},
	{symbolModule(false, true, "a b"), ""},
	{symbolModule(true, false, "a-b"), `global "a-b": expected a name of letters`},
	{symbolModule(true, true, "a-b.c"), ""},
	{symbolModule(true, true, "a b"), `global "a b": expected a name of letters`},
	{&Module{Globals: symbolModule(true, false, "g").Globals}, "the module has globals, but no entry that is not private"},
	{&Module{}, ""},
	{viewLoad(F8E4M3FN, PadPosInf, false), "entry k: operation 2 (load_view_tko): operand view: padding pos_inf: f8E4M3FN has no such value"},
	{viewLoad(F8E8M0FNU, PadNegZero, false), "operand view: padding neg_zero: f8E8M0FNU has no such value"},
	{viewLoad(F4E2M1FN, PadNaN, false), "operand view: padding nan: f4E2M1FN has no such value"},
	{viewLoad(FNV8E5M3FNU, PadNegInf, false), "operand view: padding neg_inf: fnv8E5M3FNU has no such value"},
	{viewLoad(F8E5M2, PadNegInf, false), ""}, {viewLoad(F8E8M0FNU, PadNaN, false), ""}, {viewLoad(F4E2M1FN, PadNegZero, false), ""},
	{viewLoad(F32, PadZero, true), "attribute inbounds: a load that is promised to lie inside needs a view without padding"},
	{viewLoad(F32, NoPadding, true), ""}, {viewLoad(F32, PadZero, false), ""},
}

// TestTargetRules asks the real assembler for each, too, where it is installed.
func TestTargetRules(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileiras")
	for _, c := range targetRules {
		if err := c.m.Verify(Newest); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
		err := VerifyTarget(c.m, "sm_107")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v\nexpected %s", err, c.want)
		}
		if tool == "" {
			continue
		}
		out, err := assemble(t, tool, c.m, Newest, "sm_107")
		if (err == nil) != (c.want == "") || strings.Contains(out, "does not correspond to Tile IR bytecode") {
			t.Errorf("tileiras: %v, VerifyTarget expects %q: %s", err, c.want, out)
		}
	}
}
