package cuda_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir"
)

// exported is a folder with PTX of vadd for targets.
func exported(t *testing.T, targets ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	check(t, cuda.Export(background, nil, vadd(t), vaddName, dir, targets))
	return dir
}

// fileOf is the file of a target in a folder.
func fileOf(t *testing.T, dir, target string) string {
	t.Helper()
	for _, f := range manifest(t, dir).Files {
		if f.Target == target {
			return f.File
		}
	}
	t.Fatalf("the folder has nothing for %s", target)
	return ""
}

// TestExportPTX: PTX is made without a tool, in the oldest version that has what it uses, and GPUs load the best that they and their
// drivers take.
func TestExportPTX(t *testing.T) {
	noTools(t)
	dir := exported(t, "own:sm_75", "own:sm_90", "own:sm_90a", "own:sm_100a")
	for _, c := range []struct{ target, head string }{
		{"sm_75", ".version 7.4\n.target sm_75\n"}, {"sm_90", ".version 7.8\n.target sm_90\n"}, {"sm_90a", ".version 8.0\n.target sm_90a\n"}, {"sm_100a", ".version 8.6\n.target sm_100a\n"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, fileOf(t, dir, c.target)))
		check(t, err)
		if !strings.HasPrefix(string(text), c.head) {
			t.Errorf("%s: the file begins %.40q", c.target, text)
		}
	}
	for _, f := range manifest(t, dir).Files {
		if f.Own == nil || f.Own.Block != [3]uint32{128, 1, 1} || f.Own.Compiler != threads.Version || f.Own.Tensors != nil || f.Kernel != vaddName || f.Sum == "" {
			t.Errorf("the manifest has %+v", f)
		}
	}
	for _, c := range []struct {
		major, minor, driver int
		want                 string
		passed               string
	}{
		{7, 5, 11040, "sm_75", ""}, {8, 9, 13040, "sm_75", ""}, {9, 0, 11080, "sm_90", ".sm_90a.own.ptx is PTX 8.0, and the driver takes versions up to 7.8"},
		{9, 0, 13040, "sm_90a", ""}, {9, 0, 11060, "sm_75", ".own.ptx is PTX 7.8, and the driver takes versions up to 7.6"}, {12, 0, 13000, "sm_90", ""}, {10, 0, 13000, "sm_100a", ""},
	} {
		gpu := &simttest.GPU{Device: fake.Device{Major: c.major, Minor: c.minor, Memory: 1 << 20}, CUDA: c.driver}
		said, image := addsUp(t, gpu.Driver(), cuda.Options{Cubins: os.DirFS(dir)})
		name := fileOf(t, dir, c.want)
		if passed := said["passed"]; (passed == "") != (c.passed == "") || !strings.Contains(passed, c.passed) {
			t.Errorf("sm_%d%d, driver %d: it passed over %q, want %q", c.major, c.minor, c.driver, passed, c.passed)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		if said["code"] != "found in the folder of cubins as "+name || image < len(text) || image > len(text)+1 {
			t.Errorf("sm_%d%d, driver %d: it loaded %d bytes and said %v, want %s of %d bytes", c.major, c.minor, c.driver, image, said, name, len(text))
		}
	}
}

// TestNoTool: where machine code takes a tool that is missing, the error names the target that takes none.
func TestNoTool(t *testing.T) {
	noTools(t)
	err := cuda.Export(background, nil, vadd(t), vaddName, t.TempDir(), []string{"sm_90"})
	if err == nil || !strings.Contains(err.Error(), "PTX takes no tool: ask for own:sm_90") {
		t.Errorf("the error is %v", err)
	}
}

// TestOtherPlace: a program finds code that was exported by one that was built elsewhere, or with other lines.
func TestOtherPlace(t *testing.T) {
	noTools(t)
	m, dir := vadd(t), t.TempDir()
	place := tileir.Loc{File: "/elsewhere/vadd.go", Line: 77, Col: 3}
	m.Entries[0].Loc = place
	for op := range m.Entries[0].All() {
		op.Loc = place
	}
	check(t, cuda.Export(background, nil, m, vaddName, dir, []string{"own:sm_90a"}))
	gpu := &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 20}, CUDA: 13040}
	said, _ := addsUp(t, gpu.Driver(), cuda.Options{Cubins: os.DirFS(dir)})
	if want := "found in the folder of cubins as " + fileOf(t, dir, "sm_90a"); said["code"] != want {
		t.Errorf("it said %v, want %q", said, want)
	}
}

// TestTooNewPTX: where a driver takes none of the PTX, the kernel is compiled, and a log says why; so does an error of that.
func TestTooNewPTX(t *testing.T) {
	noTools(t)
	dir := exported(t, "own:sm_90a")
	old := &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 20}, CUDA: 11080}
	said, _ := addsUp(t, old.Driver(), cuda.Options{Cubins: os.DirFS(dir)})
	want := fmt.Sprintf("of the folder of cubins, %s is PTX 8.0, and the driver takes versions up to 7.8", fileOf(t, dir, "sm_90a"))
	if said["passed"] != want || said["code"] != "compiled to PTX" {
		t.Errorf("it said %v, want %q", said, want)
	}
	t.Setenv(cuda.CacheSizeEnv, "much")
	d, err := cuda.Open(0, cuda.Options{Driver: old.Driver(), Cubins: os.DirFS(dir)})
	check(t, err)
	defer d.Close()
	if _, err := d.Compile(background, vadd(t), vaddName); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}

// TestFolderFirst: a folder's code comes before what would have to be made, tileiras's before ours, and a choice holds.
func TestFolderFirst(t *testing.T) {
	dir := standInTileiras(t)
	folder := exported(t, "own:sm_90")
	run := func() bool { return runs(t, dir) > 0 }
	said, _ := addsUp(t, hopper().Driver(), cuda.Options{Cubins: os.DirFS(folder)})
	if want := "the folder of cubins comes first"; run() || said["because"] != want || said["code"] != "found in the folder of cubins as "+fileOf(t, folder, "sm_90") {
		t.Errorf("tileiras was run: %v; it said %v", run(), said)
	}
	for _, o := range []cuda.Options{{Choice: cuda.AssemblerTileiras}, {}} {
		o.Driver, o.Cubins = fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20}}, Decode: decodeELF}), os.DirFS(folder)
		if o.Choice == "" {
			check(t, cuda.Export(background, nil, vadd(t), vaddName, folder, []string{"sm_90"}))
		}
		d, err := cuda.Open(0, o)
		check(t, err)
		said := notes{}
		_, err = d.Compile(said.context(), vadd(t), vaddName)
		check(t, err)
		if said["assembler"] != "" || !run() {
			t.Errorf("%q: it said %v", o.Choice, said)
		}
		check(t, d.Close())
	}
}

// TestDamagedPTX: a folder with a damaged file or description is refused, and what is missing is not taken for code that was never there.
func TestDamagedPTX(t *testing.T) {
	noTools(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"cut off":       {"", "", "do not belong together"},
		"missing":       {"", "", "folder of cubins: open "},
		"no block":      {`128`, `0`, "is launched: the block is [0 1 1]: make the folder again"},
		"a large block": {`128`, `2048`, "is launched: the block is [2048 1 1]"},
		"another block": {`128`, `64`, "do not belong together"},
		"no version":    {`"ptx": 74`, `"ptx": 0`, "is launched: the version of PTX is 0"},
		"another one":   {`"ptx": 74`, `"ptx": 73`, "do not belong together"},
		"no sum":        {`,\s*"sum": "\w+"`, "", "is launched: there is no sum"},
		"other kernel":  {`"kernel": "vadd_zero"`, `"kernel": "v"`, "is launched: it has v for sm_75, not vadd_zero for sm_75"},
		"not listed":    {`"file": "`, `"file": "x`, "is launched: it does not list the file"},
		"of tileiras":   {`"own"`, `"owm"`, "is launched: there is nothing about our own compiler"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := exported(t, "own:sm_75")
			path, file := filepath.Join(dir, "manifest.json"), filepath.Join(dir, fileOf(t, dir, "sm_75"))
			text, err := os.ReadFile(path)
			check(t, err)
			if !regexp.MustCompile(c.old).Match(text) {
				t.Fatalf("the manifest is\n%s", text)
			}
			check(t, os.WriteFile(path, regexp.MustCompile(c.old).ReplaceAll(text, []byte(c.new)), 0o644))
			switch name {
			case "cut off":
				info, err := os.Stat(file)
				check(t, errors.Join(err, os.Truncate(file, info.Size()-1)))
			case "missing":
				check(t, os.Remove(file))
			}
			d, err := cuda.Open(0, cuda.Options{Driver: turing().Driver(), Cubins: os.DirFS(dir)})
			check(t, err)
			defer d.Close()
			if _, err = d.Compile(background, vadd(t), vaddName); err == nil || !strings.Contains(err.Error(), "folder of cubins: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			check(t, cuda.Export(background, nil, vadd(t), vaddName, dir, []string{"own:sm_75"})) // which makes it again
			addsUp(t, turing().Driver(), cuda.Options{Cubins: os.DirFS(dir)})
		})
	}
}

// TestExportPTXAgain: PTX of another version of the compiler is made again.
func TestExportPTXAgain(t *testing.T) {
	noTools(t)
	dir := exported(t, "own:sm_75")
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	check(t, err)
	m := manifest(t, dir)
	f := &m.Files[0]
	code, err := os.ReadFile(filepath.Join(dir, f.File))
	check(t, err)
	for _, version := range []string{"1", threads.Version} {
		f.Sum, f.Own.Compiler = "", version
		about, err := json.Marshal(f)
		check(t, err)
		f.Sum = fmt.Sprintf("%x", sha256.Sum256(append(code[:len(code):len(code)], about...)))
		var changed bytes.Buffer
		e := json.NewEncoder(&changed)
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		check(t, e.Encode(m))
		if same := changed.String() == string(text); same != (version == threads.Version) {
			t.Errorf("version %s: the manifest is as it was: %v", version, same)
		}
		if version == "1" {
			check(t, os.WriteFile(path, changed.Bytes(), 0o644))
			addsUp(t, turing().Driver(), cuda.Options{Cubins: os.DirFS(dir)}) // which takes it
		}
	}
	check(t, cuda.Export(background, nil, vadd(t), vaddName, dir, []string{"own:sm_75"}))
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
		t.Errorf("the manifest is %v\n%s\nwant\n%s", err, again, text)
	}
}

// TestRefusedFolderPTX: what the driver says of a folder's PTX names the file.
func TestRefusedFolderPTX(t *testing.T) {
	noTools(t)
	dir := exported(t, "own:sm_75")
	refuses := fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20}}, Decode: func([]byte) (*fake.Cubin, error) { return nil, errors.New("no") }})
	d, err := cuda.Open(0, cuda.Options{Driver: refuses, Cubins: os.DirFS(dir)})
	check(t, err)
	defer d.Close()
	_, err = d.Compile(background, vadd(t), vaddName)
	for _, want := range []string{"folder of cubins: " + fileOf(t, dir, "sm_75") + ": ", "loading kernel vadd_zero: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestExportPTXMistakes: targets that are none.
func TestExportPTXMistakes(t *testing.T) {
	for target, want := range map[string]string{
		"own:sm_70": `the target "own:sm_70", PTX of our own compiler: there is no target "sm_70": choose one of sm_75, sm_80, `, "own:": `there is no target ""`,
		"own:13.4": `there is no target "13.4"`, "ptx:sm_90": `the target "ptx:sm_90" is neither`, "own:sm_90 ": "there is no target",
	} {
		if err := cuda.CheckTargets([]string{target}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", target, err, want)
		}
		if err := cuda.Export(background, nil, vadd(t), vaddName, t.TempDir(), []string{target}); err == nil {
			t.Errorf("%q: something is exported", target)
		}
	}
}
