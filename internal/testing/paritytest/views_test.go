package paritytest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestLanguageIsNoExpansion: the operations know nothing of the tile types of each rank, and those declare no operation.
func TestLanguageIsNoExpansion(t *testing.T) {
	for _, name := range []string{"float.go", "view.go", "shape.go", "types.go"} {
		for _, imp := range fileImports(t, "../../../tile/op/"+name) {
			if strings.HasSuffix(imp, "/tile") {
				t.Errorf("tile/op/%s imports %s", name, imp)
			}
		}
	}
	for _, name := range []string{"types_gen.go", "dims_gen.go", "reduce_gen.go"} {
		text := fileText(t, "../../../tile/"+name)
		if strings.Contains(text, "//cutile:op") || !strings.HasPrefix(text, "// Code generated") {
			t.Errorf("%s declares operations, or is not generated", name)
		}
	}
}

// TestScalarsAndTiles: float32 is a tile without dimensions, a tile type has its extents and its element.
func TestScalarsAndTiles(t *testing.T) {
	m := module(t, spreadPointer[d4], nil)
	for i, want := range []string{"tile<ptr<f32>>", "tile<f32>", "tile<ptr<f32>>", "tile<i32>"} {
		if got := m.Entries[0].Params[i].Type.String(); got != want {
			t.Errorf("parameter %d is %s, want %s", i, got, want)
		}
	}
	load := only(t, module(t, viewTypes64, nil), "permute")
	if got := load.Operands[0].Type.String(); got != "tile<128x64xf32>" {
		t.Errorf("got %s", got)
	}
}

// TestViewTypes: the type of a view is complete when its constructor is: strides from the facts, padding where it was
// given, swapped dimensions where the unit stride asks for it.
func TestViewTypes(t *testing.T) {
	m := module(t, viewTypes[d64, d64], nil)
	var got []string
	for _, o := range named(m, "make_partition_view") {
		got = append(got, o.Results[0].Type.String())
	}
	plain := "partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>"
	padded := func(p string) string {
		return "partition_view<tile=(64x64), padding_value = " + p + ", tensor_view<?x?xf32, strides=[?,1]>>"
	}
	want := []string{padded("zero"), padded("zero"), plain, padded("nan")} // In, InOut, Out and a load with another padding
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for _, o := range named(m, "make_partition_view") {
		if o.Results[0].Type.(*tileir.PartitionViewType).Tensor != o.Operands[0].Type {
			t.Errorf("the view's tensor is not its argument's: %v", o)
		}
	}
	turned := module(t, viewTypes[d64, d64], func(f *compile.Facts) { f.Args[0].Unit = 1 })
	has(t, turned, "padding_value = nan, tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]>", -1)
	has(t, turned, "padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]>", -1)
	unknown := module(t, viewTypes[d64, d64], func(f *compile.Facts) { clear(f.Args) })
	has(t, unknown, "tensor_view<?x?xf32, strides=[?,?]>>", -1)
	has(t, unknown, "strides=[?,1]", 0)
}

// TestMetadataTravels: a view's extents and tokens are read and replaced without an operation.
func TestMetadataTravels(t *testing.T) {
	m := module(t, metadata[d4, d8], nil)
	sum := only(t, m, "addi")
	for i, v := range sum.Operands {
		for v.Def != nil && v.Def.Info.Mnemonic == "assume" {
			v = v.Def.Operands[0]
		}
		if v != m.Entries[0].Params[1+i] { // after the pointer come the extents
			t.Errorf("term %d is not the extent itself: %v", i, sum)
		}
	}
	for _, name := range []string{"get_tensor_shape", "get_index_space_shape"} {
		if n := len(named(m, name)); n != 0 {
			t.Errorf("%d operations %s", n, name)
		}
	}
	m = module(t, viewsAreReferences[d4], nil)
	if n := len(named(m, "make_token")) + len(named(m, "join_tokens")); n != 1 {
		t.Errorf("%d operations make tokens, want one, in\n%v", n, text.Sprint(m))
	}
}

// TestStoreIsComposite: Out.Store has no operation of its own; it is a view, a store and a new token, inlined with the
// shapes of its caller.
func TestStoreIsComposite(t *testing.T) {
	for want, fn := range map[string]any{"tile=(4x8)": storesOne[d4, d8], "tile=(16x2)": storesOne[d16, d2]} {
		m := module(t, fn, nil)
		if got := only(t, m, "make_partition_view").Results[0].Type.String(); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		store := only(t, m, "store_view_tko")
		if store.Attr("memory_scope") != nil || tileir.Int(store.Int("memory_ordering_semantics")) != tileir.MemoryWeak || tileir.MemoryWeak != 0 {
			t.Errorf("the store is not weak, or has a scope: %v", store)
		}
		if h := store.Attr("optimization_hints"); h != nil {
			t.Errorf("hints that nobody gave: %v", h)
		}
	}
	store := only(t, module(t, wideIndex[d1, d1, d4, d8], nil), "store_view_tko")
	index := store.Group(store.Info.OperandIndex("index"))
	if len(index) != 4 {
		t.Fatalf("%d indices", len(index))
	}
	for _, v := range index {
		if c, ok := v.Def.Attr("value").(*tileir.Constant); !ok || c.Element(0) != 0 {
			t.Errorf("an index is not zero: %v", store)
		}
	}
}

// TestDeclaredOperands: operands are those that a directive names, in its order, out of a struct too; other parameters
// become attributes; a name may be that of another package's operation.
func TestDeclaredOperands(t *testing.T) {
	m := module(t, declared[d4], nil)
	a, b := named(m, "load_view_tko")[0].Results[0], named(m, "load_view_tko")[1].Results[0]
	sub, sum := only(t, m, "subf"), only(t, m, "addf")
	if sub.Operands[0] != b || sub.Operands[1] != a || tileir.Int(sub.Int("rounding_mode")) != tileir.RoundingZero {
		t.Errorf("%v", sub)
	}
	outer, inner := only(t, m, "exp2"), only(t, m, "exp")
	if outer.Operands[0] != inner.Results[0] || outer.Int("flush_to_zero") != 1 || inner.Operands[0] != a {
		t.Errorf("%v and %v", outer, inner)
	}
	if len(sum.Operands) != 2 || sum.Operands[0] != sub.Results[0] || sum.Operands[1] != outer.Results[0] ||
		tileir.Int(sum.Int("rounding_mode")) != tileir.RoundingNegativeInf {
		t.Errorf("%v", sum)
	}
	has(t, m, "flush_to_zero", 1)
}

// TestOperandGroups: operands that may be absent or many are counted, also those that are absent.
func TestOperandGroups(t *testing.T) {
	load := only(t, module(t, spreadPointer[d4], nil), "load_ptr_tko")
	if len(load.Segments) != 4 || len(load.Operands) != 4 {
		t.Errorf("%v has segments %v", load, load.Segments)
	}
	print := only(t, module(t, prints[d4], nil), "print_tko")
	if len(print.Segments) != 2 || print.Segments[0] != 2 || print.Segments[1] != 1 {
		t.Errorf("%v has segments %v", print, print.Segments)
	}
	store := only(t, module(t, storesOne[d4, d8], nil), "store_view_tko")
	if len(store.Segments) != 4 || store.Segments[2] != 2 {
		t.Errorf("%v has segments %v", store, store.Segments)
	}
}

// TestCasts: a number becomes a tile, a pointer becomes a tile of pointers, both by a reshape and a broadcast.
func TestCasts(t *testing.T) {
	m := module(t, spreadPointer[d4], nil)
	has(t, m, "reshape %arg1 : tile<f32> -> tile<1xf32>", 1)
	has(t, m, "tile<1xf32> -> tile<4xf32>", 1)
	has(t, m, ": tile<ptr<f32>> -> tile<1xptr<f32>>", 1)
	has(t, m, "tile<1xptr<f32>> -> tile<4xptr<f32>>", 1)
}

// TestHints: a latency is a hint of the load, and no operand.
func TestHints(t *testing.T) {
	load := only(t, module(t, latency[d4, d8], nil), "load_view_tko")
	h, ok := load.Attr("optimization_hints").(tileir.Hints)
	if !ok || len(h) != 1 || len(h[0].Hints) != 1 || h[0].Hints[0].Name != "latency" || h[0].Hints[0].Value.Int != 4 {
		t.Errorf("hints %v", load.Attr("optimization_hints"))
	}
	if n := len(load.Operands); n != 4 { // the view, two indices and the token
		t.Errorf("%d operands", n)
	}
	for _, m := range []*tileir.Module{module(t, noTMA[d4, d8], nil), module(t, hints[d4, d8], nil)} {
		h, _ = only(t, m, "load_view_tko").Attr("optimization_hints").(tileir.Hints)
		if len(h) != 1 || len(h[0].Hints) != 2 || h[0].Hints[1].Name != "allow_tma" || h[0].Hints[1].Value.Bool {
			t.Errorf("hints %v", h)
		}
	}
	h, _ = only(t, module(t, hints[d4, d8], nil), "store_view_tko").Attr("optimization_hints").(tileir.Hints)
	if len(h) != 1 || len(h[0].Hints) != 1 || h[0].Hints[0].Name != "allow_tma" {
		t.Errorf("hints of the store %v", h)
	}
}

// TestAssumptions: what the launch found out becomes assumptions on divisibility and bounds.
func TestAssumptions(t *testing.T) {
	m := module(t, storesOne[d4, d8], nil)
	has(t, m, "assume div_by<16>, %arg0 : tile<ptr<f32>>", 1)
	has(t, m, "assume bounded<0, ?>, %arg1 : tile<i32>", 1)
	has(t, module(t, storesOne[d4, d8], func(f *compile.Facts) { clear(f.Args) }), "div_by", 0)
}

// TestCosine is the example of an operation without marks.
func TestCosine(t *testing.T) {
	m := module(t, cosine[tile.D128], nil)
	has(t, m, "= cos %tile : tile<128xf32>\n", 1)
}

// TestSameKernelSameText: a kernel that is compiled again, by its value or by its name, is the same.
func TestSameKernelSameText(t *testing.T) {
	first := text.Sprint(module(t, product[d16, d16, d16], nil))
	k, err := compile.ResolveNamed(ownPath, "product", "tile.D16", "tile.D16", "tile.D16")
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(context.Background(), facts(k))
	if err != nil || text.Sprint(c.Module) != first {
		t.Errorf("%v\n%s", err, first)
	}
}
