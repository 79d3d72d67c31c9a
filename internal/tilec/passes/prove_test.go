package passes_test

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// indexed is a kernel that stores one element at an index which operations compute from %x and %y, numbers in memory.
func indexed(elem, ops string) string {
	return strings.NewReplacer("ELEM", elem, "OPS", ops).Replace(`entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<ELEM>>) {
  %x, %tx = load_ptr_tko weak %q : tile<ptr<ELEM>> -> tile<ELEM>, token
  %y, %ty = load_ptr_tko weak %q : tile<ptr<ELEM>> -> tile<ELEM>, token
OPS
  %c = constant <f32: 1.0> : tile<1xf32>
  %v = make_tensor_view %p, shape = [100], strides = [1] : tensor_view<100xf32, strides=[1]>
  %w = make_partition_view %v : partition_view<tile=(1), tensor_view<100xf32, strides=[1]>>
  %t = store_view_tko weak %c, %w[%i] : tile<1xf32>, partition_view<tile=(1), tensor_view<100xf32, strides=[1]>>, tile<i32> -> token
  return
}`)
}

func parsed(t *testing.T, text string) *tileir.Entry {
	t.Helper()
	m, err := irtext.Parse(text, irtext.ParseOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := m.Verify(tileir.Newest); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m.Entries[0]
}

var ofIndices = regexp.MustCompile(`(-?\d+) to (-?\d+)`)

// rangeOf is the range of the index: none where nothing is known of it.
func rangeOf(t *testing.T, text string, l ranges.Launch) (lo, hi int64, known bool) {
	t.Helper()
	checks := passes.Explain(parsed(t, text), l)
	if len(checks) != 1 {
		t.Fatalf("%d checks", len(checks))
	}
	m := ofIndices.FindStringSubmatch(checks[0].Text)
	if m == nil {
		if !strings.HasPrefix(checks[0].Text, "nothing bounds the index") {
			t.Errorf("%s", checks[0].Text)
		}
		return 0, 0, false
	}
	fmt.Sscan(m[1]+" "+m[2], &lo, &hi)
	if checks[0].Inside != (lo >= 0 && hi < 100) {
		t.Errorf("%d to %d in an extent of 100: inside %v", lo, hi, checks[0].Inside)
	}
	return lo, hi, true
}

func bounded(r [2]int64) string { return fmt.Sprintf("assume bounded<%d, %d>", r[0], r[1]) }

// divided gives the quotients that a rounding has.
func divided(a, b int64, rounding string) int64 {
	q, r := a/b, a%b
	switch {
	case r != 0 && rounding == "negative_inf" && r < 0 != (b < 0):
		q--
	case r != 0 && rounding == "positive_inf" && r < 0 == (b < 0):
		q++
	}
	return q
}

// arithmetic are operations on %a and %b with what they compute. The range that is found is that of all results, but for
// those with outer bounds, which must hold it.
var arithmetic = []struct {
	op    string
	f     func(a, b int64) int64
	outer func(ra, rb, exact [2]int64) [2]int64
}{
	{"addi %a, %b", func(a, b int64) int64 { return a + b }, nil},
	{"subi %a, %b", func(a, b int64) int64 { return a - b }, nil},
	{"muli %a, %b", func(a, b int64) int64 { return a * b }, nil},
	{"maxi %a, %b signed", func(a, b int64) int64 { return max(a, b) }, nil},
	{"mini %a, %b signed", func(a, b int64) int64 { return min(a, b) }, nil},
	{"remi %a, %b signed", func(a, b int64) int64 { return a % b }, belowDivisor},
	{"divi %a, %b signed", func(a, b int64) int64 { return a / b }, oneMore},
	{"divi %a, %b signed rounding<negative_inf>", func(a, b int64) int64 { return divided(a, b, "negative_inf") }, oneMore},
	{"divi %a, %b signed rounding<positive_inf>", func(a, b int64) int64 { return divided(a, b, "positive_inf") }, oneMore},
}

// belowDivisor: a remainder lies below the divisor, and no farther from 0 than the dividend.
func belowDivisor(ra, rb, _ [2]int64) [2]int64 {
	return [2]int64{max(1-rb[1], min(ra[0], 0)), min(rb[1]-1, max(ra[1], 0))}
}

// oneMore: quotients, 0, and one more at either end of these; no less than 0 for dividends that are not.
func oneMore(ra, _, exact [2]int64) [2]int64 {
	out := [2]int64{min(exact[0]-1, 0), max(exact[1]+1, 1)}
	if ra[0] >= 0 {
		out[0] = 0
	}
	return out
}

// TestRanges compares the ranges of results with all results that there are.
func TestRanges(t *testing.T) {
	ranges := [][2]int64{{3, 9}, {-4, 2}, {0, 0}, {-7, -2}, {1, 1}, {2, 5}, {-1, 0}, {7, 7}}
	for _, c := range arithmetic {
		for _, ra := range ranges {
			for _, rb := range ranges {
				if c.outer != nil && rb[0] < 1 {
					continue // the divisor may be 0, or negative
				}
				exact := [2]int64{math.MaxInt64, math.MinInt64}
				for a := ra[0]; a <= ra[1]; a++ {
					for b := rb[0]; b <= rb[1]; b++ {
						exact = [2]int64{min(exact[0], c.f(a, b)), max(exact[1], c.f(a, b))}
					}
				}
				outer := exact
				if c.outer != nil {
					outer = c.outer(ra, rb, exact)
				}
				ops := fmt.Sprintf("%%a = %s, %%x : tile<i32>\n%%b = %s, %%y : tile<i32>\n%%i = %s : tile<i32>", bounded(ra), bounded(rb), c.op)
				lo, hi, ok := rangeOf(t, indexed("i32", ops), unknown)
				if !ok || lo > exact[0] || lo < outer[0] || hi < exact[1] || hi > outer[1] {
					t.Errorf("%s of %v and %v: %d to %d (%v), want %v, within %v", c.op, ra, rb, lo, hi, ok, exact, outer)
				}
			}
		}
	}
}

// TestRangesThatOverflow: what overflows 64 bits wraps around; what comes close has its own range. The index is the low half.
func TestRangesThatOverflow(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1 << 32, -2, -1, 0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	for _, c := range []struct {
		op string
		f  func(z, a, b *big.Int) *big.Int
	}{{"addi", (*big.Int).Add}, {"subi", (*big.Int).Sub}, {"muli", (*big.Int).Mul}} {
		for _, a := range ends {
			for _, b := range ends {
				want := c.f(new(big.Int), big.NewInt(a), big.NewInt(b))
				ops := fmt.Sprintf("%%a = %s, %%x : tile<i64>\n%%b = %s, %%y : tile<i64>\n%%r = %s %%a, %%b : tile<i64>\n%%i = trunci %%r : tile<i64> -> tile<i32>",
					bounded([2]int64{a, a}), bounded([2]int64{b, b}), c.op)
				lo, hi, ok := rangeOf(t, indexed("i64", ops), unknown)
				low := int64(int32(new(big.Int).And(want, big.NewInt(math.MaxUint32)).Int64()))
				known := want.CmpAbs(new(big.Int).SetUint64(math.MaxUint64)) <= 0 && low > math.MinInt32 && low < math.MaxInt32
				if ok != known || ok && (lo != low || hi != lo) {
					t.Errorf("%s of %d and %d: %d to %d (%v), want %v", c.op, a, b, lo, hi, ok, want)
				}
			}
		}
	}
}

// unknown is a launch that says nothing of numbers in memory.
var unknown = ranges.Launch{Grid: [3]uint32{7, 5, 3}, Bits: make([]uint64, 2)}

// TestRangesOf has operations other than arithmetic; %a is 3 to 9, %b is -4 to 2 and %d is -2.
func TestRangesOf(t *testing.T) {
	const nothing = "nothing"
	for _, c := range []struct{ ops, want string }{
		{"%i = constant <i32: 41> : tile<i32>", "41 to 41"},
		{"%i = constant <i32: -41> : tile<i32>", "-41 to -41"},
		{"%s = constant <i8: -3> : tile<i8>\n%i = exti %s signed : tile<i8> -> tile<i32>", "-3 to -3"},
		{"%s = constant <i8: -3> : tile<i8>\n%i = exti %s unsigned : tile<i8> -> tile<i32>", "253 to 253"},
		{"%s = constant <i16: 300> : tile<i16>\n%i = exti %s unsigned : tile<i16> -> tile<i32>", "300 to 300"},
		{"%s = trunci %x : tile<i32> -> tile<i8>\n%i = exti %s signed : tile<i8> -> tile<i32>", "-128 to 127"},
		{"%s = trunci %x : tile<i32> -> tile<i16>\n%i = exti %s unsigned : tile<i16> -> tile<i32>", "0 to 65535"},
		{"%s = trunci %a : tile<i32> -> tile<i8>\n%i = exti %s unsigned : tile<i8> -> tile<i32>", "3 to 9"},
		{"%i = assume bounded<?, 5>, %a : tile<i32>", "3 to 5"},
		{"%i = assume bounded<5, ?>, %a : tile<i32>", "5 to 9"},
		{"%i = assume bounded<0, 50>, %a : tile<i32>", "3 to 9"},
		{"%i = assume div_by<4>, %a : tile<i32>", "3 to 9"},
		{"%k = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n%i = select %k, %a, %b : tile<i1>, tile<i32>", "-4 to 9"},
		{"%k = constant <i1: true> : tile<i1>\n%i = select %k, %a, %b : tile<i1>, tile<i32>", "3 to 9"},
		{"%k = constant <i1: false> : tile<i1>\n%i = select %k, %a, %b : tile<i1>, tile<i32>", "-4 to 2"},
		{"%k = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n%i = if %k -> (tile<i32>) { yield %a : tile<i32> } else { yield %b : tile<i32> }", "-4 to 9"},
		{"%k = cmpi less_than %b, %a, signed : tile<i32> -> tile<i1>\n%i = if %k -> (tile<i32>) { yield %a : tile<i32> } else { yield %x : tile<i32> }", "3 to 9"},
		{"%k = cmpi less_than %b, %a, unsigned : tile<i32> -> tile<i1>\n%i = if %k -> (tile<i32>) { yield %a : tile<i32> } else { yield %b : tile<i32> }", "-4 to 9"},
		{"%k = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n%i = if %k -> (tile<i32>) { yield %a : tile<i32> } else { return }", "3 to 9"},
		{"%k = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n%i = if %k -> (tile<i32>) { yield %a : tile<i32> } else { yield %x : tile<i32> }", nothing},
		{"%i = maxi %a, %b unsigned : tile<i32>", nothing},
		{"%i = mini %a, %b unsigned : tile<i32>", "0 to 9"},
		{"%i = divi %a, %a unsigned : tile<i32>", "0 to 3"},
		{"%i = remi %a, %a unsigned : tile<i32>", "0 to 8"},
		{"%i = divi %a, %b signed : tile<i32>", nothing},
		{"%i = remi %a, %b signed : tile<i32>", nothing},
		{"%i = divi %a, %d signed : tile<i32>", "-4 to -1"},
		{"%i = remi %a, %d signed : tile<i32>", "0 to 1"},
		{"%i = andi %a, %b : tile<i32>", "0 to 9"},
		{"%i = shli %a, %b : tile<i32>", nothing},
		{"%i = shli %a, %a : tile<i32>", "24 to 4608"},
		{"%i = shri %b, %a signed : tile<i32>", "-1 to 0"},
		{"%i = shri %d, %a unsigned : tile<i32>", "8388607 to 536870911"},
		{"%s = exti %x signed : tile<i32> -> tile<i64>\n%r = addi %s, %s : tile<i64>\n%i = trunci %r : tile<i64> -> tile<i32>", nothing},
		{"%i = addi %x, %a : tile<i32>", nothing},
		{"%i, %u, %v0 = get_tile_block_id : tile<i32>", "0 to 6"},
		{"%u, %i, %v0 = get_tile_block_id : tile<i32>", "0 to 4"},
		{"%u, %v0, %i = get_num_tile_blocks : tile<i32>", "3 to 3"},
		{"%s = reshape %a : tile<i32> -> tile<1x1xi32>\n%r = permute %s [1, 0] : tile<1x1xi32> -> tile<1x1xi32>\n%i = reshape %r : tile<1x1xi32> -> tile<i32>", "3 to 9"},
		{"%m = make_tensor_view %p, shape = [%x, 50], strides = [50, 1] : tile<i32> -> tensor_view<?x50xf32, strides=[50,1]>\n" +
			"%i, %u = get_tensor_shape %m : tensor_view<?x50xf32, strides=[50,1]> -> tile<i32>", nothing},
		{"%m = make_tensor_view %p, shape = [%x, 50], strides = [50, 1] : tile<i32> -> tensor_view<?x50xf32, strides=[50,1]>\n" +
			"%u, %i = get_tensor_shape %m : tensor_view<?x50xf32, strides=[50,1]> -> tile<i32>", "50 to 50"},
		{"%m = make_tensor_view %p, shape = [33, 50], strides = [50, 1] : tensor_view<33x50xf32, strides=[50,1]>\n" +
			"%n = make_partition_view %m : partition_view<tile=(8x16), tensor_view<33x50xf32, strides=[50,1]>, dim_map=[1, 0]>\n" +
			"%i, %u = get_index_space_shape %n : partition_view<tile=(8x16), tensor_view<33x50xf32, strides=[50,1]>, dim_map=[1, 0]> -> tile<i32>", "7 to 7"},
		{"%m = make_tensor_view %p, shape = [%b, 50], strides = [50, 1] : tile<i32> -> tensor_view<?x50xf32, strides=[50,1]>\n" +
			"%n = make_partition_view %m : partition_view<tile=(8x16), tensor_view<?x50xf32, strides=[50,1]>>\n" +
			"%i, %u = get_index_space_shape %n : partition_view<tile=(8x16), tensor_view<?x50xf32, strides=[50,1]>> -> tile<i32>", nothing},
	} {
		ops := "%a = assume bounded<3, 9>, %x : tile<i32>\n%b = assume bounded<-4, 2>, %y : tile<i32>\n%d = constant <i32: -2> : tile<i32>\n" + c.ops
		got := nothing
		if lo, hi, ok := rangeOf(t, indexed("i32", ops), unknown); ok {
			got = fmt.Sprintf("%d to %d", lo, hi)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.ops, got, c.want)
		}
	}
}
