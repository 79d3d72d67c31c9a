package cutile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/simt/cubin"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestSpecs compiles before there are tensors; the launch that follows compiles nothing.
func TestSpecs(t *testing.T) {
	dev := open(t)
	spec := cutile.SpecOf[float32](100)
	p, err := cutile.Prepare(t.Context(), dev, scale[tile.D32], spec, 2, spec)
	must(t, err)
	before := cutile.CompileStats().Compiled
	x, z := ramp(t, dev, 100), zeros[float32](t, dev, 100)
	fails(t, p.Launch(t.Context()), "argument #1 (x) is a cutile.Spec, which has no elements: launch with tensors", "argument #3 (z) is a cutile.Spec")
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D32], x, 2, z))
	must(t, p.Launch(t.Context(), x, 3, z))
	holds(t, "after a Spec", z.Narrow(0, 98, 100), "[297 300]")
	if n := cutile.CompileStats().Compiled - before; n != 0 {
		t.Errorf("compiled %d times after Prepare", n)
	}
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D32], spec, 2, z), "argument #1 (x) is a cutile.Spec")
	_, err = cutile.Prepare(t.Context(), dev, scale[tile.D32], cutile.SpecOf[float32](4, 4), 2, spec)
	fails(t, err, "expects argument #1 (x) to be a rank-1 tensor of float32, but got cutile.Spec[float32] of rank 2")
	_, err = cutile.Prepare(t.Context(), dev, scale[tile.D32], cutile.SpecOf[float32](-1), 2, spec)
	fails(t, err, "argument #1 (x): cutile.SpecOf[float32]: ")
}

// TestExport writes bytecode, makes a folder of cubins of it as an assembler would, and launches from that folder on a GPU
// without an assembler.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	spec := cutile.SpecOf[float32](10)
	for range 2 { // the second time writes the same
		must(t, cutile.Export(t.Context(), dir, []string{"13.1", "13.4"}, scale[tile.D4], spec, 2, spec))
	}
	manifest, files := readManifest(t, dir)
	if len(files) != 2 || files[0].Kernel != "cutile_test_scale_D4" || files[0].Target != "" || files[0].Bytecode.Major() != 13 ||
		strings.Join(files[0].Params[:2], " ") != "tile<ptr<f32>> tile<i32>" || !strings.HasPrefix(files[0].Position, "kernels_test.go:") {
		t.Fatalf("the manifest says %s", manifest)
	}
	newest := files[slices.IndexFunc(files, func(f manifestFile) bool { return f.Bytecode == tileir.Newest })]
	code, err := os.ReadFile(filepath.Join(dir, newest.File))
	must(t, err)
	m, version, err := bytecode.Read(code)
	must(t, err)
	if version != newest.Bytecode || m.Entries[0].Name != newest.Kernel {
		t.Errorf("%s holds %v of version %v", newest.File, m.Entries[0].Name, version)
	}

	cubins := filepath.Join(dir, "cubins")
	r := &cuda.Recorder{Dir: cubins, Next: assembler{}}
	_, err = r.Assemble(t.Context(), cuda.Job{Bytecode: code, Version: tileir.Newest, Target: "sm_90", Module: m, Entry: m.Entries[0]})
	must(t, err)
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(dir, "none"))
	drv := fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20}}, Run: func(*fake.Launch) error { return nil }})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	dev, err := cutile.Open("cuda", cutile.WithCubins(os.DirFS(cubins)))
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z))
	must(t, dev.Sync(t.Context()))
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D8], x, 2, z), "the folder of cubins, making code for sm_90 from bytecode 13.4, has no ")
}

type manifestFile = cuda.ManifestFile

func readManifest(t *testing.T, dir string) (text []byte, files []manifestFile) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	must(t, err)
	var m cuda.Manifest
	must(t, json.Unmarshal(text, &m))
	return text, m.Files
}

// TestExportCubins asks NVIDIA's assembler, and finds what it made in the cache folder the next time.
func TestExportCubins(t *testing.T) {
	testenv.Tool(t, toolchain.Tileiras)
	dir, spec := t.TempDir(), cutile.SpecOf[float32](10)
	before := cutile.CompileStats()
	must(t, cutile.Export(t.Context(), dir, []string{"sm_90", "sm_100"}, scale[tile.D16], spec, 2, spec))
	must(t, cutile.Export(t.Context(), t.TempDir(), []string{"sm_90"}, scale[tile.D16], spec, 2, spec))
	if text, files := readManifest(t, dir); len(files) != 2 || files[0].Target != "sm_100" || files[1].Target != "sm_90" {
		t.Errorf("the manifest says %s", text)
	}
	var d struct{ Kernels []engine.Interface }
	must(t, json.Unmarshal(must1(os.ReadFile(filepath.Join(dir, "manifest.json")))(t), &d))
	for _, f := range must1(filepath.Glob(filepath.Join(dir, "*.cubin")))(t) {
		list := must1(cubin.Read(must1(os.ReadFile(f))(t)))(t)
		if len(d.Kernels) != 1 || len(list) != 1 || list[0].Name != d.Kernels[0].Symbol || len(list[0].Params) != len(d.Kernels[0].Params) {
			t.Fatalf("%s has %+v, and the manifest %+v", f, list, d.Kernels)
		}
		for i, p := range d.Kernels[0].Params {
			if got := list[0].Params[i].Size(); got != p.Size {
				t.Errorf("%s: %s has %d bytes, and by the manifest %d", f, p.Name, got, p.Size)
			}
		}
	}
	after := cutile.CompileStats()
	if found, made := after.Found-before.Found, after.Assembled-before.Assembled; found+made != 3 || found < 1 || after.CacheErr != nil {
		t.Errorf("%d found and %d assembled of 3 (%v)", found, made, after.CacheErr)
	}
	fails(t, cutile.Export(t.Context(), dir, []string{"sm_999"}, scale[tile.D16], spec, 2, spec), "making code for sm_999 from bytecode ", "does not know this GPU; it knows sm_80")
}

func TestExportMistakes(t *testing.T) {
	spec := cutile.SpecOf[float32](10)
	dir := t.TempDir()
	fails(t, cutile.Export(t.Context(), dir, nil, 3), "a kernel is a Go function, not int")
	fails(t, cutile.Export(t.Context(), dir, []string{"13.4"}, scale[tile.D4], spec), "expects 3 arguments (x, by, z), but got 1")
	fails(t, cutile.Export(t.Context(), dir, []string{"13.4"}, wrong, cutile.SpecOf[float32](4)), "kernels_test.go:")
	for target, want := range map[string]string{
		"99.1": `cutile: export of cutile_test.scale[D4]: the target "99.1" is neither a GPU (sm_75, sm_80, `, "sm_5": "sm_121, or newer) nor a version of the bytecode (13.1, 13.2, 13.3, 13.4)",
		"sm_90x": `the target "sm_90x" is`, "90": "is neither", "": `the target "" is neither`, " 13.4": "is neither",
	} {
		fails(t, cutile.Export(t.Context(), dir, []string{"13.4", target}, scale[tile.D4], spec, 2, spec), want)
	}
	fails(t, cutile.Export(t.Context(), dir, nil, scale[tile.D4], spec, 2, spec), "export of cutile_test.scale[D4]: no targets are given: name GPUs, such as sm_90, or own:sm_80 for PTX of our own compiler, or versions of the bytecode, such as 13.4")
	fails(t, cutile.Export(t.Context(), "", []string{"13.4"}, scale[tile.D4], spec, 2, spec), "export of cutile_test.scale[D4]: the name of the folder is empty: name the folder to write to")
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o644))
	fails(t, cutile.Export(t.Context(), file, []string{"13.4"}, scale[tile.D4], spec, 2, spec), "export of cutile_test.scale[D4]: folder of cubins: ")
	if left, _ := filepath.Glob(filepath.Join(dir, "*.*")); left != nil {
		t.Errorf("mistakes leave files: %v", left)
	}
}
