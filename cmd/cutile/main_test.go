package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files and the output in docs/command.md")

// kernelsDir is the package of kernels, seen from the top of the repository, where the tests run.
const kernelsDir = "./cmd/cutile/testdata/kernels"

func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// cutile runs a command line without input.
func cutile(args ...string) (code int, stdout, stderr string) {
	return cutileWith(nil, args...)
}

func cutileWith(input []byte, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, bytes.NewReader(input), &out, &err)
	return code, out.String(), err.String()
}

// must runs a command line that has to work, and gives what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := cutile(args...)
	if code != exitOK || errs != "" {
		t.Fatalf("cutile %q: exit code %d, %s", args, code, errs)
	}
	return out
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("cmd", "cutile", "testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update writes it anew. %s", file, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("Line %d:\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func TestHelp(t *testing.T) {
	golden(t, "help.txt", must(t, "help"))
	for _, c := range []struct{ a, b []string }{
		{[]string{"help"}, []string{"-h"}},
		{[]string{"help", "dump"}, []string{"dump", "-h"}},
		{[]string{"help", "disasm"}, []string{"disasm", "--help"}},
		{[]string{"help", "run"}, []string{"run", "-grid=2", "-h"}},
		{[]string{"help", "doctor"}, []string{"doctor", "-json", "-h"}},
		{[]string{"help", "toolchain"}, []string{"toolchain", "-h"}},
		{[]string{"help", "toolchain", "install"}, []string{"toolchain", "install", "-h"}},
		{[]string{"help", "help"}, []string{"help", "-h"}},
	} {
		if a, b := must(t, c.a...), must(t, c.b...); a != b || !strings.HasPrefix(a, "usage: cutile") {
			t.Errorf("%q prints\n%s\nand %q\n%s", c.a, a, c.b, b)
		}
	}
	for _, cmd := range root.sub {
		if out := must(t, "help", cmd.name); !strings.Contains(out, sentence(cmd.short)) || cmd.name == "" || strings.HasSuffix(cmd.short, ".") {
			t.Errorf("help %s prints\n%s", cmd.name, out)
		}
	}
}

// TestUsage has command lines that are wrong, whatever is installed.
func TestUsage(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "cutile: no command is given; see `cutile help`"},
		{"compile x", "cutile: there is no command \"compile\"; see `cutile help`"},
		{"-x", "cutile: flag provided but not defined: -x; see `cutile help`"},
		{"help compile", "cutile help: cutile has no command \"compile\"; see `cutile help help`"},
		{"help toolchain get", `cutile toolchain has no command "get"`},
		{"version x", "cutile version: unexpected argument \"x\"; see `cutile help version`"},
		{"disasm", "cutile disasm: want one file, got 0; see `cutile help disasm`"},
		{"disasm a b", "want one file, got 2"},
		{"disasm -g -places a", "-places cannot be given with -g, -mlir or -generic"},
		{"disasm -x a", "flag provided but not defined: -x"},
		{"disasm a -x", "flag provided but not defined: -x"},
		{"doctor x", `unexpected argument "x"`},
		{"toolchain", "cutile toolchain: no command is given; see `cutile help toolchain`"},
		{"toolchain get", `cutile toolchain: there is no command "get"`},
		{"toolchain install x", "cutile toolchain install: unexpected argument \"x\"; see `cutile help toolchain install`"},
		{"toolchain list x", `unexpected argument "x"`},
		{"toolchain path gcc", `"gcc" is not one of tileiras, tileirdisasm, ptxas, nvdisasm, cuobjdump`},
		{"toolchain path ptxas nvdisasm", "want one tool, got 2"},
		{"dump", "want a package's folder and a kernel or, with -graph, a function, got 0 arguments"},
		{"dump . Gemm[D64, D64]", "got 3 arguments (type arguments need quotes)"},
		{"dump -target cpu:z80 . Add", `-target: "z80" is not one of the levels interpreter, avx2, avx512, neon`},
		{"dump -target own:sm_70 . Add", `-target: our own compiler: there is no target "sm_70": choose one of sm_75, sm_80, `},
		{"dump -target turing . Add", `-target: "turing" is neither a GPU of tileiras (sm_80, `},
		{"dump -target sm_75 . Add", "nor one of our own compiler (own:sm_75 and later), nor vulkan, nor cpu"},
		{"dump -target own . Add", `-target: our own compiler: there is no target ""`},
		{"dump -stage nvvm . Add", `-stage: "nvvm" is not one of source, types, lowered, ir, checks, access, cost, bytecode, native, asm, layouts, plan, threads, ptx, spirv, cubin, sass, remarks and all`},
		{"dump -version 12.0 . Add", `-version: "12.0" is not one of [13.1 13.2 13.3 13.4]`},
		{"dump . Add[", `"Add[" is not a kernel, as in 'gemm[D128, D64, D32]'`},
		{"dump . main.f.func25", "main.f.func25 is a function literal, which has no name: declare it as a function of its package"},
		{"dump . a.b.Add", `"a.b.Add" is not a kernel`},
		{"dump -graph . Model -stage asm", `-stage: "asm" is not one of graph, fused, cost, ir and all`},
		{"dump -graph . Model -facts none", "-facts is for kernels, and cannot be given with -graph"},
		{"dump -graph .", "want a package's folder and a kernel or, with -graph, a function, got 1 arguments"},
		{"dump -graph . a.Model", `"a.Model" is not the name of a function, such as Model or Model[float32]`},
		{"dump -graph . _", `"_" is not the name of a function`},
		{"dump -func leak . Add", `invalid value "leak" for flag -func: want parameter=name`},
		{"dump " + kernelsDir + " Add[D64] -stage ptx", "the stages layouts, plan, threads and ptx need -target, such as -target own:sm_75"},
		{"dump " + kernelsDir + " Add[D64] -stage plan -target sm_90a", "the stages layouts, plan, threads and ptx are those of our own compiler: -target own:sm_90a"},
		{"dump " + kernelsDir + " Add[D64] -func x=leak", "-func: the parameter x is not a function"},
		{"dump " + kernelsDir + " Add[D64] -func f=leak", `-func: the kernel has no parameter "f"; it has x, y, z`},
		{"dump " + kernelsDir + " Gemm[D64,D64,D64]", "the parameter epilogue is a function: choose it with -func epilogue=NAME"},
		{"dump " + kernelsDir + " Add[D64] -facts some", `-facts: "some" is not one of all, none, wide and PARAMETER=FACTS`},
		{"dump " + kernelsDir + " Add[D64] -facts a=all", `-facts: the kernel has no parameter "a"; it has x, y, z`},
		{"dump " + kernelsDir + " Add[D64] -facts x=even", `-facts: "even" is not a promise: use all, none, align, extent, stride and unit`},
		{"dump " + kernelsDir + " Add[D64] -facts x=unit.1", `-facts: x has no axis "1"`},
		{"dump " + kernelsDir + " Gemm[D64,D64,D64] -func epilogue=leak -facts scale=all", "-facts: nothing can be promised about scale, which is not a tensor"},
	} {
		var args []string
		if c.line != "" {
			args = strings.Split(c.line, " ")
		}
		code, out, errs := cutile(args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("cutile %s: exit code %d, %q, %q, want %q", c.line, code, out, errs, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	lines := strings.Split(must(t, "version"), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "cutile ") || !strings.HasPrefix(lines[1], "go 1.") || lines[2] != "bytecode 13.1, 13.2, 13.3, 13.4" {
		t.Errorf("got %q", lines)
	}
}

// TestBug sees to it that a fault of ours is told as one.
func TestBug(t *testing.T) {
	defer func(old []*command) { root.sub = old }(root.sub)
	root.sub = []*command{{name: "break", setup: func(*flag.FlagSet) action {
		return func(*call, []string) error { panic("BUG: broken") }
	}}}
	code, _, errs := cutile("break")
	if want := "cutile break: BUG: broken: please report this\n"; code != exitFailed || errs != want {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// underRace says that the race detector is on.
var underRace bool
