package cuda_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/fakecubin"
)

// standInTileiras makes a tileiras that makes a cubin for sm_90, whatever it is given. Its runs are noted in dir.
func standInTileiras(t *testing.T) (dir string) {
	t.Helper()
	tool, dir := standIn(t)
	script, err := os.ReadFile(tool.Tool.Path)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "made"), fakecubin.Make("sm_90", "code", vaddName), 0o644))
	check(t, os.WriteFile(tool.Tool.Path, bytes.ReplaceAll(script, []byte(`cp "$1"`), []byte("cp "+dir+"/made")), 0o755))
	t.Setenv("CUTILE_TILEIRAS", tool.Tool.Path)
	return dir
}

// TestExportFolderFails: a folder that cannot be written is one error, told once, whichever target comes first, and no other compiler is tried.
func TestExportFolderFails(t *testing.T) {
	standInTileiras(t)
	m := vadd(t)
	for _, targets := range [][]string{{"sm_90"}, {"sm_90", "sm_90"}, {"own:sm_75", "sm_90"}, {"13.1", "sm_90"}} {
		dir := t.TempDir()
		check(t, os.Mkdir(filepath.Join(dir, ".lock"), 0o755)) // which is no file to lock
		err := cuda.Export(background, nil, m, vaddName, dir, targets)
		if err == nil {
			t.Errorf("%q: no error", targets)
			continue
		}
		if text := err.Error(); strings.Count(text, "folder of cubins: ") != 1 || strings.Contains(text, "tried next") || strings.Contains(text, ", since ") {
			t.Errorf("%q: %v", targets, err)
		}
		check(t, os.Remove(filepath.Join(dir, ".lock")))
		check(t, cuda.Export(background, nil, m, vaddName, dir, targets))
	}
}

// TestExportNeither: where both compilers fail, each error is told once.
func TestExportNeither(t *testing.T) {
	noTools(t)
	failing(t, "echo 'error: bad operation' >&2; exit 1")
	err := cuda.Export(background, nil, vadd(t), vaddName, t.TempDir(), []string{"sm_90"})
	if err == nil {
		t.Fatal("no error")
	}
	for text, n := range map[string]int{"bad operation": 1, "failed (exit status 1)": 1, "our own compiler, which was tried next: ": 1, "ptxas not found": 1, "since": 0} {
		if strings.Count(err.Error(), text) != n {
			t.Errorf("it says %q %d times, want %d: %v", text, strings.Count(err.Error(), text), n, err)
		}
	}
}
