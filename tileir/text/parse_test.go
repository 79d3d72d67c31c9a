package text_test

import (
	"archive/zip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	. "github.com/cutile-go/cutile/tileir/text"
)

// body puts operations into an entry with some values to use. The operations start on line 9.
func body(ops string) string {
	return `entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
  %i = constant <i32: 7> : tile<4xi32>
  %c = constant <i1: true> : tile<i1>
  %m = constant <i1: [true, false, true, true]> : tile<4xi1>
  %ps = int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>
  %t = make_token : token
  %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
` + ops + "\n  return\n}\n"
}

func init() { // %l is defined where %ps needs it
	prelude = strings.Replace(body("MARK"), "  %ps", "  %l = constant <i64: 0> : tile<4xi64> %ps", 1)
}

var prelude string

func with(ops string) string { return strings.Replace(prelude, "MARK", ops, 1) }

// TestByteOrderMark: at the very beginning it means nothing, and the columns are those that editors show.
func TestByteOrderMark(t *testing.T) {
	m, err := Parse("\ufeff// Producer: p\nentry @k() { return }", ParseOptions{})
	if err != nil || m.Producer != "p" || m.TextPos(m.Entries[0]).String() != "text:2:1" {
		t.Errorf("%v, %+v", err, Sprint(m))
	}
	for text, want := range map[string]string{
		"\ufeffmod": "text:1:1: expected entry", "\ufeff\ufeffentry @k() { return }": "text:1:1: expected entry, ", "entry @k() { return }\n\ufeff": "text:2:1: expected entry, ",
	} {
		if _, err := Parse(text, ParseOptions{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// wrongTexts are texts that Parse refuses. Those that start with a blank go into a body.
var wrongTexts = []struct{ text, want string }{
	{"mod", `1:1: expected entry, global or an alias such as #loc, but found "mod"`},
	{"entry k() {}", `1:7: expected a name such as @kernel, but found "k"`},
	{"entry @k(", `1:10: expected a parameter such as %arg0, but found the end of the text`},
	{"entry @k(%a: tile<i32>", `1:23: expected "," or ")", but found the end of the text`},
	{"entry @k(%a tile<i32>) {}", `1:13: expected ":", but found "tile"`},
	{"entry @k(%a: tile<i32>, %a: tile<i32>) {return}", `1:25: %a is already defined`},
	{"entry @k() { return", `1:20: expected an operation, but found the end of the text`},
	{`entry @k() { return } {sym_visibility = "nested"}`, `expected "private", but found "\""`},
	{"entry @k() { return } extra", `1:23: expected entry, global or an alias such as #loc, but found "extra"`},
	{"entry @\"a\\q\"() { return }", "1:11: expected two hexadecimal digits after the backslash, but found \"q\""},
	{"entry @\"a", "1:10: expected the closing quote of a name, but found the end of the text"},
	{"entry @k() optimization_hints=<sm_90 {> { return }", `1:38: expected "=", but found "{"`},
	{"entry @k() optimization_hints=<sm_90 = {occupancy = x}> { return }", `expected an integer, true or false, but found "x"`},
	{"global @g <i32: 1> : tile<1xi64>", `1:22: expected a tile of i32, as the constant before says`},
	{"global @g <i4: 1> : tile<1xi4>", `1:12: there are no constants of i4`},
	{"global @g <i32: 1.5> : tile<1xi32>", `1:17: 1.5 is not a number of type i32`},
	{"global @g <i8: 256> : tile<1xi8>", `1:16: 256 is not a number of type i8`},
	{"global @g <f8E4M3FN: 1e9> : tile<1xf8E4M3FN>", `1:22: 1e9 is not a number of type f8E4M3FN`},
	{"global @g <f16: 1> : tile<1xf16>", `1:17: expected a number of f16 with a point, such as 1.0, but found 1`},
	{"global @g <f16: 0x12345> : tile<1xf16>", `1:17: 0x12345 is not a number of type f16`},
	{"global @g <f8E8M0FNU: -1.0> : tile<1xf8E8M0FNU>", `-1.0 is not a number of type f8E8M0FNU`},
	{"global @g <i1: 2> : tile<1xi1>", `1:16: expected true or false, but found "2"`},
	{"global @g <i32: [1, 2, 3]> : tile<2xi32>", `1:17: expected 2 elements in this list, but found 3`},
	{"global @g <i32: [[1], [2]]> : tile<2xi32>", `expected an element, but found "["`},
	{"global @g <i32: \"0x0102\"> : tile<2xi32>", `expected 0x and 8 bytes in hexadecimal for tile<2xi32>`},
	{"global @g <i32: 1", `1:18: expected ">", but found the end of the text`},

	{" frob %x : tile<4xf32>", `9:2: expected the name of an operation, but found "frob"`},
	{" entry %x", `9:2: expected the name of an operation, but found "entry"`},
	{" %0, %1 = negf %x : tile<4xf32>", `9:11: negf has 1 results, but 2 are named`},
	{" %0:0 = negf %x : tile<4xf32>", `9:5: expected one result or more, but found "0"`},
	{" %0 negf", `9:5: expected "=", but found "negf"`},
	{" %0 = negf %y : tile<4xf32>", `9:12: %y is not defined here`},
	{" %0 = negf %x#1 : tile<4xf32>", `9:12: %x names 1 values, so there is no %x#1`},
	{" %0 = negf x : tile<4xf32>", `9:12: expected a value such as %0, but found "x"`},
	{" %x = negf %x : tile<4xf32>", `9:2: %x is already defined`},
	{" %0 = negf %x tile<4xf32>", `9:15: expected ":", but found "tile"`},
	{" %0 = negf %x : vector<4xf32>", `9:17: expected a type, but found "vector"`},
	{" %0 = negf %x : tile<4xf33>", `9:24: expected an element type such as f32, but found "f33"`},
	{" %0 = negf %x : tile<4 f32>", `9:24: expected "x" after an extent, but found "f32"`},
	{" %0 = negf %x : tile<4xf32", `9:27: expected ">", but found "return"`},
	{" %0 = negf %x : tile<99999999xf32>", `9:22: an extent: expected 0 to 16777216, but found 99999999`},
	{" %0 = negf %x : tile<8192x8192xf32>", `9:22: a tile has 1 to 16777216 elements`},
	{" %0 = addf %x, %x rounding<odd> : tile<4xf32>", `9:28: expected nearest_even, zero, negative_inf`},
	{" %0 = addf %x %x : tile<4xf32>", `9:15: expected ",", but found "%x"`},
	{" %0 = addi %i, %i overflow<wrap> : tile<4xi32>", `9:28: expected none, no_signed_wrap, no_unsigned_wrap or no_wrap, but found "wrap"`},
	{" %0 = cmpi less %i, %i, signed : tile<4xi32> -> tile<4xi1>", `9:12: expected equal, not_equal`},
	{" %0 = cmpf equal ordered %x, %x : tile<4xf16> -> tile<4xi1>", `9:30: the value has type tile<4xf32>, but the text says tile<4xf16>`},
	{" %0 = andi %m, %m : tile<4xi1>\n assert %0, x", `10:13: expected a text in quotes, but found "x"`},
	{" %0 = permute %x [0.5] : tile<4xf32> -> tile<4xf32>", `9:20: expected "," or "]", but found "."`},
	{" %0 = permute %x [4294967296] : tile<4xf32> -> tile<4xf32>", `4294967296 does not fit 32 bits`},
	{" %0 = assume good, %n : tile<i32>", `9:14: expected div_by, bounded or same_elements, but found "good"`},
	{" %0 = assume div_by<-1>, %n : tile<i32>", `9:21: expected a divisor of at most 64 bits, but found "-1"`},
	{" %0 = assume bounded<a, ?>, %n : tile<i32>", `9:22: expected a bound, or ? for none, but found "a"`},
	{" %0, %1 = load_ptr_tko strong %ps : tile<4xptr<f32>> -> tile<4xf32>, token", `9:24: expected weak, relaxed, acquire, release or acq_rel, but found "strong"`},
	{" %0, %1 = load_ptr_tko weak %ps, %m : tile<4xptr<f32>> -> tile<4xf32>, token", `9:56: expected ",", but found "->"`},
	{" %0 = make_tensor_view %p, shape = [2], strides = [1] : tensor_view<4xf32, strides=[1]>", `9:26: expected extents and strides as in the type tensor_view<4xf32, strides=[1]>, but found ","`},
	{" %0 = make_partition_view %v : partition_view<tile=(4x8), padding_value = one, tensor_view<?x64xf32, strides=[64,1]>>", `9:75: expected a padding value, one of zero neg_zero nan pos_inf neg_inf, but found "one"`},
	{" %0 = make_partition_view %v : partition_view<tile=(4x8), tile<4xf32>>", `9:59: expected "tensor_view", but found "tile"`},
	{" %0 = loop { break %x : tile<4xf32> }", `9:7: loop has 0 results, but 1 are named`},
	{" for %q in (%n to %n, step %n) : tile<i64> { }", `9:28: the value has type tile<i32>, but the text says tile<i64>`},
	{" for %n in (%n to %n, step %n) : tile<i32> { }", `9:6: %n is already defined`},
	{" if %c { %z = negf %x : tile<4xf32> } %y = negf %z : tile<4xf32>", `9:49: %z is not defined here`},
	{" %y:2 = if %c -> (tile<i32>, tile<i32>) { yield %n, %n : tile<i32>, tile<i32> } else { yield %n, %n : tile<i32>, tile<i32> } %z = absi %y : tile<i32>", `%y names 2 values; expected %y#0 to %y#1`},
	{" %0 = reduce %x dim=0 identities=[0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { %d = negf %a : tile<f32> }", `the block must end in return or yield`},
	{" %0 = reduce %x dim=0 identities=[zero] : tile<4xf32> -> tile<f32>", `9:35: expected a number, but found "zero"`},
	{" %0 = get_global g : tile<ptr<f32>>", `9:18: expected a name such as @kernel, but found "g"`},
	{" %0 = negf %x : tile<4xf32> loc(#nowhere)", `#nowhere is not defined`},

	{"#loc = loc(unknown)\n#loc = loc(unknown)", "2:1: #loc is already defined"},
	{"#loc = here", `1:8: expected "#", but found "here"`},
	{`#loc = loc("f":1)`, `1:17: expected ":", but found ")"`},
	{"entry @k() { return loc(#a) }\n#a = loc(callsite(#a at #a))", "2:19: #a contains itself"},
	{"entry @k() { return loc(#a) }\n#a = #cuda_tile.di_file<\"f\" in \"d\">", "1:21: expected a position"},
	{"entry @k() { return loc(#b) }\n#a = loc(unknown)\n#b = #cuda_tile.di_loc<#a in #a>", "3:30: expected a function or block"},
	{"#a = " + strings.Repeat("loc(callsite(", 300), "more than 200 levels of nesting"},
	{"entry @k() {" + strings.Repeat(" loop {", 300), "more than 200 levels of nesting"},
	{"global @g <i8: " + strings.Repeat("[", 300) + "> : tile<" + strings.Repeat("1x", 60) + "i8>", "expected an element"},
}

func TestParseRefuses(t *testing.T) {
	if _, err := Parse(with(""), ParseOptions{}); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	for _, w := range slices.Concat(wrongTexts, wrongPlaces) {
		text := w.text
		if text[0] == ' ' {
			text = with(text)
		}
		m, err := Parse(text, ParseOptions{File: "k.mlir"})
		var e *ParseError
		if !errors.As(err, &e) || m != nil {
			t.Errorf("%s\nis accepted", w.text)
		} else if !strings.Contains(err.Error(), w.want) || e.File != "k.mlir" || e.Line < 1 || e.Col < 1 {
			t.Errorf("%.200s\n%v\nexpected %s", w.text, err, w.want)
		}
	}
}

// TestParseVersion reads for versions that lack something.
func TestParseVersion(t *testing.T) {
	for _, c := range []struct {
		text, want string
		version    Version
	}{
		{" %0 = atan2 %x, %x : tile<4xf32>", "text:9:7: operation atan2 needs version 13.2, but the text is read for 13.1", V13_1},
		{" %0 = bitcast %x : tile<4xf32> -> tile<4xi4>", "text:9:42: type i4 needs version 13.3, but the text is read for 13.2", V13_2},
		{" %0 = assume div_by<1>, %v : strided_view<", "text:9:30: strided_view needs version 13.3, but the text is read for 13.2", V13_2},
		{" %0 = pow %x, %x : tile<4xf32>", "", V13_1},
		{" %0 = fpowf %x, %x : tile<4xf32>", "", V13_4},
	} {
		_, err := Parse(with(c.text), ParseOptions{Version: c.version})
		if got := errText(err); got != c.want {
			t.Errorf("%s: %q, expected %q", c.text, got, c.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestParseLayout shows that blanks, comments and the names of values do not matter.
func TestParseLayout(t *testing.T) {
	a, err := Parse("entry @k(%a:tile<i32>){%b=negi %a:tile<i32> return}", ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse("// a comment\nentry\t@k ( %arg0 : tile < i32 > ) { // more\n\n %long.name-1 = negi %arg0 : tile<i32>\n return }", ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if Sprint(a) != Sprint(b) {
		t.Errorf("%v\n%v", Sprint(a), Sprint(b))
	}
}

// TestParseNamedResults gives each result of an operation a name of its own, or names groups of them.
func TestParseNamedResults(t *testing.T) {
	const loop = ` = for %i0 in (%n to %n, step %n) : tile<i32> iter_values(%a0 = %n, %b0 = %n, %c0 = %n, %d0 = %n) -> (tile<i32>, tile<i32>, tile<i32>, tile<i32>) { continue %a0, %b0, %c0, %d0 : tile<i32>, tile<i32>, tile<i32>, tile<i32> } `
	for _, c := range []struct{ names, used string }{
		{"%r0, %r1, %r2, %r3", "%r3"}, {"%r0:2, %r1, %r2", "%r2"}, {"%r0, %r1:3", "%r1#2"}, {"%r:4", "%r#3"}, {"%r0:1, %r1:2, %r2:1", "%r2"},
	} {
		m, err := Parse(with(" "+c.names+loop+"%z = absi "+c.used+" : tile<i32>"), ParseOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.names, err)
			continue
		}
		ops := m.Entries[0].Body.Ops
		if o, use := ops[len(ops)-3], ops[len(ops)-2]; use.Operands[0] != o.Results[3] {
			t.Errorf("%s: %s is not the last result", c.names, c.used)
		}
	}
}

// TestParseMask reads masks and padding values, which only their types tell apart.
func TestParseMask(t *testing.T) {
	m, err := Parse(with(` %0, %1 = load_ptr_tko weak %ps, %x : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
 %2, %3 = load_ptr_tko relaxed device %ps, %m, %x token=%t optimization_hints = <sm_90 = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token`), ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ops := m.Entries[0].Body.Ops
	a, b := ops[len(ops)-3], ops[len(ops)-2]
	if a.Operand("mask") != nil || a.Operand("paddingValue") == nil || b.Operand("mask") == nil || b.Operand("paddingValue") == nil || b.Operand("token") == nil {
		t.Errorf("%v\n%v", a, b)
	}
	if err := m.Verify(Newest); err != nil {
		t.Error(err)
	}
}

// FuzzParse looks for panics, and prints what it accepts.
func FuzzParse(f *testing.F) {
	for _, w := range wrongTexts {
		f.Add(w.text)
		if w.text[0] == ' ' {
			f.Add(with(w.text))
		}
	}
	f.Add(prelude)
	for _, folder := range []string{"good", "bad"} {
		for _, text := range corpus(f, folder) {
			f.Add(text)
			for _, part := range strings.Split(text, "// -----\n") {
				f.Add(part)
			}
		}
	}
	for _, zipped := range []string{"../testdata/ref.zip", "../testdata/refg.zip"} {
		z, err := zip.OpenReader(zipped)
		if err != nil {
			f.Fatal(err)
		}
		for i, file := range z.File {
			if r, err := file.Open(); err == nil && i%5 == 0 && strings.HasSuffix(file.Name, ".txt") {
				b, _ := io.ReadAll(r)
				f.Add(string(b))
			}
		}
		z.Close()
	}
	f.Fuzz(func(t *testing.T, text string) {
		ms, err := ParseAll(text, ParseOptions{Tests: true})
		if err != nil {
			return
		}
		for _, m := range ms {
			sound := m.Verify(Newest) == nil // only the text of a valid module is known to be readable
			for _, opts := range []PrintOptions{{Debug: true}, {MLIR: true, Debug: true}, {MLIR: true, Generic: true}} {
				var b strings.Builder
				Print(&b, m, opts)
				if !sound || m.OnlyText() != "" && !opts.MLIR {
					continue
				}
				again, err := ParseAll(b.String(), ParseOptions{Tests: true})
				if err != nil || len(again) != 1 {
					t.Fatalf("%v\n%s", err, b.String())
				}
				if Sprint(again[0]) != Sprint(m) {
					t.Errorf("the text of what was parsed is\n%s\nand not\n%s", Sprint(again[0]), Sprint(m))
				}
			}
		}
	})
}
