package cutile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// refusing is an assembler that takes nothing.
type refusing struct{}

func (refusing) Versions(context.Context) ([]tileir.Version, error) { return tileir.Versions(), nil }

func (refusing) Assemble(_ context.Context, job cuda.Job) ([]byte, error) {
	return nil, &cuda.AssemblyError{Job: job, Tool: toolchain.Tool{Name: "tileiras", Path: "/none/tileiras"}, ToolVersion: "1.2", Reason: "failed"}
}

// TestBundle: a launch whose module the assembler refuses leaves, where CUTILE_DEBUG asks for it, source, facts, bytecode
// and command in a folder that the message names; else nothing.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	drv := fake.New(fake.Options{Devices: []fake.Device{{Major: 9, Memory: 1 << 20}}})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: refusing{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z), "tileiras 1.2, making code for sm_90 from bytecode 13.4, failed")
	t.Setenv("CUTILE_DEBUG", "backtrace,bundle="+dir)
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z), "failed; the files to reproduce it are in "+dir)
	folders, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if len(folders) == 0 {
		t.Fatal("there is no folder")
	}
	for name, want := range map[string]string{"facts.txt": "kernel ", "kernel.tileir": "entry @", "repeat.sh": "'/none/tileiras' '--gpu-name=sm_90' -o kernel.cubin",
		"kernel.tileirbc": "", "versions.txt": "tileiras 1.2", "output.txt": "failed"} {
		b, err := os.ReadFile(filepath.Join(folders[0], name))
		if err != nil || len(b) == 0 || !strings.Contains(string(b), want) {
			t.Errorf("%s is %q, %v, want %q", name, b, err, want)
		}
	}
	facts, _ := os.ReadFile(filepath.Join(folders[0], "facts.txt"))
	if !strings.Contains(string(facts), "scale") || !strings.Contains(string(facts), "argument 0: base a multiple of 16: true, axes as bits: extents a multiple of 16 1") {
		t.Errorf("the facts are\n%s", facts)
	}
	if sources, _ := filepath.Glob(filepath.Join(folders[0], "source-*_test.go")); len(sources) == 0 {
		t.Errorf("%s lacks the kernel's source", folders[0])
	}
}

// broken is an engine whose compiler panics.
type broken struct{ *cpu.Device }

func (broken) Name() string { return "broken" }

// Compile implements [engine.Device].
func (broken) Compile(context.Context, *tileir.Module, string) (engine.Kernel, error) {
	panic("BUG: broken: no code")
}

// openBroken opens a device whose compiler panics.
func openBroken(t *testing.T) *cutile.Device {
	t.Helper()
	t.Cleanup(engine.Register(engine.Kind{Name: "broken", List: func() ([]string, error) { return []string{"broken"}, nil },
		Open: func(int, engine.Options) (engine.Device, error) { return broken{cpu.New(cpu.Options{})}, nil }}))
	dev, err := cutile.Open("broken")
	must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// TestBundleOfPanic: a panic in an engine is an error that says how to report it. Where CUTILE_DEBUG asks for it, there is a folder, in which
// nothing is of the environment, or of a tensor. Its commands run in package processtest.
func TestBundleOfPanic(t *testing.T) {
	t.Setenv("SECRET", "of-the-environment")
	dev, dir := openBroken(t), t.TempDir()
	x, z := ramp(t, dev, 12), zeros[float32](t, dev, 12)
	must(t, x.Write(t.Context(), []float32{31415.9265, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
	launch := func() error { return cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z) }
	fails(t, launch(), "kernel cutile_test.scale[D4]: BUG: ", "broken: no code; CUTILE_DEBUG=backtrace shows where; CUTILE_DEBUG=bundle=FOLDER keeps what is needed to report it")
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	for range 2 {
		fails(t, launch(), "broken: no code", "; the files to reproduce it are in "+dir)
	}
	folders, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if len(folders) != 1 {
		t.Fatalf("the folders are %q", folders)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folders[0], name))
		must(t, err)
		if strings.Contains(string(text), "of-the-environment") && !strings.HasPrefix(name, "source-") || strings.Contains(string(text), "\xd7\x0e\xf5F") {
			t.Errorf("%s has what nobody asked for", name)
		}
		return string(text)
	}
	files, err := os.ReadDir(folders[0])
	must(t, err)
	for _, f := range files {
		read(f.Name())
	}
	if trace := read("output.txt"); !strings.Contains(trace, "cutile_test.broken.Compile") {
		t.Errorf("the stack is\n%s", trace)
	}
	if source := read("source-kernels_test.go"); !strings.Contains(source, "func scale[") {
		t.Error("the source lacks the kernel")
	}
	if facts := read("facts.txt"); !strings.Contains(facts, "by: cutile dump -stage ir -facts 'none,x=align+unit.0,z=align+unit.0' ") {
		t.Errorf("the facts are\n%s", facts)
	}
	if repeat := read("repeat.sh"); !strings.Contains(repeat, "cutile run -outside -entry 'cutile_test_scale_D4' -grid 1,1,1 -arg float32:65536 -arg 0 -arg 0 -arg 0 -arg float32:65536 -arg 0 -arg 0 kernel.tileir\n") {
		t.Errorf("the command is\n%s", repeat)
	}
}

// exporting is an exporter with a bug.
type exporting struct{ engine.Exporter }

func (exporting) CheckTargets([]string) error { return nil }

func (exporting) Export(context.Context, *tileir.Module, string, string, []string) error {
	panic("no export")
}

func (e exporting) Record(ctx context.Context, m *tileir.Module, entry, dir string, targets []string) error {
	return e.Export(ctx, m, entry, dir, targets)
}

// TestBundleOfExport: a panic of an exporter, called by Export or for CUTILE_RECORD, is an error with a folder, too.
func TestBundleOfExport(t *testing.T) {
	dev, dir := open(t), t.TempDir()
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: fake.New(fake.Options{})})))
	for _, k := range engine.Kinds() { // the first exporter is asked
		if k.Exporter != nil {
			k.Exporter = exporting{}
			t.Cleanup(engine.Register(k))
		}
	}
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	x, z := ramp(t, dev, 16), zeros[float32](t, dev, 16)
	err := cutile.Export(t.Context(), t.TempDir(), []string{"sm_90"}, scale[tile.D4], x, 2, z)
	t.Setenv("CUTILE_RECORD", t.TempDir())
	t.Setenv("CUTILE_ARCHS", "sm_90")
	for _, err := range []error{err, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z)} {
		fails(t, err, "kernel cutile_test.scale[D4]: BUG: no export", "; the files to reproduce it are in "+dir)
		var kept engine.Bundled
		if !errors.As(err, &kept) {
			continue
		}
		if facts, err := os.ReadFile(filepath.Join(kept.Folder(), "facts.txt")); err != nil || !strings.Contains(string(facts), "kernel cutile_test.scale[D4]") {
			t.Errorf("%v, the facts are\n%s", err, facts)
		}
	}
}
