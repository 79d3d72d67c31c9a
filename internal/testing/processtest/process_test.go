// Package processtest builds a program in many ways and runs it: kernels must be found in each.
package processtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

const program = "./testdata/program"

func build(t *testing.T, dir string, env []string, flags ...string) string {
	t.Helper()
	return buildPackage(t, program, dir, env, flags...)
}

func buildPackage(t *testing.T, pkg, dir string, env []string, flags ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", append(append([]string{"build", "-o", bin}, flags...), pkg)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return bin
}

// check runs the program and wants its results, and the fault at its line with a position that does not depend on where
// the program was built where trimmed.
func check(t *testing.T, cmd *exec.Cmd, trimmed bool) {
	t.Helper()
	cmd.Env = []string{"HOME=/nonexistent", "CUTILE_DEVICE=cpu"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	if lines[0] != "[2.5 4.5 6.5 8.5 10.5] <nil>" {
		t.Errorf("got %q", lines[0])
	}
	const at = "main.go:37:2: kernel main.fails[D4], block (0, 0, 0): assertion failed: too large"
	if len(lines) < 3 || lines[1] != "[2 4 6 8 10] <nil>" || !strings.Contains(lines[2], at) {
		t.Errorf("got  %q\nwant %q", lines[1:], at)
	}
	if wd, _ := os.Getwd(); trimmed && strings.Contains(string(out), wd) {
		t.Errorf("a trimmed program knows where it was built: %s", out)
	}
}

func TestBuilds(t *testing.T) {
	always := []string{"plain", "trimpath"}
	for name, flags := range map[string][]string{
		"plain":      nil,
		"trimpath":   {"-trimpath"},
		"stripped":   {"-ldflags=-s -w"},
		"notinlined": {"-gcflags=-l"},
		"static":     {"-tags=nocuda,novulkan", "-trimpath", "-ldflags=-s -w"},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(always, name) {
				testenv.Slow(t)
			}
			bin := build(t, ".", []string{"CGO_ENABLED=0"}, flags...)
			check(t, exec.Command(bin), name == "trimpath" || name == "static")
		})
	}
}

func TestRaceBuild(t *testing.T) {
	testenv.Slow(t)
	testenv.CC(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the race detector is tried on linux/amd64")
	}
	check(t, exec.Command(build(t, ".", []string{"CGO_ENABLED=1"}, "-race")), false)
}

func TestProfileGuidedBuild(t *testing.T) {
	testenv.Builds(t)
	profile := filepath.Join(t.TempDir(), "cpu.pprof")
	plain := build(t, ".", nil)
	cmd := exec.Command(plain, profile)
	cmd.Env = []string{"HOME=/nonexistent"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(t, exec.Command(build(t, ".", nil, "-pgo="+profile)), false)
}

// TestVendoring vendors this module in a module of its own: the go command finds all files of the program's packages there,
// also those that they embed.
func TestVendoring(t *testing.T) {
	testenv.Slow(t)
	vendored(t)
}

// vendored makes a module with the program that vendors this one, and gives its folder.
func vendored(t *testing.T) string {
	t.Helper()
	dir, run := userModule(t, "")
	run("mod", "vendor")
	embedding := 0
	for line := range strings.Lines(run("list", "-mod=vendor", "-deps", "-f", "{{if .EmbedFiles}}{{.Dir}}{{end}}", "./program")) {
		if strings.Contains(filepath.ToSlash(line), "/vendor/github.com/cutile-go/cutile/") {
			embedding++
		}
	}
	if embedding == 0 {
		t.Error("no vendored package embeds a file")
	}
	return dir
}

// TestVendoredBuild builds the program there.
func TestVendoredBuild(t *testing.T) {
	testenv.Builds(t)
	dir := vendored(t)
	bin := buildPackage(t, "./program", dir, []string{"GOFLAGS=-mod=vendor"})
	check(t, exec.Command(bin), false)
}

// TestTool runs the command as a tool of a module of its own, as the README says, on that module's kernels.
func TestTool(t *testing.T) {
	_, run := userModule(t, "tool github.com/cutile-go/cutile/cmd/cutile\n")
	if got := run("tool", "cutile", "version"); !strings.Contains(got, "cutile") {
		t.Errorf("go tool cutile version: %s", got)
	}
	run("tool", "cutile", "vet", "./program")
	if got := run("tool", "cutile", "dump", "-stage", "source", "./program", "double[D4]"); !strings.Contains(got, "2 * x.Load(z.Index(0))") {
		t.Errorf("go tool cutile dump: %s", got)
	}
	// go install …@latest refuses modules that replace or exclude others.
	var mod struct{ Replace, Exclude []any }
	out, err := exec.Command("go", "mod", "edit", "-json", "../../../go.mod").Output()
	if err == nil {
		err = json.Unmarshal(out, &mod)
	}
	if err != nil || len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("go install of the command outside of a clone fails: %+v, %v", mod, err)
	}
}

// userModule makes a module that needs this one, with the program in it, and gives its folder and the go command there. Its
// go.mod ends with more.
func userModule(t *testing.T, more string) (dir string, run func(args ...string) string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	copyProgram(t, dir)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/user\n\ngo 1.26\n\nrequire github.com/cutile-go/cutile v0.0.0\n\nreplace github.com/cutile-go/cutile => " + root + "\n" + more
	for name, text := range map[string]string{"go.sum": string(sums), "go.mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("mod", "tidy")
	return dir, run
}

func copyProgram(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Clean(program), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		text = []byte(strings.ReplaceAll(string(text), "github.com/cutile-go/cutile/internal/testing/processtest/testdata/", "example.com/user/"))
		to := filepath.Join(dir, strings.TrimPrefix(p, "testdata/"))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
