package tileir_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
)

// TestBroken gives Verify operations that no builder makes: it must say what is wrong, and not panic.
func TestBroken(t *testing.T) {
	f32 := Tile(F32, 4)
	good := func() (*Op, *Op) {
		c := constant(f32)
		return c, NewOp(Lookup("addf"), [][]*Value{c.Results, c.Results}, []Attr{RoundingZero}, []Type{f32}, nil, Loc{})
	}
	for _, c := range []struct {
		name, want string
		damage     func(c, o *Op)
	}{
		{"no attributes", "expected 2 attributes, but found 0", func(_, o *Op) { o.Attrs = nil }},
		{"nil attribute", "attribute rounding_mode is missing", func(_, o *Op) { o.Attrs[0] = nil }},
		{"other attribute", "attribute rounding_mode: expected an integer, but found a tileir.String", func(_, o *Op) { o.Attrs[0] = String("zero") }},
		{"other unit", "attribute flush_to_zero: expected a truth value, but found a tileir.Int", func(_, o *Op) { o.Attrs[1] = Int(1) }},
		{"nil constant", "attribute value: expected a constant", func(c, _ *Op) { c.Attrs[0] = (*Constant)(nil) }},
		{"one operand", "expected 2 operands, but found 1", func(_, o *Op) { o.Operands = o.Operands[:1] }},
		{"nil operand", "operand rhs is nil or has no type", func(_, o *Op) { o.Operands[1] = nil }},
		{"operand without type", "operand lhs is nil or has no type", func(_, o *Op) { o.Operands[0] = &Value{} }},
		{"segments", "the segments [1] do not fit 2 operands in 2 groups", func(_, o *Op) { o.Segments = []int{1} }},
		{"negative segment", "the segments [3 -1] do not fit", func(_, o *Op) { o.Segments = []int{3, -1} }},
		{"two values", "operand lhs: expected one value, but found 2", func(_, o *Op) { o.Segments = []int{2, 0} }},
		{"no result", "expected 1 results, but found 0", func(_, o *Op) { o.Results = nil }},
		{"nil result", "result result is nil or has no type", func(_, o *Op) { o.Results[0] = nil }},
		{"stolen result", "result result belongs to another operation", func(c, o *Op) { o.Results = c.Results }},
		{"region", "expected 0 regions, but found 1", func(_, o *Op) { o.Regions = []*Block{nil} }},
		{"row of a section", "entry is not an operation of a body", func(_, o *Op) { o.Info = Lookup("entry") }},
		{"no row", "operation [1] is nil or has no row of the table", func(_, o *Op) { o.Info = nil }},
		{"no element", "result result: expected a tile of f16", func(_, o *Op) { o.Results[0].Type = &TileType{Shape: []int{4}} }},
		{"nil tile", "result result is nil or has no type", func(_, o *Op) { o.Results[0].Type = (*TileType)(nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, o := good()
			if err := entry(a, o).Verify(Newest); err != nil {
				t.Fatalf("before the damage: %v", err)
			}
			c.damage(a, o)
			if err := entry(a, o).Verify(Newest); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nexpected %s", err, c.want)
			}
		})
	}
}

// TestBrokenRegions is the same for operations with regions.
func TestBrokenRegions(t *testing.T) {
	i32 := Tile(I32)
	for _, c := range []struct {
		name, want string
		damage     func(loop *Op)
	}{
		{"nil region", "region region is empty", func(l *Op) { l.Regions[0] = nil }},
		{"empty region", "region region is empty", func(l *Op) { l.Regions[0] = &Block{} }},
		{"nil operation", "operation [1 0 0] is nil", func(l *Op) { l.Regions[0].Ops[0] = nil }},
		{"nil argument", "block argument 0 of region region has no type", func(l *Op) { l.Regions[0].Args[0] = nil }},
		{"segments of the parent", "the segments [] do not fit", func(l *Op) { l.Segments = []int{} }},
		{"operand of the parent", "operand initValues is nil", func(l *Op) { l.Operands[0] = nil }},
		{"result of the parent", "result resultValues is nil", func(l *Op) { l.Results[0] = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, arg := constant(i32), &Value{Type: i32}
			stop := NewOp(Lookup("break"), [][]*Value{{arg}}, nil, nil, nil, Loc{})
			loop := NewOp(Lookup("loop"), [][]*Value{x.Results}, nil, []Type{i32},
				[]*Block{{Args: []*Value{arg}, Ops: []*Op{stop}}}, Loc{})
			if err := entry(x, loop).Verify(Newest); err != nil {
				t.Fatalf("before the damage: %v", err)
			}
			c.damage(loop)
			if err := entry(x, loop).Verify(Newest); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nexpected %s", err, c.want)
			}
		})
	}
}

// TestVerifyError checks the parts of an error: where it is, by entry, path and place, and that all are reported.
func TestVerifyError(t *testing.T) {
	c, cond := constant(Tile(F32, 4)), constant(Tile(I1))
	bad := func(line int) *Op {
		return NewOp(Lookup("absi"), [][]*Value{c.Results}, nil, []Type{Tile(I32, 4)}, nil, Loc{File: "k.go", Line: line, Col: 9})
	}
	yield := NewOp(Lookup("yield"), nil, nil, nil, nil, Loc{})
	in := NewOp(Lookup("if"), [][]*Value{cond.Results}, nil, nil, []*Block{{Ops: []*Op{bad(12), yield}}, nil}, Loc{})
	err := entry(c, cond, in, bad(20)).Verify(Newest)
	var e *VerifyError
	if !errors.As(err, &e) || e.Entry != "k" || e.Op.Info.Mnemonic != "absi" || e.Loc.Line != 12 {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{
		"tileir: entry k: operation 2.0.0 (absi) at k.go:12:9: operand source: expected a tile of i1, i8, i16, i32 or i64, but found tile<4xf32>",
		"tileir: entry k: operation 3 (absi) at k.go:20:9: operand source: expected",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
}

// TestLostToken uses the token of print_tko, which 13.1 does not have.
func TestLostToken(t *testing.T) {
	p := NewOp(Lookup("print_tko"), nil, []Attr{String("x")}, []Type{Token}, nil, Loc{})
	if err := entry(p).Verify(V13_1); err != nil {
		t.Errorf("a token that is not used: %v", err)
	}
	j := NewOp(Lookup("join_tokens"), [][]*Value{{p.Results[0], p.Results[0]}}, nil, []Type{Token}, nil, Loc{})
	want := "operand tokens is the result of print_tko, which needs version 13.2, but the target is 13.1"
	if err := entry(p, j).Verify(V13_1); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nexpected %s", err, want)
	}
	if err := entry(p, j).Verify(V13_2); err != nil {
		t.Error(err)
	}
}
