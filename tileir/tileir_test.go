package tileir_test

import (
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, in := range Infos() {
		if LookupOpcode(in.Opcode) != in || Lookup(in.Mnemonic) != in {
			t.Errorf("%s is not found by name and number", in.Mnemonic)
		}
		if names[in.Mnemonic] || in.Meaning == "" || in.Category == "" || in.Since < V13_1 || in.Since > Newest {
			t.Errorf("%s: twice, or without meaning, category or version", in.Mnemonic)
		}
		names[in.Mnemonic] = true
		if in.Terminator && in.Pure {
			t.Errorf("%s is a terminator and pure", in.Mnemonic)
		}
		for _, a := range in.Attrs {
			if a.Coding == EnumAttr && a.Enum == nil {
				t.Errorf("%s: attribute %s has no enumeration", in.Mnemonic, a.Name)
			}
		}
	}
	numbered := 0
	for code := -1; code < 200; code++ {
		in := LookupOpcode(code)
		if in == nil {
			continue
		}
		numbered++
		if !names[in.Mnemonic] || in.Opcode != code {
			t.Errorf("number %d gives %s", code, in.Mnemonic)
		}
	}
	if numbered != len(names) {
		t.Errorf("%d operations have a number, and %d are listed", numbered, len(names))
	}
	if Lookup("pow") == nil || Lookup("pow") != Lookup("fpowf") || Lookup("nope") != nil {
		t.Error("the old name of fpowf is not found, or an unknown one is")
	}
}

func TestPure(t *testing.T) {
	for name, want := range map[string]bool{"addf": true, "divi": true, "assume": true, "make_token": true, "constant": true,
		"get_tensor_shape": true, "if": false, "for": false, "reduce": false, "scan": false, "yield": false,
		"load_view_tko": false, "print_tko": false, "assert": false, "alloca": false} {
		if got := Lookup(name).Pure; got != want {
			t.Errorf("%s: pure %v, expected %v", name, got, want)
		}
	}
}

// TestMemory: an operation that reads or writes memory says so by its name, is not pure, and has an operand that says where.
func TestMemory(t *testing.T) {
	for _, in := range Infos() {
		atomic := strings.HasPrefix(in.Mnemonic, "atomic_")
		reads, writes := atomic || strings.HasPrefix(in.Mnemonic, "load_"), atomic || strings.HasPrefix(in.Mnemonic, "store_")
		if in.Reads != reads || in.Writes != writes || in.Pure && (reads || writes) {
			t.Errorf("%s: reads %v, writes %v, pure %v", in.Mnemonic, in.Reads, in.Writes, in.Pure)
		}
	}
	tensor := &TensorViewType{Elem: F32, Shape: []int64{8}, Strides: []int64{1}}
	view := &Value{Type: &PartitionViewType{Tile: []int{8}, Tensor: tensor, DimMap: []int{0}}}
	pointers := &Value{Type: &TileType{Elem: F32, Shape: []int{8}, Pointer: true}}
	data, token := &Value{Type: Tile(F32, 8)}, &Value{Type: Token}
	for _, c := range []struct {
		name     string
		operands []*Value
		want     *Value
	}{
		{"load_view_tko", []*Value{view, token}, view}, {"store_view_tko", []*Value{data, view}, view},
		{"store_ptr_tko", []*Value{pointers, data}, pointers}, {"addf", []*Value{data, data}, nil},
	} {
		if got := (&Op{Info: Lookup(c.name), Operands: c.operands}).Address(); got != c.want {
			t.Errorf("%s: the address is %v", c.name, got)
		}
	}
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		enum  *Enum
		value Int
		text  string
	}{{RoundingMode, RoundingNearestAway, "nearest_away"}, {MemoryScope, ScopeTileBlock, "tl_blk"}, {AtomicRMWMode, AtomicUMin, "umin"},
		{ComparisonOrdering, CompareOrdered, "ordered"}, {IntegerOverflow, OverflowNoWrap, "no_wrap"}, {Signedness, Unsigned, "unsigned"},
		{MemoryOrderingSemantics, MemoryAcqRel, "acq_rel"}} {
		found := false
		for _, v := range c.enum.Values {
			found = found || v.Value == int64(c.value) && v.Text == c.text
		}
		if !found {
			t.Errorf("%s has no value %d called %s", c.enum.Name, c.value, c.text)
		}
	}
}

func TestTypeStrings(t *testing.T) {
	tensor := &TensorViewType{Elem: F16, Shape: []int64{Dynamic, 64}, Strides: []int64{Dynamic, 1}}
	for _, c := range []struct {
		t    Type
		want string
	}{
		{Tile(F32), "tile<f32>"}, {Tile(F8E4M3FN, 64, 32), "tile<64x32xf8E4M3FN>"}, {PointerTile(I8, 4), "tile<4xptr<i8>>"}, {Token, "token"},
		{tensor, "tensor_view<?x64xf16, strides=[?,1]>"}, {&TensorViewType{Elem: I8}, "tensor_view<i8>"},
		{&PartitionViewType{Tile: []int{4, 8}, Tensor: tensor, DimMap: []int{1, 0}, Padding: PadNaN},
			"partition_view<tile=(4x8), padding_value = nan, tensor_view<?x64xf16, strides=[?,1]>, dim_map=[1, 0]>"},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{2, 8}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding},
			"strided_view<tile=(4x8), traversal_strides=[2,8], tensor_view<?x64xf16, strides=[?,1]>>"},
		{&FuncType{Params: []Type{Tile(I32), PointerTile(F32)}}, "(tile<i32>, tile<ptr<f32>>) -> ()"},
		{&FuncType{Results: []Type{Token}}, "() -> token"}, {&FuncType{Results: []Type{Token, Tile(I1)}}, "() -> (token, tile<i1>)"},
		{ScalarType{Elem: BF16}, "bf16"}, {ScalarType{Elem: I8, Pointer: true}, "ptr<i8>"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// entry makes a module of one entry with these operations and a return.
func entry(ops ...*Op) *Module {
	ops = append(ops, NewOp(Lookup("return"), nil, nil, nil, nil, Loc{}))
	return &Module{Entries: []*Entry{{Name: "k", Body: &Block{Ops: ops}}}}
}

func constant(t *TileType) *Op {
	data := make([]byte, (t.Elem.Bits()+7)/8)
	return NewOp(Lookup("constant"), nil, []Attr{&Constant{Type: t, Data: data}}, []Type{t}, nil, Loc{})
}

func TestNewOp(t *testing.T) {
	ptr, mask := &Value{Type: PointerTile(F32, 4)}, &Value{Type: Tile(I1, 4)}
	in := Lookup("load_ptr_tko")
	o := NewOp(in, [][]*Value{{ptr}, {mask}}, Attrs(in, NamedAttr{Name: "memory_ordering_semantics", Value: MemoryWeak}),
		[]Type{Tile(F32, 4), Token}, nil, Loc{})
	if len(o.Operands) != 2 || o.Operand("mask") != mask || o.Operand("token") != nil || len(o.Group(2)) != 0 {
		t.Errorf("operands %v in segments %v", o.Operands, o.Segments)
	}
	if len(o.Attrs) != len(in.Attrs) || Int(o.Int("memory_ordering_semantics")) != MemoryWeak {
		t.Errorf("attributes %v", o.Attrs)
	}
	if len(o.Results) != 2 || o.Results[1].Def != o {
		t.Errorf("results %v", o.Results)
	}
	if add := NewOp(Lookup("andi"), [][]*Value{{mask}, {mask}}, nil, []Type{mask.Type}, nil, Loc{}); add.Segments != nil {
		t.Error("an operation with one value each has segments")
	}
}

// TestOpString: an operation in a message tells its types, those that it lacks, too.
func TestOpString(t *testing.T) {
	x := constant(Tile(F32, 4)).Results[0]
	add := NewOp(Lookup("addf"), [][]*Value{{x}, {nil}}, nil, []Type{Tile(F32, 4)}, nil, Loc{})
	if got, want := add.String(), "addf(tile<4xf32>, <nil>) -> tile<4xf32>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestInt: an attribute as a number, given, left out, or unknown to the operation.
func TestInt(t *testing.T) {
	for _, c := range []struct {
		op, attr string
		given    Attr
		want     int64
	}{
		{"addf", "flush_to_zero", Bool(true), 1}, {"addf", "flush_to_zero", Bool(false), 0}, {"addf", "flush_to_zero", nil, 0},
		{"addf", "rounding_mode", RoundingNegativeInf, int64(RoundingNegativeInf)}, {"cat", "dim", Int(3), 3},
		{"divi", "rounding", nil, int64(RoundingZero)}, {"divi", "rounding", RoundingPositiveInf, int64(RoundingPositiveInf)},
		{"exp", "rounding_mode", nil, int64(RoundingFull)}, {"addi", "overflow", nil, 0},
		{"addi", "rounding_mode", nil, 0}, {"addi", "", nil, 0}, {"load_ptr_tko", "optimization_hints", Hints{}, 0},
	} {
		in := Lookup(c.op)
		o := &Op{Info: in, Attrs: make([]Attr, len(in.Attrs))}
		if c.given != nil {
			o.Attrs[in.AttrIndex(c.attr)] = c.given
		}
		if got := o.Int(c.attr); got != c.want {
			t.Errorf("%s: %s of %v is %d, want %d", c.op, c.attr, c.given, got, c.want)
		}
	}
}

func TestNewOpPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"BUG: tileir: negf takes 1 operands": func() { NewOp(Lookup("negf"), make([][]*Value, 2), nil, nil, nil, Loc{}) },
		"BUG: tileir: negf has no attribute": func() { Attrs(Lookup("negf"), NamedAttr{Name: "x"}) },
	} {
		func() {
			defer func() {
				if got, ok := recover().(string); !ok || !strings.HasPrefix(got, want) {
					t.Errorf("panic %q, expected %q", got, want)
				}
			}()
			f()
		}()
	}
}

func TestPrintVersions(t *testing.T) {
	c := constant(Tile(F32, 4))
	x := c.Results[0]
	c.Loc = Loc{File: "k.go", Line: 3, Col: 4, Caller: &Loc{File: "m.go", Line: 9, Col: 1}}
	m := entry(c, NewOp(Lookup("fpowf"), [][]*Value{{x}, {x}}, nil, []Type{x.Type}, nil, Loc{}))
	for _, o := range []struct {
		opts text.PrintOptions
		want string
	}{{text.PrintOptions{}, "%0 = fpowf %cst_0_f32, %cst_0_f32 : tile<4xf32>\n"}, {text.PrintOptions{Version: V13_3}, "%0 = pow %cst_0_f32"},
		{text.PrintOptions{Debug: true}, ": tile<4xf32> loc(#loc5)\n"}} {
		var b strings.Builder
		if err := text.Print(&b, m, o.opts); err != nil || !strings.Contains(b.String(), o.want) {
			t.Errorf("%+v: %v\n%s\nexpected %s", o.opts, err, b.String(), o.want)
		}
	}
	if got, want := text.SprintOp(m.Entries[0].Body.Ops[1]), "%1 = fpowf %0, %0 : tile<4xf32>"; got != want {
		t.Errorf("an operation by itself: %q, expected %q", got, want)
	}
}

func TestVersions(t *testing.T) {
	for _, v := range Versions() {
		if got, err := ParseVersion(v.String()); err != nil || got != v {
			t.Errorf("ParseVersion(%v) = %v, %v", v, got, err)
		}
	}
	if _, err := ParseVersion("13.5"); err == nil || !strings.Contains(err.Error(), `version "13.5" is not one of`) {
		t.Error(err)
	}
	if err := Verify(entry(), 0); err == nil || !strings.Contains(err.Error(), "cannot verify for version") {
		t.Error(err)
	}
}
