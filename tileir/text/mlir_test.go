package text_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	. "github.com/cutile-go/cutile/tileir/text"
)

var updateTexts = flag.Bool("update", false, "write what is printed into testdata")

// corpus reads the texts in MLIR's form that stand in a folder of testdata/mlir.
func corpus(t testing.TB, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/mlir/" + folder + "/*.mlir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	out := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = string(data)
	}
	return out
}

func mustPrint(t testing.TB, opts PrintOptions, ms ...*Module) string {
	t.Helper()
	var b strings.Builder
	for i, m := range ms {
		if i > 0 {
			b.WriteString("\n// -----\n\n")
		}
		if err := Print(&b, m, opts); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestMLIRReads reads each construct of MLIR's text, and prints what it stands for in the compact form (the .txt beside the
// text; tileir/bytecode compares these with NVIDIA's disassembler) and in MLIR's (the .out).
func TestMLIRReads(t *testing.T) {
	for file, text := range corpus(t, "good") {
		ms, err := ParseAll(text, ParseOptions{File: file, Tests: strings.HasSuffix(file, "tests.mlir")})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range ms {
			if err := m.Verify(Newest); err != nil {
				t.Error(err)
			}
		}
		base := strings.TrimSuffix(file, ".mlir")
		sameFile(t, base+".txt", mustPrint(t, PrintOptions{}, ms...))
		sameFile(t, base+".out", mustPrint(t, PrintOptions{MLIR: true, Debug: true}, ms...))
	}
}

func sameFile(t *testing.T, file, got string) {
	t.Helper()
	if *updateTexts {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v: expected\n%s\nbut found\n%s", file, err, want, got)
	}
}

// TestMLIRRoundTrip: what is printed in MLIR's form and in the generic one is read as the same modules.
func TestMLIRRoundTrip(t *testing.T) {
	for file, text := range corpus(t, "good") {
		ms, err := ParseAll(text, ParseOptions{File: file, Tests: true})
		if err != nil {
			t.Error(err)
			continue
		}
		whole := PrintOptions{MLIR: true, Debug: true}
		for _, opts := range []PrintOptions{whole, {MLIR: true, Debug: true, Generic: true}} {
			printed := mustPrint(t, opts, ms...)
			again, err := ParseAll(printed, ParseOptions{Tests: true})
			if err != nil {
				t.Errorf("%s: %v\n%s", file, err, printed)
			} else if a, b := mustPrint(t, whole, ms...), mustPrint(t, whole, again...); a != b {
				t.Errorf("%s: expected\n%s\nbut found\n%s\nfrom\n%s", file, a, b, printed)
			}
		}
	}
}

var announcedFault = regexp.MustCompile(`// (error|warning) (\d+): (.*)`)

// TestMLIRRefuses: faults are found in the line and column that a comment before them names, and no others.
func TestMLIRRefuses(t *testing.T) {
	for file, text := range corpus(t, "bad") {
		for i, part := range strings.Split(text, "// -----\n") {
			where := fmt.Sprintf("%s, part %d", file, i+1)
			m := announcedFault.FindStringSubmatch(part)
			if m == nil {
				t.Errorf("%s: no comment names a fault", where)
				continue
			}
			line := 2 + strings.Count(part[:strings.Index(part, m[0])], "\n")
			col, _ := strconv.Atoi(m[2])
			kind, pos, what := firstFault(t, part)
			if kind != m[1] || pos.Line != line || pos.Col != col || !strings.HasPrefix(what, m[3]) {
				t.Errorf("%s: expected %s in %d:%d: %s\nbut found %s in %d:%d: %s", where, m[1], line, col, m[3], kind, pos.Line, pos.Col, what)
			}
		}
	}
}

// firstFault reads and verifies a text.
func firstFault(t *testing.T, text string) (kind string, pos TextPos, what string) {
	m, err := Parse(text, ParseOptions{})
	var wrong *ParseError
	if errors.As(err, &wrong) {
		return "error", TextPos{Line: wrong.Line, Col: wrong.Col}, wrong.What
	}
	var broken *VerifyError
	if errors.As(m.Verify(Newest), &broken) {
		return "error", broken.Text, broken.What
	}
	for _, w := range Warnings(m, Newest) {
		return "warning", w.Text, w.What
	}
	return "nothing", TextPos{}, ""
}

// TestMLIRModules: of several modules in a text one is picked by name.
func TestMLIRModules(t *testing.T) {
	text := "cuda_tile.module @a { entry @x() {} }\n// -----\nmodule @b { entry @y() {} }\n cuda_tile.module @c {}\n"
	ms, err := ParseAll(text, ParseOptions{})
	if err != nil || len(ms) != 3 || ms[1].Name != "b" || ms[1].Entries[0].Name != "y" {
		t.Fatalf("%v, %v", ms, err)
	}
	if _, err := Parse(text, ParseOptions{}); err == nil || !strings.Contains(err.Error(), `expected one module, but found 3: choose one of "a", "b", "c"`) {
		t.Error(err)
	}
	if _, err := Parse(text, ParseOptions{Module: "d"}); err == nil || !strings.Contains(err.Error(), `there is no module "d", but "a", "b", "c"`) {
		t.Error(err)
	}
	if m, err := Parse(text, ParseOptions{Module: "b"}); err != nil || m.Entries[0].Name != "y" {
		t.Errorf("%v, %v", Sprint(m), err)
	}
}

// TestMLIRTestsOnly: what only tests have is refused unless asked for, and is never written.
func TestMLIRTestsOnly(t *testing.T) {
	for _, c := range []struct{ text, refused, why string }{
		{"cuda_tile.module @m { testing$func @f() {} }", "expected entry, global or an alias", "@f is a function of a test"},
		{"%0 = constant <i32: 1> : tile<i32>", "expected entry, global or an alias", "operations stand outside of an entry"},
		{`entry @k() { "x.y"() : () -> () }`, `expected an operation of cuda_tile, but found "x.y"`, "@k has operations of other dialects"},
		{`entry @k() { loop { "x.y"() : () -> () } }`, `expected an operation of cuda_tile`, "@k has operations of other dialects"},
	} {
		if _, err := Parse(c.text, ParseOptions{}); err == nil || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", c.text, err)
		}
		m, err := Parse(c.text, ParseOptions{Tests: true})
		if err != nil || !strings.Contains(m.OnlyText(), c.why) {
			t.Errorf("%s: %v, %q", c.text, err, m.OnlyText())
		}
	}
	m, err := Parse(`entry @k() { "x.y"() : () -> () }`, ParseOptions{Tests: true})
	if err != nil || LookupOpcode(m.Entries[0].Body.Ops[0].Info.Opcode) != nil {
		t.Errorf("%v, or an operation of another dialect has the number of one of ours", err)
	}
	if m, err := Parse("entry @k() {}", ParseOptions{Tests: true}); err != nil || m.OnlyText() != "" {
		t.Errorf("%v, %v", Sprint(m), err)
	}
}
