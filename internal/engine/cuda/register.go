package cuda

import (
	"context"
	"fmt"
	"os"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// cubinsEnv names a folder or zip archive of cubins to use instead of the assembler.
const cubinsEnv = "CUTILE_CUBINS"

// Kind is NVIDIA's GPUs as a kind of machine. The zero Options are the usual ones; tests have drivers and assemblers of their
// own.
func Kind(o Options) engine.Kind {
	return engine.Kind{
		Name:     "cuda",
		List:     func() ([]string, error) { return gpuNames(o) },
		Open:     func(index int, chosen engine.Options) (engine.Device, error) { return open(index, o, chosen) },
		Check:    checkOptions,
		Exporter: exporter{},
	}
}

// checkOptions refuses options and settings that are mistakes.
func checkOptions(o engine.Options) error {
	_, err := ChosenAssembler(o.Assembler)
	if o.Code != nil {
		err = engine.Join(err, checkFolder(o.Code))
	}
	return engine.Join(engine.CheckRecord(), err)
}

// gpuNames lists the GPUs by their names.
func gpuNames(o Options) ([]string, error) {
	infos, err := Devices(o.Driver)
	names := make([]string, len(infos))
	for i := range infos {
		names[i] = infos[i].Name()
	}
	return names, err
}

// open opens a GPU that takes its code from files, or from the place that CUTILE_CUBINS names, before what makes code.
func open(index int, o Options, chosen engine.Options) (engine.Device, error) {
	var err error
	if o.Choice, err = ChosenAssembler(chosen.Assembler); err != nil {
		return nil, err
	}
	files := chosen.Code
	if place := os.Getenv(cubinsEnv); files == nil && place != "" {
		if files, err = OpenCubins(place); err != nil {
			return nil, fmt.Errorf("%s: %w", cubinsEnv, err)
		}
	}
	o.Cubins = files
	d, err := Open(index, o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// exporter implements [engine.Exporter] with NVIDIA's assembler, our own compiler and our writer of bytecode.
type exporter struct{}

// CheckTargets implements [engine.Exporter].
func (exporter) CheckTargets(targets []string) error { return CheckTargets(targets) }

// Export implements [engine.Exporter].
func (exporter) Export(ctx context.Context, m *tileir.Module, entry, dir string, targets []string) error {
	return Export(ctx, nil, m, entry, dir, targets)
}

// Record implements [engine.Exporter].
func (exporter) Record(ctx context.Context, m *tileir.Module, entry, dir string, targets []string) error {
	return Record(ctx, m, entry, dir, targets)
}

// Describe implements [engine.Exporter].
func (exporter) Describe(ctx context.Context, m *tileir.Module, i *engine.Interface, dir string) error {
	return Describe(ctx, m, i, dir)
}

// Stats implements [engine.Exporter].
func (exporter) Stats() (made, found int64, err error) {
	s := CacheStats()
	return s.Made, s.Found, s.Err
}
