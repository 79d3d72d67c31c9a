// Package piptest helps tests that compare with packages of Python.
package piptest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Python returns the interpreter that the environment variable CUTILE_PYTHON names, which must have some modules. Where it is
// missing the test is skipped, or fails if CUTILE_REQUIRE lists the word.
func Python(t testing.TB, word string, modules ...string) string {
	t.Helper()
	path := os.Getenv("CUTILE_PYTHON")
	if path == "" {
		missing(t, word, "CUTILE_PYTHON is not set")
	}
	for _, m := range modules {
		if out, err := exec.Command(path, "-c", "import "+m).CombinedOutput(); err != nil {
			missing(t, word, fmt.Sprintf("%s has no module %s: %v %s", path, m, err, out))
		}
	}
	return path
}

// Run runs a script and returns what it prints.
func Run(t testing.TB, python string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(python, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return out
}

func missing(t testing.TB, word, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("CUTILE_REQUIRE"), ","), word) {
		t.Fatalf("%s; CUTILE_REQUIRE lists %s", why, word)
	}
	t.Skip(why)
}
