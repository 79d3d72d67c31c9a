package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/tileir"
)

// simtDevice is a device that also runs kernels of the SIMT level. It implements [engine.SIMT].
type simtDevice struct {
	*device
	engine.SIMT
}

// wrapDevice also works on memory of the program. It implements [engine.Wrapper].
type wrapDevice struct {
	simtDevice
	wrapper engine.Wrapper
}

// Wrap implements [engine.Wrapper].
func (d *wrapDevice) Wrap(data []byte) (engine.Buffer, error) {
	b, err := d.wrapper.Wrap(data)
	return d.note(b, err)
}

// simtModule implements [engine.SIMTModule].
type simtModule struct {
	engine.SIMTModule
	d       *device
	module  *simt.Module
	program *emu.Program
	why     string // launches are not compared; "" if they are
}

// LoadSIMT implements [engine.SIMT].
func (d *simtDevice) LoadSIMT(ctx context.Context, m *simt.Module, image []byte) (engine.SIMTModule, error) {
	real, err := d.SIMT.LoadSIMT(ctx, m, image)
	if err != nil {
		return nil, err
	}
	own := &simtModule{SIMTModule: real, d: d.device, module: m}
	if own.program, err = emu.Load(m); err != nil {
		own.why = "the emulator does not take it: " + err.Error()
	}
	if m.Declared {
		own.why = "the CPU cannot run its instructions, which are machine code, or PTX that the emulator does not take"
	}
	if len(m.Vars) > 0 {
		own.why = "it has global variables that may keep numbers from one launch to the next, of which the CPU has others"
	}
	return own, nil
}

// TensorMap implements [engine.SIMT]. Only the device can read its tensor maps: so the emulator's are kept beside them.
func (d *simtDevice) TensorMap(m engine.TensorMap) ([]byte, error) {
	data, err := d.SIMT.TensorMap(m)
	if err != nil {
		return nil, err
	}
	t := emu.TensorMap(m)
	if own, err := t.Encode(); err == nil && !bytes.Equal(own, data) {
		d.keepMap(data, own)
	}
	return data, nil
}

// mostMaps bounds the tensor maps that are kept: they are many only if tensors are made and closed again and again.
const mostMaps = 1 << 16

// keepMap keeps a tensor map, and forgets another one where there are too many.
func (d *device) keepMap(data, own []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for other := range d.maps {
		if len(d.maps) < mostMaps {
			break
		}
		delete(d.maps, other)
	}
	d.maps[string(data)] = own
}

// simtKernel implements [engine.Kernel].
type simtKernel struct {
	engine.Kernel
	*simtModule
	fn *simt.Func
}

// Close implements [engine.Kernel].
func (k *simtKernel) Close() error { return k.Kernel.Close() }

// Kernel implements [engine.SIMTModule].
func (m *simtModule) Kernel(name string) (engine.Kernel, error) {
	real, err := m.SIMTModule.Kernel(name)
	if err != nil {
		return nil, err
	}
	return &simtKernel{real, m, m.module.Kernel(name)}, nil
}

// Occupancy implements [engine.Occupier].
func (d *device) Occupancy(k engine.Kernel, l engine.SIMTLaunch) (engine.Occupancy, error) {
	o, ok := d.real.(engine.Occupier)
	if !ok {
		return engine.Occupancy{}, fmt.Errorf("%s: the device does not tell what kernels take of it: %w", d.Name(), errors.ErrUnsupported)
	}
	switch own := k.(type) {
	case *kernel:
		k = own.real
	case *simtKernel:
		k = own.Kernel
	}
	return o.Occupancy(k, l)
}

// LaunchSIMT implements [engine.SIMTStream].
func (s *stream) LaunchSIMT(k engine.Kernel, l engine.SIMTLaunch) error {
	own, ok := k.(*simtKernel)
	if !ok || own.d != s.d {
		return fmt.Errorf("%s: launch: the kernel was loaded on another device", s.d.Name())
	}
	c := &simtLaunch{stream: s, kernel: own, simt: l}
	c.simt.Args, c.simt.Bytes, c.simt.Buffers = slices.Clone(l.Args), engine.CloneBytes(l.Bytes), nil
	for _, b := range l.Buffers {
		real, err := s.d.own(b)
		if err != nil {
			return err
		}
		c.buffers, c.simt.Buffers = append(c.buffers, b.(*buffer)), append(c.simt.Buffers, real)
	}
	return s.push(work{do: func(ctx context.Context) error { return s.compare(ctx, c) }})
}

// simtLaunch is a launch of a kernel of the SIMT level.
type simtLaunch struct {
	stream  *stream
	kernel  *simtKernel
	simt    engine.SIMTLaunch // of the device
	buffers []*buffer
}

func (l *simtLaunch) title() string { return l.kernel.fn.Title() }

func (l *simtLaunch) hint() string { return "" }

func (l *simtLaunch) queue() error {
	return l.stream.real.(engine.SIMTStream).LaunchSIMT(l.kernel.Kernel, l.simt)
}

func (l *simtLaunch) memory() ([]*buffer, string) { return l.buffers, l.kernel.why }

func (l *simtLaunch) tensors() (all []tensor) {
	for _, t := range l.simt.Tensors {
		all = append(all, tensor{t, l.simt.Args[t.Arg]})
	}
	return all
}

func (l *simtLaunch) repeat(ctx context.Context, parts []*part) (after, error) {
	return l.on(ctx, parts, emu.Launch{})
}

// again has one worker, so that blocks begin in order, and lets the warps of a block run by other schedules from the second time on.
func (l *simtLaunch) again(ctx context.Context, parts []*part, n int, find *finding) (out after, store engine.Store, err error) {
	run := emu.Launch{Workers: 1, Races: true, Schedule: uint64(n)}
	if find != nil {
		store.Address = parts[find.part].buf.Address() + uint64(find.off)
		run.Stored = func(s *emu.Stored) {
			if s.Addr <= store.Address && store.Address-s.Addr < uint64(s.Bytes) {
				block := [3]uint32{uint32(s.Block[0]), uint32(s.Block[1]), uint32(s.Block[2])}
				store.Note(block, tileir.Loc{File: s.Pos.Filename, Line: s.Pos.Line, Col: s.Pos.Column},
					fmt.Sprintf("%s of thread (%d, %d, %d)", s.Op, s.Thread[0], s.Thread[1], s.Thread[2]))
			}
		}
	}
	out, err = l.on(ctx, parts, run)
	return out, store, err
}

// on runs the launch on the emulator, with copies of its memory at the same addresses.
func (l *simtLaunch) on(ctx context.Context, parts []*part, run emu.Launch) (out after, err error) {
	memory := &emu.Memory{}
	out.free = func() {}
	var maps []int // the parts that are tensor maps
	for i, p := range parts {
		data := slices.Clone(p.before)
		if own, ok := l.stream.d.tensorMap(data); ok {
			data, maps = own, append(maps, i)
		}
		out.memory = append(out.memory, data)
		memory.Map(p.buf.Address(), data, fmt.Sprintf("a tensor's memory of %d bytes", len(data)), false)
	}
	run.Kernel, run.Args, run.Bytes, run.Memory = l.kernel.fn.Name, l.simt.Args, l.simt.Bytes, memory
	run.Shared, run.Static = int(l.simt.Static+l.simt.Shared), int(l.simt.Static)
	for i := range l.simt.Grid {
		run.Grid[i], run.Block[i], run.Cluster[i] = int(l.simt.Grid[i]), int(l.simt.Block[i]), int(l.simt.Cluster[i])
	}
	if err = l.kernel.program.Run(ctx, run); ctx.Err() != nil {
		return out, ctx.Err()
	}
	for _, i := range maps {
		out.memory[i] = parts[i].before
	}
	if mistake, ok := errors.AsType[*emu.Error](err); ok {
		return out, cpu.SIMTFault(l.title(), mistake)
	}
	return out, err
}

// tensorMap gives the emulator's form of a tensor map of the device; false if the bytes are none.
func (d *device) tensorMap(data []byte) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own, ok := d.maps[string(data)]
	return slices.Clone(own), ok
}
