package reduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/tileir"
)

// Engine runs modules.
type Engine struct {
	Name string
	// Run runs an entry, and leaves in the memory of its parameters what the kernel does there. An error that is a [*Refused] is of a module
	// that the engine has no code for, any other one a fault of the kernel, or of the engine.
	Run func(ctx context.Context, m *tileir.Module, l *Launch) error
	// Close frees what the engine has; nil if there is nothing.
	Close func() error
}

// Launch is a launch of an entry.
type Launch struct {
	Entry  string
	Grid   [3]uint32
	Bits   []uint64 // of numbers, by parameter
	Memory [][]byte // of pointers, by parameter; nil for numbers
}

// Refused is the error of a module that an engine has no code for.
type Refused struct{ Err error }

// Error is the reason.
func (e *Refused) Error() string { return e.Err.Error() }

// Unwrap is the reason.
func (e *Refused) Unwrap() error { return e.Err }

// The names of engines that are no devices.
const (
	interpreter = "interpreter"
	emulator    = "own:" // and an architecture
)

// EngineNames says how engines are named.
func EngineNames() string {
	levels := []string{}
	for _, l := range host.Levels()[1:] {
		levels = append(levels, l.String())
	}
	return fmt.Sprintf("%s, cpu, the levels of machine code here (%s), own:sm_80 and the like for PTX on the emulator, and devices such as cuda:0",
		interpreter, strings.Join(levels, ", "))
}

// OpenEngine opens an engine by its name.
func OpenEngine(name string) (*Engine, error) {
	limits, err := limit.FromEnv()
	if err != nil {
		return nil, err
	}
	o := cpu.Options{Output: io.Discard, CheckAssumes: true, StopOnCancel: true, Limits: limits}
	levels := host.Levels()
	level := slices.IndexFunc(levels, func(l host.Level) bool { return l.String() == name })
	switch {
	case name == "cpu":
		return onDevice(name, cpu.New(o)), nil
	case name == interpreter:
		o.Interpret = true
		return onDevice(name, cpu.New(o)), nil
	case level > 0:
		o.Level = levels[level]
		return onDevice(name, cpu.New(o)), nil
	case strings.HasPrefix(name, emulator):
		return onEmulator(name, strings.TrimPrefix(name, emulator)), nil
	}
	for _, k := range engine.Kinds() {
		list, _ := k.List() // a kind without devices has none of the name
		if i := slices.Index(list, name); i >= 0 {
			dev, err := k.Open(i, engine.Options{Output: io.Discard, Limits: limits})
			if err != nil {
				return nil, err
			}
			return onDevice(name, dev), nil
		}
	}
	return nil, toolbox.Usagef("there is no engine %q: the engines are %s", name, EngineNames())
}

// onDevice is a device.
func onDevice(name string, d engine.Device) *Engine {
	return &Engine{Name: name, Close: d.Close, Run: func(ctx context.Context, m *tileir.Module, l *Launch) (err error) {
		k, err := d.Compile(ctx, m, l.Entry)
		if err != nil {
			return &Refused{err}
		}
		defer func() { err = engine.Join(err, k.Close()) }()
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		defer func() { err = engine.Join(err, s.Close()) }()
		bits, buffers := slices.Clone(l.Bits), make([]engine.Buffer, len(l.Memory))
		for i, data := range l.Memory {
			if data == nil {
				continue
			}
			if buffers[i], err = d.Alloc(int64(len(data))); err != nil {
				return err
			}
			defer buffers[i].Free()
			if err := s.Write(buffers[i], 0, data); err != nil {
				return err
			}
			bits[i] = buffers[i].Address()
		}
		if err := s.Launch(k, l.Grid, bits); err != nil {
			return err
		}
		if err := s.Wait(ctx); err != nil {
			return err
		}
		for i, data := range l.Memory {
			if data != nil {
				if err := s.Read(ctx, data, buffers[i], 0); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// onEmulator is PTX of our own compiler, for an architecture, on the emulator.
func onEmulator(name, arch string) *Engine {
	run := func(ctx context.Context, m *tileir.Module, l *Launch, tensors bool) error {
		code, err := threads.PTX(m, l.Entry, arch, threads.Options{Tensors: tensors})
		if err != nil {
			return &Refused{err}
		}
		prog, err := emu.Load(code)
		if err != nil {
			return err
		}
		f := code.Kernels[0]
		launch := emu.Launch{Kernel: f.Name, Shared: f.Shared, Args: slices.Clone(l.Bits), Memory: &emu.Memory{}}
		for i, n := range l.Grid {
			launch.Grid[i] = int(n)
		}
		for i, data := range l.Memory {
			if data != nil {
				launch.Args[i] = uint64(i+1) << 36
				launch.Memory.Map(launch.Args[i], data, fmt.Sprintf("parameter %d", i), false)
			}
		}
		var ok bool
		if launch.Bytes, ok = emuprofile.TensorMaps(f, launch.Args); !ok {
			return errNoMaps
		}
		launch.Args = append(launch.Args, make([]uint64, len(f.Tensors))...)
		return prog.Run(ctx, launch)
	}
	return &Engine{Name: name, Run: func(ctx context.Context, m *tileir.Module, l *Launch) error {
		err := run(ctx, m, l, true)
		if errors.Is(err, errNoMaps) {
			err = run(ctx, m, l, false)
		}
		return err
	}}
}

// errNoMaps is the error of a launch for whose arguments there are no tensor maps.
var errNoMaps = errors.New("there are no tensor maps")
