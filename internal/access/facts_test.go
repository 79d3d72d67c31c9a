package access_test

import (
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
)

// blocked has offsets of a block that may wrap around, and a row length that may be much.
const blocked = `
entry @blocked(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %c = constant <i32: 1024> : tile<i32>
  %first = muli %x, %c : tile<i32>
  %at = muli %x, %n : tile<i32>
  %p1 = offset %p, %first : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %p2 = offset %q, %at : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p1 : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %p2, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
`

// TestFacts: what the caller knows decides whether offsets can wrap around.
func TestFacts(t *testing.T) {
	for _, c := range []struct {
		name          string
		facts         access.Facts
		first, second string
	}{
		{"nothing", access.Facts{}, "%0", "%1"},
		{"blocks", access.Facts{Blocks: [3]uint32{1 << 20}}, "1024*%blockId_x", "%1"},
		{"too many blocks", access.Facts{Blocks: [3]uint32{1<<21 + 1}}, "%0", "%1"},
		{"just few enough", access.Facts{Blocks: [3]uint32{1 << 21}}, "1024*%blockId_x", "%1"},
		{"a parameter", access.Facts{Blocks: [3]uint32{1 << 20}, Params: map[int]interval.Range{2: interval.Ints(0, 2047)}}, "1024*%blockId_x", "%arg2*%blockId_x"},
		{"another parameter", access.Facts{Blocks: [3]uint32{1 << 20}, Params: map[int]interval.Range{2: interval.Ints(0, 4096)}}, "1024*%blockId_x", "%1"},
		{"the launch", access.Facts{Launch: &ranges.Launch{Grid: [3]uint32{4, 1, 1}, Bits: []uint64{0, 0, 7}}}, "1024*%blockId_x", "%arg2*%blockId_x"},
		{"one block", access.Facts{Launch: &ranges.Launch{Grid: [3]uint32{1, 1, 1}, Bits: []uint64{0, 0, 7}}}, "0", "0"},
	} {
		e := parse(t, blocked).Entries[0]
		info := access.Analyse(e, c.facts)
		var out strings.Builder
		if err := info.Print(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"%arg0 + " + c.first + ", f32", "%arg1 + " + c.second + ", f32"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: want %s in\n%s", c.name, want, out.String())
			}
		}
	}
}

// TestApart: two arguments may share memory unless the caller says otherwise, for each pair.
func TestApart(t *testing.T) {
	e := parse(t, `
global @table <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
  %g = get_global @table : tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %w, %t2 = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
  %u, %t3 = load_ptr_tko weak %g : tile<ptr<f32>> -> tile<f32>, token
  %s = store_ptr_tko weak %o, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
`).Entries[0]
	for _, c := range []struct {
		name  string
		apart func(p, q int) bool
		want  string // for each load, whether its memory is only read
	}{
		{"nothing", nil, "nnn"},
		{"all", func(int, int) bool { return true }, "yyy"},
		{"0 and 2", func(p, q int) bool { return min(p, q) == 0 && max(p, q) == 2 }, "ynn"},
		{"1 and 2", func(p, q int) bool { return min(p, q) == 1 && max(p, q) == 2 }, "nyn"},
		{"globals", func(p, q int) bool { return min(p, q) == access.Globals }, "nny"},
	} {
		info, got := access.Analyse(e, access.Facts{Apart: c.apart}), ""
		for _, a := range info.Accesses() {
			if !a.Writes {
				got += map[bool]string{true: "y", false: "n"}[info.ReadOnly(a)]
			}
		}
		if got != c.want {
			t.Errorf("apart: %s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestInvariant: in a loop, what comes from its counter, its memory or what it carries is new in each iteration.
func TestInvariant(t *testing.T) {
	e := parse(t, `
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %end = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%c = %zero) -> (tile<i32>) {
    %still = addi %n, %one : tile<i32>
    %more = muli %still, %n : tile<i32>
    %counted = addi %k, %one : tile<i32>
    %loaded, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %carried = addi %c, %one : tile<i32>
    continue %carried : tile<i32>
  }
  %after = addi %end, %one : tile<i32>
  return
}
`).Entries[0]
	info := access.Analyse(e, access.Facts{})
	loop := e.Body.Ops[2]
	got := ""
	for _, o := range loop.Regions[0].Ops[:5] {
		got += map[bool]string{true: "y", false: "n"}[info.Invariant(o.Results[0], loop)]
	}
	if got != "yynnn" {
		t.Errorf("got %s", got)
	}
	if !info.Invariant(e.Body.Ops[3].Results[0], loop) || info.Invariant(loop.Regions[0].Args[0], loop) {
		t.Error("a value behind the loop is not in it, and its counter is")
	}
	if n := info.Uses(e.Params[1]); n != 3 {
		t.Errorf("%d uses of the bound, want 3", n)
	}
	if info.LastUse(e.Params[1]) != loop || info.LastUse(loop.Regions[0].Args[1]) != loop.Regions[0].Ops[4] {
		t.Error("a value lives until the operation around its last use, in the block where it comes to be")
	}
}

// TestHuge: coefficients that leave 64 bits end a form.
func TestHuge(t *testing.T) {
	e := parse(t, `
entry @k(%p: tile<ptr<f32>>, %n: tile<i64>) {
  %big = constant <i64: 4611686018427387904> : tile<i64>
  %two = constant <i64: 3> : tile<i64>
  %a = muli %n, %big overflow<no_signed_wrap> : tile<i64>
  %b = muli %a, %two overflow<no_signed_wrap> : tile<i64>
  %c = addi %a, %a overflow<no_signed_wrap> : tile<i64>
  return
}
`).Entries[0]
	info := access.Analyse(e, access.Facts{})
	for i, want := range map[int]int64{2: 1 << 62, 3: 1, 4: 1} {
		v := e.Body.Ops[i].Results[0]
		f := info.Form(v)
		if len(f.Terms) != 1 || f.Terms[0].Coef != want || want == 1 && f.Terms[0].Atoms[0].Value != v {
			t.Errorf("operation %d: the form is %v", i, f)
		}
	}
	if _, ok := info.Form(e.Params[1]).Number(); ok || info.Divisor(info.Form(e.Params[1])) != 1 {
		t.Error("a parameter is no number, and nothing divides it")
	}
	if n, ok := info.Form(e.Body.Ops[0].Results[0]).Number(); !ok || n != math.MaxInt64/2+1 {
		t.Errorf("the constant is %d, %v", n, ok)
	}
}
