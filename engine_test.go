package cutile_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// recorder is an engine that notes what it is asked to compile, and has the CPU do it.
type recorder struct {
	*cpu.Device
	compiled *[]string
}

func (r recorder) Name() string { return "recorder" }

// Compile implements [engine.Device].
func (r recorder) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	*r.compiled = append(*r.compiled, entry)
	return r.Device.Compile(ctx, m, entry)
}

// TestRegisteredEngine: programs find and use an engine that nothing but its registration names.
func TestRegisteredEngine(t *testing.T) {
	var compiled []string
	restore := engine.Register(engine.Kind{
		Name: "recorder",
		List: func() ([]string, error) { return []string{"recorder"}, nil },
		Open: func(_ int, o engine.Options) (engine.Device, error) {
			return recorder{cpu.New(cpu.Options{Workers: o.Workers, CheckAssumes: o.Checks, Limits: o.Limits}), &compiled}, nil
		},
		Check: func(o engine.Options) error {
			if o.Workers == 13 {
				return errors.New("13 workers")
			}
			return nil
		},
	})
	if names := cutile.Devices(); slices.Index(names, "recorder") != slices.Index(names, "cpu")+1 {
		t.Errorf("the devices are %q", names)
	}
	if _, err := cutile.Open("cpu", cutile.WithWorkers(13)); err == nil || err.Error() != "cutile: 13 workers" {
		t.Errorf("what the engine refuses gave %v", err)
	}
	dev, err := cutile.Open("recorder")
	if err != nil {
		t.Fatal(err)
	}
	x, z := ramp(t, dev, 64), ramp(t, dev, 64)
	if err := cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z); err != nil {
		t.Fatal(err)
	}
	if got, err := z.Slice(); err != nil || got[5] != 12 {
		t.Errorf("z is %v, %v", got, err)
	}
	if len(compiled) != 1 {
		t.Errorf("the engine compiled %q", compiled)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	restore()
	if _, err := cutile.Open("recorder"); !errors.Is(err, cutile.ErrNoDevice) || slices.Contains(cutile.Devices(), "recorder") {
		t.Errorf("an engine that is gone gave %v", err)
	}
}
