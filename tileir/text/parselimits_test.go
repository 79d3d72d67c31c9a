package text_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir/text"
)

// chained defines aliases #a0 to #an, each but the first by the one before it, and gives the last to an operation.
func chained(n int, first, format string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "entry @k() { return loc(#a%d) }\n#a0 = %s\n", n, first)
	for i := range n {
		fmt.Fprintf(&b, "#a%d = "+format+"\n", i+1, i)
	}
	return b.String()
}

func times(s string, n int) string { return strings.Repeat(s, n) }

// limitsOfTexts are the limits of what a text may have: a text of a size, the greatest that is read, and what is said of
// one more.
var limitsOfTexts = []struct {
	name string
	max  int
	text func(n int) string
	want string
}{
	{"regions", 199, func(n int) string { return "entry @k() {" + times(" loop {", n) + times(" }", n) + "}" }, "more than 200 levels of nesting"},
	{"a name", 1 << 20, func(n int) string { return `entry @"` + times("k", n) + `"() {}` }, "1:8: a text has 1048577 bytes, more than 1048576"},
	{"a plain name", 1 << 20, func(n int) string { return "entry @" + times("k", n) + "() {}" }, "1:8: a text has 1048577 bytes, more than 1048576"},
	{"a numeral", 4096, func(n int) string { return "global @g <f64: 1." + times("0", n-2) + "> : tile<1xf64>" }, "1:17: a number has 4097 characters, more than 4096"},
	{"extents", 64, func(n int) string { return "entry @k(%a: tile<" + times("1x", n) + "i8>) {}" }, "1:147: more than 64 extents"},
	{"extents of a tensor", 64, func(n int) string {
		return "entry @k(%a: tensor_view<" + times("1x", n) + "i8, strides=[1" + times(",1", n-1) + "]>) {}"
	}, "more than 64 extents"},
	{"extents of a view", 64, func(n int) string {
		return "entry @k(%a: partition_view<tile=(1" + times("x1", n-1) + "), tensor_view<4xf32, strides=[1]>>) {}"
	}, "more than 64 extents"},
	{"an extent", 1 << 24, func(n int) string { return fmt.Sprintf("entry @k(%%a: tile<%dxi8>) {}", n) }, "1:19: an extent: expected 0 to 16777216, but found 16777217"},
	{"elements", 1 << 23, func(n int) string { return fmt.Sprintf("entry @k(%%a: tile<%dx2xi8>) {}", n) }, "1:19: a tile has 1 to 16777216 elements"},
	{"a line", 1<<31 - 1, func(n int) string { return fmt.Sprintf(`entry @k() { return loc("f":%d:1) }`, n) }, "a line or column: expected 0 to 2147483647, but found 2147483648"},
	{"a column", 1<<31 - 1, func(n int) string { return fmt.Sprintf(`entry @k() { return loc("f":1:%d) }`, n) }, "a line or column: expected 0 to 2147483647, but found 2147483648"},
	{"an end of a range", 1<<31 - 1, func(n int) string { return fmt.Sprintf(`entry @k() { return loc("f":1:2 to :%d) }`, n) }, "a line or column: expected 0 to 2147483647"},
	{"a dimension", 1<<31 - 1, func(n int) string {
		return fmt.Sprintf("entry @k(%%a: gather_scatter_view<tile=(1), tensor_view<4xf32, strides=[1]>, sparse_dim=%d>) {}", n)
	}, "a dimension: expected 0 to 2147483647, but found 2147483648"},
	{"a number in a list", 1<<31 - 1, func(n int) string {
		return fmt.Sprintf("entry @k(%%a: partition_view<tile=(1), tensor_view<4xf32, strides=[1]>, dim_map=[%d]>) {}", n)
	}, "2147483648 does not fit 32 bits"},
	{"a negative number in a list", 1 << 31, func(n int) string {
		return fmt.Sprintf("entry @k(%%a: partition_view<tile=(1), tensor_view<4xf32, strides=[1]>, dim_map=[-%d]>) {}", n)
	}, "-2147483649 does not fit 32 bits"},
	{"a number in an array", 1<<31 - 1, func(n int) string {
		return fmt.Sprintf("entry @k() optimization_hints=<sm_90 = {occupancy = [array<i32: %d>]}> {}", n)
	}, "2147483648 does not fit 32 bits"},
	{"aliases in one another", 2007, func(n int) string { return chained(n, "loc(unknown)", "#a%d") }, "more than 2008 nested aliases"},
	{"calls in one another", 1000, func(n int) string { return chained(n, "loc(unknown)", `loc(callsite("f":1:2 at #a%d))`) }, "more than 1000 nested calls"},
	{"calls from one another", 1000, func(n int) string { return chained(n, "loc(unknown)", `loc(callsite(#a%d at "f":1:2))`) }, "more than 1000 nested calls"},
	{"places in one another", 1000, func(n int) string { return chained(n, "loc(unknown)", "loc(fused[#a%d])") }, "more than 1000 nested positions"},
	{"names of one another", 1000, func(n int) string { return chained(n, "loc(unknown)", `loc("x"(#a%d))`) }, "more than 1000 nested positions"},
	{"blocks in one another", 1000, func(n int) string {
		text := chained(n, `#cuda_tile.di_subprogram<file = #f, line = 1, name = "k", linkageName = "k", compileUnit = #u>`,
			"#cuda_tile.di_lexical_block<scope = #a%d, file = #f, line = 1>")
		return strings.Replace(text, fmt.Sprintf("loc(#a%d)", n), fmt.Sprintf(`loc(#cuda_tile.di_loc<loc("f":1:1) in #a%d>)`, n), 1) +
			"#f = #cuda_tile.di_file<\"f\" in \"d\">\n#u = #cuda_tile.di_compile_unit<file = #f>\n"
	}, "more than 1000 nested blocks"},
}

func TestLimitsOfTexts(t *testing.T) {
	for _, c := range limitsOfTexts {
		if _, err := Parse(c.text(c.max), ParseOptions{}); err != nil {
			t.Errorf("%s: %d: %.300v", c.name, c.max, err)
		}
		if _, err := Parse(c.text(c.max+1), ParseOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d: %.300v, expected %s", c.name, c.max+1, err, c.want)
		}
	}
}

// limitsOfErrors are texts whose error is about a number or name at a limit, and all of what it says.
var limitsOfErrors = []struct{ text, want string }{
	{" %0:65536 = make_token : token", "9:13: make_token has 1 results, but 65536 are named"},
	{" %0:65537 = make_token : token", "9:5: the number of results: expected 0 to 65536, but found 65537"},
	{" %0 = negf %x#1048576 : tile<4xf32>", "9:12: %x names 1 values, so there is no %x#1048576"},
	{" %0 = negf %x#1048577 : tile<4xf32>", "9:15: the number of a result: expected 0 to 1048576, but found 1048577"},
	{" %0 = assume div_by<18446744073709551616>, %n : tile<i32>", `9:21: expected a divisor of at most 64 bits, but found "18446744073709551616"`},
	{" %0 = assume bounded<9223372036854775808, ?>, %n : tile<i32>", `9:22: expected a bound, or ? for none of at most 64 bits, but found "9223372036854775808"`},
	{" %0 = negf %" + times("y", 500) + " : tile<4xf32>", "9:12: %" + times("y", 399)},
	{" " + times("y", 50) + " %x", `9:2: expected the name of an operation, but found "` + times("y", 40) + `"`},
	{" -> %x", `9:2: expected an operation, but found "->"`},
	{" %0 = negf %x -> tile<4xf32>", `9:15: expected ":", but found "->"`},
	{" %0 = negf @x", `9:12: expected a value such as %0, but found "@x"`},
	{" % = make_token : token", `9:4: expected the name of a result, but found "="`},
	{"\n\n  !a = !b", "3:8: !b is not defined"},
	{"entry @k() {} // \xff\n\tfrob", `2:2: expected entry, global or an alias such as #loc, but found "frob"`},
	{"module @m { entry @k() {}", `1:26: expected entry, global or }, but found the end of the text`},
}

func TestLimitsOfErrors(t *testing.T) {
	for _, c := range limitsOfErrors {
		text := c.text
		if text[0] == ' ' {
			text = with(text)
		}
		_, err := Parse(text, ParseOptions{File: "f"})
		if got := errText(err); got != "f:"+c.want && (c.want[len(c.want)-1] != '"' || !strings.HasPrefix(got, "f:"+c.want)) {
			t.Errorf("%.60q: %q, expected %q", c.text, got, c.want)
		}
	}
}
