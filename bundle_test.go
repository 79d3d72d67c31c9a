package cutile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
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
