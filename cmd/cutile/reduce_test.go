package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

const vadd = "cmd/cutile/testdata/vadd.tileirbc"

// script writes a shell script and gives its path.
func shellScript(t *testing.T, name, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReduceCrash: of a module for which the assembler crashes stays what it crashes for, as text and as bytecode.
func TestReduceCrash(t *testing.T) {
	t.Setenv("CUTILE_TILEIRAS", shellScript(t, "tileiras", `for file; do :; done
[ $(wc -c <$file) -gt 200 ] && kill -ABRT $$
echo small >&2; exit 4`))
	file := filepath.Join(t.TempDir(), "small.tileirbc")
	code, out, errs := cutile("reduce", "-crashes", "-target", "sm_90", "-o", file, vadd)
	if code != exitOK || out != "" || !strings.HasPrefix(errs, vadd+": signal: aborted") || !strings.Contains(errs, "27 operations became ") {
		t.Fatalf("exit code %d, %s%s", code, out, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil || len(data) <= 200 || len(data) > 400 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	m, v, err := bytecode.Read(data)
	if err != nil || v != tileir.V13_4 || m.Verify(v) != nil {
		t.Errorf("version %v, %v", v, err)
	}
	code, _, errs = cutile("reduce", "-crashes", "-version", "13.4", "-o", file, "cmd/cutile/testdata/golden/none")
	if code != exitFailed || !strings.Contains(errs, "no such file") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	t.Setenv("CUTILE_TILEIRAS", shellScript(t, "tileiras", "exit 0"))
	code, _, errs = cutile("reduce", "-crashes", vadd) // a result that is none is a failure, too
	if code != exitOK || !strings.HasPrefix(errs, vadd+": it wrote no cubin: ") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestReduceMistakes: what is wrong with a command line, or with a module that is not interesting.
func TestReduceMistakes(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "a.tileir")
	if err := os.WriteFile(empty, []byte(entryText("")), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		code int
		args []string
	}{
		"want one file, got 0":                                                 {exitUsage, []string{"-crashes"}},
		"want one of -crashes, -differs and -test, got 0":                      {exitUsage, []string{empty}},
		"want one of -crashes, -differs and -test, got 2":                      {exitUsage, []string{"-crashes", "-test", "true", empty}},
		"-timeout and -tolerance are numbers of 0 or more":                     {exitUsage, []string{"-test", "true", "-tolerance", "NaN", empty}},
		"-tests is at least 1":                                                 {exitUsage, []string{"-test", "true", "-tests", "0", empty}},
		"want two engines, as in interpreter,cpu: they are interpreter, cpu, ": {exitUsage, []string{"-differs", "cpu", empty}},
		`there is no engine "abacus": the engines are interpreter, `:           {exitUsage, []string{"-differs", "cpu,abacus", empty}},
		"-test: want a program":                                                {exitUsage, []string{"-test", " ", empty}},
		"is not interesting: its results are the same on interpreter and cpu":  {exitFailed, []string{"-differs", "interpreter,cpu", empty}},
		"is not interesting: false does not end with exit code 0":              {exitFailed, []string{"-test", "false", empty}},
		"none-such: ": {exitFailed, []string{"-test", "none-such", empty}},
		"takes 9 ":    {exitUsage, []string{"-differs", "interpreter,cpu", vadd}},
	} {
		code, out, errs := cutile(append([]string{"reduce"}, c.args...)...)
		if want == "takes 9 " { // the words of cutile run
			_, _, errs2 := cutile("run", vadd)
			want = strings.TrimSuffix(strings.TrimPrefix(errs2, "cutile run: "), "; see `cutile help run`\n")
		}
		if code != c.code || out != "" || !strings.Contains(errs, want) || !strings.HasPrefix(errs, "cutile reduce: ") {
			t.Errorf("%q: exit code %d, %s%s\nwant %s", c.args, code, out, errs, want)
		}
	}
}

// TestReduceInterrupted: what was found until an interrupt is in the file, and is written.
func TestReduceInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.tileir")
	ask := shellScript(t, "ask", "sleep 0.1; grep -q addf $1")
	cmd := process(t, dir, "reduce", "-test", ask, "-o", file, vadd)
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	src, err := os.ReadFile(file)
	if err != nil || cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(errs.String(), "interrupted") {
		t.Fatalf("%v, exit code %d, %s", err, cmd.ProcessState.ExitCode(), errs.String())
	}
	m, err := text.Parse(string(src), text.ParseOptions{})
	if err != nil || m.Verify(tileir.Newest) != nil || !strings.Contains(string(src), "addf") {
		t.Errorf("%v\n%s", err, src)
	}
}
