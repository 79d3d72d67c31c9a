package device_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/tileir"
)

// brokenSIMT is an engine whose calls of the SIMT level fail.
type brokenSIMT struct{ *fake }

func (brokenSIMT) LoadSIMT(context.Context, *simt.Module, []byte) (engine.SIMTModule, error) {
	return nil, errBroken
}
func (brokenSIMT) TensorMap(engine.TensorMap) ([]byte, error) { return nil, errBroken }
func (brokenSIMT) Output() io.Writer                          { return io.Discard }
func (brokenSIMT) Checks() bool                               { return false }
func (brokenSIMT) Archs() []string                            { return nil }
func (brokenSIMT) TakesModules() bool                         { return true }

var _ engine.SIMT = brokenSIMT{}

// TestLoadSIMT: a device unloads what nobody closed, and what was closed is not unloaded again.
func TestLoadSIMT(t *testing.T) {
	d, err := device.Open(cpu.New(cpu.Options{}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	unloaded := map[string]int{}
	load := func(name string) engine.SIMTModule {
		m, err := d.LoadSIMT(t.Context(), &simt.Module{Name: name}, nil, func() { unloaded[name]++ })
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	load("a")
	if err := load("b").Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil || unloaded["a"] != 1 || unloaded["b"] != 0 {
		t.Errorf("unloaded %v, %v", unloaded, err)
	}
	if _, err := d.LoadSIMT(t.Context(), &simt.Module{}, nil, nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a closed device gave %v", err)
	}
	broken, err := device.Open(brokenSIMT{&fake{}}, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	if m, err := broken.LoadSIMT(t.Context(), &simt.Module{}, nil, nil); m != nil || !errors.Is(err, errBroken) {
		t.Errorf("an engine that cannot load a module gave %v", err)
	}
	_, tiles := openFake(t)
	_, err = tiles.LoadSIMT(t.Context(), &simt.Module{}, nil, nil)
	for _, err := range []error{err, tiles.Main().LaunchSIMT(nil, engine.SIMTLaunch{}, nil)} {
		if err == nil || !strings.Contains(err.Error(), "device fake does not run kernels of package cute") {
			t.Errorf("a device for tiles alone gave %v", err)
		}
	}
}

// panicking is an engine whose compilers panic.
type panicking struct{ brokenSIMT }

func (panicking) LoadSIMT(context.Context, *simt.Module, []byte) (engine.SIMTModule, error) {
	panic("no module")
}

func (panicking) Compile(context.Context, *tileir.Module, string) (engine.Kernel, error) {
	panic("no kernel")
}

// TestEnginePanics: a panic in an engine is an error of the call, which keeps what it was given where that is asked for.
func TestEnginePanics(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	d, err := device.Open(panicking{brokenSIMT{&fake{}}}, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m := &tileir.Module{Entries: []*tileir.Entry{{Name: "k", Body: &tileir.Block{}}}}
	k, err := d.Compile(t.Context(), m, "k", "main.k")
	keeps(t, dir, err, "no kernel", "kernel.tileir", "entry @k")
	l, err2 := d.LoadSIMT(t.Context(), &simt.Module{Name: "threads"}, []byte("an image"), nil)
	keeps(t, dir, err2, "no module", "module.image", "an image")
	keeps(t, dir, err2, "no module", "module.simt", "")
	if k != nil || l != nil {
		t.Errorf("it gives %v and %v", k, l)
	}
}

// keeps checks a file in the folder of an error.
func keeps(t *testing.T, dir string, err error, text, name, want string) {
	t.Helper()
	var kept engine.Bundled
	if !errors.As(err, &kept) || filepath.Dir(kept.Folder()) != dir || !strings.HasPrefix(err.Error(), "BUG: "+text) {
		t.Fatalf("error %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(kept.Folder(), name)); err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%s is %q, %v", name, data, err)
	}
}
