package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inSeed is how many listings the seed has.
const inSeed = 10

// TestListings accounts for each listing: it has a row in README.md, and output or one sentence why Go has no program.
func TestListings(t *testing.T) {
	if len(listings) != inSeed {
		t.Fatalf("%d listings, the seed has %d", len(listings), inSeed)
	}
	readme := text(t, "README.md")
	sentence := regexp.MustCompile(`^[A-Z][^;]*(; [^;]*)?\.$`)
	for i, l := range listings {
		if !strings.Contains(readme, "| "+l.title+" |") {
			t.Errorf("README.md has no row for %q", l.title)
		}
		if l.show == nil {
			if !sentence.MatchString(l.why) || strings.Contains(l.why, ". ") {
				t.Errorf("listing %d: %q is not one sentence", i+1, l.why)
			}
			continue
		}
		var out bytes.Buffer
		if err := l.show(&out); err != nil || out.Len() == 0 || l.why != "" {
			t.Errorf("listing %d: %v, %d bytes, %q", i+1, err, out.Len(), l.why)
		}
	}
}

// TestEveryRank: one function adds at ranks 0 to 6; each element of the sums is 3, over edges of half a tile.
func TestEveryRank(t *testing.T) {
	if len(ranks) != 7 || len(types) != 7 {
		t.Fatalf("%d kernels, %d types", len(ranks), len(types))
	}
	elements := float32(1)
	tiles := []string{"", "2x", "2x2x", "2x2x2x", "2x2x2x2x", "2x1x1x1x2x", "2x1x1x1x1x2x"}
	for rank := range ranks {
		if rank == 1 {
			elements = 3
		} else if rank > 1 {
			elements *= 2
		}
		if got, err := result(rank); err != nil || got != 3*elements {
			t.Errorf("rank %d: %v, %v, want %v", rank, got, err, 3*elements)
		}
		m, err := module(ranks[rank], specs(rank)...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := additions(m), fmt.Sprintf("addf of tile<%sf32>, rounding 0, flush false", tiles[rank]); got != want {
			t.Errorf("rank %d: got %s, want %s", rank, got, want)
		}
	}
}

// TestGoBuildRefuses: a wrong shape is an error of the Go compiler, at the line of the call.
func TestGoBuildRefuses(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-e", "./testdata/wrong").CombinedOutput()
	if err == nil {
		t.Fatal("the wrong package compiles")
	}
	want := 0
	for i, line := range strings.Split(text(t, "testdata/wrong/wrong.go"), "\n") {
		_, message, ok := strings.Cut(line, `// want "`)
		if !ok {
			continue
		}
		want++
		at := regexp.MustCompile(fmt.Sprintf(`(?m)wrong\.go:%d:(\d+): %s$`, i+1, regexp.QuoteMeta(strings.TrimSuffix(message, `"`))))
		if !at.Match(out) {
			t.Errorf("line %d: want %s in\n%s", i+1, message, out)
		}
	}
	if got := strings.Count(string(out), "wrong.go:"); got != want || want != 4 {
		t.Errorf("%d messages, want %d:\n%s", got, want, out)
	}
}

// TestModules builds a program in a module of its own, whose kernels call helpers of another module: through a package that
// is an alias, under a name of the import's, with a dot, and in a package below another; and one that registers nothing.
func TestModules(t *testing.T) {
	dir := t.TempDir()
	for name, from := range map[string]string{"go.mod": "testdata/modules/user/go.mod", "go.sum": "../../../go.sum"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text(t, from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "user")
	build := exec.Command("go", "build", "-mod=mod", "-modfile="+filepath.Join(dir, "go.mod"), "-o", program, ".")
	build.Dir, build.Env = "testdata/modules/user", append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{
		"[-0.125 -0.125 1 2] <nil>",        // clamped to [-0.125, 2]
		"[-1001 -125.125 1001 4004] <nil>", // a thousand times, and once, with an eighth of what is negative
		"main.go:32:10: plain.Double cannot be used in a kernel: package example.com/plain has no registered source",
	}
	for i, line := range strings.Split(string(out), "\n")[:len(want)] {
		if i < 2 && line != want[i] || !strings.Contains(line, want[i]) {
			t.Errorf("line %d: got %s\nwant %s", i+1, line, want[i])
		}
	}
}

// TestLaunchers: the committed launchers are what cutile gen writes, into a folder or as text; one is called, and its kernel
// dumped.
func TestLaunchers(t *testing.T) {
	const pkg = "github.com/cutile-go/cutile/examples/seeds/s1/launchers"
	dir := t.TempDir()
	cutile := filepath.Join(dir, "cutile")
	if out, err := exec.Command("go", "build", "-o", cutile, "../../../cmd/cutile").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := text(t, "launchers/cutile_launch.go")
	if out, err := exec.Command(cutile, "gen", "-print", "./launchers").Output(); err != nil || string(out) != want {
		t.Errorf("gen -print: %v\n%s\nwant\n%s", err, out, want)
	}
	saved := filepath.Join(dir, "saved")
	if out, err := exec.Command(cutile, "gen", "-o", saved, "./launchers").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := text(t, filepath.Join(saved, pkg, "cutile_launch.go")); got != want {
		t.Errorf("gen -o wrote\n%s\nwant\n%s", got, want)
	}
	var out bytes.Buffer
	if err := launched(&out); err != nil || out.String() != "   [2 4 6 8 10 12]\n" {
		t.Errorf("the launcher gives %q, %v", &out, err)
	}
	if got, err := exec.Command(cutile, "dump", "-stage", "ir", "./launchers", "Add[D2, D4]").CombinedOutput(); err != nil ||
		!strings.Contains(string(got), "addf %tile, %tile_") || !strings.Contains(string(got), ": tile<2x4xf32>\n") {
		t.Errorf("dump: %v\n%s", err, got)
	}
}

func TestOutput(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text(t, "README.md"), "```text\n"+out.String()+"```") {
		t.Errorf("README.md does not have what the program prints:\n%s", out.String())
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
