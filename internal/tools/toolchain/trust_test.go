//go:build unix

package toolchain_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// installFake installs stand-ins for the tools.
func installFake(t *testing.T, dir string) toolchain.Installation {
	t.Helper()
	in, err := toolchain.Install(background, toolchain.InstallOptions{Python: fakePython(t, filepath.Join(dir, "python3"), "311", fill)})
	check(t, err)
	return in
}

// TestDistrusted: an installation that others may have changed is not run, and doctor's words name what is wrong with it.
// The next install makes it anew where it can.
func TestDistrusted(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(t *testing.T, cache, dir, tool string)
		want string
		anew bool
	}{
		"tool for everybody":   {func(t *testing.T, _, _, tool string) { check(t, os.Chmod(tool, 0o777)) }, "everybody may write there", true},
		"its folder":           {func(t *testing.T, _, _, tool string) { check(t, os.Chmod(filepath.Dir(tool), 0o777)) }, "everybody may write there", true},
		"release":              {func(t *testing.T, _, dir, _ string) { check(t, os.Chmod(dir, 0o777)) }, "everybody may write there", true},
		"folder of toolchains": {func(t *testing.T, _, dir, _ string) { check(t, os.Chmod(filepath.Dir(dir), 0o777)) }, "everybody may write there", false},
		"cache folder":         {func(t *testing.T, cache, _, _ string) { check(t, os.Chmod(cache, 0o777)) }, "everybody may write there", false},
		"manifest":             {func(t *testing.T, _, dir, _ string) { check(t, os.Chmod(filepath.Join(dir, "toolchain.json"), 0o666)) }, "everybody may write there", true},
		"symlink": {func(t *testing.T, cache, _, tool string) {
			check(t, os.Rename(tool, cache+"/ptxas"))
			check(t, os.Symlink(cache+"/ptxas", tool))
		}, "it is a symlink", true},
		"path upwards": {func(t *testing.T, cache, dir, _ string) {
			script(t, filepath.Join(cache, "ptxas"), "")
			manifest(t, dir, `"../../ptxas"`)
		}, `it says that ptxas is "../../ptxas", which is not in its folder`, true},
		"whole path": {func(t *testing.T, _, dir, _ string) { manifest(t, dir, `"/bin/sh"`) }, `it says that ptxas is "/bin/sh"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := bare(t)
			in := installFake(t, dir)
			if errs := toolchain.Distrusted(); len(errs) != 0 {
				t.Fatalf("before any harm: %v", errs)
			}
			c.harm(t, filepath.Join(dir, "cache"), in.Dir, in.Tools["ptxas"])
			if tool, err := toolchain.Find("ptxas"); err == nil || !strings.Contains(err.Error(), " is not used: "+c.want) {
				t.Errorf("found %+v, %v", tool, err)
			}
			errs := toolchain.Distrusted()
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), " is not used: "+c.want) {
				t.Errorf("distrusted: %v, want %s", errs, c.want)
			}
			_, err := toolchain.Install(background, toolchain.InstallOptions{Python: filepath.Join(dir, "python3")})
			if (err == nil) != c.anew || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("installed again: %v", err)
			}
		})
	}
}

// manifest changes where the manifest says that ptxas is.
func manifest(t *testing.T, dir, path string) {
	t.Helper()
	file := filepath.Join(dir, "toolchain.json")
	b, err := os.ReadFile(file)
	check(t, err)
	changed := strings.Replace(string(b), `"nvidia/cu13/bin/ptxas"`, path, 1)
	if changed == string(b) {
		t.Fatalf("the manifest does not name ptxas: %s", b)
	}
	check(t, os.WriteFile(file, []byte(changed), 0o644))
}

// TestNothingRelative: programs that lie in the working directory, wherever an unset or relative variable leads, are
// neither found nor run.
func TestNothingRelative(t *testing.T) {
	if found, _ := filepath.Glob("/usr/local/cuda*/bin/ptxas"); found != nil {
		t.Skip("a toolkit is installed where it is always found")
	}
	dir := bare(t)
	in := installFake(t, dir)
	here := t.TempDir()
	t.Chdir(here)
	ran := filepath.Join(dir, "ran")
	for _, path := range []string{"ptxas", "bin/ptxas", "lib/python3/site-packages/nvidia/cu13/bin/ptxas"} {
		script(t, path, "echo run >>"+ran)
	}
	for _, own := range []string{"our own folder", "cache", "cache/cutile", "cache/toolchain", ".cache/cutile/toolchain", "toolchain", "cutile/toolchain"} {
		check(t, os.MkdirAll(own, 0o755))
		check(t, os.CopyFS(filepath.Join(own, in.Version), os.DirFS(in.Dir)))
	}
	for name, env := range map[string]map[string]string{
		"no home":        {"HOME": "", "XDG_CACHE_HOME": "", "CUTILE_CACHE": ""},
		"relative home":  {"HOME": ".", "XDG_CACHE_HOME": "", "CUTILE_CACHE": ""},
		"relative XDG":   {"XDG_CACHE_HOME": "cache", "CUTILE_CACHE": ""},
		"relative cache": {"CUTILE_CACHE": "cache"},
		"relative PATH":  {"PATH": ".:bin::/usr/bin:/bin", "CUTILE_CACHE": filepath.Join(dir, "empty")},
		"relative CUDA":  {"CUDA_HOME": ".", "CUTILE_CACHE": filepath.Join(dir, "empty")},
		"relative venv":  {"VIRTUAL_ENV": ".", "CUTILE_CACHE": filepath.Join(dir, "empty")},
		"relative tools": {"CUTILE_TOOLS": "bin"},
		"relative tool":  {"CUTILE_PTXAS": "./ptxas"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range env {
				t.Setenv(k, v)
			}
			if tool, err := toolchain.Find("ptxas"); !errors.Is(err, toolchain.ErrNotFound) {
				t.Errorf("found %+v, %v", tool, err)
			} else if _, named := env["CUTILE_CACHE"]; !named && !strings.HasSuffix(err.Error(), ", which is relative; give the whole path") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the working directory ran")
	}
}

// TestPythonRelative: an interpreter of the working directory is not run, and pip not in it.
func TestPythonRelative(t *testing.T) {
	dir := bare(t)
	here := t.TempDir()
	t.Chdir(here)
	ran := filepath.Join(dir, "ran")
	script(t, "python3", "echo run >>"+ran)
	py := fakePython(t, filepath.Join(dir, "bin", "python3"), "311", fill)
	t.Setenv("PATH", ".::"+filepath.Dir(py)+":/usr/bin:/bin")
	_, err := toolchain.Install(background, toolchain.InstallOptions{})
	check(t, err)
	if _, err := os.Stat(ran); err == nil {
		t.Error("the interpreter of the working directory ran")
	}
	where, err := os.ReadFile(py + ".dir")
	check(t, err)
	if strings.TrimSpace(string(where)) == here {
		t.Error("pip ran in the working directory, where Python looks for its modules")
	}
}
