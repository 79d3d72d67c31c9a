package cutile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tile"
)

// module makes a module that uses this one, of files from testdata.
func module(t *testing.T, path string, files map[string]string) (dir string) {
	t.Helper()
	root, err := os.Getwd()
	must(t, err)
	own, err := os.ReadFile("go.mod")
	must(t, err)
	sums, err := os.ReadFile("go.sum")
	must(t, err)
	const this = "github.com/cutile-go/cutile"
	mod := strings.Replace(string(own), "module "+this, "module "+path, 1) + "\nrequire " + this + " v0.0.0\nreplace " + this + " => " + root + "\n"
	dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
	for to, from := range files {
		text, err := os.ReadFile(filepath.Join("testdata", from))
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, to), text, 0o644))
	}
	return dir
}

func goTool(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGoCompilerChecksTypedLaunches: each line that says "want" is refused with that text, and no other line.
func TestGoCompilerChecksTypedLaunches(t *testing.T) {
	dir := module(t, "example.com/typed", map[string]string{"wrong.go": "typed/wrong.go.txt"})
	out, err := goTool(dir, "build", "-gcflags=-e", ".")
	if err == nil {
		t.Fatal("it compiles")
	}
	text, err := os.ReadFile(filepath.Join(dir, "wrong.go"))
	must(t, err)
	place := regexp.MustCompile(`(?m)^\./wrong\.go:(\d+):\d+: (.*)$`)
	got := map[string]string{}
	for _, m := range place.FindAllStringSubmatch(out, -1) {
		got[m[1]] += m[2]
	}
	for i, line := range strings.Split(string(text), "\n") {
		number := strconv.Itoa(i + 1)
		_, want, wants := strings.Cut(line, "// want ")
		switch said, refused := got[number]; {
		case wants && !strings.Contains(said, want):
			t.Errorf("line %s: %s\n got %q\nwant %q", number, strings.TrimSpace(line), said, want)
		case !wants && refused:
			t.Errorf("line %s: %s\nwas refused: %s", number, strings.TrimSpace(line), said)
		}
	}
	if len(got) == 0 {
		t.Errorf("no errors in:\n%s", out)
	}
}

// TestTypedLaunches runs each kind of typed launch.
func TestTypedLaunches(t *testing.T) {
	dev := open(t)
	ctx := t.Context()
	x, y, z := ramp(t, dev, 3), zeros[float32](t, dev, 3), zeros[float32](t, dev, 3)
	must(t, cutile.Launch3(ctx, dev, add[tile.D4], x, x, z))
	holds(t, "Launch3", z, "[2 4 6]")
	must(t, cutile.Launch3(ctx, dev.Stream(), add[tile.D4], foreign{z}, x, y))
	holds(t, "Launch3 of a foreign type", y, "[3 6 9]")
	must(t, cutile.Launch1(ctx, dev.Grid(1), double[tile.D4], z))
	holds(t, "Launch1", z, "[4 8 12]")
	must(t, cutile.Launch2With(ctx, dev, scaleLast[tile.D4], x, z, 10))
	holds(t, "Launch2With a number", z, "[10 20 30]")
	must(t, cutile.Launch2With(ctx, dev, apply[tile.D4], x, z, square))
	holds(t, "Launch2With a function", z, "[1 4 9]")
	w := ramp(t, dev, 7)
	one := func(i int) *cutile.Tensor[float32] { return w.Narrow(0, i, i+1) }
	must(t, cutile.Launch8(ctx, dev, eight[tile.D4], one(0), one(1), one(2), one(3), one(4), one(5), one(6), z.Narrow(0, 0, 1)))
	must(t, cutile.Launch6With(ctx, dev, seven[tile.D4], one(0), one(1), one(2), one(3), one(4), z.Narrow(0, 1, 2), 2))
	holds(t, "Launch8 and Launch6With", z, "[140 110 9]")
	fails(t, cutile.Launch1(ctx, dev, double[tile.D4], z.T()), "has no two axes to swap")
	fails(t, cutile.Launch1(ctx, dev.Grid(1), double[tile.D4], nil), "but got nil")
}

// TestCapture: kernels are found however the program was built. The source is embedded; the program runs where neither
// its files nor a Go toolchain are.
func TestCapture(t *testing.T) {
	testenv.Elsewhere(t)
	dir := module(t, "example.com/capture", map[string]string{"main.go": "capture/main.go.txt", "lib.go/lib.go": "capture/lib.go.txt"})
	for _, flags := range [][]string{nil, {"-trimpath", "-ldflags=-s -w"}, {"-gcflags=example.com/...=-l -N"}} {
		program := filepath.Join(t.TempDir(), "program")
		if out, err := goTool(dir, append(append([]string{"build", "-o", program}, flags...), ".")...); err != nil {
			t.Fatalf("%v: %v\n%s", flags, err, out)
		}
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH="}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("built with %v: %v\n%s", flags, err, out)
			continue
		}
		got := string(out)
		if want := "[2 3 4] <nil>\n[3 6 9] <nil>\n[9 18 27] <nil>\n"; !strings.HasPrefix(got, want) {
			t.Errorf("built with %v: printed %q, want %q", flags, got, want)
		}
		place := filepath.Join(dir, "main.go") + ":27:"
		if len(flags) > 0 && flags[0] == "-trimpath" {
			place = "example.com/capture/main.go:27:"
		}
		if !strings.Contains(got, place) {
			t.Errorf("built with %v: printed %q, want the place %s", flags, got, place)
		}
	}
}
