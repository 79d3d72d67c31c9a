package testenv_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// recorder is a test that notes how it ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Skip(args ...any)          { r.skipped = args[0].(string); runtime.Goexit() }
func (r *recorder) Fatalf(f string, a ...any) { r.failed = strings.TrimSpace(f); runtime.Goexit() }

// outcome runs a check as a test would.
func outcome(check func(testing.TB)) *recorder {
	r := &recorder{}
	done := make(chan bool)
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r
}

// nothing makes a machine without tools and compilers.
func nothing(t *testing.T) {
	for _, env := range []string{"CUTILE_TOOLS", "CC", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH", "CUTILE_ORACLE_PYTHON"} {
		t.Setenv(env, "")
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(t.TempDir(), "none"))
	t.Setenv("CUTILE_LIBCUDA", filepath.Join(t.TempDir(), "none.so"))
}

func TestMissing(t *testing.T) {
	checks := map[string]func(testing.TB){
		"tileiras": func(t testing.TB) { testenv.Tool(t, "tileiras") },
		"cc":       func(t testing.TB) { testenv.CC(t) },
		"oracle":   func(t testing.TB) { testenv.Oracle(t) },
		"gpu":      func(t testing.TB) { testenv.NeedsGPU(t) },
		"qemu":     func(t testing.TB) { testenv.Qemu(t) },
		"llvm-mc":  func(t testing.TB) { testenv.Program(t, "llvm-mc") },
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			nothing(t)
			t.Setenv(testenv.RequireEnv, "something, else")
			if r := outcome(check); !strings.HasPrefix(r.skipped, name+" is needed: ") || r.failed != "" {
				t.Errorf("not required: skipped %q, failed %q; want a skip that says why", r.skipped, r.failed)
			}
			t.Setenv(testenv.RequireEnv, "else, "+name)
			if r := outcome(check); r.skipped != "" || r.failed == "" {
				t.Errorf("required: skipped %q, failed %q; want a failure", r.skipped, r.failed)
			}
		})
	}
}

// TestSlow: slow tests run where they are asked for, and only there.
func TestSlow(t *testing.T) {
	t.Setenv(testenv.RequireEnv, "cc")
	if r := outcome(testenv.Slow); !strings.Contains(r.skipped, "CUTILE_REQUIRE=slow asks for it") {
		t.Errorf("not asked for: skipped %q", r.skipped)
	}
	t.Setenv(testenv.RequireEnv, "cc, slow")
	if r := outcome(testenv.Slow); r.skipped != "" || r.failed != "" {
		t.Errorf("asked for: skipped %q, failed %q", r.skipped, r.failed)
	}
}

func TestPresent(t *testing.T) {
	nothing(t)
	tool := filepath.Join(t.TempDir(), "mytool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUTILE_TILEIRAS", tool)
	t.Setenv("CC", tool)
	t.Setenv("CUTILE_ORACLE_PYTHON", tool)
	if got := testenv.Tool(t, "tileiras"); got != tool {
		t.Errorf("Tool = %q, want %q", got, tool)
	}
	if got := testenv.CC(t); got != tool {
		t.Errorf("CC = %q, want %q", got, tool)
	}
	if got := testenv.Oracle(t); got != tool {
		t.Errorf("Oracle = %q, want %q", got, tool)
	}
	t.Setenv("PATH", filepath.Dir(tool))
	if got := testenv.Program(t, "mytool"); got != tool {
		t.Errorf("Program = %q, want %q", got, tool)
	}
}

// TestFew: a test is left out in short mode under the race detector, and nowhere else.
func TestFew(t *testing.T) {
	for name, check := range map[string]func(testing.TB){"Alone": testenv.Alone, "Elsewhere": testenv.Elsewhere} {
		if r := outcome(check); r.failed != "" || (r.skipped != "") != (testenv.Race() && testing.Short()) {
			t.Errorf("%s: skipped with %q, failed with %q", name, r.skipped, r.failed)
		}
	}
}
