package cutile_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/dwarftest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tile"
)

// TestVariablesHold: the variables that kernels print hold what they print, by the places that debuggers read of the PTX.
func TestVariablesHold(t *testing.T) {
	t.Setenv("CUTILE_DEBUG", "variables")
	for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a"} {
		t.Run(arch, func(t *testing.T) {
			out := &strings.Builder{}
			var asked, known int
			t.Cleanup(engine.Register(engine.Kind{
				Name: "ptx", List: func() ([]string, error) { return []string{"ptx"}, nil },
				Open: func(int, engine.Options) (engine.Device, error) {
					d := threadtest.NewDevice(arch, threads.Options{Debug: true}, cpu.Options{Output: out, Workers: 1})
					d.Change = func(m *simt.Module) { asked, known = lookAtPrinted(t, m, arch) }
					return d, nil
				},
			}))
			dev, err := cutile.Open("ptx")
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
			if err := cutile.Launch(t.Context(), dev.Grid(1), told, x, z, int32(7), float32(3)); err != nil {
				t.Fatal(err)
			}
			if _, err := z.Slice(); err != nil {
				t.Fatal(err)
			}
			compared := comparePrinted(t, out.String())
			t.Logf("%d of %d variables that are printed are somewhere; %d values", known, asked, compared)
			if known < asked*9/10 || compared < 40 {
				t.Errorf("%d of %d variables that are printed are somewhere; %d values", known, asked, compared)
			}
		})
	}
}

// lookAtPrinted makes a kernel print what each variable holds that it is about to print: numbers, and the floats of tiles. It says how many there are that it prints, and that are
// somewhere.
func lookAtPrinted(t *testing.T, m *simt.Module, arch string) (asked, known int) {
	t.Helper()
	text, err := ptx.WriteLines(m, arch)
	if err != nil {
		t.Fatal(err)
	}
	vars := dwarftest.PTX(t, string(text))
	f := m.Kernels[0]
	var body []simt.Instr
	for i, in := range f.Body {
		if name, _, ok := strings.Cut(in.Text, "="); ok && in.Op == simt.OpPrintf && name != "" {
			asked++
			var pieces []dwarftest.Piece
			var of *dwarftest.Variable
			for _, v := range vars { // an inner one comes behind those around it
				if at := v.At(uint64(i)); v.Name == name && at != nil {
					pieces, of = at, v
				}
			}
			if pieces != nil {
				known++
				body = append(body, dwarftest.Printing(t, f, pieces, fmt.Sprintf("held %s %d|", cmp.Or(of.Number, "float"), cmp.Or(of.Bytes/int64(len(pieces)), 4)))...)
			}
		}
		body = append(body, in)
	}
	f.Body = body
	return asked, known
}

// comparePrinted compares what variables hold with what the kernel then prints of them, and says how many there are.
func comparePrinted(t *testing.T, said string) (n int) {
	t.Helper()
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "held ")
		if !ok {
			continue
		}
		n++
		head, words, _ := strings.Cut(rest, "|")
		var kind string
		var bytes int64
		if _, err := fmt.Sscan(head, &kind, &bytes); err != nil {
			t.Fatal(err)
		}
		name, printed, _ := strings.Cut(lines[i+1], "=")
		left := strings.FieldsFunc(printed, func(r rune) bool { return strings.ContainsRune("[], ", r) })
		for _, w := range strings.Fields(words) {
			bits, err := strconv.ParseUint(w, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			x := dwarftest.Printed(kind, bytes, bits)
			at := slices.Index(left, x)
			if at < 0 {
				t.Fatalf("%s holds %s, but prints %s", name, x, printed)
			}
			left = slices.Delete(left, at, at+1)
		}
	}
	return n
}

// wantVariables are the variables of watched and of the function that it calls: the line by a text on it, how DWARF has them, and a line where
// they are somewhere; of constants, the number.
var wantVariables = []struct{ function, name, text, kind, typ, at, number string }{
	{"watched", "x", "func watched[", "FormalParameter", "struct tile.In[tile.FloatTile2[float32, tile.D1, tile.D256]] {base *f32@0; shape [2]op.Index@8; strides [2]op.Index@16}", "z.Store(", ""},
	{"watched", "z", "func watched[", "FormalParameter", "struct tile.Out[tile.FloatTile1[float32, tile.D256]] {base *f32@0; shape [1]op.Index@8; strides [1]op.Index@12}", "z.Store(", ""},
	{"watched", "rows", "func watched[", "FormalParameter", "int32", "sum += row", ""},
	{"watched", "scale", "func watched[", "FormalParameter", "float32", "sum *= ", ""},
	{"watched", "block", "block := ", "Variable", "int", "sum += row", ""},
	{"watched", "known", "known := ", "Variable", "int", "sum += row", "=3"},
	{"watched", "sum", "sum := ", "Variable", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "sum *= ", ""},
	{"watched", "limits", "limits := ", "Variable", "struct cutile_test.span {lo float32@0; hi float32@4; rows int@8}", "z.Store(", ""},
	{"watched", "even", "even := ", "Variable", "bool", "even = !even", ""},
	{"watched", "i", "for i := int32(0); i < rows", "Variable", "int32", "sum += row", ""},
	{"watched", "row", "row := ", "Variable", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "sum += row", ""},
	{"watched", "result", "result := ", "Variable", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "z.Store(", ""},
	{"bounded", "v", "func bounded[", "FormalParameter", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "low := ", ""},
	{"bounded", "s", "func bounded[", "FormalParameter", "struct cutile_test.span {lo float32@0; hi float32@4; rows int@8}", "low := ", ""},
	{"bounded", "low", "low := ", "Variable", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "out := ", ""},
	{"bounded", "out", "out := ", "Variable", "struct tile.FloatTile1[float32, tile.D256] 256 f32 {held [2]f32@0}", "return out * 2", ""},
}

// TestVariables: ptxas assembles a kernel of package tile for several targets, and the machine code of our own compiler has each variable of the
// source with its line, its type, and places of which the assembler knows where they are.
func TestVariables(t *testing.T) {
	t.Setenv("CUTILE_PTXAS", testenv.Tool(t, toolchain.Ptxas)) // which may be in the cache
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv("CUTILE_DEBUG", "variables")
	for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"} {
		t.Run(arch, func(t *testing.T) {
			found := dwarftest.ByName(dwarftest.Cubin(t, assemble.PTX(t, exportedPTX(t, arch), arch, "-g")))
			sum := found["cutile_test_watched_D256.sum"]
			for _, want := range wantVariables {
				key := strings.Replace(want.function, "watched", "cutile_test_watched_D256", 1) + "." + want.name
				v := found[key]
				if v == nil {
					t.Errorf("there is no %s", key)
					continue
				}
				delete(found, key)
				if v.Line != dwarftest.Line(t, "kernels_variables_test.go", want.text) || v.Kind != want.kind || v.Type != want.typ {
					t.Errorf("%+v is %+v", want, v)
				}
				if !somewhere(t, v, dwarftest.Line(t, "kernels_variables_test.go", want.at), want.number) {
					t.Errorf("%s is not at %q on the line of %q: %+v", key, want.number, want.at, v.Places)
				}
			}
			for _, v := range found {
				t.Errorf("there is also %+v", v)
			}
			turned(t, sum)
		})
	}
}

// somewhere reports whether a variable is somewhere while code of a line runs, and checks that it is nowhere on lines before its own.
func somewhere(t *testing.T, v *dwarftest.Variable, line int64, number string) (found bool) {
	t.Helper()
	for i, e := range v.Lines[:len(v.Lines)-1] {
		pieces := v.At(e.Address)
		if pieces == nil || v.Lines[i+1].Address == e.Address {
			continue
		}
		if slices.ContainsFunc(pieces, func(p dwarftest.Piece) bool { return p.Lost }) {
			t.Errorf("%s is where the assembler knows nothing: %v", v.Name, pieces)
		}
		if inside := int64(e.Line) >= dwarftest.Line(t, "kernels_variables_test.go", "func "+strings.TrimSuffix(strings.TrimPrefix(v.Function, "cutile_test_"), "_D256")+"["); inside && int64(e.Line) < v.Line {
			t.Errorf("%s is somewhere on line %d, where it is not declared", v.Name, e.Line)
		}
		found = found || int64(e.Line) == line && (number == "" || fmt.Sprintf("=%d", pieces[0].Number) == number && pieces[0].Reg == "")
	}
	return found
}

// turned checks that the sum is no longer where the addition left it when a turn of the loop ends, as a branch may have scaled it.
func turned(t *testing.T, sum *dwarftest.Variable) {
	t.Helper()
	added, looked := "", false
	for _, e := range sum.Lines {
		at := sum.At(e.Address)
		switch {
		case int64(e.Line) == dwarftest.Line(t, "kernels_variables_test.go", "even = !even"):
			added = fmt.Sprint(at)
		case int64(e.Line) == dwarftest.Line(t, "kernels_variables_test.go", "for i := int32(0); i < rows") && added != "" && at != nil:
			looked = true
			if fmt.Sprint(at) == added {
				t.Errorf("where a turn ends, the sum is at %s still, where the addition left it: %+v", added, sum.Places)
			}
		}
	}
	if !looked {
		t.Errorf("the sum is nowhere where a turn ends: %+v", sum.Places)
	}
}

// TestVariablesUnasked: without the switch, nothing of them is there, though the same process has compiled the kernel with it.
func TestVariablesUnasked(t *testing.T) {
	t.Setenv("CUTILE_CACHE", t.TempDir())
	for _, asked := range []string{"variables", "", "variables"} {
		t.Setenv("CUTILE_DEBUG", asked)
		text := string(exportedPTX(t, "sm_80"))
		for _, word := range []string{"debug", ".section", "inlined_at", "$D"} {
			if strings.Contains(text, word) != (asked != "") {
				t.Errorf("CUTILE_DEBUG=%s: whether there is %q is wrong in\n%s", asked, word, text)
			}
		}
	}
}

// exportedPTX is the PTX of watched for an architecture.
func exportedPTX(t *testing.T, arch string) []byte {
	t.Helper()
	dir := t.TempDir()
	x, z := cutile.SpecOf[float32](7, 500), cutile.SpecOf[float32](500)
	if err := cutile.Export(t.Context(), dir, []string{"own:" + arch}, watched[tile.D256], x, z, int32(0), float32(0)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}
