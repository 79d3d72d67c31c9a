// Package piptest finds the Python packages with which tests compare results.
package piptest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Python gives the interpreter of CUTILE_PYTHON, or python3, when it has a module; else the test is skipped, or fails where
// CUTILE_REQUIRE lists the name of the module.
func Python(t testing.TB, module string) string {
	t.Helper()
	path := os.Getenv("CUTILE_PYTHON")
	if path == "" {
		path = "python3"
	}
	out, err := exec.Command(path, "-c", "import "+module).CombinedOutput()
	if err != nil {
		Missing(t, module, fmt.Sprintf("%s has no module %s: %v %s", path, module, err, out))
	}
	return path
}

// Missing skips the test for a reason, or fails it where CUTILE_REQUIRE lists the name of what is missing.
func Missing(t testing.TB, name, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("CUTILE_REQUIRE"), ","), name) {
		t.Fatalf("%s; CUTILE_REQUIRE lists %s", why, name)
	}
	t.Skip(why)
}
