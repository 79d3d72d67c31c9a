package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// noTools hides every tool of the machine.
func noTools(t *testing.T) (cache string) {
	t.Helper()
	cache = t.TempDir()
	t.Setenv(toolchain.CacheEnv, cache)
	for _, env := range []string{toolchain.ToolsEnv, "CUTILE_TILEIRAS", "CUTILE_PTXAS", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(env, "")
	}
	t.Setenv("PATH", t.TempDir())
	return cache
}

// installed puts an installation of a release into a cache folder, without pip.
func installed(t *testing.T, cache, release string) (dir string) {
	t.Helper()
	dir = filepath.Join(cache, "toolchain", release)
	if err := os.CopyFS(filepath.Join(dir, "bin"), os.DirFS(fakeTools(t))); err != nil {
		t.Fatal(err)
	}
	manifest := `{"Version": "` + release + `", "Pins": [], "Tools": {"tileiras": "bin/tileiras", "ptxas": "bin/ptxas"}}`
	if err := os.WriteFile(filepath.Join(dir, "toolchain.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestToolchainPath(t *testing.T) {
	dir := fakeTools(t)
	t.Setenv(toolchain.ToolsEnv, dir)
	for _, c := range []struct{ args, want string }{{"", "tileiras"}, {"ptxas", "ptxas"}, {"cuobjdump", "cuobjdump"}} {
		if got := must(t, append([]string{"toolchain", "path"}, strings.Fields(c.args)...)...); got != filepath.Join(dir, c.want)+"\n" {
			t.Errorf("path %s: got %q", c.args, got)
		}
	}
	t.Setenv(toolchain.ToolsEnv, t.TempDir())
	code, out, errs := cutile("toolchain", "path", "ptxas")
	if code != exitFailed || out != "" || !strings.Contains(errs, "cutile toolchain path: ptxas: "+toolchain.ToolsEnv+" names ") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

func TestToolchainList(t *testing.T) {
	cache := noTools(t)
	release := toolchain.Releases()[0]
	if out := must(t, "toolchain", "list"); !strings.HasPrefix(out, "releases\n  "+release+"  ") || !strings.Contains(out, "not installed") {
		t.Errorf("got\n%s", out)
	}
	dir := installed(t, cache, release)
	out := must(t, "toolchain", "list")
	for _, want := range []string{release + "  " + dir, "tileiras      " + filepath.Join(dir, "bin", "tileiras") + " (" + filepath.Join(cache, "toolchain") + ")"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "not installed") {
		t.Errorf("got\n%s", out)
	}
}

// TestToolchainInstall has a Python whose pip copies tools of ours.
func TestToolchainInstall(t *testing.T) {
	cache, from := noTools(t), fakeTools(t)
	python := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nPATH=/usr/bin:/bin\n" + `
if [ "$1" = -c ]; then echo 311; exit; fi
while [ $# -gt 0 ] && [ "$1" != --target ]; do shift; done
[ $# = 0 ] && exit
mkdir -p "$2/nvidia/cu13" && cp -r ` + from + ` "$2/nvidia/cu13/bin" && echo pip was here
`
	if err := os.WriteFile(python, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	release := toolchain.Releases()[0]
	dir := filepath.Join(cache, "toolchain", release)
	for _, c := range []struct{ args, progress string }{
		{"", "pip was here"},
		{"", "is installed in " + dir},
		{"-force -version " + release, "pip was here"},
	} {
		args := append([]string{"toolchain", "install", "-python", python}, strings.Fields(c.args)...)
		code, out, progress := cutile(args...)
		if code != exitOK || out != release+" "+dir+"\n" || !strings.Contains(progress, c.progress) {
			t.Errorf("install %s: exit code %d, %q, %q, want %q", c.args, code, out, progress, c.progress)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "toolchain", "old-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
	if got := must(t, "toolchain", "path", "nvdisasm"); got != filepath.Join(dir, "nvidia", "cu13", "bin", "nvdisasm")+"\n" {
		t.Errorf("path: got %q", got)
	}
}

// TestToolchainInstallFails has no Python, so that nothing is fetched.
func TestToolchainInstallFails(t *testing.T) {
	cache := noTools(t)
	dir := installed(t, cache, toolchain.Releases()[0])
	for _, c := range []struct {
		args, want string
	}{
		{"-version 1.0.0", `cutile toolchain install: toolchain install: version: "1.0.0" is not known; ask for one of 13.`},
		{"-force -version 1.0.0", `"1.0.0" is not known`},
		{"", "no python3 or python found; install Python 3.8 or later"},
		{"-python none", "no none found"},
		{"-force", "no python3 or python found"},
	} {
		code, out, errs := cutile(append([]string{"toolchain", "install"}, strings.Fields(c.args)...)...)
		if code != exitFailed || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("install %s: exit code %d, %q, %q, want %q", c.args, code, out, errs, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "toolchain.json")); err != nil {
			t.Errorf("install %s lost what was there: %v", c.args, err)
		}
	}
}
