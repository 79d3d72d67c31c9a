// Package nvtxtest has a profiler of NVTX's ranges for tests: a library in C, built with the machine's compiler.
package nvtxtest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

//go:embed profiler.txt
var source []byte

// Profiler builds the profiler, with options of the compiler, and attaches it: the test's environment names it. noted gives the ranges so far, a line for each begin and end: the number
// of the thread, and "push" with the name, or "pop".
func Profiler(t testing.TB, options ...string) (noted func() string) {
	t.Helper()
	cc, dir := testenv.CC(t), t.TempDir()
	file, lib, log := filepath.Join(dir, "profiler.c"), filepath.Join(dir, "profiler.so"), filepath.Join(dir, "log")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wno-unused-function", "-fvisibility=hidden", "-DLOG=\"" + log + "\"", "-o", lib, file, "-lpthread"}, options...)
	if b, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, b)
	}
	t.Setenv("NVTX_INJECTION64_PATH", lib)
	return func() string {
		text, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
}
