package cute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/simtc/run"
)

// Executor is a host function compiled for the static parts of some arguments; it can run with other dynamic parts. [Compile]
// makes it.
type Executor struct {
	fn *run.Function
	e  *run.Executor
}

// Compile compiles a function that [Jit] returned for arguments of its parameters, receiver first, which may include a
// [JitOption]. An argument is a value of its parameter's type, or
//   - for a [Tensor], a *cutile.Tensor of its memory's type, or a value that stands for one;
//   - for a number, any integer that fits, and for a float any float that fits as well;
//   - for a [Constexpr], the value that it holds; for a [Stream], a *cutile.Stream; for a pointer, the value that it points to;
//   - a value of a type that [RegisterAdapter] knows.
//
// Compile neither looks for code in caches nor keeps its result there. It ends when ctx does.
func Compile(ctx context.Context, f any, args ...any) (*Executor, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	fn, err := unwrapped("Compile", f)
	if err != nil {
		return nil, err
	}
	args, o := splitOptions(args)
	e, err := fn.Compile(ctx, args, run.Options(o))
	if err != nil {
		return nil, fn.Explain(err)
	}
	return &Executor{fn, e}, nil
}

// Call calls a function that [Jit] returned with arguments as [Compile] takes them. It returns the results except the error.
// ctx applies to compiling, and to waiting if the call waits; queued work continues after ctx has ended.
func Call(ctx context.Context, f any, args ...any) ([]any, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	fn, err := unwrapped("Call", f)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(args) // a stream that nobody can use is closed
	args, o := splitOptions(args)
	out, err := fn.CallUntyped(ctx, args, run.Options(o))
	return interfaces(out), fn.Explain(err)
}

// splitOptions separates the options from the arguments.
func splitOptions(args []any) (rest []any, o Options) {
	for _, a := range args {
		if opt, ok := a.(JitOption); ok {
			opt.apply(&o)
		} else {
			rest = append(rest, a)
		}
	}
	return rest, o
}

// unwrapped finds the function that Jit wrapped.
func unwrapped(word string, f any) (*run.Function, error) {
	v := reflect.ValueOf(f)
	switch {
	case f == nil:
		return nil, fmt.Errorf("cute.%s: the function is nil", word)
	case v.Kind() != reflect.Func:
		return nil, fmt.Errorf("cute.%s: a %T is not a function", word, f)
	case v.IsNil():
		return nil, fmt.Errorf("cute.%s: the function is a nil %T", word, f)
	}
	w, ok := jitted.Load(identity(v))
	if !ok {
		return nil, fmt.Errorf("cute.%s: this %T was not made by cute.Jit: pass what cute.Jit gives for it", word, f)
	}
	return w.(wrapped).fn, nil
}

// Run runs the function with the arguments of the parameters that are not [Executor.Pruned], in order. It returns the results
// except the error. Arguments that need another program, such as tensors with other static strides, are refused. ctx is as for
// [Call].
func (e *Executor) Run(ctx context.Context, args ...any) ([]any, error) {
	if !e.made() {
		return nil, errNoExecutor
	}
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(args)
	out, err := e.e.Run(ctx, args)
	return interfaces(out), e.fn.Explain(err)
}

func interfaces(vs []reflect.Value) (out []any) {
	for _, v := range vs {
		out = append(out, v.Interface())
	}
	return out
}

// Pruned is a static parameter, for which [Executor.Run] takes no argument.
type Pruned struct {
	Index int // from 1; 0 for a receiver
	Name  string
}

// Pruned lists the parameters that are static.
func (e *Executor) Pruned() (out []Pruned) {
	if !e.made() {
		return nil
	}
	for _, p := range e.e.Pruned() {
		out = append(out, Pruned(p))
	}
	return out
}

// Occupancy says for each kernel of [Module.Kernels] what it takes of a device, and how many of its blocks run at once there, such as for
// the grid of a cooperative or persistent launch. Dynamic shared memory counts as far as it is known: Smem of [KernelInfo].
func (e *Executor) Occupancy(ctx context.Context, dev *device.Device) (all []device.Occupancy, err error) {
	if !e.made() {
		return nil, errNoExecutor
	}
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	core := dev.Internal()
	if core == nil {
		return nil, errors.New("cute: Occupancy: the device is nil")
	}
	list, err := e.e.Occupancy(ctx, core)
	for _, o := range list {
		all = append(all, device.Occupancy(o))
	}
	return all, e.fn.Explain(err)
}

// Module returns the compiled module.
func (e *Executor) Module() *Module {
	if !e.made() {
		return &Module{}
	}
	return &Module{e.fn, e.e.Module()}
}

// Close waits for the work that is queued on the devices where the code is loaded, and unloads it.
func (e *Executor) Close() error {
	if !e.made() {
		return errNoExecutor
	}
	return e.fn.Explain(e.e.Close())
}

// made reports whether Compile made the executor.
func (e *Executor) made() bool { return e != nil && e.e != nil }

// The errors of executors and modules that Compile did not make.
var (
	errNoExecutor = errors.New("cute: the executor is nil or was not made by cute.Compile")
	errNoModule   = errors.New("cute: the module is nil or does not come from an executor of cute.Compile")
)

// Module is a host function with the kernels that it launches; see [Executor.Module]. A nil or zero Module has no kernels and
// no text.
type Module struct {
	fn *run.Function
	m  *run.Module
}

// Text returns the module as text without positions; the text of a program is always the same.
func (m *Module) Text() string {
	if !m.made() {
		return ""
	}
	return m.m.Text()
}

func (m *Module) made() bool { return m != nil && m.m != nil }

// KernelInfo describes the launch and the parameters of a kernel.
type KernelInfo struct {
	Name       string
	Block      Dim3
	Cluster    Dim3 // zero for none
	Smem       int  // bytes of dynamic shared memory
	Parameters int  // the dynamic parts of its arguments
}

// Kernels describes the kernels, one for each launch, in launch order.
func (m *Module) Kernels() (out []KernelInfo) {
	if !m.made() {
		return nil
	}
	for _, k := range m.m.IR().Kernels {
		out = append(out, KernelInfo{k.Name, dim3(k.Block), dim3(k.Cluster), k.Shared, len(k.Params)})
	}
	return out
}

func dim3(d [3]int) Dim3 { return Dim3{d[0], d[1], d[2]} }

// Hash returns the key of the program in caches, made from the module, the options, the target and the compiler's version.
func (m *Module) Hash() string {
	if !m.made() {
		return ""
	}
	return m.m.Hash()
}

// Stages returns the stages that the module went through; [Options.Pipeline] replaces them.
func (m *Module) Stages() Stages {
	if !m.made() {
		return nil
	}
	return m.m.Stages()
}

// PTX returns the kernels as PTX for an architecture such as "sm_90a"; "" stands for the one that the module was compiled for.
func (m *Module) PTX(arch string) (string, error) {
	if !m.made() {
		return "", errNoModule
	}
	text, err := m.m.PTX(arch)
	return string(text), m.fn.Explain(err)
}

// Cubin returns the kernels as machine code for an architecture, made by NVIDIA's ptxas, which is stopped when ctx ends.
func (m *Module) Cubin(ctx context.Context, arch string) ([]byte, error) {
	if !m.made() {
		return nil, errNoModule
	}
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	code, err := m.m.Cubin(ctx, arch)
	return code, m.fn.Explain(err)
}

// WritePTX writes the kernels as PTX, for other programs to load.
func (m *Module) WritePTX(w io.Writer, arch string) error {
	if w == nil {
		return errors.New("cute: WritePTX: the writer is nil")
	}
	text, err := m.PTX(arch)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}
