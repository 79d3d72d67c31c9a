package pythontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

const top = "../../.."

// python runs the package with arguments and gives what it prints. server is what CUTILE_CPU_SERVER says.
func python(t *testing.T, server string, env []string, args ...string) (string, error) {
	t.Helper()
	path := testenv.Oracle(t)
	if runtime.GOOS == "windows" {
		t.Skip("the server maps files on Unix systems only")
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"-m", "cutile_cpu"}, args...)...)
	pkg, err := filepath.Abs(filepath.Join(top, "python"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "PYTHONPATH="+pkg, "PYTHONDONTWRITEBYTECODE=1", "CUTILE_CPU_SERVER="+server,
		"CUDA_TILE_CACHE_DIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// buildServer builds the command cutile.
func buildServer(t *testing.T) string {
	t.Helper()
	testenv.Oracle(t)
	server := filepath.Join(t.TempDir(), "cutile")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", server, "./cmd/cutile")
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return server
}

var checkRE = regexp.MustCompile(`(?m)^def (check_\w+)\(`)

// TestPythonScripts runs the scripts of checks, each of which must come out well, and the examples.
func TestPythonScripts(t *testing.T) {
	server := buildServer(t)
	scripts, err := filepath.Glob(filepath.Join(top, "python", "tests", "*.py"))
	if err != nil || len(scripts) < 4 {
		t.Fatal(scripts, err)
	}
	for _, script := range scripts {
		name := filepath.Base(script)
		if name == "checks.py" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			out, err := python(t, server, nil, script)
			lines := strings.Split(out, "\n")
			checks := checkRE.FindAllStringSubmatch(string(text), -1)
			for _, c := range checks {
				if !slices.Contains(lines, "ok "+c[1]) {
					t.Errorf("%s did not come out well", c[1])
				}
			}
			if err != nil || len(checks) < 4 || t.Failed() {
				t.Errorf("%d checks, %v\n%s", len(checks), err, out)
			}
			if name == "kernels.py" && (!slices.Contains(lines, "block 0 has 7") || !slices.Contains(lines, "block 1 has 9")) {
				t.Errorf("ct.printf printed nothing:\n%s", out)
			}
		})
	}
	out, err := python(t, server, nil, filepath.Join(top, "python", "examples", "axpy.py"))
	if want := "y = [1. 3. 5. 7.] ... 1999.0\n"; err != nil || out != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}

// TestPythonMissing runs the package where something is missing: it says what, and what to do.
func TestPythonMissing(t *testing.T) {
	script := filepath.Join(top, "python", "examples", "axpy.py")
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		server string
		env    []string
		args   []string
		want   string
	}{
		{"/no/such/program", nil, []string{script}, "CUTILE_CPU_SERVER names /no/such/program, which is not a program"},
		{"", []string{"PATH=/nowhere"}, []string{script}, "go install github.com/cutile-go/cutile/cmd/cutile@latest"},
		{"/bin/true", nil, []string{"no.py"}, "there is no file no.py"},
		{"/bin/true", nil, nil, "python -m cutile_cpu"},
		{silent, nil, []string{script}, "silent has ended with code 3"},
		{"/bin/true", []string{"CUTILE_CPU_WORKERS=x"}, []string{script}, "CUTILE_CPU_WORKERS is 'x', but must be a whole number"},
		{"/bin/true", []string{"CUTILE_CPU_ARCH=hopper"}, []string{script}, "CUTILE_CPU_ARCH is 'hopper', but must be an architecture such as sm_90"},
	} {
		out, err := python(t, c.server, c.env, c.args...)
		if err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s %v: %v, want %q\n%s", c.server, c.args, err, c.want, out)
		}
	}
}
