package vet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/vet"
)

// TestAnalyzer holds what is reported against the comments in testdata, position and text.
func TestAnalyzer(t *testing.T) {
	dir := filepath.Join(analysistest.TestData(), "src")
	analysistest.Run(t, dir, vet.Analyzer, "./...")
}

// TestVettool runs the command under go vet, as editors do, and by itself. A new tool makes go vet check all packages that
// are imported once more, which takes long.
func TestVettool(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	tool := filepath.Join(t.TempDir(), "cutile")
	build := exec.Command("go", "build", "-o", tool, "../cmd/cutile")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	commands := map[string][]string{"cutile vet": {tool, "vet"}}
	if testenv.Required("slow") {
		commands["go vet"] = []string{"go", "vet", "-vettool=" + tool}
	}
	for name, args := range commands {
		for pkg, want := range map[string]string{
			"./right": "", "./helper": "",
			"./wrong":        "wrong.go:23:5: the condition is a mask of shape [32 16], not one truth value: use Where",
			"./unregistered": "u.go:6:6: package unregistered has kernels, but no registered source",
		} {
			cmd := exec.Command(args[0], append(args[1:], pkg)...)
			cmd.Dir = filepath.Join("testdata", "src")
			cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
			out, err := cmd.CombinedOutput()
			if (err == nil) != (want == "") || !strings.Contains(string(out), want) || want == "" && len(out) > 0 {
				t.Errorf("%s %s: %v\n%s", name, pkg, err, out)
			}
		}
	}
}
