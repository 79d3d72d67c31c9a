package tileir_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	. "github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestHugeShapes has constants whose number of elements is beyond any tile, beyond 64 bits, or none.
func TestHugeShapes(t *testing.T) {
	for _, c := range []struct {
		shape []int
		size  int
	}{
		{[]int{1 << 24, 1 << 24, 1 << 16}, math.MaxInt32}, // 2^64, which is 0 in 64 bits
		{[]int{1 << 24, 1 << 24, 1 << 15}, math.MaxInt32},
		{[]int{1 << 16, 1 << 15}, math.MaxInt32},
		{[]int{1 << 16, 1 << 14}, 1 << 30},
		{[]int{4, 0}, 0}, {[]int{-4}, -4}, {nil, 1},
	} {
		for _, data := range [][]byte{nil, {1}, {1, 2, 3}} {
			for _, e := range []Elem{I1, I32, TF32} {
				typ := Tile(e, c.shape...)
				if got := typ.Size(); got != c.size {
					t.Errorf("%v has %d elements, expected %d", typ, got, c.size)
				}
				m := entry(NewOp(Lookup("constant"), nil, []Attr{&Constant{Type: typ, Data: data}}, []Type{typ}, nil, Loc{}))
				if text := irtext.Sprint(m); !strings.Contains(text, "constant") {
					t.Errorf("%v: %s", typ, text)
				}
				if err := m.Verify(Newest); err == nil && c.size != 1 {
					t.Errorf("%v with % x is accepted", typ, data)
				}
			}
		}
	}
}

// TestManyFaults: a module with very many faults gives the first, and says so.
func TestManyFaults(t *testing.T) {
	var ops []*Op
	for range 5000 {
		ops = append(ops, NewOp(Lookup("negf"), nil, nil, []Type{Tile(F32)}, nil, Loc{}))
	}
	err := entry(ops...).Verify(Newest)
	faults := err.(interface{ Unwrap() []error }).Unwrap()
	if want := "tileir: more than 1000 faults; the others are left out"; len(faults) != 1001 || faults[1000].Error() != want {
		t.Errorf("%d faults, the last %v", len(faults), faults[len(faults)-1])
	}
	if first := faults[0].Error(); !strings.HasPrefix(first, "tileir: entry k: operation 0 (negf): ") {
		t.Error(first)
	}
}

// quick fails when something takes longer than any sound algorithm would.
func quick(t *testing.T, what string, run func()) {
	t.Helper()
	start := time.Now()
	run()
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%s takes %v", what, took)
	}
}

// TestNoQuadraticWork does with many parts what would take minutes if each looked at all others.
func TestNoQuadraticWork(t *testing.T) {
	if testing.Short() {
		t.Skip("large modules")
	}
	const n = 50_000
	v := constant(Tile(I32))
	ops := []*Op{v}
	last := v.Results[0]
	for range n {
		o := NewOp(Lookup("assume"), [][]*Value{{last}}, []Attr{DivBy{Divisor: 1}}, []Type{Tile(I32)}, nil, Loc{})
		ops, last = append(ops, o), o.Results[0]
	}
	wide := constant(Tile(I1, MaxTileSize)) // one byte for 16 million elements
	for range n {
		ops = append(ops, NewOp(wide.Info, nil, wide.Attrs, []Type{Tile(I1, MaxTileSize)}, nil, Loc{}))
	}
	var globals []*Global
	for i := range n {
		g := &Global{Name: fmt.Sprint("g", i), Value: &Constant{Type: Tile(I8, 1), Data: []byte{1}}}
		globals = append(globals, g)
		in := Lookup("get_global")
		ops = append(ops, NewOp(in, nil, Attrs(in, NamedAttr{Name: "name", Value: String(g.Name)}), []Type{PointerTile(I8)}, nil, Loc{}))
	}
	m := entry(ops...)
	m.Globals = globals
	quick(t, "Verify", func() {
		if err := m.Verify(Newest); err != nil {
			t.Error(err)
		}
	})
	var text string
	quick(t, "Print", func() { text = irtext.Sprint(m) })
	if len(text) > 200<<20 {
		t.Errorf("%d bytes of text", len(text))
	}
	quick(t, "Parse", func() {
		if _, err := irtext.Parse(text, irtext.ParseOptions{}); err != nil {
			t.Error(err)
		}
	})
}
