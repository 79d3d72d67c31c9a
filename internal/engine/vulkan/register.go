package vulkan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// Usual are the options of the devices that programs get: their compiler is [Threads].
func Usual() Options { return Options{Compiler: Threads} }

// Kind is GPUs with a Vulkan driver as a kind of machine. Where the options name no compiler they are completed by [Usual]. Programs that
// name no device get hardware alone: a driver that computes on the CPU is slower than the CPU engine.
func Kind(o Options) engine.Kind {
	if o.Compiler == nil {
		o.Compiler = Usual().Compiler
	}
	return engine.Kind{
		Name: "vulkan",
		List: func() ([]string, error) { return usable(o) },
		Open: func(index int, chosen engine.Options) (engine.Device, error) {
			o := o
			if chosen.Output != nil {
				o.Output = chosen.Output
			}
			if o.Store == nil {
				o.Store = pipelineStore()
			}
			d, err := Open(index, o)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Unasked: func(index int) bool {
			infos, err := Devices(o)
			return err == nil && index < len(infos) && infos[index].Unasked()
		},
	}
}

// usable lists the devices that run kernels, which have the first numbers. The error says why others do not.
func usable(o Options) ([]string, error) {
	infos, err := Devices(o)
	errs := []error{err}
	var out []string
	for _, i := range infos {
		if len(i.Lacks) == 0 {
			out = append(out, i.Name())
		} else {
			errs = append(errs, fmt.Errorf("%s: %w", i.Name(), i.unable()))
		}
	}
	return out, errors.Join(errs...)
}

// unable is the error of a device that lacks something.
func (i Info) unable() error {
	return fmt.Errorf("%s cannot run kernels: it lacks %s; update its driver, or use another device", i.Device.Name, names.List(i.Lacks))
}

// Unasked reports whether a program that names no device may get the device: it is hardware, and lacks nothing.
func (i Info) Unasked() bool { return i.Device.Type != vulkan.CPU && len(i.Lacks) == 0 }

// cacheSizeEnv, where it is 0, keeps code of any kind from being kept on disk.
const cacheSizeEnv = "CUTILE_CACHE_SIZE"

// maxPipelines bounds what is kept on disk of all devices and drivers.
const maxPipelines = 256 << 20

// pipelineStore is where the drivers' pipelines are kept; nil where nothing is to be kept.
func pipelineStore() *store.Store {
	dir, err := toolchain.CacheDir()
	if err != nil || os.Getenv(cacheSizeEnv) == "0" {
		return nil
	}
	return store.New(filepath.Join(dir, "pipelines"), maxPipelines)
}
