package cute_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/testing/dwarftest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// observedModule is the module of the kernel observed, with variables.
func observedModule(t *testing.T) *cute.Module {
	t.Helper()
	t.Setenv("CUTILE_DEBUG", "variables")
	return must(cute.Compile(t.Context(), cute.Jit(runObserved), vectorOf(t, 8), int32(2), float32(3), int64(4)))(t).Module()
}

// wantVariables are the variables of observed: the function, the line by a text on it, and how DWARF has it.
var wantVariables = []struct {
	function, name, text, kind, typ string
	place                           string // in some of its places
	last, at                        string // texts on the last line that has it, and on one where it must be at the place
}{
	{"observed", "x", "func observed(", "FormalParameter", "struct cute.Tensor[float32] {base *float32@0; offset int@8; layout struct {shape struct {0 int@0}@0; stride struct {0 int@0}@4}@16}", "%rd0:8 =0:8 %r0:4 =1:8", "", "x.Set(value"},
	{"observed", "count", "func observed(", "FormalParameter", "int32", "%r1", "", "small := int8"},
	{"observed", "factor", "func observed(", "FormalParameter", "float32", "%r2", "", "sums :="},
	{"observed", "wide", "func observed(", "FormalParameter", "int64", "%rd1", "", "x.Set(value"},
	{"observed", "thread", "thread :=", "Variable", "int", "%r3", "", "if thread <"},
	{"observed", "limit", "limit :=", "Variable", "struct cute_test.bounds {lo float32@0; hi float32@4; on bool@8}", "%r2:4 %r6:4 %p0:1", "", "value := clamp("},
	{"observed", "total", "total :=", "Variable", "float32", "%r7", "", "half := "},
	{"observed", "step", "for step :=", "Variable", "int32", "%r8", "total += square", "square := "},
	{"observed", "square", "square :=", "Variable", "float32", "%r12", "total += square", "total += square"},
	{"observed", "small", "small :=", "Variable", "int8", "%r17", "", "x.Set(value"},
	{"observed", "moved", "moved :=", "Variable", "float32", "%r18", "", "x.Set(value"},
	{"observed", "same", "same :=", "Variable", "float32", "%r2", "each += same", "each += same"},
	{"observed", "half", "half :=", "Variable", "cute.Float16", "%rs0", "", "x.Set(value"},
	{"observed", "known", "known :=", "Variable", "int", "=42", "", "x.Set(value"},
	{"observed", "kept", "kept :=", "Variable", "[4]float32", "%r20:4 %r21:4 %r22:4 %r23:4", "", "x.Set(value"},
	{"observed", "k", "for k :=", "Variable", "int", "=3", "kept.Set", ""},
	{"observed", "each", "each :=", "Variable", "float32", "%r26", "kept.Set", ""},
	{"observed", "sums", "sums :=", "Variable", "[3]float32", "%r36:4 =0:4 %r2:4", "", "x.Set(value"},
	{"observed", "value", "value :=", "Variable", "float32", "%r43", "x.Set(value", "x.Set(value"},
	{"clamp", "v", "func clamp(", "FormalParameter", "float32", "%r37", "return out", "if v < b.lo"},
	{"clamp", "b", "func clamp(", "FormalParameter", "struct cute_test.bounds {lo float32@0; hi float32@4; on bool@8}", "%r2:4 %r6:4 %p0:1", "return out", "if b.on"},
	{"clamp", "out", "func clamp(", "FormalParameter", "float32", "%r38", "return out", "out += twiceOf("},
	{"twiceOf", "v", "func twiceOf(", "FormalParameter", "float32", "%r6", "return double - 1", ""},
	{"twiceOf", "double", "double :=", "Variable", "float32", "%r40", "return double - 1", "return double - 1"},
}

// TestVariables: ptxas assembles the kernel for several targets, and the machine code has each variable of the source with its line, its type, and
// the registers that the code has it in.
func TestVariables(t *testing.T) {
	testenv.Tool(t, "ptxas")
	m := observedModule(t)
	for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"} {
		t.Run(arch, func(t *testing.T) {
			cubin := must(m.Cubin(t.Context(), arch))(t)
			found := dwarftest.ByName(dwarftest.Cubin(t, cubin))
			for _, want := range wantVariables {
				v := found[want.function+"."+want.name]
				if v == nil {
					t.Errorf("%s has no variable %s", want.function, want.name)
					continue
				}
				delete(found, want.function+"."+want.name)
				if v.Line != dwarftest.Line(t, "variables_kernels_test.go", want.text) || v.Kind != want.kind || v.Type != want.typ || !slices.ContainsFunc(v.Places, func(p dwarftest.Place) bool { return p.Text == want.place }) {
					t.Errorf("%+v is %+v", want, v)
				}
				checkPlaces(t, v, want.place, want.last, want.at)
			}
			for _, v := range found {
				t.Errorf("there is also %+v", v)
			}
		})
	}
}

// checkPlaces checks that a variable is nowhere behind a line, and at a place where the code of another line runs.
func checkPlaces(t *testing.T, v *dwarftest.Variable, where, last, at string) {
	t.Helper()
	const lastLine = 1 << 20
	end := lastLine
	if last != "" {
		end = int(dwarftest.Line(t, "variables_kernels_test.go", last)) + 1 // where the block ends
	}
	first := int(dwarftest.Line(t, "variables_kernels_test.go", "func "+v.Function+"("))
	found := at == ""
	for _, p := range v.Places {
		if slices.ContainsFunc(p.Pieces, func(p dwarftest.Piece) bool { return p.Lost }) {
			t.Errorf("%s.%s is in a register of which the assembler does not know where it is: %+v", v.Function, v.Name, p)
		}
	}
	for i, e := range v.Lines[:len(v.Lines)-1] {
		to := v.Lines[i+1].Address
		for k, p := range v.Places {
			for _, q := range v.Places[:k] {
				if p.From < q.To && q.From < p.To {
					t.Errorf("%s.%s is at two places at a time: %+v", v.Function, v.Name, v.Places)
				}
			}
			if e.Address < p.From || e.Address >= p.To || e.Address == to {
				continue
			}
			called := map[string]int{"observed": 0, "clamp": int(dwarftest.Line(t, "variables_kernels_test.go", "func twiceOf(")), "twiceOf": lastLine}[v.Function]
			if e.Line > end && (called == 0 || e.Line < called) || e.Line < first && called > 0 || e.Line < int(v.Line) && e.Line >= first {
				t.Errorf("%s.%s is at %+v on line %d, where it is not declared", v.Function, v.Name, p, e.Line)
			}
			found = found || p.Text == where && e.Line == int(dwarftest.Line(t, "variables_kernels_test.go", at))
		}
	}
	if !found {
		t.Errorf("%s.%s is not at %s on the line of %q: %+v", v.Function, v.Name, where, at, v.Places)
	}
}

// TestVariablesUnasked: without the switch, nothing of them is there.
func TestVariablesUnasked(t *testing.T) {
	m := must(cute.Compile(t.Context(), cute.Jit(runObserved), vectorOf(t, 8), int32(2), float32(3), int64(4)))(t).Module()
	text := must(m.PTX("sm_80"))(t)
	for _, word := range []string{"debug", ".section", "inlined_at", "$D", "var "} {
		if strings.Contains(text, word) || strings.Contains(m.Text(), " "+word) {
			t.Errorf("there is %q in\n%s", word, text)
		}
	}
}

// wantCalls are lines of the functions that observed calls, with the lines that call them.
var wantCalls = [][]string{
	{"if v < b.lo {", "value := clamp("},
	{"out = b.lo", "value := clamp("},
	{"double := v + v", "out += twiceOf(", "value := clamp("},
	{"return double - 1", "out += twiceOf(", "value := clamp("},
}

// TestVariablesCalls: the lines of machine code say which calls led there.
func TestVariablesCalls(t *testing.T) {
	testenv.Tool(t, "ptxas")
	tool := testenv.Tool(t, "nvdisasm")
	m := observedModule(t)
	for _, arch := range []string{"sm_80", "sm_100a"} {
		file := filepath.Join(t.TempDir(), "k.cubin")
		check(t, os.WriteFile(file, must(m.Cubin(t.Context(), arch))(t), 0o666))
		out, err := exec.Command(tool, "-gi", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, lines := range wantCalls {
			// Each line of nvdisasm has one call; those of a chain follow each other.
			var chain []string
			for i := 0; i+1 < len(lines); i++ {
				chain = append(chain, fmt.Sprintf(`line %d inlined at "FILE", line %d`, dwarftest.Line(t, "variables_kernels_test.go", lines[i]), dwarftest.Line(t, "variables_kernels_test.go", lines[i+1])))
			}
			all := regexp.MustCompile(`"[^"]*variables_kernels_test.go"`).ReplaceAllString(string(out), `"FILE"`)
			if want := `//## File "FILE", ` + strings.Join(chain, "\n\t//## File \"FILE\", "); !strings.Contains(all, want) {
				t.Errorf("%s: there is no\n%s\nin\n%s", arch, want, regexp.MustCompile(`(?m)^\t//## .*$`).FindAllString(all, -1))
			}
		}
	}
}

// TestVariablesRun: a kernel with variables computes the same, as it is and from its PTX, and the emulator has nothing to do for them.
func TestVariablesRun(t *testing.T) {
	var want []float32
	for _, c := range []struct {
		debug string
		o     cute.Options
	}{{"", cute.Options{}}, {"variables", cute.Options{}}, {"variables", cute.Options{Pipeline: "verify,optimise,verify,ptx,read"}}} {
		t.Setenv("CUTILE_DEBUG", c.debug)
		x := vectorOf(t, 8)
		check(t, cute.Jit(runObserved, c.o)(cute.Of[float32](x), int32(5), float32(3), int64(4)))
		got := must(x.Slice())(t)
		if want == nil {
			want = got
			if got[0] == got[7] || got[0] == 0 {
				t.Fatalf("the kernel computes %v", got)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}
