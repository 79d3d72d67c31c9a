package threadtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/tileir"
)

// Device is a device whose kernels in Tile IR become PTX, which the emulator runs.
type Device struct {
	*cpu.Device
	arch    string
	options threads.Options
	Change  func(m *simt.Module) // changes what the compiler makes, if it is there

	mu      sync.Mutex
	buffers []engine.Buffer
}

// NewDevice makes a device for an architecture.
func NewDevice(arch string, t threads.Options, o cpu.Options) *Device {
	return &Device{Device: cpu.New(o), arch: arch, options: t}
}

// Name is "ptx".
func (d *Device) Name() string { return "ptx" }

// Target is the architecture.
func (d *Device) Target() string { return d.arch }

// kernel is a compiled kernel.
type kernel struct {
	engine.Kernel
	fn    *simt.Func
	plain *kernel // for launches for which there are no tensor maps; nil if the kernel has none
}

// Compile makes PTX of an entry.
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	k, err := d.compile(ctx, m, entry, d.options)
	if err != nil || len(k.fn.Tensors) == 0 {
		return k, err
	}
	o := d.options
	o.Tensors = false
	k.plain, err = d.compile(ctx, m, entry, o)
	return k, err
}

func (d *Device) compile(ctx context.Context, m *tileir.Module, entry string, o threads.Options) (*kernel, error) {
	code, err := threads.PTX(m, entry, d.arch, o)
	if err != nil {
		return nil, err
	}
	if err := simt.Verify(code, d.arch); err != nil {
		return nil, fmt.Errorf("PTX that is not valid: %w", err)
	}
	if d.Change != nil {
		d.Change(code)
	}
	loaded, err := d.LoadSIMT(ctx, code, nil)
	if err != nil {
		return nil, err
	}
	k, err := loaded.Kernel(entry)
	return &kernel{Kernel: k, fn: code.Kernels[0]}, err
}

// Alloc makes memory that kernels may touch.
func (d *Device) Alloc(bytes int64) (engine.Buffer, error) {
	return d.keep(d.Device.Alloc(bytes))
}

// AllocAt makes such memory at an address that is skew modulo 256.
func (d *Device) AllocAt(bytes int64, skew uint8) (engine.Buffer, error) {
	return d.keep(d.Device.AllocAt(bytes, skew))
}

// keep makes a buffer one of those that kernels may touch.
func (d *Device) keep(b engine.Buffer, err error) (engine.Buffer, error) {
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buffers = append(d.buffers, b)
	return &buffer{b, d}, nil
}

// buffer is memory.
type buffer struct {
	engine.Buffer
	d *Device
}

// Free gives it back.
func (b *buffer) Free() error {
	b.d.mu.Lock()
	b.d.buffers = slices.DeleteFunc(b.d.buffers, func(o engine.Buffer) bool { return o == b.Buffer })
	b.d.mu.Unlock()
	return b.Buffer.Free()
}

// NewStream makes a queue.
func (d *Device) NewStream() (engine.Stream, error) {
	s, err := d.Device.NewStream()
	if err != nil {
		return nil, err
	}
	return &stream{s, d}, nil
}

// stream is a queue whose kernels are PTX.
type stream struct {
	engine.Stream
	d *Device
}

// Launch queues a kernel that may touch all memory of the device.
func (s *stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	s.d.mu.Lock()
	buffers := slices.Clone(s.d.buffers)
	s.d.mu.Unlock()
	own := k.(*kernel)
	l := engine.SIMTLaunch{Grid: grid, Args: args, Buffers: buffers}
	if maps, ok := emuprofile.TensorMaps(own.fn, args); ok {
		l.Bytes, l.Args = maps, append(slices.Clone(args), make([]uint64, len(maps))...)
	} else {
		own = own.plain
	}
	l.Shared = uint32(own.fn.Shared)
	return s.Stream.(engine.SIMTStream).LaunchSIMT(own.Kernel, l)
}

// Write, Read and Copy take the memory of the engine below.
func (s *stream) Write(dst engine.Buffer, offset int64, src []byte) error {
	return s.Stream.Write(dst.(*buffer).Buffer, offset, src)
}

// Read copies to the program's memory.
func (s *stream) Read(ctx context.Context, dst []byte, src engine.Buffer, offset int64) error {
	return s.Stream.Read(ctx, dst, src.(*buffer).Buffer, offset)
}

// Copy copies between buffers.
func (s *stream) Copy(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
	return s.Stream.Copy(dst.(*buffer).Buffer, dstOffset, src.(*buffer).Buffer, srcOffset, bytes)
}

// Instead makes programs open such a device when they ask for the CPU, where the environment variable CUTILE_THREADS names an
// architecture: so the tests of a package that knows nothing of it run through PTX.
func Instead() (restore func()) {
	arch := os.Getenv("CUTILE_THREADS")
	if arch == "" {
		return func() {}
	}
	return engine.Register(engine.Kind{
		Name: "cpu",
		List: func() ([]string, error) { return []string{"cpu"}, nil },
		Open: func(_ int, o engine.Options) (engine.Device, error) {
			return NewDevice(arch, threads.Options{Tensors: true}, cpu.Options{Output: o.Output, CheckAssumes: true, Limits: o.Limits}), nil
		},
	})
}
