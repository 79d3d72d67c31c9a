package cpu

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/host"
)

// Adjust, if it is not nil, changes the options of devices that programs open by name. Tests set it before they open one.
var Adjust func(*Options)

// Kind is the CPU as a kind of machine.
var Kind = engine.Kind{
	Name: "cpu",
	List: func() ([]string, error) { return []string{"cpu"}, nil },
	Open: func(_ int, o engine.Options) (engine.Device, error) {
		options := Options{Workers: o.Workers, Output: o.Output, CheckAssumes: o.Checks, Limits: o.Limits, FastBF16: o.FastBF16, FlushToZero: o.FlushToZero, Early: true}
		if Adjust != nil {
			Adjust(&options)
		}
		return New(options), nil
	},
	Check: func(o engine.Options) error {
		if err := CheckWorkers(o.Workers); err != nil {
			return fmt.Errorf("WithWorkers: %w", err)
		}
		_, err := host.Choose()
		return err
	},
}
