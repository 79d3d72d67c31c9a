package gogen_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// revertedEnv says that TestReverted runs.
const revertedEnv = "GOFUZZ_REVERTED"

// change replaces a text of a file of the product, which has it once.
type change struct{ file, before, after string }

// reverted are defects that the product once had, each put back by changes of lines, and the test that must find it.
var reverted = []struct {
	name    string
	test    string
	changes []change
}{
	{"a part shares its parent's extents", "TestViews", []change{
		{"tile/slice.go", "t.shape = append(op.Ints[T](nil), t.shape...) // a slice, which the tensor shares with its parts\n", ""},
	}},
	{"constants are not rounded where they are converted", "TestNumbers", []change{
		{"internal/goval/constexpr/constexpr.go", "return ev.in(e.Pos(), ev.eval(in, e.Args[0]).Value, t)", "return Value{ev.eval(in, e.Args[0]).Value, t}"},
	}},
	{"constants are not rounded where they are added", "TestNumbers", []change{
		{"internal/goval/constexpr/constexpr.go", "return ev.in(e.OpPos, constant.BinaryOp(x.Value, op, y.Value), t)", "return Value{constant.BinaryOp(x.Value, op, y.Value), t}"},
	}},
	{"cute: constants are not rounded", "TestNumbers", []change{
		{"internal/simtc/emit/conversion.go", "return k.(constant.Value)", "_ = k\n\treturn v"},
	}},
	{"known floats compute exactly", "TestNumbers", []change{
		{"internal/goval/type.go", "return FromFloat(t.FloatFromBits(t.FloatBits(f)))", "return FromFloat(f)"},
		{"internal/tilec/emit/value.go", "return em.rounded(pos, x, d.Elem)", "return x"},
	}},
	{"known floats become integers without saturation", "TestNumbers", []change{
		{"internal/goval/convert.go", "return to.Saturate(Float(v))", "return to.Wrap(constant.ToInt(constant.MakeFloat64(math.Trunc(min(max(Float(v), -1e300), 1e300)))))"},
	}},
	{"the negative of a known zero is zero", "TestNumbers", []change{
		{"internal/goval/operate.go", "return t.Round(-x), err", "return t.Round(0 - x), err"},
	}},
	{"cute: known floats compute exactly", "TestPrograms", []change{
		{"internal/goval/type.go", "return FromFloat(t.FloatFromBits(t.FloatBits(f)))", "return FromFloat(f)"},
	}},
	{"cute: a range that wraps stays", "TestPrograms", []change{
		{"internal/goval/interval/interval.go", "if known && r.Within(t.Range()) {", "if known {"},
	}},
	{"cute: a sum of ranges loses its carry", "TestPrograms", []change{
		{"internal/goval/interval/int.go", "return signed(x.neg, sum), carry == 0", "return signed(x.neg, sum), carry < 2"},
	}},
	{"cute: a variable keeps the range of its first value", "TestPrograms", []change{
		{"internal/simtc/emit/cell.go", "return !n.Elem.IsInt() || em.rangeIn(v, n.Elem).Within(n.in)", "return true"},
	}},
	{"cute: a number that changes in a region has the type of its constant", "TestPrograms", []change{
		{"internal/simtc/emit/leaftypes.go", "leaf < len(es) && es[leaf] != nil", "leaf > len(es)"},
	}},
	{"cute: known shift counts stay as large as they are", "TestPrograms", []change{
		{"internal/simtc/emit/intarith.go", "count, err := goval.ShiftCount(y)\n\t\treturn simt.I(int64(goval.Checked(&em.Reporter, em.Pos, count, err)))",
			"_ = goval.Known\n\t\tcount, _ := constant.Int64Val(constant.ToInt(y.(constant.Value)))\n\t\treturn simt.I(count)"},
	}},
	{"cute: shift counts are cut to 32 bits", "TestPrograms", []change{
		{"internal/simtc/emit/intarith.go", `least := em.B.Value(simt.B64, "min.u64", n.Op(), simt.I(64))`, `least := n.Op()`},
	}},
	{"the low half of a quotient is computed from low halves", "TestPrograms", []change{
		{"internal/tilec/passes/narrow.go", "var modular = ranges.OpSet(", "var modular = ranges.OpSet(tileir.OpDivI, "},
	}},
}

// TestRevertedTexts: what TestReverted changes is there, once.
func TestRevertedTexts(t *testing.T) {
	for _, d := range reverted {
		for _, c := range d.changes {
			text, err := os.ReadFile(filepath.Join("../../..", c.file))
			if err != nil || strings.Count(string(text), c.before) != 1 {
				t.Errorf("%s: %s has %d times %q, %v", d.name, c.file, strings.Count(string(text), c.before), c.before, err)
			}
		}
	}
}

// batches is how often a test runs, each time with other seeds, before a defect counts as not found.
const batches = 30

// TestReverted puts known defects back and sees that programs find each of them again.
func TestReverted(t *testing.T) {
	if os.Getenv(revertedEnv) == "" {
		t.Skipf("%s=1 runs it; it takes many minutes", revertedEnv)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range reverted {
		t.Run(d.name, func(t *testing.T) {
			binary := build(t, root, d.changes)
			for i := range batches {
				out, err := exec.Command(binary, "-test.run", "^"+d.test+"$", "-seed", fmt.Sprint(1+1000*i), "-small", "0", "-enough", "1").CombinedOutput()
				if err == nil {
					continue
				}
				if found := regexp.MustCompile(`seed \d+[^\n]*`).Find(out); found != nil {
					t.Logf("%s finds it in run %d: %.200s", d.test, i+1, found)
					return
				}
				if !strings.Contains(string(out), "too many programs say nothing") {
					t.Fatalf("run %d ends without a finding: %v\n%.2000s", i+1, err, out)
				}
			}
			t.Errorf("%d runs of %s do not find it", batches, d.test)
		})
	}
}

// build builds this package's tests with changed files of the product.
func build(t *testing.T, root string, changes []change) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, e := range changes {
		original, changed := filepath.Join(root, e.file), filepath.Join(dir, fmt.Sprintf("%d.go", i))
		text, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), e.before) != 1 {
			t.Fatalf("%s does not have once:\n%s", e.file, e.before)
		}
		if err := os.WriteFile(changed, []byte(strings.Replace(string(text), e.before, e.after, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[original] = changed
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "gogen.test")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
