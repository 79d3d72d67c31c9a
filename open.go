package cutile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

// engines lists the kinds of device, the one that Open prefers first.
var engines = []struct {
	kind string
	list func() (names []string, err error) // err: why there are none
	open func(index int, o *options) (engine.Device, error)
}{
	{"cuda", listGPUs, openGPU},
	{"cpu", func() ([]string, error) { return []string{"cpu"}, nil }, openCPU},
}

// gpuOptions are for tests, which have drivers of their own.
var gpuOptions cuda.Options

func listGPUs() ([]string, error) {
	infos, err := cuda.Devices(gpuOptions.Driver)
	names := make([]string, len(infos))
	for i := range infos {
		names[i] = infos[i].Name()
	}
	return names, err
}

func openGPU(index int, o *options) (engine.Device, error) {
	o.checks = false
	opts, err := cubins(gpuOptions, o.cubins)
	if err != nil {
		return nil, err
	}
	d, err := cuda.Open(index, opts)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func openCPU(_ int, o *options) (engine.Device, error) {
	return cpu.New(cpu.Options{Workers: o.workers, Output: o.output, CheckAssumes: o.checks, Limits: o.limits}), nil
}

// Devices lists the names of the devices that Open can open, the one that it prefers first.
func Devices() []string {
	var all []string
	for _, e := range engines {
		names, _ := e.list()
		all = append(all, names...)
	}
	return all
}

// Open opens a device by its name: "cpu", "cuda:1", or "cuda" for the first GPU. The empty name stands for the one that the
// environment variable CUTILE_DEVICE names, else for a GPU if there is one, else for the CPU. A name that is not there
// is [ErrNoDevice], with a list of what is.
//
// For machines without NVIDIA's assembler, a program that runs with CUTILE_RECORD=folder and CUTILE_ARCHS=sm_90,sm_100
// keeps the machine code of every kernel that it compiles there, on whatever device it runs; the same program with
// CUTILE_CUBINS=folder, or a zip archive of it, then needs no assembler. [Export] and [WithCubins] do the same from within.
func Open(name string, opts ...Option) (*Device, error) {
	var o options
	var err error
	if o.checks, err = checksUnasked(); err != nil {
		return nil, err
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("cutile: an option of Open is nil")
		}
		opt(&o)
	}
	limits, err := o.allLimits()
	if err != nil {
		return nil, fmt.Errorf("cutile: %w", err)
	}
	o.limits = limits
	if err := cpu.CheckWorkers(o.workers); err != nil {
		return nil, fmt.Errorf("cutile: WithWorkers: %w", err)
	}
	if _, err := recordTargets(); err != nil {
		return nil, fmt.Errorf("cutile: %w", err)
	}
	if name == "" {
		name = os.Getenv("CUTILE_DEVICE")
	}
	var there, missing []string
	for _, e := range engines {
		names, err := e.list()
		for i, n := range names {
			if name != "" && name != n && name != e.kind {
				continue
			}
			eng, err := e.open(i, &o)
			if err != nil {
				return nil, fmt.Errorf("cutile: device %s: %w", n, err)
			}
			return newDevice(eng, &o, limits)
		}
		there = append(there, names...)
		if err != nil && strings.HasPrefix(name, e.kind) {
			missing = append(missing, err.Error())
		}
	}
	return nil, fmt.Errorf("cutile: %w: %q; there is %s", ErrNoDevice, name, strings.Join(append(there, missing...), "; "))
}

// checksUnasked reports whether a device checks where nobody asked for that: as CUTILE_CHECKS says, else in tests that run
// no benchmarks.
func checksUnasked() (bool, error) {
	switch v := os.Getenv("CUTILE_CHECKS"); v {
	case "on", "off":
		return v == "on", nil
	case "":
	default:
		return false, fmt.Errorf("cutile: CUTILE_CHECKS is %q: expected on or off", v)
	}
	bench := flag.Lookup("test.bench") // only tests have the flag
	return bench != nil && bench.Value.String() == "", nil
}
