package cuda_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// standInPtxas is a shell script in the place of ptxas, which makes a cubin for sm_75.
func standInPtxas(t *testing.T) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for ptxas is a shell script")
	}
	noTools(t)
	dir = t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "made"), fakecubin.Make("sm_75", "code", vaddName), 0o644))
	script := `#!/bin/sh
case $1 in
--version) echo "release 13.4, V13.4.1"; exit;;
--help) echo "'sm_75','sm_80'"; exit;;
esac
echo run >>` + dir + `/runs
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
/bin/cp "$1" ` + dir + `/text
/bin/cp ` + dir + `/made "$out"
echo "ptxas warning : Registers are spilled to local memory in function 'vadd_zero', 8 bytes spill stores, 12 bytes spill loads" >&2
`
	path := filepath.Join(dir, "ptxas")
	check(t, os.WriteFile(path, []byte(script), 0o755))
	t.Setenv("CUTILE_PTXAS", path)
	return dir
}

// launches vadd of a folder of cubins on sm_75, and gives the calls.
func vaddOfFolder(t *testing.T, folder string, version int) (said notes, calls []string, err error) {
	t.Helper()
	drv := fake.New(fake.Options{Devices: []fake.Device{{Major: 7, Minor: 5, Memory: 1 << 20}}, Version: version, Decode: decodeELF,
		Run: func(*fake.Launch) error { return nil }})
	d, err := cuda.Open(0, cuda.Options{Driver: drv, Cubins: os.DirFS(folder)})
	check(t, err)
	defer d.Close()
	said = notes{}
	k, err := d.Compile(said.context(), vadd(t), vaddName)
	if err != nil {
		return said, nil, err
	}
	s, x := newStream(t, d), alloc(t, d, 16)
	p := x.Address()
	check(t, s.Launch(k, one, []uint64{p, 4, 1, p, 4, 1, p, 4, 1}))
	check(t, s.Wait(background))
	for _, c := range drv.Trace() {
		if c.Name == "cuLaunchKernel" {
			calls = append(calls, c.String())
		}
	}
	return said, calls, nil
}

// TestExportOwn: machine code of our own compiler, made by ptxas, is exported once, and a device launches it as our own code.
func TestExportOwn(t *testing.T) {
	dir, out := standInPtxas(t), filepath.Join(t.TempDir(), "out")
	said := notes{}
	for range 2 {
		check(t, cuda.Export(said.context(), nil, vadd(t), vaddName, out, []string{"sm_75"}))
	}
	if runs(t, dir) != 1 || said["assembler"] != "own" || said["because"] != "tileiras makes no code for sm_75" {
		t.Errorf("%d runs; it said %v", runs(t, dir), said)
	}
	for _, folder := range []string{out, t.TempDir()} { // one that has the code, and one whose code is kept on disk
		spilled := "kernel vadd_zero spills registers to local memory, 8 bytes by stores and 12 bytes by loads in its code: smaller tiles need fewer registers"
		if folder == out {
			spilled = ""
		}
		said := notes{}
		check(t, cuda.Export(said.context(), nil, vadd(t), vaddName, folder, []string{"sm_75"}))
		if said["spills"] != spilled {
			t.Errorf("it said %q, want %q", said["spills"], spilled)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "text"))
	check(t, err)
	if !bytes.Contains(text, []byte(".target sm_75\n")) || !bytes.Contains(text, []byte(".reqntid 128")) {
		t.Errorf("ptxas got\n%s", text)
	}
	m := manifest(t, out)
	if len(m.Files) != 1 || m.Files[0].Target != "sm_75" || m.Files[0].Own == nil || m.Files[0].Own.Block != [3]uint32{128, 1, 1} || m.Bytecodes != nil {
		t.Errorf("the manifest is %+v", m)
	}
	said, calls, err := vaddOfFolder(t, out, 11040)
	check(t, err)
	if len(calls) != 1 || !strings.Contains(calls[0], "[1 1 1], [128 1 1]") || said["code"] != "found in the folder of cubins as "+m.Files[0].File {
		t.Errorf("calls %q, said %v", calls, said)
	}
	about, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	check(t, err)
	before := regexp.MustCompile(`\s*"version": 1,|,\s*"(compiler|sum)": "\w+"`).ReplaceAll(about, nil) // as it was before versions and sums
	check(t, os.WriteFile(filepath.Join(out, "manifest.json"), before, 0o644))
	if _, old, err := vaddOfFolder(t, out, 11040); err != nil || !slices.Equal(old, calls) || len(before) > len(about)-100 {
		t.Errorf("of an old folder: calls %q, want %q, %v; its manifest is\n%s", old, calls, err, before)
	}
	check(t, os.Remove(filepath.Join(out, "manifest.json")))
	if _, _, err := vaddOfFolder(t, out, 11040); err == nil || !strings.Contains(err.Error(), "folder of cubins: manifest.json") {
		t.Errorf("without a manifest: %v", err)
	}
	check(t, os.WriteFile(filepath.Join(out, "manifest.json"), []byte("{}"), 0o644))
	if _, _, err := vaddOfFolder(t, out, 11040); err == nil || !strings.Contains(err.Error(), "does not say how ") {
		t.Errorf("with an empty manifest: %v", err)
	}
}

// TestExportOwnErrors: what is missing is named, and a choice holds.
func TestExportOwnErrors(t *testing.T) {
	noTools(t)
	m, out := vadd(t), t.TempDir()
	err := cuda.Export(background, nil, m, vaddName, out, []string{"sm_75"})
	if !errors.Is(err, toolchain.ErrNotFound) || !strings.Contains(err.Error(), "kernel vadd_zero: code for sm_75 by our own compiler, since tileiras makes no code for sm_75: ptxas not found") {
		t.Errorf("without ptxas: %v", err)
	}
	t.Setenv(cuda.AssemblerEnv, "tileiras")
	if err := cuda.Export(background, nil, m, vaddName, out, []string{"sm_90"}); !errors.Is(err, toolchain.ErrNotFound) || !strings.Contains(err.Error(), "tileiras not found") {
		t.Errorf("without tileiras, which was chosen: %v", err)
	}
	t.Setenv(cuda.AssemblerEnv, "other")
	if err := cuda.Export(background, nil, m, vaddName, out, []string{"sm_90"}); err == nil || err.Error() != `CUTILE_ASSEMBLER is "other": expected own or tileiras` {
		t.Errorf("a wrong choice: %v", err)
	}
	if err := cuda.Kind(cuda.Options{}).Check(engine.Options{}); err == nil {
		t.Error("a wrong choice is no error of Open")
	}
}

// TestExportOwnReal makes machine code by NVIDIA's ptxas for GPUs of each age.
func TestExportOwnReal(t *testing.T) {
	t.Setenv("CUTILE_PTXAS", testenv.Tool(t, toolchain.Ptxas))
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv(cuda.AssemblerEnv, cuda.AssemblerOwn)
	out := t.TempDir()
	want := []string{"sm_100", "sm_120", "sm_75", "sm_80", "sm_87", "sm_90"}
	check(t, cuda.Export(background, nil, vadd(t), vaddName, out, want))
	var got []string
	for _, f := range manifest(t, out).Files {
		got = append(got, f.Target)
		cubin, err := os.ReadFile(filepath.Join(out, f.File))
		check(t, err)
		check(t, toolchain.CheckCubin(cubin, f.Target, vaddName))
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("targets %q, want %q", got, want)
	}
	said, calls, err := vaddOfFolder(t, out, 11040)
	check(t, err)
	delete(said, "code")
	if len(calls) != 1 || !maps.Equal(said, notes{"assembler": "own", "because": "code of tileiras needs a driver for CUDA 13.0 (release R580) or later"}) {
		t.Errorf("calls %q, said %v", calls, said)
	}
}

// TestCheckTargetsOwn: sm_75 is a target of our own compiler, which messages name unless tileiras was chosen; sm_70 is none.
func TestCheckTargetsOwn(t *testing.T) {
	const all, tileirasOnly = "(sm_75, sm_80, sm_86, ", "(sm_80, sm_86, "
	for _, c := range []struct{ assembler, target, want string }{
		{"", "sm_75", ""}, {"own", "sm_75", ""}, {"own", "sm_87", ""}, {"", "sm_90a", ""}, {"tileiras", "sm_90a", ""}, {"tileiras", tileir.Newest.String(), ""},
		{"tileiras", "sm_75", "tileiras, which CUTILE_ASSEMBLER asks for, makes no code for the target sm_75, but for sm_80, "},
		{"tileiras", "sm_75", "our own compiler does (CUTILE_ASSEMBLER=own)"},
		{"", "turing", `the target "turing" is neither a GPU ` + all}, {"own", "turing", `the target "turing" is neither a GPU ` + all},
		{"tileiras", "turing", `the target "turing" is neither a GPU ` + tileirasOnly}, {"", "sm_70", `the target "sm_70" is neither a GPU ` + all},
	} {
		t.Setenv(cuda.AssemblerEnv, c.assembler)
		err := cuda.CheckTargets([]string{c.target})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %q: %v, want %q", c.target, c.assembler, err, c.want)
		}
	}
}
