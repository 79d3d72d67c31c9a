package tileir_test

import (
	"math"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestFoundByFuzzing has modules on which Verify or Print once panicked, or that they wrongly took for sound.
func TestFoundByFuzzing(t *testing.T) {
	negf := func(x *Value) *Op {
		return NewOp(Lookup("negf"), [][]*Value{{x}}, nil, []Type{Tile(F32, 4)}, nil, Loc{})
	}
	x := func() *Op { return constant(Tile(F32, 4)) }
	for _, c := range []struct {
		name, want string
		make       func() *Module
	}{
		{"an operand of an operation without row", "operand source is not visible here", func() *Module {
			gone := x()
			gone.Info = nil
			return entry(negf(gone.Results[0]))
		}},
		{"a parameter of a nil type", "parameter 0 has no type", func() *Module {
			m := entry()
			m.Entries[0].Params = []*Value{{Type: (*TileType)(nil)}}
			return m
		}},
		{"a block argument of a nil type", "block argument 0 of region region has no type", func() *Module {
			body := &Block{Args: []*Value{{Type: (*FuncType)(nil)}}, Ops: []*Op{NewOp(Lookup("break"), nil, nil, nil, nil, Loc{})}}
			return entry(NewOp(Lookup("loop"), nil, nil, nil, []*Block{body}, Loc{}))
		}},
		{"an operation in two blocks", "a value is defined twice", func() *Module {
			a := x()
			yield := func() *Op { return NewOp(Lookup("yield"), nil, nil, nil, nil, Loc{}) }
			cond := constant(Tile(I1))
			blocks := []*Block{{Ops: []*Op{a, yield()}}, {Ops: []*Op{a, yield()}}}
			return entry(cond, NewOp(Lookup("if"), [][]*Value{{cond.Results[0]}}, nil, nil, blocks, Loc{}))
		}},
		{"a view of a tensor that is wrong", "0 is not a positive extent", func() *Module {
			// The tensor is found wrong first, and the view, whose sparse dimension is wrong too, only then.
			tensor := &TensorViewType{Elem: F32, Shape: []int64{0, 4}, Strides: []int64{4, 1}}
			view := &GatherScatterViewType{Tile: []int{4, 4}, Tensor: tensor, SparseDim: 35, Padding: NoPadding}
			base, i, token := constant(Tile(I64)), constant(Tile(I32)), NewOp(Lookup("make_token"), nil, nil, []Type{Token}, nil, Loc{})
			ptr := NewOp(Lookup("int_to_ptr"), [][]*Value{{base.Results[0]}}, nil, []Type{PointerTile(F32)}, nil, Loc{})
			t := NewOp(Lookup("make_tensor_view"), [][]*Value{{ptr.Results[0]}, {}, {}}, nil, []Type{tensor}, nil, Loc{})
			v := NewOp(Lookup("make_gather_scatter_view"), [][]*Value{{t.Results[0]}}, nil, []Type{view}, nil, Loc{})
			load := NewOp(Lookup("load_view_tko"), [][]*Value{{v.Results[0]}, {i.Results[0], i.Results[0]}},
				Attrs(Lookup("load_view_tko"), NamedAttr{Name: "memory_ordering_semantics", Value: MemoryWeak}),
				[]Type{Tile(F32, 4, 4), Token}, nil, Loc{})
			return entry(base, i, token, ptr, t, v, load)
		}},
		{"an entry that is nil", "entry 1 is nil", func() *Module { return &Module{Entries: []*Entry{entry().Entries[0], nil}} }},
		{"a global that is nil", "global 0 is nil", func() *Module { return &Module{Globals: []*Global{nil}} }},
	} {
		m := c.make()
		if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.name, err, c.want)
		}
		_ = text.Sprint(m)
	}
}

// TestPlacesOutOfRange: lines and columns that readers refuse are brought into their range.
func TestPlacesOutOfRange(t *testing.T) {
	o := constant(Tile(F32, 4))
	fn := &Scope{Name: "k", Linkage: "k", Line: -5, ScopeLine: math.MaxInt32 + 1}
	o.Loc = Loc{File: "k.go", Line: math.MaxInt32 + 7, Col: -1, Scope: &Scope{Parent: fn, Line: -1, Col: -1}}
	var b strings.Builder
	if err := text.Print(&b, entry(o), text.PrintOptions{Debug: true}); err != nil {
		t.Fatal(err)
	}
	m, err := text.Parse(b.String(), text.ParseOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	got := m.Entries[0].Body.Ops[0].Loc
	if got.Line != math.MaxInt32 || got.Col != 0 || got.Scope.Line != 0 || got.Scope.Parent.Line != 0 || got.Scope.Parent.ScopeLine != math.MaxInt32 {
		t.Errorf("%+v, %+v, %+v", got, got.Scope, got.Scope.Parent)
	}
}
