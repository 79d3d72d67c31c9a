package device

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
)

// The engines of a program, the preferred one first.
func init() {
	engine.Register(cuda.Kind(cuda.Options{}))
	engine.Register(cpu.Kind)
}

// Devices lists the names of the devices that Open can open, the preferred one first.
func Devices() []string {
	var all []string
	for _, k := range engine.Kinds() {
		names, _ := k.List()
		all = append(all, names...)
	}
	return all
}

// Open opens a device by its name: "cpu", "cuda:1", or "cuda" for the first GPU. The empty name selects the device that the
// environment variable CUTILE_DEVICE names, else a GPU if there is one, else the CPU. If there is no device of that name, the
// error is [ErrNoDevice] and lists the existing ones.
//
// For machines without NVIDIA's assembler, a program that runs with CUTILE_RECORD=folder and CUTILE_ARCHS=sm_90,sm_100
// saves the machine code of every kernel that it compiles in that folder, on whatever device it runs; the same program with
// CUTILE_CUBINS=folder, or a zip archive of it, then needs no assembler. [Export] and [WithCubins] do the same in the program.
func Open(name string, opts ...Option) (*Device, error) {
	o, err := gather(opts)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = os.Getenv("CUTILE_DEVICE")
	}
	var there, missing []string
	for _, k := range engine.Kinds() {
		names, err := k.List()
		for i, n := range names {
			if name != "" && name != n && name != k.Name {
				continue
			}
			eng, err := k.Open(i, o)
			if err != nil {
				return nil, fmt.Errorf("cutile: device %s: %w", n, err)
			}
			d, err := New(eng, o.Limits)
			if err != nil {
				return nil, err
			}
			if o.Log != nil {
				d.core.Watch(o.Log, explain(eng))
				d.core.Opened()
			}
			return d, nil
		}
		there = append(there, names...)
		if err != nil && o.Log != nil {
			o.Log.Debug("no devices of this kind", "kind", k.Name, "reason", err)
		}
		if err != nil && strings.HasPrefix(name, k.Name) {
			missing = append(missing, err.Error())
		}
	}
	return nil, fmt.Errorf("cutile: %w: %q; the devices are %s", ErrNoDevice, name, strings.Join(append(there, missing...), "; "))
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
	if err := errors.Join(l.Check(), debug.Check()); err != nil {
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
