package note_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/note"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

const source = `cuda_tile.module @m {
  entry @k(%x: tile<i32>, %p: tile<ptr<f32>>) {
    %wide = exti %x signed : tile<i32> -> tile<i64>
    %long = exti %x unsigned : tile<i32> -> tile<i64>
    %three = constant <i64: -3> : tile<i64>
    %even = assume div_by<2>, %x : tile<i32>
    %sum = addi %x, %x : tile<i32>
    %same = reshape %x : tile<i32> -> tile<1xi32>
    return
  }
}
`

// TestTake: notes leave the entry, and name what it has: the same value, what a number was extended from, or a constant; else nothing.
func TestTake(t *testing.T) {
	for _, c := range []struct {
		op       int // that makes the value
		dropped  bool
		unsigned bool
		want     string
	}{
		{op: 0, want: "its own"},
		{op: 0, dropped: true, want: "x"},
		{op: 0, dropped: true, unsigned: true, want: "nothing"},
		{op: 1, dropped: true, want: "nothing"},
		{op: 2, want: "-3"},
		{op: 2, dropped: true, want: "-3"},
		{op: 3, dropped: true, want: "x"},
		{op: 4, want: "its own"},
		{op: 4, dropped: true, want: "nothing"},
		{op: 5, dropped: true, want: "nothing"},
	} {
		m, err := text.Parse(source, text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := m.Entries[0]
		before := text.Sprint(m)
		n := note.New()
		ops := e.Body.Ops
		v := ops[c.op].Results[0]
		x := n.Add(&tileir.Variable{Name: "v"}, &tileir.VariablePart{Type: "int", Value: v, Unsigned: c.unsigned}, tileir.Loc{})
		if !note.Is(x) || note.Is(ops[0]) {
			t.Error("what is a note is not known")
		}
		last := len(ops) - 1
		e.Body.Ops = append(append([]*tileir.Op(nil), ops[:last]...), x, ops[last])
		if c.dropped {
			e.Body.Ops = append(append([]*tileir.Op(nil), e.Body.Ops[:c.op]...), e.Body.Ops[c.op+1:]...)
		}
		n.Take(e)
		if !c.dropped && text.Sprint(m) != before {
			t.Errorf("%+v: the module is\n%s\nwas\n%s", c, text.Sprint(m), before)
		}
		if len(e.Holdings) != 1 || e.Holdings[0].Before != ops[last] {
			t.Errorf("%+v: %+v", c, e.Holdings)
			continue
		}
		got := "nothing"
		if p := e.Holdings[0].What; p != nil {
			switch {
			case p.Value == v:
				got = "its own"
			case p.Value == e.Params[0]:
				got = "x"
			case p.Value == nil:
				got = fmt.Sprint(int64(p.Bits))
			}
		}
		if got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}

// TestTakeParts: a structure keeps the parts that are left, and an array is there only as a whole.
func TestTakeParts(t *testing.T) {
	for _, list := range []bool{false, true} {
		m, err := text.Parse(source, text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := m.Entries[0]
		n := note.New()
		gone := &tileir.Value{Type: tileir.Tile(tileir.I32)}
		parts := []*tileir.VariablePart{{Name: "a", Value: gone}, {Name: "b", Value: e.Params[0]}, {Name: "c", Elem: tileir.I32, Bits: 5}}
		e.Body.Ops = append([]*tileir.Op{n.Add(&tileir.Variable{Name: "v"}, &tileir.VariablePart{Parts: parts, List: list}, tileir.Loc{})}, e.Body.Ops...)
		n.Take(e)
		switch p := e.Holdings[0].What; {
		case list && p != nil:
			t.Errorf("an array without an element is %+v", p)
		case !list && (p == nil || len(p.Parts) != 2 || p.Parts[0].Value != e.Params[0] || p.Parts[1].Bits != 5):
			t.Errorf("a structure is %+v", p)
		}
	}
}
