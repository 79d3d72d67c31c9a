package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/tileir"
)

var (
	_ engine.SIMT       = (*Device)(nil)
	_ engine.SIMTStream = (*Stream)(nil)
)

// simtModule is a module of the SIMT level that the emulator runs.
type simtModule struct {
	device *Device
	module *simt.Module
	prog   *emu.Program
}

// simtKernel is one of its kernels.
type simtKernel struct {
	*simtModule
	fn *simt.Func
}

// LoadSIMT implements [engine.SIMT].
func (d *Device) LoadSIMT(ctx context.Context, m *simt.Module, _ []byte) (engine.SIMTModule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	prog, err := emu.Load(m)
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	return &simtModule{d, m, prog}, nil
}

// Checks implements [engine.SIMT].
func (d *Device) Checks() bool { return d.assumes }

// archs lists what a module for the emulator may be for: it has what each of these has.
var archs = []string{"sm_90a", "sm_100a", "sm_103a", "sm_120a"}

// Archs implements [engine.SIMT].
func (d *Device) Archs() []string { return archs }

// TakesModules implements [engine.SIMT].
func (d *Device) TakesModules() bool { return true }

// TensorMap implements [engine.SIMT].
func (d *Device) TensorMap(m engine.TensorMap) ([]byte, error) {
	t := emu.TensorMap(m)
	return t.Encode()
}

// Kernel implements [engine.SIMTModule].
func (m *simtModule) Kernel(name string) (engine.Kernel, error) {
	f := m.module.Kernel(name)
	if f == nil {
		return nil, fmt.Errorf("cpu: module %s has no kernel %s", m.module.Name, name)
	}
	return &simtKernel{m, f}, nil
}

// Close implements [engine.SIMTModule] and [engine.Kernel]: the collector does it.
func (m *simtModule) Close() error { return nil }

// simtWork is a launch in the queue.
type simtWork struct {
	kernel *simtKernel
	launch emu.Launch
}

// LaunchSIMT implements [engine.SIMTStream].
func (s *Stream) LaunchSIMT(k engine.Kernel, l engine.SIMTLaunch) error {
	kernel, ok := k.(*simtKernel)
	if !ok || kernel.device != s.device {
		return errors.New("cpu: the kernel was loaded on another device")
	}
	if len(l.Args) != len(kernel.fn.Params) {
		return fmt.Errorf("cpu: kernel %s takes %d arguments, but got %d", kernel.fn.Title(), len(kernel.fn.Params), len(l.Args))
	}
	memory := &emu.Memory{}
	for _, b := range l.Buffers {
		buf, ok := b.(*Buffer)
		if !ok || buf.owner != s.device {
			return errors.New("cpu: the buffer belongs to another device")
		}
		memory.Map(buf.base, buf.Host(), fmt.Sprintf("a tensor's memory of %d bytes", buf.size), false)
	}
	w := &simtWork{kernel, emu.Launch{
		Kernel: kernel.fn.Name, Shared: int(l.Static + l.Shared), Static: int(l.Static), Args: slices.Clone(l.Args), Bytes: engine.CloneBytes(l.Bytes), Memory: memory, Workers: s.device.workers, Races: s.device.assumes,
		Schedule: s.device.schedule, Cooperative: l.Cooperative,
	}}
	for i := range l.Grid {
		w.launch.Grid[i], w.launch.Block[i], w.launch.Cluster[i] = int(l.Grid[i]), int(l.Block[i]), int(l.Cluster[i])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	c := s.push()
	c.kind, c.simt = cmdSIMT, w
	return nil
}

// emulate runs a kernel of the SIMT level.
func (s *Stream) emulate(w *simtWork) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	s.cancel = cancel
	if s.halt {
		cancel()
	}
	s.mu.Unlock()
	late := s.timed(cancel)
	out := &output{device: s.device, stopped: func() bool { return ctx.Err() != nil }}
	launch := w.launch // a graph may run the same work on another stream
	launch.Stdout = out
	err := w.kernel.prog.Run(ctx, launch)
	if out.gaveUp.Load() {
		err = ctx.Err()
	}
	if late() && errors.Is(err, context.Canceled) {
		err = errors.New(s.device.tooLong())
	}
	s.mu.Lock()
	s.cancel = nil
	s.mu.Unlock()
	return SIMTFault(w.kernel.fn.Title(), err)
}

// SIMTFault is the error of a kernel in the form that all engines share.
func SIMTFault(kernel string, err error) error {
	f := &engine.Fault{Kernel: kernel}
	var mistake *emu.Error
	var panicked *cache.Panic
	var refused *emu.LaunchError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		f.Text = "stopped"
	case errors.As(err, &mistake):
		f.Known = true
		for i, n := range mistake.Block {
			f.Block[i] = uint32(n)
		}
		f.Loc = tileir.Loc{File: mistake.Pos.Filename, Line: mistake.Pos.Line, Col: mistake.Pos.Column}
		t := mistake.Thread
		f.Text = fmt.Sprintf("thread (%d, %d, %d): %s", t[0], t[1], t[2], mistake.Text)
	case errors.As(err, &panicked):
		f.Text, f.Stack = err.Error(), string(panicked.Stack)
	case errors.As(err, &refused): // a fault names its kernel itself
		f.Text = refused.Err.Error()
	default:
		f.Text = err.Error()
	}
	return f
}

// Occupancy implements [engine.Occupier]: each worker runs a block of a kernel of tiles. The emulator begins blocks beside those that wait for
// them: as many as a cooperative launch may have.
func (d *Device) Occupancy(k engine.Kernel, l engine.SIMTLaunch) (engine.Occupancy, error) {
	o := engine.Occupancy{Blocks: 1, Multiprocessors: d.workers, Threads: 1}
	simt, ok := k.(*simtKernel)
	if !ok {
		return o, nil
	}
	blocks, own := emu.MaxCooperative, simt.fn
	for i := range l.Block {
		block, cluster := own.Block[i], own.Cluster[i]
		if l.Block != [3]uint32{} {
			block = int(l.Block[i])
		}
		if l.Cluster != [3]uint32{} {
			cluster = int(l.Cluster[i])
		}
		blocks *= max(cluster, 1)
		o.Threads *= block
	}
	o.Multiprocessors = min(d.workers, blocks)
	o.Blocks, o.Shared, o.Local = blocks/o.Multiprocessors, int(l.Static+l.Shared), own.Local
	return o, nil
}
