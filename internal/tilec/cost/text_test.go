package cost_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// body parses a kernel of a tensor %x of f32 in tiles of 16, its extent %n and a number %k.
func body(t *testing.T, text string) *tileir.Entry {
	t.Helper()
	m, err := irtext.Parse(`entry @k(%x: tile<ptr<f32>>, %n: tile<i32>, %k: tile<i32>) {
  %t = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
  %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %p = make_partition_view %v : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
`+strings.NewReplacer("LOAD(", "load_view_tko weak %p[", ")!", "] token = %t : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token").Replace(text)+"\nreturn\n}\n",
		irtext.ParseOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := m.Verify(tileir.Newest); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m.Entries[0]
}

// TestText counts what kernels load of a tensor of n elements in tiles of 16.
func TestText(t *testing.T) {
	const (
		tooMany = "blocks or iterations differ in too many ways to look at each: the greatest count is taken"
		carry   = `%r = for %i in (%zero to %k, step %one) : tile<i32> iter_values(%c = %one) -> (tile<i32>) {
  %a, %ta = LOAD(%c)!
  %d = muli %c, %two : tile<i32>
  continue %d : tile<i32>
}
%b, %tb = LOAD(%r)!`
		forever = `%r = loop iter_values(%c = %zero) : tile<i32> -> tile<i32> {
  %a, %ta = LOAD(%c)!
  %d = addi %c, %one : tile<i32>
  %q = cmpi greater_than_or_equal %d, %k, signed : tile<i32> -> tile<i1>
  if %q {
    break %d : tile<i32>
  }
  continue %d : tile<i32>
}
%b, %tb = LOAD(%r)!`
	)
	for _, c := range []struct {
		name   string
		text   string
		n, k   int64
		grid   uint32
		limit  int
		loaded int64 // elements
		note   string
	}{
		{"carried 1, 2, 4, 8, 16", carry, 16 * 5, 5, 1, 0, 3 * 16, ""},
		{"carried, and what is left over", carry, 16*16 + 3, 4, 1, 0, 4*16 + 3, ""},
		{"carried, no iteration", carry, 40, 0, 1, 0, 16, ""},
		{"a loop that ends", forever, 16 * 100, 10, 1, 0, 11 * 16, ""},
		{"a loop that is long", forever, 16 * 100, 1 << 30, 1, 1000, 0, "how often it runs is not known: its body is counted"},
		{"a loop as long as the block's number", strings.ReplaceAll(forever, "%d, %k", "%d, %bx"), 16 * 100, 0, 5, 0, (2 + 2 + 3 + 4 + 5) * 16, ""},
		{"persistent", `for %i in (%bx to %k, step %gx) : tile<i32> {
  %a, %ta = LOAD(%i)!
}`, 16*1000 - 5, 1000, 7, 0, 16*1000 - 5, ""},
		{"triangle", `%u = addi %bx, %one : tile<i32>
for %i in (%zero to %u, step %one) : tile<i32> {
  for %j in (%zero to %i, step %one) : tile<i32> {
    %a, %ta = LOAD(%j)!
  }
}`, 16 * 100, 0, 10, 0, 16 * (0 + 1 + 3 + 6 + 10 + 15 + 21 + 28 + 36 + 45), ""},
		{"every second block", `%m = remi %bx, %two signed : tile<i32>
%q = cmpi equal %m, %zero, signed : tile<i32> -> tile<i1>
if %q {
  %a, %ta = LOAD(%bx)!
}`, 16 * 100, 0, 9, 0, 16 * 5, ""},
		{"the greater of two sides", `%a, %ta = LOAD(%zero)!
%s = reduce %a dim=0 identities=[0.000000e+00 : f32] : tile<16xf32> -> tile<f32> (%l: tile<f32>, %m: tile<f32>) {
  %o = addf %l, %m : tile<f32>
  yield %o : tile<f32>
}
%i = ftoi %s signed : tile<f32> -> tile<i32>
%q = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>
if %q {
  %b, %tb = LOAD(%zero)!
} else {
  %c, %tc = LOAD(%zero)!
  %d, %td = LOAD(%one)!
}
for %j in (%zero to %i, step %one) : tile<i32> {
  %e, %te = LOAD(%j)!
}
%f, %tf = LOAD(%i)!`, 16 * 100, 0, 1, 0, 16 * (1 + 2 + 1 + 1), "the condition is not known"},
		{"too many blocks", `%m = muli %bx, %seven : tile<i32>
%o = xori %m, %k : tile<i32>
%a, %ta = LOAD(%o)!`, 1 << 26, 5, 1 << 22, 2000, -1, tooMany},
		{"wrapped", `%h = constant <i32: 2147483647> : tile<i32>
%o = addi %h, %k : tile<i32>
%a, %ta = LOAD(%o)!`, 1 << 30, 1, 1, 0, 0, ""},
		{"clamped and divided", `%o = divi %bx, %seven signed rounding<positive_inf> : tile<i32>
%w = mini %o, %two signed : tile<i32>
%s = shli %w, %one : tile<i32>
%g = subi %s, %one : tile<i32>
%z = maxi %g, %zero signed : tile<i32>
%a, %ta = LOAD(%z)!`, 16 * 3, 0, 30, 0, 16 * 8, ""}, // block 0 at 0, blocks 1 to 7 at 1, the rest at 3
	} {
		limit := c.limit
		if limit == 0 {
			limit = 1 << 20
		}
		r, err := cost.CountWithin(body(t, c.text), []int64{0, c.n, c.k}, [3]uint32{c.grid, 1, 1}, limit)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.limit == 0 && r.Grid.Loaded != 4*c.loaded {
			t.Errorf("%s: %d elements are loaded, want %d", c.name, r.Grid.Loaded/4, c.loaded)
		}
		if c.loaded < 0 && r.Grid.Loaded > 4*16*int64(c.grid) {
			t.Errorf("%s: %d elements are loaded, which is more than all", c.name, r.Grid.Loaded/4)
		}
		noted := slices.ContainsFunc(r.Notes, func(n cost.Note) bool { return strings.Contains(n.Text, c.note) })
		if (c.note != "") != (len(r.Notes) > 0) || c.note != "" && !noted {
			t.Errorf("%s: notes %v, want %q", c.name, r.Notes, c.note)
		}
	}
}
