package cuda_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

func manifest(t *testing.T, dir string) (m cuda.Manifest) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	check(t, err)
	check(t, json.Unmarshal(data, &m))
	return m
}

// TestExport: a module in each form that is asked for, the manifest, and that nothing is made twice.
func TestExport(t *testing.T) {
	m, dir := vadd(t), filepath.Join(t.TempDir(), "out")
	a := &assembler{versions: []tileir.Version{tileir.V13_1, tileir.V13_2}}
	check(t, cuda.Export(background, a, m, vaddName, dir, []string{"13.2", "sm_90", "sm_100"}))
	if len(a.jobs) != 2 || a.jobs[0].Version != tileir.V13_2 || a.jobs[0].Target != "sm_90" || a.jobs[1].Target != "sm_100" {
		t.Errorf("jobs %+v", a.jobs)
	}
	check(t, cuda.Export(background, a, m, vaddName, dir, []string{"sm_100", "13.2", "13.3", "sm_120"}))
	if len(a.jobs) != 3 {
		t.Errorf("%d jobs, want one more", len(a.jobs))
	}
	got := manifest(t, dir)
	var files []string
	for _, f := range got.Files {
		files = append(files, f.Target+" "+f.Bytecode.String())
		if f.Kernel != vaddName || len(f.Params) == 0 || f.Params[0] != "tile<ptr<f32>>" {
			t.Errorf("%+v", f)
		}
		data, err := os.ReadFile(filepath.Join(dir, f.File))
		check(t, err)
		if f.Target == "" {
			_, version, err := bytecode.Read(data)
			check(t, err)
			if version != f.Bytecode || !strings.HasSuffix(f.File, "."+f.Bytecode.String()+".tileirbc") {
				t.Errorf("%s is of version %s", f.File, version)
			}
		}
	}
	if want := []string{" 13.2", " 13.3", "sm_100 13.2", "sm_120 13.2", "sm_90 13.2"}; !slices.Equal(slices.Sorted(slices.Values(files)), want) || !slices.Equal(got.Bytecodes, a.versions) {
		t.Errorf("files %q, versions %v", files, got.Bytecodes)
	}
	for name, c := range map[string]struct {
		asm     cuda.Assembler
		entry   string
		dir     string
		targets []string
	}{
		"no entry":  {a, "other", dir, []string{"sm_90"}},
		"reads no":  {&assembler{}, vaddName, t.TempDir(), []string{"sm_90"}},
		"no folder": {a, vaddName, filepath.Join(dir, got.Files[0].File), []string{"13.2"}},
	} {
		if err := cuda.Export(background, c.asm, m, c.entry, c.dir, c.targets); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDamagedFolder: a folder whose manifest or files cannot be read is an error, not an empty folder.
func TestDamagedFolder(t *testing.T) {
	m, dir := vadd(t), t.TempDir()
	a := &assembler{versions: []tileir.Version{tileir.V13_1}}
	check(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{"), 0o644))
	if err := cuda.Export(background, a, m, vaddName, dir, []string{"sm_90"}); err == nil || !strings.Contains(err.Error(), "folder of cubins: ") {
		t.Errorf("a manifest that is none: %v", err)
	}
	if _, err := (&cuda.Prebuilt{FS: os.DirFS(dir), Next: a}).Versions(background); err == nil || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("versions of a manifest that is none: %v", err)
	}
	check(t, os.Remove(filepath.Join(dir, "manifest.json")))
	job := cuda.Job{Bytecode: []byte("x"), Target: "sm_90", Module: m}
	check(t, os.Mkdir(filepath.Join(dir, cuda.CubinName(job.Bytecode, job.Target)), 0o755))
	if _, err := (&cuda.Prebuilt{FS: os.DirFS(dir), Next: a}).Assemble(background, job); err == nil || !strings.Contains(err.Error(), "folder of cubins: ") {
		t.Errorf("a folder in the place of a cubin: %v", err)
	}
	failing := errors.New("no")
	if _, err := (&cuda.Recorder{Dir: t.TempDir(), Next: failingAssembler{failing}}).Assemble(background, job); !errors.Is(err, failing) {
		t.Error(err)
	}
	if err := cuda.Export(background, failingAssembler{failing}, m, vaddName, t.TempDir(), []string{"sm_90"}); !errors.Is(err, failing) {
		t.Error(err)
	}
}

// TestChangedFolder: what has changed since it was written is not loaded, nor what another version has written. Folders from before there
// were versions and sums are.
func TestChangedFolder(t *testing.T) {
	noTools(t)
	m, a := vadd(t), &assembler{versions: []tileir.Version{tileir.V13_1}}
	for name, c := range map[string]struct{ old, new, want string }{
		"unchanged":   {"", "", ""},
		"old":         {`(?s)"version": 1,|,\s*"sum": "\w+"`, "", ""},
		"a parameter": {`ptr<f32`, `ptr<f16`, "do not belong together"},
		"a kernel":    {`"kernel": "`, `"kernel": "x`, "do not belong together"},
		"newer":       {`"version": 1`, `"version": 2`, "folder of cubins: manifest.json: it is of version 2, and this program reads versions up to 1: make the folder with this program"},
		"cut off":     {`\}\s*\]\s*\}\s*$`, "", "folder of cubins: manifest.json: unexpected end of JSON input"},
		"cubin":       {"", "", "sm_90.cubin and what manifest.json says of it do not belong together, as one of them has changed: make the folder again"},
	} {
		dir := t.TempDir()
		check(t, cuda.Export(background, a, m, vaddName, dir, []string{"sm_90"}))
		path, file := filepath.Join(dir, "manifest.json"), filepath.Join(dir, manifest(t, dir).Files[0].File)
		text, err := os.ReadFile(path)
		check(t, err)
		if !regexp.MustCompile(c.old).Match(text) {
			t.Fatalf("%s: the manifest is\n%s", name, text)
		}
		check(t, os.WriteFile(path, regexp.MustCompile(c.old).ReplaceAll(text, []byte(c.new)), 0o644))
		if name == "cubin" {
			check(t, os.Truncate(file, 10))
		}
		for _, o := range []cuda.Options{
			{Driver: fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20}}}), Assembler: &cuda.Prebuilt{FS: os.DirFS(dir)}},
			{Driver: hopper().Driver(), Cubins: os.DirFS(dir)}, // and our own compiler, which does not take its place
		} {
			if c.want == "" && o.Assembler == nil {
				continue // that driver takes PTX alone
			}
			d, err := cuda.Open(0, o)
			check(t, err)
			if _, err = d.Compile(background, m, vaddName); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			check(t, d.Close())
		}
	}
}

type failingAssembler struct{ err error }

func (a failingAssembler) Versions(context.Context) ([]tileir.Version, error) { return nil, a.err }
func (a failingAssembler) Assemble(context.Context, cuda.Job) ([]byte, error) { return nil, a.err }

// TestOpenCubins: a folder, an archive of one, and what is neither.
func TestOpenCubins(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "a.cubin"), []byte("code"), 0o644))
	archive := filepath.Join(dir, "a.zip")
	out, err := os.Create(archive)
	check(t, err)
	z := zip.NewWriter(out)
	w, err := z.Create("a.cubin")
	check(t, err)
	_, err = w.Write([]byte("code"))
	check(t, errors.Join(err, z.Close(), out.Close()))
	for _, path := range []string{dir, archive} {
		files, err := cuda.OpenCubins(path)
		check(t, err)
		if data, err := fs.ReadFile(files, "a.cubin"); string(data) != "code" {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	check(t, os.WriteFile(filepath.Join(dir, "b.zip"), []byte("code"), 0o644))
	above := filepath.Dir(dir)
	check(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{}"), 0o644))
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "none: ", filepath.Join(dir, "none.zip"): "none.zip: ", filepath.Join(dir, "b.zip"): "b.zip: ",
		filepath.Join(dir, "a.cubin"): "a.cubin: it is a file: want a folder, or an archive whose name ends in .zip",
		above:                         fmt.Sprintf("folder of cubins %s: it has no manifest.json, but its folder %s has: give that one", above, filepath.Base(dir)),
	} {
		if _, err := cuda.OpenCubins(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestFolderMistakes: a device does not open with files that cannot be a folder of code.
func TestFolderMistakes(t *testing.T) {
	kind := cuda.Kind(cuda.Options{Driver: fake.New(fake.Options{Devices: []fake.Device{{Major: 9}}})})
	for _, c := range []struct {
		files fs.FS
		want  string
	}{
		{fstest.MapFS{}, ""}, {fstest.MapFS{"README": {}}, ""}, {fstest.MapFS{"cubins/a.cubin": {}}, ""}, {fstest.MapFS{"manifest.json": {}, "old/manifest.json": {}}, ""},
		{fstest.MapFS{"cubins/manifest.json": {}}, `its folder cubins has: give that one (of files such as an embed.FS, fs.Sub(files, "cubins"))`},
		{os.DirFS(filepath.Join(t.TempDir(), "none")), "none: open .: "},
	} {
		err := kind.Check(engine.Options{Code: c.files})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.files, err, c.want)
		}
	}
}

// TestTensorMapRefusals: maps that no GPU of the kind has.
func TestTensorMapRefusals(t *testing.T) {
	for _, c := range []struct {
		major int
		m     engine.TensorMap
		want  string
	}{
		{8, engine.TensorMap{Type: "f32", Rank: 1}, "sm_80 has no tensor maps: they need sm_90"}, {9, engine.TensorMap{Type: "f31", Rank: 1}, "no tensor map of rank 1 has elements of type f31"},
		{9, engine.TensorMap{Type: "f32"}, "no tensor map of rank 0"}, {9, engine.TensorMap{Type: "f32", Rank: 6}, "no tensor map of rank 6"}, {9, engine.TensorMap{Type: "f32", Rank: 5}, "NOT_FOUND"},
	} {
		_, d := open(t, fake.Options{Devices: []fake.Device{{Major: c.major, Memory: 1 << 20}}})
		if _, err := d.TensorMap(c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.m, err, c.want)
		}
		check(t, d.Close())
		if _, err := d.TensorMap(engine.TensorMap{Type: "f32", Rank: 1}); err == nil {
			t.Error("a tensor map of a closed device")
		}
	}
}
