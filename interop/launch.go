package interop

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
)

// Kernel is a kernel of a [Module]. Its methods may be called from several goroutines.
type Kernel struct {
	module *Module
	loaded engine.Kernel
	sig    *simt.Signature
}

// Param is a parameter of a kernel.
type Param struct {
	Name string // in PTX, such as saxpy_param_0; "" in a cubin
	Type string // in PTX, such as u64, or b8 for an array of bytes, which structs are; of a cubin b8, b16, b32 or b64
	Size int    // in bytes
}

// Name returns the kernel's name in the code.
func (k *Kernel) Name() string {
	if k == nil || k.sig == nil {
		return ""
	}
	return k.sig.Name
}

// Params lists the parameters that the code declares, in order.
func (k *Kernel) Params() (list []Param) {
	if k == nil || k.sig == nil {
		return nil
	}
	for i := range k.sig.Params {
		p := &k.sig.Params[i]
		list = append(list, Param{p.Name, p.Type, p.Size()})
	}
	return list
}

// Config says how many threads a launch has. An axis after the first that is 0 has the extent 1.
type Config struct {
	Grid    [3]int // blocks along each axis
	Block   [3]int // threads of a block along each axis; zero for the extents that the kernel demands (.reqntid)
	Cluster [3]int // blocks of a cluster along each axis; zero for what the kernel demands, or for none
	Shared  int    // bytes of dynamic shared memory

	// Cooperative makes all blocks run at once, so that they can wait for each other, as grid.sync() of CUDA's cooperative groups does. A grid
	// that the device cannot run at once ([Kernel.Occupancy]) is an error: a GPU's of this launch, the CPU engine's, which takes 1024 blocks (or clusters), of the next
	// call that waits. It needs a driver of CUDA 11.8.
	Cooperative bool
	// PDL lets the kernel start while the kernel before it on the stream still runs, which is called programmatic dependent launch. It must wait
	// for that kernel itself (cudaGridDependencySynchronize, griddepcontrol.wait) on every path, before it reads what others wrote or writes what
	// others read; nothing checks that. It starts when the one before it has ended if its PTX has no such instruction, on GPUs before sm_90, with
	// drivers before CUDA 11.8 and on the CPU engine.
	PDL bool
}

// Launch queues the kernel on a stream of the module's device and returns without waiting for it. It takes part in the order of work like
// every other launch: after all work, on any stream, whose tensors it conflicts with, and before later one. A stream that captures
// ([cutile.Stream.Capture]) makes it part of its graph. The next call that waits returns the error of a kernel that fails, with the kernel's name.
//
// Each argument is for one parameter, in order:
//   - a tensor, which the kernel may write, or one in [In], [Out] or [InOut]: the address of its first element. Which shape and strides it has
//     the kernel learns from other arguments, if at all. A view with several indices of one element, as of [cutile.Tensor.Broadcast], must be in [In];
//   - a bool, an integer, a float or a value of package dtype of the parameter's size: int and uint have 8 bytes. Floats and integers do not stand
//     for each other where the code says what a parameter is, which a cubin does not;
//   - uintptr(0) for a null pointer;
//   - a struct or an array of these, with the layout of C: each field where its alignment allows, which is its size. Fields must be exported,
//     unless their name is _, which stands for bytes that are 0.
//
// Arguments whose number, size or kind is not what the code declares, and extents that the kernel cannot have, are [cutile.ErrMismatch], with a
// [cutile.Error] for each, and nothing runs.
func (k *Kernel) Launch(on *cutile.Stream, c Config, args ...any) error {
	switch {
	case k == nil || k.module == nil:
		return errNilKernel
	case on == nil || on.Internal() == nil:
		return errors.New("interop: launch of kernel " + k.Name() + ": the stream is nil")
	case on.Internal().Device() != k.module.dev.Internal():
		return fmt.Errorf("interop: launch of kernel %s: the stream belongs to another device%s", k.Name(),
			k.module.dev.Internal().Apart(on.Internal().Device()))
	}
	l := engine.SIMTLaunch{Static: k.module.static[k.sig.Name]}
	wrong := k.configure(&l, c)
	b := binding{dev: k.module.dev.Internal(), launch: &l}
	wrong = append(wrong, b.bind(k.sig, args)...)
	if len(wrong) > 0 {
		return k.mismatch(wrong)
	}
	k.module.mu.RLock()
	defer k.module.mu.RUnlock()
	if k.module.closed {
		return fmt.Errorf("interop: launch of kernel %s: its module: %w", k.Name(), cutile.ErrClosed)
	}
	defer runtime.KeepAlive(on)
	if err := on.Internal().LaunchSIMT(k.loaded, l, b.uses); err != nil {
		return fmt.Errorf("interop: launch of kernel %s on %s: %w", k.Name(), k.module.dev.Name(), err)
	}
	return nil
}

// Occupancy says what launches with such a Config take of the device, and how many of their blocks run there at once: the most that a cooperative
// launch may have. The grid of c does not matter. Clusters of a launch are not considered on GPUs, which may run fewer blocks of them.
func (k *Kernel) Occupancy(c Config) (o cutile.Occupancy, err error) {
	if k == nil || k.module == nil {
		return o, errNilKernel
	}
	l := engine.SIMTLaunch{Static: k.module.static[k.sig.Name]}
	for i := range c.Grid {
		c.Grid[i] = max(c.Cluster[i], k.sig.Cluster[i], 1)
	}
	if wrong := k.configure(&l, c); len(wrong) > 0 {
		return o, k.mismatch(wrong)
	}
	k.module.mu.RLock()
	defer k.module.mu.RUnlock()
	if k.module.closed {
		return o, fmt.Errorf("interop: occupancy of kernel %s: its module: %w", k.Name(), cutile.ErrClosed)
	}
	return device.OccupancyOf(k.module.dev, k.loaded, l)
}

var errNilKernel = errors.New("interop: the kernel is nil: use the one that Module.Kernel returns")

// mismatch is the error of mistakes.
func (k *Kernel) mismatch(wrong []bind.Mistake) error {
	errs := make([]error, len(wrong))
	for i, m := range wrong {
		errs[i] = &device.Error{Stage: device.StageLaunch, Kernel: k.Name(), Message: m.Text, Text: "kernel " + k.Name() + ": " + m.Text, Cause: m.Reason()}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// The limits of launches on GPUs of NVIDIA.
var (
	maxGrid    = [3]int{int(simt.MaxGrid[0]), int(simt.MaxGrid[1]), int(simt.MaxGrid[2])}
	maxCluster = [3]int{simt.MaxCluster, simt.MaxCluster, simt.MaxCluster}
)

const mostShared = 227 << 10

// configure checks what the launch is asked for and writes it down.
func (k *Kernel) configure(l *engine.SIMTLaunch, c Config) (wrong []bind.Mistake) {
	add := func(format string, args ...any) {
		wrong = append(wrong, bind.Mistake{Text: fmt.Sprintf(format, args...)})
	}
	var err error
	if l.Grid, err = extents("grid", c.Grid, maxGrid); err != nil {
		add("%v", err)
	}
	if l.Block, err = demanded("block", c.Block, k.sig.Block, simt.MaxBlock); err != nil {
		add("%v", err)
	}
	if l.Cluster, err = demanded("cluster", c.Cluster, k.sig.Cluster, maxCluster); err != nil {
		add("%v", err)
	}
	if c.Shared < 0 || c.Shared > mostShared {
		add("%d bytes of dynamic shared memory: a block has 0 to %d", c.Shared, mostShared)
	}
	if wrong != nil {
		return wrong
	}
	l.Shared, l.Cooperative, l.PDL = uint32(c.Shared), c.Cooperative, c.PDL && !k.sig.NeverWaits
	threads, blocks := volume(l.Block), volume(l.Cluster)
	switch {
	case threads == 0:
		add("Config.Block is zero, and the code does not say how many threads a block has: set it")
	case threads > simt.MaxThreads:
		add("the block %s has %d threads: a block has at most %d", show(l.Block), threads, simt.MaxThreads)
	case k.sig.MaxThreads > 0 && threads > k.sig.MaxThreads:
		add("the block %s has %d threads, but the kernel was compiled for at most %d (.maxntid, __launch_bounds__)", show(l.Block), threads, k.sig.MaxThreads)
	case blocks > simt.MaxCluster:
		add("the cluster %s has %d blocks: a cluster has at most %d", show(l.Cluster), blocks, simt.MaxCluster)
	}
	for i, n := range l.Cluster {
		if n > 0 && l.Grid[i]%n != 0 {
			add("the grid %s is not a multiple of the cluster %s", show(l.Grid), show(l.Cluster))
			break
		}
	}
	return wrong
}

// extents checks extents along three axes.
func extents(what string, given, most [3]int) (d [3]uint32, err error) {
	for i, n := range given {
		if i > 0 && n == 0 {
			n = 1
		}
		if n < 1 || n > most[i] {
			return d, fmt.Errorf("the %s is (%d, %d, %d): its extents must be 1 to %d, %d and %d", what, given[0], given[1], given[2], most[0], most[1], most[2])
		}
		d[i] = uint32(n)
	}
	return d, nil
}

// demanded is extents, which may be left out, where the kernel may allow only some; zero if neither says any.
func demanded(what string, given, only, most [3]int) (d [3]uint32, err error) {
	if given == [3]int{} {
		given = only
	}
	if given == [3]int{} {
		return d, nil
	}
	if d, err = extents(what, given, most); err != nil {
		return d, err
	}
	if want := [3]uint32{uint32(only[0]), uint32(only[1]), uint32(only[2])}; only != [3]int{} && d != want {
		return d, fmt.Errorf("the %s is %s, but the kernel was compiled for %s only", what, show(d), show(want))
	}
	return d, nil
}

func volume(d [3]uint32) int { return int(d[0]) * int(d[1]) * int(d[2]) }

func show(d [3]uint32) string { return fmt.Sprintf("(%d, %d, %d)", d[0], d[1], d[2]) }
