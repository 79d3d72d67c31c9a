package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/diff"
	"github.com/cutile-go/cutile/tileir/text"
)

// module reads a text.
func module(t testing.TB, src string) *tileir.Module {
	t.Helper()
	m, err := text.Parse(src, text.ParseOptions{})
	if err == nil {
		err = tileir.Verify(m, tileir.Newest)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// kernelText is a module of one kernel with parameters and a body.
func kernelText(params, body string) string {
	return "entry @k(" + params + ") {\n" + body + "\nreturn\n}\n"
}

// TestCounts holds the numbers of a report against its summary.
func TestCounts(t *testing.T) {
	a := module(t, kernelText("%n: tile<i32>", "%x = addi %n, %n : tile<i32>\n%y = muli %x, %n : tile<i32>"))
	b := module(t, kernelText("%n: tile<i32>, %m: tile<i32>", "%x = subi %n, %n : tile<i32>\n%y = muli %x, %n : tile<i32>\n%t = make_token : token"))
	r := diff.Compare(a, b)
	if r.Equal() || r.Changed != 1 || r.Added != 1 || r.Removed != 0 || r.Others != 1 {
		t.Errorf("got %+v", r)
	}
	if want := "different: 1 operation changed, 1 added, 0 removed; 1 other difference"; r.Summary() != want {
		t.Errorf("got %q, want %q", r.Summary(), want)
	}
	if same := diff.Compare(a, a); !same.Equal() || same.Summary() != "equal" || same.String() != "entry @k\nequal\n" {
		t.Errorf("got %q", same)
	}
}

// TestDiffChanges changes one thing at a time.
func TestDiffChanges(t *testing.T) {
	const params, body = "%x: tile<ptr<f32>>, %n: tile<i32>", `%t = make_token : token
%a = iota : tile<8xi32>
%b = addi %a, %a : tile<8xi32>
%c = constant <f32: [1.0, 2.0]> : tile<2xf32>
%q = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
%r = if %q -> (tile<i32>) {
  yield %n : tile<i32>
} else {
  %m = muli %n, %n : tile<i32>
  yield %m : tile<i32>
}`
	const global = "global  @g <i32: [1, 2]> : tile<2xi32>\n"
	a := module(t, global+kernelText(params, body))
	for _, c := range []struct {
		name     string
		old, new string
		want     []string
	}{
		{"names", "%a", "%other", nil},
		{"a default", ": tile<8xi32>\n%c", "overflow<none> : tile<8xi32>\n%c", nil},
		{"operand", "muli %n, %n", "muli %n, %n overflow<no_signed_wrap>", []string{"! 5.1.0 | 5.1.0\n", "attribute overflow: none | no_signed_wrap"}},
		{"attribute", "less_than", "greater_than", []string{"! 4 | 4\n", "attribute comparison_predicate: less_than | greater_than"}},
		{"constant", "2.0]", "3.0]", []string{"! 3 | 3\n", "attribute value differs\n"}},
		{"added", "%c = ", "%e = addi %b, %a : tile<8xi32>\n%c = ", []string{"+ 3  %3 = addi %2, %1 : ", "0 operations changed, 1 added, 0 removed; 0 other"}},
		{"removed", "%b = addi %a, %a : tile<8xi32>\n", "", []string{"- 2  %", "0 operations changed, 0 added, 1 removed; 0 other"}},
		{"replaced", "addi %a", "subi %a", []string{"! 2 | 2\n", "    operation: addi | subi\n", "1 operation changed, 0 added, 0 removed; 0 other"}},
		{"types", "tile<8x", "tile<4x", []string{"results: tile<8xi32> | tile<4xi32>", "2 operations changed"}},
		{"other side", "yield %n", "%w = addi %n, %n : tile<i32>\nyield %w", []string{"+ 5.0.0  ", "! 5.0.0 | 5.0.1\n", "operand operands: parameter 1 | 5.0.0 (addi)"}},
		{"parameter", "%n: tile<i32>) {", "%n: tile<i32>, %o: tile<f32>) {", []string{"  parameters: 2 | 3\n", "; 1 other difference\n"}},
		{"parameter's type", "ptr<f32>", "ptr<f16>", []string{"  parameter 0: tile<ptr<f32>> | tile<ptr<f16>>\n"}},
		{"name", "@k", "@l", []string{"  name: k | l\n", "0 operations changed, 0 added, 0 removed; 1 other difference\n"}},
		{"hints", ") {\n%t", ") optimization_hints=<sm_90 = {occupancy = 2}> {\n%t", []string{"  hints: none | sm_90 occupancy=2\n"}},
		{"global's value", "[1, 2]", "[1, 3]", []string{"global @g value differs\n"}},
		{"global's name", "@g", "@h", []string{"- global @g\n+ global @h\n", "2 other differences"}},
		{"entry", "entry @k", "entry @other() {\nreturn\n}\nentry @k", []string{"+ entry @other\n", "1 other difference\n"}},
	} {
		text := global + kernelText(params, body)
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s: there is no %q", c.name, c.old)
		}
		r := diff.Compare(a, module(t, strings.ReplaceAll(text, c.old, c.new)))
		out := r.String()
		if r.Equal() != (c.want == nil) || r.Equal() != strings.HasSuffix(out, "\nequal\n") {
			t.Errorf("%s: got\n%s", c.name, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got\n%swant %q", c.name, out, want)
			}
		}
	}
}

// TestDiffLong has blocks that are too long for a table, and differ from end to end.
func TestDiffLong(t *testing.T) {
	const n = 4200
	long := func(op string, n int) *tileir.Module {
		var b strings.Builder
		b.WriteString("%v0 = iota : tile<8xi32>\n")
		for i := range n {
			fmt.Fprintf(&b, "%%v%d = %s %%v%d, %%v%d : tile<8xi32>\n", i+1, op, i, i)
		}
		return module(t, kernelText("", b.String()))
	}
	for more, want := range map[int]string{
		0:  "\ndifferent: 4200 operations changed, 0 added, 0 removed; 0 other differences\n",
		7:  "\ndifferent: 4200 operations changed, 7 added, 0 removed; 0 other differences\n",
		-7: "\ndifferent: 4193 operations changed, 0 added, 7 removed; 0 other differences\n",
	} {
		out := diff.Compare(long("addi", n), long("subi", n+more)).String()
		if !strings.HasSuffix(out, want) {
			t.Errorf("got %q, want %q", out[len(out)-100:], want)
		}
	}
}
