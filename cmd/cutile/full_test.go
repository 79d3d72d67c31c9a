package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox/dump"
)

// printing are command lines that print, for a full disk; those of a group's parts, too. The files are in a folder.
func printing(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, other := file("a.tileir", entryText("")), file("b.tileir", entryText("  %0 = constant <i32: 1> : tile<i32>\n"))
	loud := file("print.tileir", entryText("  %t = make_token : token\n  %n = constant <i32: 1> : tile<i32>\n  %p = print_tko \"%d\\n\", %n token = %t : tile<i32> -> token\n"))
	file("kernels-1.txt", "f example.com/m/k.go:1.2,3.4 1\n") // a record of coverage
	kernels := []string{kernelsDir, gemm, "-func", "epilogue=leak"}
	rows := map[string][]string{
		"gen": {"gen", "-print", "./cmd/cutile/testdata/entries"}, "disasm": {"disasm", "cmd/cutile/testdata/vadd.tileirbc"}, "asm": {"asm", "-o", "-", empty},
		"verify": {"verify", empty}, "diff": {"diff", empty, other}, "diff of equals": {"diff", empty, empty}, "run": {"run", "-grid", "1", loud}, "reduce": {"reduce", "-test", "grep -q constant", other},
		"cost": {"cost", "-grid", "1", empty}, "ops": {"ops"}, "ops of one": {"ops", "addf"}, "ops as JSON": {"ops", "-json"}, "doctor": {"doctor"}, "doctor as JSON": {"doctor", "-json"},
		"toolchain list": {"toolchain", "list"}, "toolchain path": {"toolchain", "path"}, "version": {"version"}, "help": {"help"}, "help of one": {"help", "run"},
		"bench":                {"bench", "-device", "cpu", "-budget", "1ms", empty},
		"bench as JSON":        {"bench", "-device", "cpu", "-budget", "1ms", "-json", empty},
		"cover":                {"cover", "-all", "-dir", dir},
		"profile of a program": {"profile", profileProgram}, "profile as JSON": {"profile", "-json", "go", "version"},
		"profile": append([]string{"profile", "-emulate", data + "transpose.ptx"}, strings.Fields(transposeArgs)...),
		"dump":    append([]string{"dump"}, kernels...), "dump to files": append([]string{"dump", "-o", filepath.Join(dir, "out")}, kernels...),
	}
	for _, s := range dump.Stages() {
		row := append([]string{"dump", "-stage", s.Name}, kernels...)
		switch s.Target {
		case dump.GPU:
			continue
		case dump.Own:
			row = append(row, "-target", "own:sm_75")
		case dump.Vulkan:
			row = append(row, "-target", "vulkan")
		}
		rows["dump "+s.Name] = row
	}
	return rows
}

// notPrinting are commands of which no row prints, with the reason.
var notPrinting = []string{"serve", "toolchain install", "vet"} // its replies, see internal/serve; what pip needs; mistakes, on the standard error

// TestFullDisk: no command loses what it prints without an error, and a failure.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full is Linux's")
	}
	t.Setenv("CUTILE_TOOLS", fakeTools(t))
	rows := printing(t)
	for name, args := range rows {
		t.Run(name, func(t *testing.T) {
			if code, out, errs := cutile(args...); out == "" {
				t.Fatalf("it prints nothing: exit code %d, %s", code, errs)
			}
			cmd := process(t, t.TempDir(), args...)
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			var errs strings.Builder
			cmd.Stdout, cmd.Stderr = full, &errs
			cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != max(exitFailed, root.find(args[0]).failed) || !strings.Contains(errs.String(), "no space left on device") ||
				strings.Contains(errs.String(), "BUG") {
				t.Errorf("exit code %d, with %q", code, errs.String())
			}
		})
	}
	eachCommand(root, "", func(name string) {
		for _, args := range rows {
			if strings.HasPrefix(strings.Join(args, " ")+" ", name+" ") {
				return
			}
		}
		for _, n := range notPrinting {
			if n == name {
				return
			}
		}
		t.Errorf("%s: give it a row that prints", name)
	})
}

// lateWriter fails after some bytes.
type lateWriter struct{ left int }

func (w *lateWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("it is full")
	}
	return len(b), nil
}

// TestLateWriter: what comes after an error is not taken for all.
func TestLateWriter(t *testing.T) {
	for _, left := range []int{0, 1, 100, 1000} {
		var errs strings.Builder
		code := run([]string{"ops"}, nil, &lateWriter{left}, &errs)
		if code != exitFailed || errs.String() != "cutile ops: the output cannot be written: it is full\n" {
			t.Errorf("after %d bytes: exit code %d, %q", left, code, errs.String())
		}
	}
	if code := run([]string{"run"}, nil, &lateWriter{}, &lateWriter{}); code == exitOK {
		t.Error("a message that could not be written is no success")
	}
}
