package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const entriesDir = "cmd/cutile/testdata/entries"

// TestGen holds what is generated against the committed file, in each form.
func TestGen(t *testing.T) {
	file := filepath.Join(entriesDir, genFile)
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
	got, err := os.ReadFile(filepath.Join(dir, rootPath, entriesDir, genFile))
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

func TestGenErrors(t *testing.T) {
	for args, want := range map[string]string{
		"./cmd/cutile/testdata/kernels": "cutile gen: github.com/cutile-go/cutile/cmd/cutile/testdata/kernels has no function with the directive //cutile:entry",
		"./nowhere":                     "cutile gen: ./nowhere: ",
		"./cmd/cutile/testdata/golden":  "cutile gen: ./cmd/cutile/testdata/golden: -: no Go files in ",
	} {
		code, _, errs := cutile("gen", args)
		if code != exitFailed || !strings.HasPrefix(errs, want) {
			t.Errorf("gen %s: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
}
