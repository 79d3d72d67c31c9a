// Package fake is a CUDA driver that works on the program's own memory, for tests of everything above the driver where
// there is no GPU.
//
// It has the semantics that callers rely on: memory at addresses that the program cannot dereference, with undefined content;
// streams that work in order and beside each other; events; a current context per thread; modules (see [Cubin]); errors
// that stay with a context. What a kernel does is a function that the test gives. It also does what no driver does: it
// keeps a trace of all calls, fails the calls that a test names, and lists what was not given back.
package fake

import (
	"fmt"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// Options describe the machine. The zero value is one GPU of compute capability 9.0 with 1 GiB.
type Options struct {
	Devices []Device
	Version int // CUDA version of the driver, as DriverGetVersion gives it; 0 is 13.4
	// Run does the work of a launch, for the whole grid. An error poisons the context: with the code of a [cudrv.Error] in
	// it, else with CUDA_ERROR_LAUNCH_FAILED. It is called on the goroutine of the launch's stream.
	Run func(*Launch) error
	// Decode reads the images of ModuleLoadData; nil is [DecodeCubin].
	Decode func(image []byte) (*Cubin, error)
	// TensorMap encodes tensor maps; nil is a driver without them.
	TensorMap func(*cudrv.TensorMap) ([128]byte, error)
	Quiet     bool // keep no trace; then LaunchKernel does not allocate
}

// Device is one GPU.
type Device struct {
	Name            string
	Major, Minor    int // compute capability
	Memory          int64
	Multiprocessors int
}

// Target is the device's name for compilers, such as "sm_90".
func (d Device) Target() string { return fmt.Sprintf("sm_%d%d", d.Major, d.Minor) }

// A Call is one call of the driver, in the order in which they came.
type Call struct {
	Name string // such as "cuMemAlloc"
	Args []any
	Out  any // nil if the call gives nothing
	Code cudrv.Result
}

// String is the call as text, such as `cuMemAlloc(1024) = 0x700000100`.
func (c *Call) String() string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = show(a)
	}
	s := c.Name + "(" + strings.Join(args, ", ") + ")"
	if c.Code != cudrv.Success {
		return s + " = " + c.Code.String()
	}
	if c.Out != nil {
		s += " = " + show(c.Out)
	}
	return s
}

func show(a any) string {
	if p, ok := a.(cudrv.DevicePtr); ok {
		return fmt.Sprintf("%#x", uint64(p))
	}
	return fmt.Sprint(a)
}

// Driver implements [cudrv.Driver].
type Driver struct {
	opts Options

	mu      sync.Mutex
	changed sync.Cond // work ended, or work came
	ready   bool
	trace   []*Call
	faults  []fault
	handle  uintptr
	space   cudrv.DevicePtr // next free address

	primary   []*context
	contexts  map[cudrv.Context]*context
	current   map[int]cudrv.Context // by thread
	allocs    []*alloc              // by address
	modules   map[cudrv.Module]*module
	functions map[cudrv.Function]*function
	streams   map[cudrv.Stream]*stream
	events    map[cudrv.Event]*event
	graphs    map[cudrv.Graph]*graph
	execs     map[cudrv.Exec]*graph
	pools     map[cudrv.MemPool]*pool
	pinned    map[*byte]pinned
}

var _ cudrv.Driver = (*Driver)(nil)

type fault struct {
	call string
	left int
	code cudrv.Result
}

// context is a primary context; it lives while refs > 0.
type context struct {
	id     cudrv.Context
	device int
	refs   int
	lost   cudrv.Result // what every call gives since a kernel failed
	used   int64
	null   *stream // the default stream
}

// New makes a driver.
func New(opts Options) *Driver {
	if opts.Devices == nil {
		opts.Devices = []Device{{Name: "Fake GPU", Major: 9, Memory: 1 << 30, Multiprocessors: 132}}
	}
	if opts.Version == 0 {
		opts.Version = 13040
	}
	if opts.Decode == nil {
		opts.Decode = DecodeCubin
	}
	d := &Driver{
		opts: opts, space: 0x7_0000_0000,
		primary:   make([]*context, len(opts.Devices)),
		contexts:  map[cudrv.Context]*context{},
		current:   map[int]cudrv.Context{},
		modules:   map[cudrv.Module]*module{},
		functions: map[cudrv.Function]*function{},
		streams:   map[cudrv.Stream]*stream{},
		events:    map[cudrv.Event]*event{},
		graphs:    map[cudrv.Graph]*graph{},
		execs:     map[cudrv.Exec]*graph{},
		pools:     map[cudrv.MemPool]*pool{},
		pinned:    map[*byte]pinned{},
	}
	d.changed.L = &d.mu
	return d
}

// Fail makes the nth call of a function from now on (1 is the next) fail with code. A code that poisons a context also does
// so here.
func (d *Driver) Fail(call string, nth int, code cudrv.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, fault{call, nth, code})
}

// Trace gives the calls since New or ResetTrace.
func (d *Driver) Trace() []*Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*Call(nil), d.trace...)
}

// Names gives the names of the calls of the trace without the given ones; cuCtxSetCurrent comes before nearly every call.
func (d *Driver) Names(without ...string) []string {
	var names []string
	for _, c := range d.Trace() {
		if !contains(without, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// ResetTrace forgets the calls so far.
func (d *Driver) ResetTrace() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trace = nil
}

// Leaks lists what is still held: contexts, memory, modules, streams, events, graphs, pools and pinned memory, in no particular order.
func (d *Driver) Leaks() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for i, c := range d.primary {
		if c != nil {
			out = append(out, fmt.Sprintf("context of device %d, retained %d times", i, c.refs))
		}
	}
	for _, a := range d.allocs {
		out = append(out, fmt.Sprintf("%d bytes at %#x", len(a.data), uint64(a.base)))
	}
	for id, m := range d.modules {
		out = append(out, fmt.Sprintf("module %d (%s)", id, m.cubin.names()))
	}
	for id := range d.streams {
		out = append(out, fmt.Sprintf("stream %d", id))
	}
	for id := range d.events {
		out = append(out, fmt.Sprintf("event %d", id))
	}
	for id := range d.graphs {
		out = append(out, fmt.Sprintf("graph %d", id))
	}
	for id := range d.execs {
		out = append(out, fmt.Sprintf("executable graph %d", id))
	}
	for id := range d.pools {
		out = append(out, fmt.Sprintf("memory pool %d", id))
	}
	for _, p := range d.pinned {
		out = append(out, fmt.Sprintf("%d bytes of pinned memory", len(p.data)))
	}
	return out
}

// begin takes the lock, which the caller gives back, notes the call and fails it if a test asked for that.
func (d *Driver) begin(name string, args ...any) (*Call, error) {
	d.mu.Lock()
	c := &Call{Name: name, Args: args}
	if !d.opts.Quiet {
		d.trace = append(d.trace, c)
	}
	if code := d.fault(name); code != cudrv.Success {
		if ctx := d.contexts[d.current[threadID()]]; ctx != nil {
			d.poison(ctx, code)
		}
		return c, c.fail(code)
	}
	if !d.ready && !withoutInit[name] {
		return c, c.fail(cudrv.NotInitialized)
	}
	return c, nil
}

// withoutInit are the calls that may come before cuInit.
var withoutInit = map[string]bool{"cuInit": true, "cuDriverGetVersion": true}

// fault counts a call against the faults that a test asked for.
func (d *Driver) fault(name string) cudrv.Result {
	for i := range d.faults {
		f := &d.faults[i]
		if f.call != name || f.left == 0 {
			continue
		}
		if f.left--; f.left == 0 {
			return f.code
		}
	}
	return cudrv.Success
}

// fail notes the code and makes the error.
func (c *Call) fail(code cudrv.Result) error {
	c.Code = code
	return &cudrv.Error{Call: c.Name, Code: code, Text: textOf(code)}
}

func textOf(code cudrv.Result) string {
	if text, ok := code.Sticky(); ok {
		return text
	}
	text := strings.TrimPrefix(code.String(), "CUDA_ERROR_")
	return strings.ToLower(strings.ReplaceAll(text, "_", " "))
}

// lost fails a call where its context is lost.
func (c *Call) lost(ctx *context) error {
	if ctx.lost != cudrv.Success {
		return c.fail(ctx.lost)
	}
	return nil
}

// beginCtx is begin for a call that needs a live context.
func (d *Driver) beginCtx(name string, args ...any) (*Call, *context, error) {
	c, err := d.begin(name, args...)
	if err != nil {
		return c, nil, err
	}
	ctx, code := d.live()
	if code != cudrv.Success {
		return c, ctx, c.fail(code)
	}
	return c, ctx, nil
}

// live is the calling thread's context, and what is wrong with it.
func (d *Driver) live() (*context, cudrv.Result) {
	id := d.current[threadID()]
	ctx := d.contexts[id]
	if id == 0 {
		return nil, cudrv.InvalidContext
	}
	if ctx == nil {
		return nil, cudrv.ContextIsDestroyed
	}
	return ctx, ctx.lost
}

// poison makes a context unusable if the code is of that kind, and wakes who waits.
func (d *Driver) poison(ctx *context, code cudrv.Result) {
	if _, ok := code.Sticky(); ok && ctx.lost == cudrv.Success {
		ctx.lost = code
		d.changed.Broadcast()
	}
}

func (d *Driver) newHandle() uintptr {
	d.handle++
	return d.handle
}
