package toolchain_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// fakePython writes an interpreter whose pip is the given shell code; there, $target is the folder to fill. pip is missing
// where it is empty.
func fakePython(t *testing.T, path, version, pip string) string {
	t.Helper()
	has := "exit 0"
	if pip == "" {
		has = "exit 1"
	}
	return script(t, path, `
if [ "$1" = -c ]; then echo `+version+`; exit 0; fi
if [ "$2" = venv ]; then echo "no ensurepip" >&2; exit 1; fi
if [ "$3" = --version ]; then `+has+`; fi
if [ "$3" = config ]; then cat `+path+`.config 2>/dev/null; exit 0; fi
echo "$*" >`+path+`.args
pwd >`+path+`.dir
env >`+path+`.env
for last; do :; done
cp "$last" `+path+`.requirements
while [ "$1" != --target ]; do shift; done
target=$2
`+pip+"\n")
}

// fill is what a good pip does: it puts programs into the target that answer as NVIDIA's do.
var fill = `
bin=$target/nvidia/cu13/bin
mkdir -p $bin
for t in tileiras tileirdisasm ptxas nvdisasm cuobjdump; do cat >$bin/$t <<'END'
#!/bin/sh
case $1 in
--version) echo "release 13.4, V13.4.92";;
--help) echo "--gpu-name=sm_90";;
--list-versions) echo 13.1;;
*) [ "$2" = -o ] && ` + fakecubin.Printf(fakecubin.Make("sm_90", "code", "vadd_zero")) + ` >"$3";;
esac
END
chmod +x $bin/$t; done
echo "pip installed $*"
`

func TestInstall(t *testing.T) {
	dir := bare(t)
	count := filepath.Join(dir, "count")
	py := fakePython(t, filepath.Join(dir, "bin", "python3"), "311", "echo run >>"+count+fill)
	t.Setenv("PATH", filepath.Dir(py)+":/usr/bin:/bin")
	var progress bytes.Buffer
	in, err := toolchain.Install(background, toolchain.InstallOptions{Progress: &progress})
	check(t, err)
	root := filepath.Join(dir, "cache", "toolchain")
	if want := filepath.Join(root, toolchain.Releases()[0]); in.Dir != want || in.Version != toolchain.Releases()[0] {
		t.Errorf("installed %s in %s, want %s", in.Version, in.Dir, want)
	}
	for _, part := range []string{"installing NVIDIA's tools 13.4.92 with " + py, "nvidia-cuda-tileiras==13.4.92", "pip installed"} {
		if !strings.Contains(progress.String(), part) {
			t.Errorf("progress %q lacks %q", progress.String(), part)
		}
	}
	for _, word := range []string{"cuda-tile==", "numpy", "://"} {
		if strings.Contains(progress.String(), word) {
			t.Errorf("pip was asked for %q: %s", word, progress.String())
		}
	}
	for _, name := range toolchain.Names() { // found without being told
		tool, err := toolchain.Find(name)
		if want := filepath.Join(in.Dir, "nvidia", "cu13", "bin", name); err != nil || tool.Path != want || tool.Where != root {
			t.Errorf("found %+v, %v; want %s", tool, err, want)
		}
	}
	if list := toolchain.Installed(); len(list) != 1 || list[0].Version != in.Version {
		t.Errorf("installed: %v", list)
	}
	onlyThese(t, root, in.Version, "lock")
	_, err = toolchain.Install(background, toolchain.InstallOptions{}) // nothing to do
	check(t, err)
	check(t, os.Remove(filepath.Join(in.Dir, "nvidia", "cu13", "bin", "ptxas"))) // a broken one is made again
	_, err = toolchain.Install(background, toolchain.InstallOptions{})
	check(t, err)
	if b, _ := os.ReadFile(count); string(b) != "run\nrun\n" {
		t.Errorf("pip ran %q, want twice", b)
	}
}

// onlyThese fails when a folder holds anything else.
func onlyThese(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		if !strings.Contains(" "+strings.Join(names, " ")+" info ", " "+e.Name()+" ") {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

func TestInstallAtOnce(t *testing.T) {
	dir := bare(t)
	count := filepath.Join(dir, "count")
	py := fakePython(t, filepath.Join(dir, "python3"), "311", "echo run >>"+count+"; sleep 0.3"+fill)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := toolchain.Install(background, toolchain.InstallOptions{Python: py}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if b, _ := os.ReadFile(count); string(b) != "run\n" {
		t.Errorf("pip ran %q, want once", b)
	}
}

// TestInstallKilled: what a killed install leaves is no installation, and goes with the next one; a cancelled install
// leaves nothing, and ends pip.
func TestInstallKilled(t *testing.T) {
	dir := bare(t)
	root := filepath.Join(dir, "cache", "toolchain")
	half := script(t, filepath.Join(root, "tmp-123", "site", "nvidia", "cu13", "bin", "tileiras"), "")
	old := script(t, filepath.Join(root, "13.4.92", "nvidia", "cu13", "bin", "tileiras"), "") // no manifest
	if tool, err := toolchain.Find(toolchain.Tileiras); err == nil && (tool.Path == half || tool.Path == old) {
		t.Errorf("half an install was found: %+v", tool)
	}
	py := fakePython(t, filepath.Join(dir, "slow"), "311", fill+"sleep 600")
	ctx, cancel := context.WithTimeout(background, 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := toolchain.Install(ctx, toolchain.InstallOptions{Python: py}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cancelled install gives %v", err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("the cancel took %v", d)
	}
	onlyThese(t, root, "13.4.92", "lock")
	py = fakePython(t, filepath.Join(dir, "good"), "311", fill)
	_, err := toolchain.Install(background, toolchain.InstallOptions{Python: py})
	check(t, err)
	onlyThese(t, root, "13.4.92", "lock")
}

func TestInstallErrors(t *testing.T) {
	for name, c := range map[string]struct {
		version, pip string
		want         []string
	}{
		"no pip": {"311", "", []string{"pip: ", " has no pip and cannot make a virtual environment", "install pip (python3-pip) or venv (python3-venv)", "\n\tno ensurepip"}},
		"old":    {"306", fill, []string{"python: ", " is Python 3.6; Python 3.8 or later is needed"}},
		"broken": {"hello", fill, []string{"python: ", " does not run; install Python 3.8"}},
		"network": {"311", `echo "WARNING: Retrying after connection broken by 'NewConnectionError: Temporary failure in name resolution'" >&2
echo "ERROR: No matching distribution found for nvidia-nvvm==13.4.92" >&2; exit 1`,
			[]string{"pip install: no network; pip cannot reach its package index", "\n\tERROR: No matching distribution found"}},
		"wheel":      {"311", `echo "ERROR: No matching distribution found for nvidia-nvvm==13.4.92" >&2; exit 1`, []string{"the package index has no such wheel for this system; "}},
		"disk":       {"311", `echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device" >&2; exit 1`, []string{"pip install: the disk is full; about 1 GiB is needed", "CUTILE_CACHE"}},
		"permission": {"311", `echo "ERROR: [Errno 13] Permission denied: 'x'" >&2; exit 1`, []string{"pip install: no permission to write; set CUTILE_CACHE"}},
		"tls":        {"311", `echo "SSLError(SSLCertVerificationError: certificate verify failed)" >&2; exit 1`, []string{"the package index's certificate is not trusted"}},
		"unknown":    {"311", `echo "something else" >&2; exit 9`, []string{"pip install: pip failed: exit status 9; ", "\n\tsomething else"}},
		"no tools":   {"311", "mkdir -p $target", []string{"wheels: they do not contain tileiras; report this"}},
		"bad tool":   {"311", fill + "echo 'exit 5' >$bin/ptxas", []string{"trying ptxas: ", "glibc 2.28"}},
		"no targets": {"311", strings.Replace(fill, "=sm_90", "none", 1), []string{"trying tileiras: it lists no targets or no bytecode versions"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := bare(t)
			t.Setenv("CUTILE_PYTHON", fakePython(t, filepath.Join(dir, "python3"), c.version, c.pip))
			_, err := toolchain.Install(background, toolchain.InstallOptions{})
			var e *toolchain.InstallError
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "toolchain install: ") {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error\n%v\nlacks\n%s", err, want)
				}
			}
			onlyThese(t, filepath.Join(dir, "cache", "toolchain"), "lock")
			if list := toolchain.Installed(); len(list) != 0 {
				t.Errorf("installed: %v", list)
			}
		})
	}
}

func TestInstallChoices(t *testing.T) {
	dir := bare(t)
	t.Setenv("PATH", dir)
	_, noPython := toolchain.Install(background, toolchain.InstallOptions{})
	_, named := toolchain.Install(background, toolchain.InstallOptions{Python: filepath.Join(dir, "none")})
	_, version := toolchain.Install(background, toolchain.InstallOptions{Version: "1.2"})
	restore := toolchain.SetPlatform("darwin/arm64")
	_, platform := toolchain.Install(background, toolchain.InstallOptions{})
	restore()
	check(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	t.Setenv("CUTILE_CACHE", filepath.Join(dir, "file"))
	_, cache := toolchain.Install(background, toolchain.InstallOptions{})
	for want, err := range map[string]error{
		"python: no python3 or python found; install Python 3.8 or later, or name one with CUTILE_PYTHON": noPython,
		"python: no " + filepath.Join(dir, "none") + " found; ":                                           named,
		`version: "1.2" is not known; ask for one of ` + strings.Join(toolchain.Releases(), ", "):         version,
		`platform: NVIDIA has no tools for darwin/arm64; use the device "cpu" here`:                       platform,
		"cache folder: ": cache,
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "toolchain install: "+want) {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
}

// TestInstallReal installs NVIDIA's wheels; it needs a network and takes minutes.
func TestInstallReal(t *testing.T) {
	if os.Getenv("CUTILE_TEST_INSTALL") != "1" {
		t.Skip("set CUTILE_TEST_INSTALL=1 to download the tools")
	}
	path := os.Getenv("PATH")
	bare(t)
	t.Setenv("PATH", path)
	in, err := toolchain.Install(background, toolchain.InstallOptions{Progress: os.Stderr})
	check(t, err)
	tool, err := toolchain.Find(toolchain.Tileiras)
	check(t, err)
	info, err := tool.Info(background)
	check(t, err)
	if tool.Path != in.Tools[toolchain.Tileiras] || info.Version != in.Version {
		t.Errorf("found %+v of version %s, want that of %s", tool, info.Version, in.Dir)
	}
}
