package cutile_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
)

// TestRecord: CUTILE_RECORD writes what a program on the CPU compiles, in the forms that CUTILE_ARCHS names.
func TestRecord(t *testing.T) {
	launch := func(t *testing.T, dev *cutile.Device) error {
		x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
		return cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z)
	}
	for _, c := range []struct{ archs, want string }{
		{"13.3", ""}, {"13.3, 13.4 ", ""}, {"", "cutile: CUTILE_RECORD needs CUTILE_ARCHS, such as sm_90,sm_100"}, {"13.3,", "without empty entries"},
		{"12.9", `cutile: CUTILE_ARCHS: the target "12.9" is neither a GPU (sm_75, sm_80, `}, {"13.3,sm90", `the target "sm90" is neither`},
		{"turing", `cutile: CUTILE_ARCHS: the target "turing" is neither a GPU (sm_75, sm_80, `},
	} {
		t.Run(c.archs, func(t *testing.T) {
			dir, early := filepath.Join(t.TempDir(), "out"), open(t)
			t.Setenv("CUTILE_RECORD", dir)
			t.Setenv("CUTILE_ARCHS", c.archs)
			if c.want != "" {
				_, err := cutile.Open("cpu")
				fails(t, err, c.want)
				fails(t, launch(t, early), c.want) // the variables were set after Open
				return
			}
			must(t, launch(t, open(t)))
			data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			must(t, err)
			var m cuda.Manifest
			must(t, json.Unmarshal(data, &m))
			if len(m.Files) != strings.Count(c.archs, ",")+1 || m.Files[0].Kernel == "" {
				t.Errorf("%+v", m)
			}
		})
	}
}

// TestCubinsFolder: CUTILE_CUBINS names where a GPU's code is; a place that is not there is an error of Open.
func TestCubinsFolder(t *testing.T) {
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(t.TempDir(), "tileiras")) // none, so that all depends on the folder
	drv := fake.New(fake.Options{})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	for _, name := range []string{"none", "none.zip"} {
		t.Setenv("CUTILE_CUBINS", filepath.Join(t.TempDir(), name))
		if _, err := cutile.Open("cuda"); err == nil || !strings.Contains(err.Error(), "CUTILE_CUBINS: ") || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("CUTILE_CUBINS", t.TempDir())
	dev, err := cutile.Open("cuda")
	must(t, err)
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z), "folder of cubins")
	must(t, dev.Close())
}

// TestTransfersOfClosed: transfers of tensors that are closed, or on devices that are, are errors, with the tensor's name.
func TestTransfersOfClosed(t *testing.T) { onEach(t, testTransfersOfClosed) }

func testTransfersOfClosed(t *testing.T, dev *cutile.Device) {
	x, y, closed := ramp(t, dev, 4, 6), ramp(t, dev, 4, 6), ramp(t, dev, 4, 6)
	column, err := closed.Slice()
	must(t, err)
	turned, gone := x.T(), closed.T()
	must(t, closed.Close())
	data := make([]float32, 24)
	for what, err := range map[string]error{
		"Read": closed.Read(t.Context(), data), "Write": closed.Write(t.Context(), column), "Fill": closed.Fill(t.Context(), 1), "Copy to": closed.Copy(t.Context(), x), "Copy from": x.Copy(t.Context(), closed),
		"Read of a view": gone.Read(t.Context(), data), "Write of a view": gone.Write(t.Context(), data), "Copy of a view": turned.Copy(t.Context(), gone),
	} {
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if c, err := gone.Contiguous(); err == nil {
		t.Errorf("Contiguous of a closed tensor: %v", c)
	}
	c, err := turned.Contiguous()
	must(t, err)
	must(t, turned.Copy(t.Context(), c))
	must(t, c.Close())
	holds(t, "turned twice", x, "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24]")
	fails(t, x.Copy(t.Context(), turned), "it cannot take a copy of a tensor of shape [6 4]")
	fails(t, x.Read(t.Context(), data[1:]), "24", "23")
	fails(t, x.Write(t.Context(), data[1:]), "24", "23")
	must(t, y.Copy(t.Context(), x))
	must(t, dev.Close())
	for what, err := range map[string]error{"Read": x.Read(t.Context(), data), "Write": turned.Write(t.Context(), data), "Copy": y.Copy(t.Context(), x)} {
		if err == nil {
			t.Errorf("%s on a closed device", what)
		}
	}
}
