package device

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/driver/nvtx"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/engine/shadow"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/trace"
)

// The engines of a program, the preferred one first.
func init() {
	engine.Register(cuda.Kind(cuda.Options{}))
	engine.Register(vulkan.Kind(vulkan.Options{}))
	engine.Register(cpu.Kind)
}

// Devices lists the names of the devices that Open can open, the preferred one first, and last those that are opened only by their name:
// Vulkan drivers that compute on the CPU.
func Devices() []string {
	var all, named []string
	for _, k := range engine.Kinds() {
		names, _ := k.List()
		for i, n := range names {
			if k.Unasked != nil && !k.Unasked(i) {
				named = append(named, n)
			} else {
				all = append(all, n)
			}
		}
	}
	return append(all, named...)
}

// Open opens a device by its name: "cpu", "cuda:1", or "cuda" for NVIDIA's first GPU; "vulkan:0", or "vulkan" for the first device with a
// Vulkan driver. The empty name selects the device that the environment variable CUTILE_DEVICE names, else a GPU by CUDA if there is
// one, else a GPU by Vulkan that can run kernels, else the CPU. Vulkan drivers that compute on the CPU are opened only by their name.
// If there is no device of that name, the error is [ErrNoDevice] and lists the existing ones.
//
// For machines without NVIDIA's assembler, a program that runs with CUTILE_RECORD=folder and CUTILE_ARCHS=sm_90,sm_100
// saves the machine code of every kernel that it compiles in that folder, on whatever device it runs; the same program with
// CUTILE_CUBINS=folder, or a zip archive of it, then needs no assembler. With CUTILE_ARCHS=own:sm_75,own:sm_90a it saves PTX of our own
// compiler, for which no tool of NVIDIA is needed anywhere. [Export] and [WithCubins] do the same in the program.
//
// With CUTILE_OVERRIDE=folder, the Tile IR of kernels can be changed by hand: the text of each kernel that a program loads on a device is
// written to that folder, and where it has been changed already, the changed text runs in its place, on whatever device. Its file is named
// after the kernel and the key of its own Tile IR (cutile.Prepared.Key), so that a text no longer counts when the kernel is another one. What does
// not parse, does not hold in Tile IR, or does not fit the launches of the kernel is an error with the line of the text. A logger
// ([WithLogger]) is told which kernels are replaced.
func Open(name string, opts ...Option) (*Device, error) {
	o, err := gather(opts)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = os.Getenv("CUTILE_DEVICE")
	}
	for _, k := range engine.Kinds() {
		if !strings.HasPrefix(name, k.Name) && name != "" {
			continue
		}
		names, err := k.List()
		if err != nil && o.Log != nil {
			o.Log.Debug("no devices of this kind", "kind", k.Name, "reason", err)
		}
		for i, n := range names {
			switch {
			case name == "" && k.Unasked != nil && !k.Unasked(i), name != "" && name != n && name != k.Name:
				continue
			}
			d, err := openAs(k, i, n, o)
			if err != nil && name == "" && k.Unasked != nil { // nobody has asked for it, and there are others
				if o.Log != nil {
					o.Log.Warn("device is not used", "device", n, "reason", err)
				}
				continue
			}
			return d, err
		}
	}
	return nil, notThere(name)
}

// openAs opens a device of a kind.
func openAs(k engine.Kind, index int, name string, o engine.Options) (*Device, error) {
	eng, err := k.Open(index, o)
	if err != nil {
		return nil, fmt.Errorf("cutile: device %s: %w", name, err)
	}
	says := explain(eng)
	if o.Shadow != nil {
		eng = shadow.New(eng, o)
	}
	d, err := New(eng, o.Limits)
	if err != nil {
		return nil, err
	}
	profiler, err := nvtx.Attached()
	if err != nil && o.Log != nil {
		o.Log.Warn("a profiler is not used", "reason", err)
	}
	d.core.Profile(profiler)
	if o.Log != nil {
		d.core.Watch(o.Log, says)
		d.core.Opened()
	}
	if o.Trace != nil {
		if err := d.core.Trace(o.Trace, o.TraceLaunches); err != nil {
			return nil, errors.Join(fmt.Errorf("cutile: device %s: %w", name, err), d.Close())
		}
	}
	return d, nil
}

// notThere is the error for a name that no device has.
func notThere(name string) error {
	all := Devices()
	for _, k := range engine.Kinds() {
		if _, err := k.List(); err != nil && strings.HasPrefix(name, k.Name) {
			all = append(all, err.Error())
		}
	}
	return fmt.Errorf("cutile: %w: %q; the devices are %s", ErrNoDevice, name, strings.Join(all, "; "))
}

// gather makes one set of options, with what the environment and the defaults say, and refuses mistakes.
func gather(opts []Option) (o engine.Options, err error) {
	if o.Checks, err = checksUnasked(); err != nil {
		return o, err
	}
	for _, opt := range opts {
		if opt == nil {
			return o, errors.New("cutile: an option of Open is nil")
		}
		opt(&o)
	}
	o.Log = engine.GuardLog(o.Log)
	if o.Trace == nil {
		if o.Trace, err = envTrace(); err != nil {
			return o, fmt.Errorf("cutile: %s: %w", trace.Env, err)
		}
	}
	if o.TraceLaunches, err = tracesLaunches(); err != nil {
		return o, fmt.Errorf("cutile: %w", err)
	}
	if o.Shadow == nil {
		o.Shadow, err = envShadow()
	}
	if err := errors.Join(err, checkShadow(o.Shadow)); err != nil {
		return o, fmt.Errorf("cutile: %w", err)
	}
	if o.Limits, err = allLimits(o.Limits); err != nil {
		return o, fmt.Errorf("cutile: %w", err)
	}
	for _, k := range engine.Kinds() {
		if k.Check == nil {
			continue
		}
		if err := k.Check(o); err != nil {
			return o, fmt.Errorf("cutile: %w", err)
		}
	}
	return o, nil
}

// allLimits are those of the program, of the environment, and the defaults.
func allLimits(l limit.Limits) (limit.Limits, error) {
	if err := errors.Join(l.Check(), debug.Check(), cover.Check()); err != nil {
		return l, err
	}
	env, err := limit.FromEnv()
	return l.Or(env).Or(limit.Default), err
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
