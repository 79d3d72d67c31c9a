package cuda_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
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
		made := fakecubin.Make(target, code)                             // the stand-in gives what it gets
		cubin, err := k.Assemble(background, cuda.Job{Bytecode: made, Target: target, Version: tileir.V13_1})
		return string(bytes.ReplaceAll(cubin, made, []byte(code))), err
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

// TestKeptByVersion: what one version of tileiras made is not taken for what another one would make.
func TestKeptByVersion(t *testing.T) {
	tool, dir := standIn(t)
	job := cuda.Job{Bytecode: fakecubin.Make("sm_90", "a"), Target: "sm_90", Version: tileir.V13_1}
	script, err := os.ReadFile(tool.Tool.Path)
	check(t, err)
	for i, version := range []string{"13.4.1", "13.4.2", "13.4.10", "13.4.1"} {
		path := filepath.Join(dir, "tileiras"+strconv.Itoa(i))
		check(t, os.WriteFile(path, bytes.ReplaceAll(script, []byte("V13.4.1"), []byte("V"+version)), 0o755))
		k := &cuda.Kept{Tileiras: &cuda.Tileiras{Tool: toolchain.Tool{Name: "tileiras", Path: path}}, Store: store.New(filepath.Join(dir, "cubins"), 1<<20)}
		if _, err := k.Assemble(background, job); err != nil {
			t.Fatal(err)
		}
		if want := min(i+1, 3); runs(t, dir) != want { // the last version is the first one again
			t.Errorf("after version %s: %d runs, want %d", version, runs(t, dir), want)
		}
	}
}

// TestRefusedCubinIsForgotten: a cubin that the driver does not load is not kept, so that the next process makes it anew;
// one that it loads is.
func TestRefusedCubinIsForgotten(t *testing.T) {
	_, dir := standIn(t)
	made := fakecubin.Make("sm_90", "code", vaddName)
	check(t, os.WriteFile(filepath.Join(dir, "made"), made, 0o644))
	path := filepath.Join(dir, "tileiras")
	script, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, bytes.ReplaceAll(script, []byte(`cp "$1"`), []byte("cp "+dir+"/made")), 0o755))
	for _, c := range []struct {
		refuses bool
		runs    int
	}{{true, 1}, {true, 2}, {false, 3}, {false, 3}} {
		decode := decodeELF
		if c.refuses {
			decode = func([]byte) (*fake.Cubin, error) { return nil, errors.New("broken") }
		}
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{Decode: decode}), Assembler: &cuda.Prebuilt{FS: os.DirFS(t.TempDir()),
			Next: &cuda.Kept{Tileiras: &cuda.Tileiras{Tool: toolchain.Tool{Name: "tileiras", Path: path}}, Store: store.New(filepath.Join(dir, "cubins"), 1<<20)}},
			Version: tileir.V13_1})
		check(t, err)
		if _, err := d.Compile(background, vadd(t), vaddName); (err != nil) != c.refuses {
			t.Errorf("compile: %v", err)
		}
		if runs(t, dir) != c.runs {
			t.Errorf("%d runs, want %d", runs(t, dir), c.runs)
		}
		check(t, d.Close())
	}
}

// TestBundle: what a failed assembly needs is kept where that is asked for, also of a failure that was kept, and the
// command in it does the same again.
func TestBundle(t *testing.T) {
	tool, dir := standIn(t)
	check(t, os.WriteFile(filepath.Join(dir, "fail"), []byte("1\nerror: bad operation\n"), 0o644))
	tool.Options = []string{"--opt-level=2", "it's"}
	bundles := filepath.Join(dir, "bundles")
	t.Setenv("CUTILE_DEBUG", "bundle="+bundles)
	m := vadd(t)
	source := filepath.Join(dir, "vadd.go")
	check(t, os.WriteFile(source, []byte("package vadd\n"), 0o644))
	m.Entries[0].Loc = tileir.Loc{File: source, Line: 1, Col: 1}
	for range 2 {
		check(t, os.RemoveAll(bundles))
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{}), Version: tileir.V13_1,
			Assembler: &cuda.Kept{Tileiras: tool, Store: store.New(filepath.Join(dir, "cubins"), 1<<20)}})
		check(t, err)
		_, err = d.Compile(background, m, vaddName)
		check(t, d.Close())
		var e *cuda.AssemblyError
		if !errors.As(err, &e) || filepath.Dir(e.Bundle) != bundles || !strings.Contains(err.Error(), "; the files to reproduce it are in "+e.Bundle) {
			t.Fatalf("error %v", err)
		}
		code, err := bytecode.Write(m, tileir.V13_1, bytecode.Options{})
		check(t, err)
		for name, want := range map[string]string{"kernel.tileirbc": string(code), "kernel.tileir": text.Sprint(m), "source-vadd.go": "package vadd\n",
			"output.txt": "error: bad operation", "versions.txt": "tileiras 13.4.1\ntool " + tool.Tool.Path + "\nbytecode 13.1\ntarget sm_90\ncutile "} {
			b, err := os.ReadFile(filepath.Join(e.Bundle, name))
			check(t, err)
			if !strings.Contains(string(b), want) {
				t.Errorf("%s is %q, want %q", name, b, want)
			}
		}
		out, err := exec.Command("sh", filepath.Join(e.Bundle, "repeat.sh")).CombinedOutput()
		if err == nil || string(out) != "error: bad operation\n" {
			t.Errorf("the command gives %s, %v", out, err)
		}
	}
	if runs(t, dir) != 3 { // two of them the commands
		t.Errorf("%d runs, want 3", runs(t, dir))
	}
	t.Setenv("CUTILE_DEBUG", "bundle="+filepath.Join(source, "below"))
	d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{}), Version: tileir.V13_1, Assembler: tool})
	check(t, err)
	defer d.Close()
	if _, err := d.Compile(background, m, vaddName); err == nil || !strings.Contains(err.Error(), "; the files to reproduce it could not be written: mkdir ") {
		t.Errorf("error %v", err)
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
			if texts[0] != texts[1] || !strings.Contains(texts[0], "kernel k: tileiras 13.4.1, making code for sm_90 from bytecode 13.1, failed (exit status 1)") {
				t.Errorf("first %q\nthen %q", texts[0], texts[1])
			}
			if runs(t, dir) != c.runs {
				t.Errorf("%d runs, want %d", runs(t, dir), c.runs)
			}
		})
	}
}
