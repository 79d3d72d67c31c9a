package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/store"
	"github.com/cutile-go/cutile/internal/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// standIn is a shell script in the place of tileiras. It notes each run in the file runs, writes the module as the
// cubin, and fails as the file fail says: its first line is the exit status, the rest the words.
func standIn(t *testing.T) (tool *cuda.Tileiras, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for tileiras is a shell script")
	}
	dir = t.TempDir()
	t.Setenv("CUTILE_CACHE", filepath.Join(dir, "cache"))
	script := `#!/bin/sh
case $1 in
--version) echo "release 13.4, V13.4.1"; exit;;
--help) echo "--gpu-name=sm_90 sm_100"; exit;;
--list-versions) echo 13.1; exit;;
esac
echo run >>` + dir + `/runs
if [ -f ` + dir + `/fail ]; then { read status; cat >&2; } <` + dir + `/fail; exit $status; fi
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
cp "$1" "$out"
`
	path := filepath.Join(dir, "tileiras")
	check(t, os.WriteFile(path, []byte(script), 0o755))
	return &cuda.Tileiras{Tool: toolchain.Tool{Name: "tileiras", Path: path}}, dir
}

func runs(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "run")
}

func TestKept(t *testing.T) {
	tool, dir := standIn(t)
	folder := filepath.Join(dir, "cubins")
	assemble := func(options []string, target, code string) (string, error) {
		t.Helper()
		tool.Options = options
		k := &cuda.Kept{Tileiras: tool, Store: store.New(folder, 1<<20)} // a process by itself
		cubin, err := k.Assemble(background, cuda.Job{Bytecode: []byte(code), Target: target, Version: tileir.V13_1})
		return string(cubin), err
	}
	for i, c := range []struct {
		options      []string
		target, code string
		runs         int
	}{
		{nil, "sm_90", "a", 1}, {nil, "sm_90", "a", 1}, {nil, "sm_100", "a", 2}, {nil, "sm_90", "b", 3}, {nil, "sm_90", "a", 3},
		{[]string{"--opt-level=2"}, "sm_90", "a", 4}, {[]string{"--opt-level=2"}, "sm_90", "a", 4},
	} {
		if cubin, err := assemble(c.options, c.target, c.code); err != nil || cubin != c.code || runs(t, dir) != c.runs {
			t.Errorf("%d: cubin %q, %v after %d runs, want %d", i, cubin, err, runs(t, dir), c.runs)
		}
	}
}

// TestKeptFailures: a refused module is refused again without a run, with the same words; a machine that is at fault, or
// a process that was killed, is tried again.
func TestKeptFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fail string
		runs int
	}{
		"refused":   {"1\nerror: bad operation\n", 1},
		"silent":    {"1\n", 2},
		"full disk": {"1\nerror: No space left on device\n", 2},
		"ptxas":     {"1\nptxas fatal: out of memory\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			tool, dir := standIn(t)
			check(t, os.WriteFile(filepath.Join(dir, "fail"), []byte(c.fail), 0o644))
			job := cuda.Job{Bytecode: []byte("a"), Target: "sm_90", Version: tileir.V13_1, Entry: &tileir.Entry{Name: "k"}}
			var texts []string
			for range 2 {
				k := &cuda.Kept{Tileiras: tool, Store: store.New(filepath.Join(dir, "cubins"), 1<<20)}
				_, err := k.Assemble(background, job)
				var e *cuda.AssemblyError
				if !errors.As(err, &e) {
					t.Fatalf("error %v", err)
				}
				texts = append(texts, err.Error())
			}
			if texts[0] != texts[1] || !strings.Contains(texts[0], "kernel k: tileiras 13.4.1, making code for sm_90 of bytecode 13.1, failed (exit status 1)") {
				t.Errorf("first %q\nthen %q", texts[0], texts[1])
			}
			if runs(t, dir) != c.runs {
				t.Errorf("%d runs, want %d", runs(t, dir), c.runs)
			}
		})
	}
}
