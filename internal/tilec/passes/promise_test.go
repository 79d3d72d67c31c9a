package passes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// views copies tiles by views whose kinds KIND and TO name, in a tensor of %n and %m elements, inside a loop.
const views = `entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i64>, %flag: tile<i1>, %q: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %k = trunci %m : tile<i64> -> tile<i32>
  %v = make_tensor_view %p, shape = [%n, %k], strides = [%k, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %u = make_tensor_view %q, shape = [%n, %k], strides = [%k, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  for %j in (%zero to %k, step %one) : tile<i32> {
    %from = MAKE %v : KIND
    %to = make_partition_view %u : partition_view<tile=(8x1), tensor_view<?x?xf32, strides=[?,1]>>
    %a, %ta = load_view_tko weak %from[%x, %j] : KIND, tile<i32> -> tile<8x1xf32>, token
    %b, %tb = load_view_tko weak %from[%x, %zero] : KIND, tile<i32> -> tile<8x1xf32>, token
    if %flag {
      %t = store_view_tko weak %a, %to[%x, %j] : tile<8x1xf32>, partition_view<tile=(8x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    }
  }
  return
}
`

const tensorKind = "tensor_view<?x?xf32, strides=[?,1]>"

const (
	plain   = "partition_view<tile=(8x1), " + tensorKind + ">"
	padded  = "partition_view<tile=(8x1), padding_value = zero, " + tensorKind + ">"
	turned  = "partition_view<tile=(8x1), " + tensorKind + ", dim_map=[1, 0]>"
	strided = "strided_view<tile=(8x1), traversal_strides=[4,1], " + tensorKind + ">"
	over    = "strided_view<tile=(8x1), traversal_strides=[4,1], padding_value = zero, " + tensorKind + ">"
)

// viewsOf is the kernel of views with a kind of view to load from.
func viewsOf(kind string) string {
	return strings.NewReplacer("KIND", kind, "MAKE", "make_"+kind[:strings.IndexByte(kind, '<')]).Replace(views)
}

// TestProve: what the numbers of a launch prove, letter by letter: two loads and a store of two dimensions.
func TestProve(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		n, m       int64
		grid       uint32
		proof      passes.Proof
	}{
		{"all", plain, 32, 5, 4, "111111"},
		{"rows too few", plain, 31, 5, 4, "010101"},
		{"one more block", plain, 32, 5, 5, "010101"},
		{"no columns", plain, 32, 0, 4, "101010"},
		{"negative columns", plain, 32, -1, 4, "101010"},
		{"more than 32 bits", plain, 32, 1<<32 + 3, 4, "111111"}, // of which the kernel computes the low half, 3
		{"padded", padded, 32, 5, 4, "111111"},
		{"turned", turned, 5, 32, 4, "101101"},
		{"strided", strided, 20, 5, 4, "111101"},
		{"strided, rows too few", strided, 19, 5, 4, "010101"},
		{"negative rows", plain, -1, 5, 1, "010101"},
	} {
		e := parsed(t, viewsOf(c.kind))
		l := ranges.Launch{Grid: [3]uint32{c.grid, 1, 1}, Bits: []uint64{0, uint64(uint32(c.n)), uint64(c.m), 0, 0}}
		proof := passes.Prove(e, l)
		head, _, _ := strings.Cut(string(proof), "x")
		if passes.Proof(head) != c.proof {
			t.Errorf("%s: %q, want %q", c.name, proof, c.proof)
		}
		for i, check := range passes.Explain(e, l) {
			if check.Inside != (c.proof[i] == '1') {
				t.Errorf("%s: check %d: inside %v, %s", c.name, i, check.Inside, check.Text)
			}
		}
	}
}

// TestPromise: what a proof makes of the code. A load through a view with padding is promised where all of it lies inside,
// and goes through a view without then, which is made once, beside the other one.
func TestPromise(t *testing.T) {
	for _, c := range []struct {
		kind    string
		proof   passes.Proof
		loads   [2]string // their attribute and what they load from
		store   string
		without int // views of the loads' kind without padding
	}{
		{plain, "111111", [2]string{"[true, true] %from", "[true, true] %from"}, "[true, true] %to", 0},
		{plain, "011000", [2]string{"[false, true] %from", "[true, false] %from"}, " %to", 0},
		{plain, "000000", [2]string{" %from", " %from"}, " %to", 0},
		{padded, "111111", [2]string{"[true, true] %plain", "[true, true] %plain"}, "[true, true] %to", 1},
		{padded, "011110", [2]string{" %from", "[true, true] %plain"}, "[true, false] %to", 1},
		{padded, "011000", [2]string{" %from", " %from"}, " %to", 0},
		{over, "111100", [2]string{"[true, true] %plain", "[true, true] %plain"}, " %to", 1},
	} {
		e := parsed(t, viewsOf(c.kind))
		old := map[*tileir.Value]string{}
		for _, o := range e.Body.Ops[len(e.Body.Ops)-2].Regions[0].Ops {
			switch {
			case o.Info.Mnemonic == "make_partition_view" && len(old) > 0:
				old[o.Results[0]] = "%to"
			case strings.HasPrefix(o.Info.Mnemonic, "make_"):
				old[o.Results[0]] = "%from"
			}
		}
		passes.Promise(e, c.proof)
		if err := (&tileir.Module{Entries: []*tileir.Entry{e}}).Verify(tileir.Newest); err != nil {
			t.Errorf("%s %s: %v", c.kind, c.proof, err)
		}
		seen := map[*tileir.Value]bool{}
		var got []string
		for _, o := range passes.Accesses(e) {
			view := o.Operand("view")
			name := old[view]
			if name == "" {
				name = "%plain"
				seen[view] = true
				if strings.Contains(view.Type.String(), "padding") || view.Def.Operands[0] != e.Body.Ops[len(e.Body.Ops)-2].Regions[0].Ops[0].Operands[0] {
					t.Errorf("%s %s: %v", c.kind, c.proof, view.Def)
				}
			}
			text := ""
			if in, ok := o.Attr("inbounds").(tileir.Bools); ok {
				text = strings.ReplaceAll(fmt.Sprint([]bool(in)), " ", ", ")
			}
			got = append(got, text+" "+name)
		}
		if want := []string{c.loads[0], c.loads[1], c.store}; !slices.Equal(got, want) || len(seen) != c.without {
			t.Errorf("%s %s: %q with %d views, want %q with %d", c.kind, c.proof, got, len(seen), want, c.without)
		}
	}
}
