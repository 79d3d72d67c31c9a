package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/toolbox/doctor"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// TestDoctorDistrusts: what others may have written is told with what to do.
func TestDoctorDistrusts(t *testing.T) {
	cache := noTools(t)
	dir := installed(t, cache, toolchain.Releases()[0])
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, out, _ := cutile("doctor")
	if want := dir + " is not used: everybody may write there; take that permission away (chmod o-w)"; !strings.Contains(out, want) {
		t.Errorf("%q is missing in\n%s", want, out)
	}
}

// tool is a shell script that answers as NVIDIA's tools do.
var tool = `#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release 13.4, V13.4.92" ;;
--list-versions) echo 13.1; echo 13.3 ;;
--help) echo "--gpu-name=sm_90, sm_100" ;;
*) [ "$2" = -o ] && ` + fakecubin.Printf(fakecubin.Make("sm_90", "code", "vadd_zero")) + ` >"$3" ;;
esac
`

// fakeTools is a folder with such tools.
func fakeTools(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tools of this test are shell scripts")
	}
	dir := t.TempDir()
	for _, name := range toolchain.Names() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(tool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDoctorMachine asks this machine, with tools of ours.
func TestDoctorMachine(t *testing.T) {
	dir := fakeTools(t)
	t.Setenv(toolchain.ToolsEnv, dir)
	t.Setenv(toolchain.CacheEnv, t.TempDir())
	code, out, errs := cutile("doctor", "-json")
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("exit code %d, %v, %s", code, err, errs)
	}
	as := r.Tool(toolchain.Tileiras)
	if as.Path != filepath.Join(dir, "tileiras") || as.Version != "13.4.92" || strings.Join(as.Bytecodes, " ") != "13.1 13.3" || strings.Join(as.Targets, " ") != "sm_90 sm_100" {
		t.Errorf("got %+v", as)
	}
	if r.Cores < 1 || r.System != runtime.GOOS+"/"+runtime.GOARCH || r.Driver.Found != (r.Driver.CUDA != "") && r.Driver.Error == "" {
		t.Errorf("got %+v", r)
	}
	if r.Code.Processor == "" || (r.Code.Error != "") != (r.Code.Level == "interpreter") || (len(r.Code.Features) == 0) != (r.Code.Error != "") {
		t.Errorf("got %+v", r.Code)
	}
}

// TestDoctorCPU: the report follows CUTILE_CPU, and shows a wrong value.
func TestDoctorCPU(t *testing.T) {
	noTools(t)
	for value, want := range map[string]string{
		"interpreter": "machine code  cannot run, so that kernels are interpreted: CUTILE_CPU=interpreter asks for it\n",
		"z80":         `cannot run, so that kernels are interpreted: CUTILE_CPU="z80" is not known: "z80" is no level; write interpreter, `,
	} {
		t.Setenv("CUTILE_CPU", value)
		if _, out, _ := cutile("doctor"); !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// TestDoctorTools asks NVIDIA's own tools.
func TestDoctorTools(t *testing.T) {
	path := testenv.Tool(t, toolchain.Tileiras)
	_, out, _ := cutile("doctor")
	for _, want := range []string{path, "reads bytecode 13.1, ", "makes code for sm_80, ", "sm_90"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}
