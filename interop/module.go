package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"sync"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/cubin"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// Module is code of another compiler that is loaded on a device: of nvcc, NVRTC, Triton, CUTLASS, clang, or written by hand. Its global
// variables live as long as it does. Its methods may be called from several goroutines.
type Module struct {
	dev        *cutile.Device
	loaded     engine.SIMTModule
	signatures []simt.Signature
	failed     map[string]error  // of the kernels that an emulator cannot run
	static     map[string]uint32 // bytes of shared memory that the variables of a kernel take, where an emulator runs it

	mu     sync.RWMutex // held for reading while a launch is queued
	closed bool
}

// LoadModule loads a text of PTX or a cubin on a device, until [Module.Close] or until the device is closed.
//
// A GPU of NVIDIA takes both; its driver compiles PTX. The CPU engine takes PTX, of any version and for any architecture, which it runs on its
// emulator, slowly, and with checks of bounds, alignment and memory that nobody wrote; races are reported on devices with [cutile.WithChecks]. A kernel with an
// instruction that the emulator does not have is an error of [Module.Kernel], with its line, or of LoadModule if it has no other kernel. Other
// devices give an error. If ctx ends first, the module is not loaded.
func LoadModule(ctx context.Context, dev *cutile.Device, code []byte) (*Module, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if dev == nil || dev.Internal() == nil {
		return nil, errors.New("interop: module: the device is nil")
	}
	m, err := loadModule(ctx, dev, code)
	if err != nil {
		return nil, fmt.Errorf("interop: module on %s: %w", dev.Name(), err)
	}
	return m, nil
}

func loadModule(ctx context.Context, dev *cutile.Device, code []byte) (*Module, error) {
	eng, ok := dev.Internal().Engine().(engine.SIMT)
	if !ok {
		return nil, errors.New("the device runs neither PTX nor machine code of NVIDIA: open a device cuda, or cpu for PTX")
	}
	m := &Module{dev: dev, static: map[string]uint32{}}
	binary, err := m.read(code)
	if err != nil {
		return nil, err
	}
	var module *simt.Module
	switch {
	case binary && eng.TakesModules():
		return nil, errors.New("the CPU engine does not run machine code of GPUs, as a cubin is: give it PTX, which nvcc -ptx makes, and NVRTC")
	case eng.TakesModules() || dev.Internal().Shadowed() && !binary:
		module, err = m.whole(code, eng.TakesModules())
	}
	if err != nil && eng.TakesModules() {
		return nil, err
	}
	if module == nil || err != nil {
		module = m.declared()
	}
	m.mu.Lock() // the device may be closed as soon as it knows the module
	defer m.mu.Unlock()
	if m.loaded, err = dev.Internal().LoadSIMT(ctx, module, code, m.unload); err != nil {
		return nil, err
	}
	return m, nil
}

// read lists the kernels of the code, and says whether it is machine code.
func (m *Module) read(code []byte) (binary bool, err error) {
	switch {
	case len(code) == 0:
		return false, errors.New("the code is empty: give a text of PTX or a cubin")
	case cubin.Is(code):
		m.signatures, err = cubin.Read(code)
		binary = true
	default:
		for _, k := range otherFiles {
			if bytes.HasPrefix(code, []byte(k.magic)) {
				return false, fmt.Errorf("the code is %s: give a text of PTX or a cubin", k.what)
			}
		}
		m.signatures, err = ptx.Signatures(text(code))
	}
	if err == nil && len(m.signatures) == 0 {
		err = errors.New("the code has no kernels: functions need __global__ (.entry in PTX)")
	}
	return binary, err
}

// otherFiles are files that programs may take for modules, by what they begin with.
var otherFiles = []struct{ magic, what string }{
	{"\x50\xed\x55\xba", "a fat binary, of which cuobjdump -xelf all and -xptx all take the parts out"},
	{"BC\xc0\xde", "LLVM bitcode, of which llc -march=nvptx64 makes PTX"},
	{"\x7fTileIR", "bytecode of Tile IR, which tileiras makes a cubin of"},
}

// text is a text of PTX without the zero bytes that end texts of C.
func text(code []byte) []byte { return bytes.TrimRight(code, "\x00") }

// whole reads a text of PTX for an emulator: all of it, or in part the kernels without mistakes, of which there must be one. Instructions that the
// text gives no line of a source have that of the text.
func (m *Module) whole(code []byte, part bool) (*simt.Module, error) {
	module, failed, err := ptx.ReadKernels(text(code))
	if err != nil {
		return nil, err
	}
	for _, s := range m.signatures {
		if err := failed[s.Name]; err != nil && (!part || len(module.Kernels) == 0) {
			return nil, err
		}
	}
	m.failed = failed
	module.Name = moduleName
	for _, f := range module.Kernels {
		m.static[f.Name] = uint32(f.Shared)
		for i := range f.Body {
			if in := &f.Body[i]; !in.Pos.IsValid() && in.Line > 0 {
				in.Pos = token.Position{Filename: "PTX", Line: in.Line, Column: 1}
			}
		}
	}
	return module, nil
}

const moduleName = "module of another compiler"

// declared is the module without its code, which the device has.
func (m *Module) declared() *simt.Module {
	out := &simt.Module{Name: moduleName, Declared: true}
	for i := range m.signatures {
		out.Kernels = append(out.Kernels, m.signatures[i].Func())
	}
	return out
}

// Kernels lists the names of the kernels, as they are in the code: those of C++ are mangled, unless the source says extern "C".
func (m *Module) Kernels() (list []string) {
	if m == nil {
		return nil
	}
	for _, s := range m.signatures {
		list = append(list, s.Name)
	}
	return list
}

// Kernel finds a kernel by its name in the code. One that the CPU engine's emulator cannot run is an error that says which line of the text it
// cannot read. After Close it is [cutile.ErrClosed].
func (m *Module) Kernel(name string) (*Kernel, error) {
	if m == nil || m.loaded == nil {
		return nil, errNoModule
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, fmt.Errorf("interop: kernel %s: its module: %w", name, cutile.ErrClosed)
	}
	i := slices.IndexFunc(m.signatures, func(s simt.Signature) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("interop: the module has no kernel %q: it has %s", name, names.List(m.Kernels()))
	}
	if err := m.failed[name]; err != nil {
		return nil, fmt.Errorf("interop: kernel %s cannot run on %s: %w", name, m.dev.Name(), err)
	}
	loaded, err := m.loaded.Kernel(name)
	if err != nil {
		return nil, fmt.Errorf("interop: kernel %s: %w", name, err)
	}
	m.dev.Internal().Named(loaded, name)
	return &Kernel{m, loaded, &m.signatures[i]}, nil
}

var errNoModule = errors.New("interop: the module is nil: use the one that LoadModule returns")

// Close waits for the work that is queued on the device and unloads the module. Its kernels give [cutile.ErrClosed] from then on, and on a GPU
// so do graphs of launches that have captured them. Closing it again does nothing.
func (m *Module) Close() error {
	if m == nil || m.loaded == nil {
		return errNoModule
	}
	m.mu.Lock() // no launch is queued from here on
	closed := m.closed
	m.closed = true
	m.mu.Unlock()
	if closed {
		return nil
	}
	failed := m.dev.Internal().Sync(context.Background())
	if errors.Is(failed, cutile.ErrClosed) { // closing the device frees its modules
		return nil
	}
	if err := errors.Join(failed, m.loaded.Close()); err != nil {
		return fmt.Errorf("interop: module on %s: %w", m.dev.Name(), err)
	}
	return nil
}

// unload is called when the device is closed. Its work has ended.
func (m *Module) unload() {
	m.mu.Lock()
	closed := m.closed
	m.closed = true
	m.mu.Unlock()
	if !closed {
		m.loaded.Close()
	}
}
