package cute_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/engine"
)

// noPTX is an exporter whose writer of PTX has a bug.
type noPTX struct {
	engine.Exporter
	engine.SIMTAssembler
}

func (noPTX) PTX(context.Context, engine.SIMTCode) ([]byte, bool, error) { panic("no PTX") }

// TestBundle: a panic in a stage of the compiler is an error, which keeps the source and the module where that is asked for, whether programs
// are cached or not.
func TestBundle(t *testing.T) {
	for _, k := range engine.Kinds() {
		if k.Exporter != nil {
			k.Exporter = noPTX{Exporter: k.Exporter}
			t.Cleanup(engine.Register(k))
		}
	}
	dir := t.TempDir()
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	for _, o := range []cute.Options{{Pipeline: "verify,ptx"}, {Pipeline: "verify,ptx", NoCache: true}} {
		x := vectorOf(t, 4)
		err := cute.Jit(runScale, o)(cute.Of[float32](x), 2)
		wantError(t, err, "function cute_test.runScale: BUG: no PTX", "; the files to reproduce it are in "+dir)
		var kept engine.Bundled
		if !errors.As(err, &kept) {
			continue
		}
		for name, want := range map[string]string{"module.simt": "runScale", "source-kernels_test.go": "func runScale(", "output.txt": "noPTX.PTX", "versions.txt": "device "} {
			if text, err := os.ReadFile(filepath.Join(kept.Folder(), name)); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %v\n%.2000s\nwant %s", name, err, text, want)
			}
		}
	}
}
