package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/launchgen"
)

const entriesDir = "cmd/cutile/testdata/entries"

// TestGen holds what is generated against the committed file, in each form.
func TestGen(t *testing.T) {
	file := filepath.Join(entriesDir, launchgen.File)
	if *update {
		must(t, "gen", "./"+entriesDir)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, "gen", "-print", "./"+entriesDir); got != string(want) {
		t.Errorf("%s differs; -update writes it anew. %s", file, firstDifference(got, string(want)))
	}
	dir := t.TempDir()
	must(t, "gen", "-o", dir, "./"+entriesDir)
	got, err := os.ReadFile(filepath.Join(dir, toolbox.Path, entriesDir, launchgen.File))
	if err != nil || string(got) != string(want) {
		t.Errorf("-o writes another file, or none: %v", err)
	}
}

// TestGenLaunches compiles and calls the generated functions; their test stands beside them.
func TestGenLaunches(t *testing.T) {
	out, err := exec.Command("go", "test", "./"+entriesDir).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	out, err = exec.Command("go", "build", "./"+entriesDir+"wrong").CombinedOutput()
	if err == nil {
		t.Fatal("the wrong calls compile")
	}
	file := filepath.Join(entriesDir+"wrong", "wrong.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`wrong\.go:(\d+):\d+: `).FindAllString(string(out), -1)
	n := 0
	for i, line := range strings.Split(string(text), "\n") {
		_, want, ok := strings.Cut(line, "// want ")
		if !ok {
			continue
		}
		n++
		want = want[1 : len(want)-1]
		if at := regexp.MustCompile(`(?m)wrong\.go:` + strconv.Itoa(i+1) + `:\d+: .*` + regexp.QuoteMeta(want)); !at.Match(out) {
			t.Errorf("line %d: want %s in\n%s", i+1, want, out)
		}
	}
	if n != len(lines) || n < 4 {
		t.Errorf("%d mistakes for %d lines:\n%s", len(lines), n, out)
	}
}

// TestGenStaleModule: where the go command refuses a module, its words are the error.
func TestGenStaleModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module m\n\ngo 1.25\n\nrequire example.com/one v0.0.0\n\nreplace (\n\texample.com/one => ./one\n\texample.com/two => ./two\n)\n",
		"m.go":       "package m\n\nimport _ \"example.com/one\"\n",
		"one/go.mod": "module example.com/one\n\ngo 1.25\n\nrequire example.com/two v0.0.0\n", "one/one.go": "package one\n\nimport _ \"example.com/two\"\n",
		"two/go.mod": "module example.com/two\n\ngo 1.25\n", "two/two.go": "package two\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	code, _, errs := cutile("gen", ".")
	if code != exitFailed || !strings.Contains(errs, "go: updates to go.mod needed") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestGenErrors(t *testing.T) {
	for args, want := range map[string]string{
		"./cmd/cutile/testdata/kernels": "cutile gen: github.com/cutile-go/cutile/cmd/cutile/testdata/kernels has no function with the directive //cutile:entry",
		"./nowhere":                     "cutile gen: ./nowhere: ",
		"./cmd/cutile/none/...":         "cutile gen: ./cmd/cutile/none/...: ",
		"./cmd/cutile/testdata/golden":  "cutile gen: ./cmd/cutile/testdata/golden: -: no Go files in ",
	} {
		code, _, errs := cutile("gen", args)
		if code != exitFailed || !strings.HasPrefix(errs, want) {
			t.Errorf("gen %s: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
}

// notEmbedding has a generic kernel, and embeds its file by name.
const notEmbedding = `package short

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed short.go
var source embed.FS
var _ = cutile.Module(source)

//cutile:entry
func zero[A tile.Dim](z tile.Out[tile.F32T1[A]]) { z.Store(0) }
`

// TestGenNotEmbedded: launches of generic kernels whose source the package would not register are announced.
func TestGenNotEmbedded(t *testing.T) {
	dir, err := os.MkdirTemp("cmd/cutile/testdata", "short")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for embed, want := range map[string]string{
		"short.go":                  "note: no //go:embed line of package short includes cutile_launch.go: without it, launches of generic kernels fail\n",
		"short.go cutile_launch.go": "",
		"all:*.go":                  "",
	} {
		text := strings.Replace(notEmbedding, "//go:embed short.go", "//go:embed "+embed, 1)
		if err := os.WriteFile(filepath.Join(dir, "short.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := cutile("gen", "./"+dir); code != exitOK || errs != want {
			t.Errorf("%s: exit code %d, %q, want %q", embed, code, errs, want)
		}
	}
}
