package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// data is where the files for these tests lie, seen from the top of the repository.
const data = "cmd/cutile/testdata/"

// refusal is a command line that cannot do its work, with its exit code and a piece of what it says.
type refusal struct {
	input string
	line  string
	code  int
	want  string
}

func checkRefusals(t *testing.T, list []refusal) {
	t.Helper()
	for _, c := range list {
		code, out, errs := cutileWith([]byte(c.input), strings.Fields(c.line)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("cutile %s: exit code %d, %q, %q, want %d, %q", c.line, code, out, errs, c.code, c.want)
		}
	}
}

// kernelText is a module of one kernel with parameters and a body.
func kernelText(params, body string) string {
	return "entry @k(" + params + ") {\n" + body + "\nreturn\n}\n"
}

// TestVerify reads every reference file, as bytecode and as text.
func TestVerify(t *testing.T) {
	n := 0
	for name, data := range reference(t) {
		if !strings.HasSuffix(name, ".tileirbc") {
			continue
		}
		code, out, errs := cutileWith(data, "verify", "-")
		if n++; code != exitOK || errs != "" || !strings.HasPrefix(out, "standard input: ") {
			t.Errorf("%s: exit code %d, %q, %s", name, code, out, errs)
		}
	}
	if n < 100 {
		t.Errorf("only %d files", n)
	}
	for _, arch := range []string{"sm_90", "sm_90a"} {
		code, out, errs := cutileWith(reference(t)["cv_fp8.13.4.tileirbc"], "verify", "-arch", arch, "-")
		if code != exitOK || errs != "" || !strings.HasSuffix(out, ": right for version 13.4 and "+arch+"\n") {
			t.Errorf("-arch %s: exit code %d, %q, %s", arch, code, out, errs)
		}
	}
	want := "cmd/cutile/testdata/vmul.tileir: text, 1 entry, 27 operations: right for version 13.1\n"
	if got := must(t, "verify", "-version=13.1", data+"vmul.tileir"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVerifyErrors(t *testing.T) {
	files := reference(t)
	checkRefusals(t, []refusal{
		{"", "verify", exitUsage, "cutile verify: want one file, got 0; see `cutile help verify`"},
		{"", "verify -version 12 x", exitUsage, `-version: "12" is not one of [13.1 13.2 13.3 13.4]`},
		{"", "verify none", exitFailed, "cutile verify: open none: no such file"},
		{"entry", "verify -", exitFailed, "cutile verify: standard input:1:6: "},
		{toolbox.Mark, "verify -", exitFailed, "cutile verify: standard input: bytecode: at byte "},
		{string(files["vadd.13.4.tileirbc"][:200]), "verify -", exitFailed, "standard input: bytecode: at byte "},
		{"", "verify " + data + "wrong.tileir", exitFailed, "cutile verify: cmd/cutile/testdata/wrong.tileir: 2 errors for version 13.4\n" +
			"  cmd/cutile/testdata/wrong.tileir:7:3: entry wrong: operation 5 (load_ptr_tko): result: expected elements of f32, which source point to, but found tile<64xf16>\n" +
			"  cmd/cutile/testdata/wrong.tileir:10:5: entry wrong: operation 7.0.0 (exp): attribute rounding_mode: approx needs elements of f32, but found f16\n"},
		{"", "verify -arch sm_91 x", exitUsage, `-arch: "sm_91" is not one of sm_80, sm_86, `},
		{string(files["cv_fp8.13.4.tileirbc"]), "verify -arch sm_86 -", exitFailed, " needs sm_90, sm_100, "},
		// an operation of 13.2 for 13.1, with its place
		{string(files["ew_atan2.13.4.tileirbc"]), "verify -version 13.1 -", exitFailed,
			"(atan2) at kernels.py:"},
	})
}

// TestNothing: an empty file is no module, whatever reads it, and neither is a module without an entry and a global.
func TestNothing(t *testing.T) {
	nothing, err := bytecode.Write(&tileir.Module{}, tileir.Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", " \n", "// nothing\n", "cuda_tile.module @m {}\n", string(nothing)} {
		for _, args := range []string{"verify -", "asm - -o " + filepath.Join(t.TempDir(), "x"), "run -", "cost -", "diff - " + data + "vmul.tileir"} {
			code, _, errs := cutileWith([]byte(text), strings.Fields(args)...)
			want := exitFailed
			if strings.HasPrefix(args, "diff") {
				want = exitUsage // 1 says that modules differ
			}
			if code != want || !strings.Contains(errs, "standard input (") || !strings.Contains(errs, ") holds no entry and no global: name a file") {
				t.Errorf("%s of %q: exit code %d, %s", args, text, code, errs)
			}
		}
	}
}

func TestAsm(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.tileirbc")
	for _, c := range []struct {
		flag string
		want tileir.Version
	}{{"", tileir.V13_2}, {"13.1", tileir.V13_1}, {"13.4", tileir.V13_4}} {
		args := []string{"asm", data + "vmul.tileir", "-o", file}
		if c.flag != "" {
			args = append(args, "-version", c.flag)
		}
		if out := must(t, args...); out != "" {
			t.Errorf("-version %q prints %q", c.flag, out)
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, v, err := bytecode.Read(written); err != nil || v != c.want {
			t.Errorf("-version %q: got version %v, %v, want %v", c.flag, v, err, c.want)
		}
		want, err := os.ReadFile(data + "vmul.tileir")
		if err != nil {
			t.Fatal(err)
		}
		// Names are given anew: those of the text were made for a module with one operation more.
		code, again, errs := cutileWith([]byte(must(t, "disasm", file)), "asm", "-")
		if code != exitOK || errs != "" {
			t.Errorf("-version %q: asm of disasm: exit code %d, %s", c.flag, code, errs)
		}
		if code, out, errs := cutileWith([]byte(again), "diff", "-", data+"vmul.tileir"); code != exitOK {
			t.Errorf("-version %q: %s%s\n%s", c.flag, out, errs, want)
		}
	}
	// with places, as comments and as tileirdisasm -g writes them
	for _, flag := range []string{"-places", "-g"} {
		code, again, errs := cutileWith([]byte(must(t, "disasm", flag, data+"vadd.tileirbc")), "asm", "-")
		if code != exitOK {
			t.Fatalf("asm of disasm %s: %s", flag, errs)
		}
		if code, out, errs := cutileWith([]byte(again), "diff", "-", data+"vadd.tileirbc"); code != exitOK {
			t.Errorf("disasm %s: %s%s", flag, out, errs)
		}
		if _, out, _ := cutileWith([]byte(again), "disasm", "-places", "-"); strings.Contains(out, "kernels.py:959:27") != (flag == "-g") {
			t.Errorf("disasm %s: got\n%s", flag, out)
		}
	}
	// with places in the text as those in the source
	for flag, want := range map[string]string{"-g": " // " + data + "vmul.tileir:2:3\n", "-g=false": "make_token : token\n"} {
		code, out, errs := cutileWith([]byte(must(t, "asm", flag, data+"vmul.tileir")), "disasm", "-places", "-")
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("asm %s: %s%s", flag, out, errs)
		}
	}
	// bytecode in another version, to the standard output
	old := must(t, "asm", "-version", "13.1", data+"vadd.tileirbc")
	if _, v, err := bytecode.Read([]byte(old)); err != nil || v != tileir.V13_1 {
		t.Errorf("got version %v, %v", v, err)
	}
	checkRefusals(t, []refusal{
		{"", "asm", exitUsage, "want one file, got 0"},
		{"", "asm -version 14 x", exitUsage, `-version: "14" is not one of`},
		{"", "asm " + data + "wrong.tileir", exitFailed, "2 errors for version 13.4\n  cmd/cutile/testdata/wrong.tileir:7:3: entry wrong: "},
		{"", "asm go.mod", exitFailed, `cutile asm: go.mod:1:8: expected "{", but found "github"`},
		{"", "asm " + data + "vmul.tileir -o none/x", exitFailed, "none/x: no such file"},
	})
}

func TestDiff(t *testing.T) {
	golden(t, "diff.txt", differs(t, data+"vadd.tileirbc", data+"vmul.tileir"))
	// each file is equal to itself, and to its text; some are equal in several versions
	files := reference(t)
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, content := range files {
		base, ok := strings.CutSuffix(name, ".tileirbc")
		if !ok {
			continue
		}
		file, text := write(name, content), write(base+".txt", files[base+".txt"])
		if out := must(t, "diff", file, text); !strings.HasSuffix(out, "equal\n") {
			t.Errorf("%s: %s", name, out)
		}
	}
	same, older := 0, 0
	for name := range files {
		kernel, version, ok := strings.Cut(strings.TrimSuffix(name, ".tileirbc"), ".")
		if !ok || version == "13.4" || !strings.HasSuffix(name, ".tileirbc") {
			continue
		}
		older++
		if code, _, errs := cutile("diff", "-q", filepath.Join(dir, name), filepath.Join(dir, kernel+".13.4.tileirbc")); code == exitOK {
			same++
		} else if code != exitFailed || errs != "" {
			t.Errorf("diff -q of %s and 13.4: exit code %d, %s", name, code, errs)
		}
	}
	if same < older/4 || same == older {
		t.Errorf("%d of %d files are equal to those of version 13.4", same, older)
	}
	golden(t, "diff-regions.txt", strings.ReplaceAll(differs(t, filepath.Join(dir, "gemm_f16.13.1.tileirbc"),
		filepath.Join(dir, "gemm_f16.13.4.tileirbc")), dir+string(filepath.Separator), ""))
}

// differs compares two files that are not equal.
func differs(t *testing.T, a, b string) string {
	t.Helper()
	code, out, errs := cutile("diff", a, b)
	if code != exitFailed || errs != "" || !strings.Contains(out, "\ndifferent: ") {
		t.Fatalf("diff %s %s: exit code %d, %s, %s", a, b, code, out, errs)
	}
	if code, quiet, errs := cutile("diff", "-q", a, b); code != exitFailed || quiet+errs != "" {
		t.Errorf("diff -q %s %s: exit code %d, %q, %q", a, b, code, quiet, errs)
	}
	return out
}

func TestDiffErrors(t *testing.T) {
	checkRefusals(t, []refusal{
		{"", "diff x", exitUsage, "cutile diff: want two files, got 1; see `cutile help diff`"},
		{"", "diff none " + data + "vmul.tileir", exitTrouble, "cutile diff: open none: no such file"},
		{"", "diff -q " + data + "vmul.tileir " + data + "wrong.tileir", exitTrouble, "wrong.tileir: 2 errors for version 13.4"},
	})
}
