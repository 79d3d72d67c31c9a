package tileir_test

import (
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
)

func tensorOf(e Elem, n int64) *TensorViewType {
	return &TensorViewType{Elem: e, Shape: []int64{n, 8}, Strides: []int64{8, 1}}
}

// TestVerifyTypes gives Verify types that are wrong in themselves, as those of a parameter, or of the operation that makes
// such views.
func TestVerifyTypes(t *testing.T) {
	tensor := tensorOf(F32, 16)
	part := func(change func(p *PartitionViewType)) Type {
		p := &PartitionViewType{Tile: []int{4, 8}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}
		change(p)
		return p
	}
	for _, c := range []struct {
		t    Type
		in   Version
		want string
	}{
		{&TileType{}, Newest, "parameter 0 has a type without an element type"},
		{&TileType{Elem: 99}, Newest, "parameter 0 has a type without an element type"},
		{&TileType{Elem: F32, PtrAttr: true}, Newest, "parameter 0: tile<f32> holds no pointers, so it has no pointer attribute"},
		{PointerTile(I4), Newest, "parameter 0: tile<ptr<i4>>: there are no pointers to i4"},
		{&TileType{Elem: F32, Pointer: true, PtrAttr: true}, V13_3, "pointer attributes need version 13.4, but the target is 13.3"},
		{&TileType{Elem: F32, Pointer: true, PtrAttr: true}, Newest, ""},
		{Tile(F8E8M0FNU), V13_1, "parameter 0: tile<f8E8M0FNU> needs version 13.2, but the target is 13.1"},
		{Tile(F8E8M0FNU), V13_2, ""},
		{Tile(I32, 3), Newest, "parameter 0: expected a tile of rank 0, but found tile<3xi32>"},
		{Tile(I32, 0), Newest, "parameter 0: expected a tile of rank 0, but found tile<0xi32>"},
		{ScalarType{}, Newest, "parameter 0: expected a tile of rank 0, but found none"},
		{&TensorViewType{Shape: []int64{1}, Strides: []int64{1}}, Newest, "result result has a type without an element type"},
		{tensorOf(I4, 16), Newest, "there are no tensors of i4"},
		{&TensorViewType{Elem: F32, Shape: []int64{4, 4}, Strides: []int64{1}}, Newest, "has 2 extents but 1 strides"},
		{&TensorViewType{Elem: F32, Shape: []int64{4}, Strides: []int64{0}}, Newest, "0 is not a positive"},
		{&TensorViewType{Elem: F32, Shape: []int64{-4}, Strides: []int64{1}}, Newest, "-4 is not a positive"},
		{part(func(p *PartitionViewType) { p.Tensor = nil }), Newest, "is a view without a tensor"},
		{part(func(p *PartitionViewType) { p.DimMap = []int{0} }), Newest, "the dimension map has 1 entries, but the tensor's rank is 2"},
		{part(func(p *PartitionViewType) { p.DimMap = []int{0, 1, 2} }), Newest, "the dimension map [0 1 2] is not a permutation of 0..1"},
		{part(func(p *PartitionViewType) { p.DimMap = []int{1, 1} }), Newest, "the dimension map [1 1] is not a permutation of 0..1"},
		{part(func(p *PartitionViewType) { p.DimMap = []int{-1, 1} }), Newest, "the dimension map [-1 1] is not a permutation of 0..1"},
		{part(func(p *PartitionViewType) { p.Tile = []int{4} }), Newest, "the tile's rank 1 is not the tensor's rank 2, or is 0"},
		{part(func(p *PartitionViewType) { p.Tile = []int{4, 3} }), Newest, "3 is not a power of two"},
		{part(func(p *PartitionViewType) { p.Padding = 5 }), Newest, "needs a float element"},
		{part(func(p *PartitionViewType) { p.Padding = -2 }), Newest, "needs a float element"},
		{part(func(p *PartitionViewType) { p.Tensor, p.Padding = tensorOf(I32, 16), PadNaN }), Newest, "padding nan needs a float element"},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{4}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, Newest, "needs a positive traversal stride of 32 bits for each of its 2 dimensions"},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{4, 0}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, Newest, "needs a positive traversal stride of 32 bits for each of its 2 dimensions"},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{4, 8}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, V13_2, "the operation needs version 13.3, but the target is 13.2"},
		{&GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor, SparseDim: 2, Padding: NoPadding}, Newest, "sparse dimension 2 is not below the rank 2"},
		{&GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor, SparseDim: -1, Padding: NoPadding}, Newest, "sparse dimension -1 is not below the rank 2"},
		{&GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor, Padding: NoPadding}, V13_1, "the operation needs version 13.3, but the target is 13.1"},
		{&FuncType{}, Newest, "expected a tile of rank 0, but found () -> ()"},
	} {
		m := entry()
		maker := ""
		switch c.t.(type) {
		case *TensorViewType:
			maker = "make_tensor_view"
		case *PartitionViewType:
			maker = "make_partition_view"
		case *StridedViewType:
			maker = "make_strided_view"
		case *GatherScatterViewType:
			maker = "make_gather_scatter_view"
		}
		if maker == "" {
			m.Entries[0].Params = []*Value{{Type: c.t}}
		} else {
			groups := make([][]*Value, len(Lookup(maker).Operands))
			m = entry(NewOp(Lookup(maker), groups, nil, []Type{c.t}, nil, Loc{}))
		}
		err := m.Verify(c.in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v in %v: %v, want %q", c.t, c.in, err, c.want)
		}
	}
}

// TestViewWithoutTensor: a view that lacks its tensor can stand in a message.
func TestViewWithoutTensor(t *testing.T) {
	m := entry()
	m.Entries[0].Params = []*Value{{Type: &PartitionViewType{Tile: []int{4}, Padding: NoPadding}}}
	const want = "parameter 0: expected a tile of rank 0, but found partition_view<tile=(4), no tensor_view>"
	if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestVerifyEntries: what is wrong with an entry or a global, whatever its operations.
func TestVerifyEntries(t *testing.T) {
	one := IntConstant(Tile(I32, 1), 1)
	hint := func(names ...string) (h []Hint) {
		for _, n := range names {
			h = append(h, Hint{Name: n, Value: HintValue{Elem: I32, Int: 2}})
		}
		return h
	}
	for want, change := range map[string]func(m *Module){
		`the entry: hints for "sm_90" are given twice`: func(m *Module) { m.Entries[0].Hints = Hints{{Arch: "sm_90"}, {Arch: "sm_100"}, {Arch: "sm_90"}} },
		`the entry: hint "occupancy" is given twice`: func(m *Module) {
			m.Entries[0].Hints = Hints{{Arch: "sm_90", Hints: hint("occupancy", "num_cta_in_cga", "occupancy")}}
		},
		`the entry: hints for "a b": expected a name of letters, digits and underscores`: func(m *Module) { m.Entries[0].Hints = Hints{{Arch: "a b"}} },
		`the entry: hint "a-b": expected a name of letters, digits and underscores`:      func(m *Module) { m.Entries[0].Hints = Hints{{Arch: "sm_90", Hints: hint("a-b")}} },
		"the body is empty; it must end in return":                                       func(m *Module) { m.Entries[0].Body = nil },
		"entry k: the body is empty":                                                     func(m *Module) { m.Entries[0].Body.Ops = nil },
		"the body must end in return, but ends in break":                                 func(m *Module) { m.Entries[0].Body.Ops = []*Op{NewOp(Lookup("break"), nil, nil, nil, nil, Loc{})} },
		"a block must end in a terminator, but ends in constant":                         func(m *Module) { m.Entries[0].Body.Ops = []*Op{constant(Tile(I32))} },
		"the body has block arguments; parameters belong to the entry":                   func(m *Module) { m.Entries[0].Body.Args = []*Value{{Type: Tile(I32)}} },
		"entry k: the name is already taken":                                             func(m *Module) { m.Entries = append(m.Entries, entry().Entries[0]) },
		"global k: the name is already taken":                                            func(m *Module) { m.Globals = []*Global{{Name: "k", Value: one}, {Name: "k", Value: one}} },
		"global g has no value":                                                          func(m *Module) { m.Globals = []*Global{{Name: "g"}} },
		"global g: alignment 3 is not a power of two":                                    func(m *Module) { m.Globals = []*Global{{Name: "g", Value: one, Align: 3}} },
		"global g: alignment -4 is not a power of two":                                   func(m *Module) { m.Globals = []*Global{{Name: "g", Value: one, Align: -4}} },
		"global g: ": func(m *Module) {
			m.Globals = []*Global{{Name: "g", Value: &Constant{Type: Tile(I32, 3), Data: make([]byte, 8)}}}
		},
		"a float64 is listed: expected a type, a position, a text or a constant": func(m *Module) { m.Listed = []Listed{{Item: 1.5}} },
		"a constant is listed that is nil":                                       func(m *Module) { m.Listed = []Listed{{Item: (*Constant)(nil)}} },
		"a type is listed that is nil or lacks a part": func(m *Module) {
			m.Listed = []Listed{{Item: &GatherScatterViewType{Tensor: &TensorViewType{}}}}
		},
	} {
		m := entry()
		change(m)
		if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for version, sound := range map[Version]bool{V13_1: false, V13_2: false, V13_3: true, V13_4: true} {
		for _, g := range []*Global{{Name: "g", Value: one, Private: true}, {Name: "g", Value: one, Constant: true}} {
			m := entry()
			m.Globals = []*Global{g}
			if err := m.Verify(version); (err == nil) != sound || err != nil && !strings.Contains(err.Error(), "global g is private or constant, which needs version 13.3, but the target is") {
				t.Errorf("%v: %v", version, err)
			}
		}
	}
}

// TestWholeTypes: what may be listed in a file, and what lacks a part, at any depth.
func TestWholeTypes(t *testing.T) {
	tensor, bare := tensorOf(F32, 4), &TensorViewType{}
	for _, c := range []struct {
		whole bool
		t     Type
	}{
		{true, Token}, {true, Tile(F32)}, {false, &TileType{}}, {false, (*TileType)(nil)}, {true, ScalarType{Elem: I8}}, {false, ScalarType{}}, {false, ScalarType{Elem: 99}},
		{true, tensor}, {false, bare}, {false, (*TensorViewType)(nil)}, {true, &PartitionViewType{Tensor: tensor}}, {false, &PartitionViewType{Tensor: bare}},
		{false, &PartitionViewType{}}, {false, (*PartitionViewType)(nil)}, {true, &StridedViewType{Tensor: tensor}}, {false, &StridedViewType{Tensor: bare}}, {false, &StridedViewType{}},
		{false, (*StridedViewType)(nil)}, {true, &GatherScatterViewType{Tensor: tensor}}, {false, &GatherScatterViewType{}}, {false, (*GatherScatterViewType)(nil)},
		{true, &FuncType{}}, {false, (*FuncType)(nil)}, {true, &FuncType{Params: []Type{tensor}, Results: []Type{Token}}}, {false, &FuncType{Params: []Type{tensor, bare}}},
		{false, &FuncType{Results: []Type{Token, nil}}},
	} {
		m := entry()
		m.Listed = []Listed{{Item: c.t}}
		if c.t == nil {
			continue
		}
		if err := m.Verify(Newest); (err == nil) != c.whole {
			t.Errorf("%#v: %v, want whole %v", c.t, err, c.whole)
		}
	}
}

// TestIdentical: types with the same parts are the same.
func TestIdentical(t *testing.T) {
	tensor := func(e Elem, n int64) *TensorViewType { return tensorOf(e, n) }
	part := func(n int, e Elem, dims ...int) Type {
		return &PartitionViewType{Tile: []int{n, 8}, Tensor: tensor(e, 16), DimMap: dims, Padding: NoPadding}
	}
	groups := [][]Type{
		{Tile(F32), Tile(F32)}, {Tile(F32, 4), Tile(F32, 4)}, {Tile(F32, 4, 1)}, {Tile(F16, 4)}, {PointerTile(F32, 4), PointerTile(F32, 4)},
		{&TileType{Elem: F32, Shape: []int{4}, Pointer: true, PtrAttr: true}}, {Token, Token}, {ScalarType{Elem: F32}}, {ScalarType{Elem: F32, Pointer: true}}, {ScalarType{Elem: F16}},
		{tensor(F32, 16), tensor(F32, 16)}, {tensor(F32, 8)}, {tensor(F16, 16)}, {&TensorViewType{Elem: F32, Shape: []int64{16, 8}, Strides: []int64{1, 8}}},
		{part(4, F32, 0, 1), part(4, F32, 0, 1)}, {part(8, F32, 0, 1)}, {part(4, F16, 0, 1)}, {part(4, F32, 1, 0)},
		{&PartitionViewType{Tile: []int{4, 8}, Tensor: tensor(F32, 16), DimMap: []int{0, 1}, Padding: PadZero}},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{4, 8}, Tensor: tensor(F32, 16), DimMap: []int{0, 1}, Padding: NoPadding},
			&StridedViewType{Tile: []int{4, 8}, Traversal: []int{4, 8}, Tensor: tensor(F32, 16), DimMap: []int{0, 1}, Padding: NoPadding}},
		{&StridedViewType{Tile: []int{4, 8}, Traversal: []int{2, 8}, Tensor: tensor(F32, 16), DimMap: []int{0, 1}, Padding: NoPadding}},
		{&GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor(F32, 16), Padding: NoPadding}, &GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor(F32, 16), Padding: NoPadding}},
		{&GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor(F32, 16), SparseDim: 1, Padding: NoPadding}},
		{&FuncType{}, &FuncType{}}, {&FuncType{Params: []Type{Token}}, &FuncType{Params: []Type{Token}}}, {&FuncType{Results: []Type{Token}}}, {&FuncType{Params: []Type{Tile(F32)}}},
	}
	for i, g := range groups {
		for j, h := range groups {
			for _, a := range g {
				for _, b := range h {
					if got := Identical(a, b); got != (i == j) {
						t.Errorf("%v and %v: identical %v", a, b, got)
					}
				}
			}
		}
	}
}
