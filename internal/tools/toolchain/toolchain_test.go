package toolchain_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

var background = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bare is a machine where nothing is installed; it gives a folder for what the test puts there.
func bare(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins for programs are shell scripts")
	}
	dir := t.TempDir()
	for _, env := range []string{"CUTILE_TOOLS", "CUTILE_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"} {
		t.Setenv(env, "")
	}
	for _, name := range toolchain.Names() {
		t.Setenv("CUTILE_"+strings.ToUpper(name), "")
	}
	t.Setenv("CUTILE_CACHE", filepath.Join(dir, "cache"))
	t.Setenv("PATH", "/usr/bin:/bin")
	return dir
}

// script writes a program, with its folders.
func script(t *testing.T, path, body string) string {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
	return path
}

func TestFind(t *testing.T) {
	dir := bare(t)
	if found, _ := filepath.Glob("/usr/local/cuda*/bin/ptxas"); found != nil {
		t.Skip("a toolkit is installed where it is always found")
	}
	_, err := toolchain.Find("ptxas")
	want := "ptxas not found (looked in " + filepath.Join(dir, "cache", "toolchain") + ", PATH, CUDA_HOME, CUDA_PATH and /usr/local/cuda*, " +
		"the active virtual environment); run `cutile toolchain install`, install the CUDA Toolkit 13.1 or later, or name it with CUTILE_PTXAS"
	if !errors.Is(err, toolchain.ErrNotFound) || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	// Each place goes before those above it.
	for _, c := range []struct{ where, path, env, value string }{
		{"the active virtual environment", "venv/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas", "VIRTUAL_ENV", "venv"},
		{"the active virtual environment", "venv/bin/ptxas", "VIRTUAL_ENV", "venv"},
		{"CUDA_HOME, CUDA_PATH and /usr/local/cuda*", "cuda/bin/ptxas", "CUDA_HOME", "cuda"},
		{"PATH", "path/ptxas", "PATH", "path"},
		{"CUTILE_TOOLS", "tools/ptxas", "CUTILE_TOOLS", "tools"},
		{"CUTILE_PTXAS", "mine", "CUTILE_PTXAS", "mine"},
	} {
		path := script(t, filepath.Join(dir, c.path), "")
		t.Setenv(c.env, filepath.Join(dir, c.value))
		tool, err := toolchain.Find("ptxas")
		if err != nil || tool.Path != path || tool.Where != c.where {
			t.Errorf("found %+v, %v; want %s of %s", tool, err, path, c.where)
		}
	}
	// What is named must be there.
	t.Setenv("CUTILE_PTXAS", dir)
	if _, err := toolchain.Find("ptxas"); err == nil || err.Error() != "ptxas: CUTILE_PTXAS names "+dir+", which is not a program" {
		t.Errorf("a folder as program: %v", err)
	}
	t.Setenv("CUTILE_PTXAS", "")
	t.Setenv("CUTILE_TOOLS", dir)
	if _, err := toolchain.Find("ptxas"); !errors.Is(err, toolchain.ErrNotFound) || err.Error() != "ptxas: CUTILE_TOOLS names "+dir+", which has no ptxas" {
		t.Errorf("an empty folder: %v", err)
	}
}

const version = "echo 'Cuda compilation tools, release 13.2, V13.2.78'"

func TestInfo(t *testing.T) {
	for name, c := range map[string]struct {
		tool, body string
		want       toolchain.Info
	}{
		"list": {toolchain.Tileiras, `case $1 in --version) ` + version + `;; --help) echo "--arch - Alias for --gpu-name, as in sm_1"; echo "--gpu-name=<value>"; echo "  =sm_80 - SM 80"; echo "=sm_121 -"; echo "--o - for sm_70";; --list-versions) printf '13.2\n13.3\n15.1\n';; esac`,
			toolchain.Info{Version: "13.2.78", Bytecodes: []tileir.Version{tileir.V13_2, tileir.V13_3}, Targets: []string{"sm_80", "sm_121"}}},
		"no list": {toolchain.Tileiras, `case $1 in --version) ` + version + `;; --help) echo "--gpu-name=sm_80";; *) echo unknown option >&2; exit 1;; esac`,
			toolchain.Info{Version: "13.2.78", Bytecodes: []tileir.Version{tileir.V13_1, tileir.V13_2}, Targets: []string{"sm_80"}}},
		"disassembler": {toolchain.Nvdisasm, version, toolchain.Info{Version: "13.2.78"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := bare(t)
			count := filepath.Join(dir, "count")
			path := script(t, filepath.Join(dir, c.tool), "echo run >>"+count+"\n"+c.body)
			tool := toolchain.Tool{Name: c.tool, Path: path}
			got, err := tool.Info(background)
			check(t, err)
			if got.Version != c.want.Version || !slices.Equal(got.Bytecodes, c.want.Bytecodes) || !slices.Equal(got.Targets, c.want.Targets) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			runs, err := os.ReadFile(count)
			check(t, err)
			if _, err := tool.Info(background); err != nil {
				t.Error(err)
			}
			if again, _ := os.ReadFile(count); len(again) != len(runs) {
				t.Error("the second question ran the tool again")
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "cache", "toolchain", "info", "*.json")); len(files) != 1 {
				t.Errorf("the cache holds %v", files)
			}
			other, err := os.ReadFile(count)
			check(t, err)
			toolchain.Forget()
			if info, err := tool.Info(background); err != nil || info.Version != got.Version {
				t.Errorf("another program: %+v, %v", info, err)
			}
			if again, _ := os.ReadFile(count); len(again) != len(other) {
				t.Error("another program ran the tool again")
			}
			newest, ok := got.Newest()
			if ok != (len(c.want.Bytecodes) > 0) || ok && newest != c.want.Bytecodes[len(c.want.Bytecodes)-1] {
				t.Errorf("newest %v, %v", newest, ok)
			}
		})
	}
}

func TestInfoErrors(t *testing.T) {
	for want, body := range map[string]string{
		"prints no version: \"hello\"; is this NVIDIA's tileiras?": "echo hello",
		"tileiras --version: exit status 7: no licence":            "echo no licence >&2; exit 7",
	} {
		dir := bare(t)
		tool := toolchain.Tool{Name: toolchain.Tileiras, Path: script(t, filepath.Join(dir, "tileiras"), body)}
		if _, err := tool.Info(background); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := (toolchain.Tool{Name: "ptxas", Path: "/none"}).Info(background); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tool that is gone: %v", err)
	}
}

// TestReal asks NVIDIA's tools themselves, and assembles a small kernel for each generation of GPUs.
func TestReal(t *testing.T) {
	tools := map[string]toolchain.Tool{}
	for _, name := range toolchain.Names() {
		tools[name] = toolchain.Tool{Name: name, Path: testenv.Tool(t, name)}
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	for name, tool := range tools {
		info, err := tool.Info(background)
		check(t, err)
		if toolchain.CompareVersions(info.Version, "13.1") < 0 {
			t.Errorf("%s is of version %q", name, info.Version)
		}
		hasTargets := slices.Contains(info.Targets, "sm_90") && slices.Contains(info.Targets, "sm_120") && !slices.Contains(info.Targets, "sm_70")
		if want := name == toolchain.Tileiras || name == toolchain.Ptxas; hasTargets != want {
			t.Errorf("%s has targets %v", name, info.Targets)
		}
	}
	module, err := os.ReadFile("probe.tileirbc")
	check(t, err)
	// tileiras would look for ptxas there, and fail.
	t.Setenv("CUDA_HOME", t.TempDir())
	t.Setenv("CUDA_PATH", "")
	for _, target := range []string{"sm_80", "sm_90", "sm_100", "sm_120"} {
		cubin, err := toolchain.Assemble(background, tools[toolchain.Tileiras], module, target)
		check(t, err)
		if !bytes.HasPrefix(cubin, []byte("\x7fELF")) {
			t.Errorf("%s: no cubin: %q", target, cubin[:min(len(cubin), 16)])
		}
		file := filepath.Join(t.TempDir(), "kernel.cubin")
		check(t, os.WriteFile(file, cubin, 0o600))
		out, stderr, err := toolchain.Command{Path: tools[toolchain.Cuobjdump].Path, Args: []string{"-lelf", file}}.Run(background)
		if err != nil || !strings.Contains(string(out), target) {
			t.Errorf("cuobjdump says of the cubin for %s: %s%s, %v", target, out, stderr, err)
		}
	}
	_, err = toolchain.Assemble(background, tools[toolchain.Tileiras], []byte("garbage"), "sm_90")
	var e *toolchain.AssembleError
	if !errors.As(err, &e) || e.Exit != 3 || e.Output != "error: input does not correspond to Tile IR bytecode" {
		t.Errorf("garbage: %v", err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := toolchain.Assemble(ctx, tools[toolchain.Tileiras], module, "sm_90"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAssembleFails(t *testing.T) {
	dir := bare(t)
	for want, body := range map[string]string{
		": it wrote no cubin: ": "exit 0",
		": signal: killed":      "kill -9 $$",
		": exit status 4\n\tno": "echo no; exit 4",
	} {
		tool := toolchain.Tool{Name: "tileiras", Path: script(t, filepath.Join(dir, "tileiras"), body)}
		_, err := toolchain.Assemble(background, tool, nil, "sm_90")
		if err == nil || !strings.HasPrefix(err.Error(), tool.Path+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestCacheDir(t *testing.T) {
	bare(t)
	t.Setenv("CUTILE_CACHE", "")
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if _, err := toolchain.CacheDir(); err == nil || !strings.Contains(err.Error(), "set CUTILE_CACHE to a folder") {
		t.Errorf("without a home: %v", err)
	}
	if _, err := toolchain.Install(background, toolchain.InstallOptions{}); err == nil || !strings.HasPrefix(err.Error(), "toolchain install: cache folder: ") {
		t.Errorf("install without a home: %v", err)
	}
	t.Setenv("HOME", "home")
	if d, err := toolchain.CacheDir(); err == nil {
		t.Errorf("a relative home gives %s", d)
	}
	t.Setenv("CUTILE_CACHE", "cache")
	if d, err := toolchain.CacheDir(); err == nil || err.Error() != "CUTILE_CACHE names cache, which is relative; give the whole path" {
		t.Errorf("a relative folder gives %q, %v", d, err)
	}
	t.Setenv("CUTILE_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/some/cache")
	if d, err := toolchain.CacheDir(); runtime.GOOS == "linux" && (d != "/some/cache/cutile" || err != nil) {
		t.Errorf("cache folder %q, %v", d, err)
	}
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"12.9", "13.1", "13.1.1", "13.2", "13.10.2", "14.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := toolchain.CompareVersions(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("compare %s with %s is %d", a, b, got)
			}
		}
	}
}
