package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// call is a host function on its way through a device.
type call struct {
	binder
	device  *device.Device
	alone   bool // no argument names the device: nobody else can wait for its work
	own     *device.Stream
	program *program
	loaded  *loaded
	events  []*device.Event // of launches with tokens: token n is events[n-1]
}

// run runs the host function, which queues its kernels.
func (c *call) run(ctx context.Context, p *program) ([]reflect.Value, error) {
	var err error
	c.program = p
	if c.loaded, err = p.on(ctx, c.device); err != nil {
		return nil, err
	}
	out := io.Writer(os.Stdout)
	if eng, ok := c.device.Engine().(engine.SIMT); ok {
		out = eng.Output()
	}
	bits, err := p.host.Host(ctx, c.leaves, c.launch, out)
	for _, e := range c.events {
		e.Close()
	}
	if c.own != nil {
		if err == nil {
			err = c.own.Sync(ctx) // nobody else can wait for this work; when ctx ends, Close stops it
		}
		if closed := c.own.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return nil, err
	}
	return results(c.fn.value.Type(), p, bits), nil
}

// launch queues a kernel.
func (c *call) launch(h *emu.HostLaunch) (token uint64, err error) {
	s, err := c.stream(h)
	if err != nil {
		return 0, err
	}
	for _, t := range h.After {
		if t == 0 {
			continue // a launch without a token, on the device's own stream
		}
		if err := s.Wait(c.events[t-1]); err != nil {
			return 0, err
		}
	}
	l := engine.SIMTLaunch{Shared: uint32(h.Shared), Args: h.Args, Cooperative: h.Cooperative, PDL: h.PDL}
	empty := false
	for i, n := range h.Grid {
		if n < 0 || int64(n) > simt.MaxGrid[i] {
			return 0, fmt.Errorf("%v: launch of kernel %s: the grid is %v: its extents must be 0 to %d, %d and %d", h.Pos, c.title(h), h.Grid,
				simt.MaxGrid[0], simt.MaxGrid[1], simt.MaxGrid[2])
		}
		l.Grid[i] = uint32(n)
		empty = empty || n == 0
	}
	if err := c.possible(h); err != nil {
		return 0, fmt.Errorf("%v: launch of kernel %s: %w", h.Pos, c.title(h), err)
	}
	if c.device.Shadowed() {
		l.Tensors = c.tensors(h)
	}
	if !empty {
		if err := s.LaunchSIMT(c.loaded.kernels[h.Kernel], l, c.touched(h)); err != nil {
			return 0, fmt.Errorf("%v: launch of kernel %s: %w", h.Pos, c.title(h), err)
		}
	}
	if !h.Async {
		return 0, nil
	}
	e, err := s.Record()
	if err != nil {
		return 0, err
	}
	c.events = append(c.events, e)
	return uint64(len(c.events)), nil
}

// possible is the mistake in what a launch asks for that is only known now; nil for none.
func (c *call) possible(h *emu.HostLaunch) error {
	arch, err := simt.TargetOf(c.program.arch)
	if err != nil {
		return err
	}
	if h.Shared < 0 || h.Shared > arch.Shared {
		return fmt.Errorf("Smem is %d: %s has 0 to %d bytes of shared memory for one block", h.Shared, arch.Name, arch.Shared)
	}
	cluster := c.program.module.Kernel(h.Kernel).Cluster
	for i, n := range cluster {
		if n > 0 && h.Grid[i]%n != 0 {
			return fmt.Errorf("the grid %v is not a multiple of the cluster %v: make it one along each axis", h.Grid, cluster)
		}
	}
	return nil
}

// title gives the name of the kernel of a launch, for messages.
func (c *call) title(h *emu.HostLaunch) string { return c.program.module.Kernel(h.Kernel).Title() }

// stream is the queue for a launch: the one that it names, else the device's own. A call that is alone on its device has
// one for itself.
func (c *call) stream(h *emu.HostLaunch) (s *device.Stream, err error) {
	switch {
	case h.Stream > 0:
		return c.queues[h.Stream-1], nil
	case !c.alone:
		return c.device.Main(), nil
	case c.own == nil:
		c.own, err = c.device.NewStream()
	}
	return c.own, err
}

// touched is the memory that a kernel may use: what one of its parameters points into. It is not known whether it writes.
func (c *call) touched(h *emu.HostLaunch) (uses []device.Use) {
	k := c.program.module.Kernel(h.Kernel)
	add := func(u device.Use) {
		if !slices.ContainsFunc(uses, func(old device.Use) bool { return old.Memory == u.Memory }) {
			uses = append(uses, u)
		}
	}
	for _, u := range c.uses {
		from, size := u.Memory.Address(), uint64(u.Memory.Size())
		for j, a := range h.Args {
			if wide(k.Params[j]) && a >= from && a-from <= size {
				if u.tells != nil {
					add(device.Use{Memory: u.tells, Writes: true})
				}
				add(u.Use)
			}
		}
	}
	return uses
}

// tensors describes the tensors whose memory a kernel gets, by the parameters that point there.
func (c *call) tensors(h *emu.HostLaunch) (all []engine.Tensor) {
	k := c.program.module.Kernel(h.Kernel)
	for _, u := range c.uses {
		if u.tensor == nil {
			continue
		}
		from, size := u.Memory.Address(), uint64(u.Memory.Size())
		for j, a := range h.Args {
			if !wide(k.Params[j]) || a < from || a-from > size {
				continue
			}
			n := u.tensor.Elem.Size()
			t := engine.Tensor{Arg: j, Elem: &elem.Table[u.tensor.Elem], Name: cmp.Or(k.Params[j].Tensor, k.Params[j].Name), Size: n, Writes: true}
			if t.Shape, t.Strides = u.tensor.View.Shape, u.tensor.View.Strides; a != u.tensor.Address() { // a part of it, of a shape that is not known here
				t.Shape, t.Strides, t.Pointer = []int{int(from+size-a) / n}, []int{1}, true
			}
			all = append(all, t)
		}
	}
	return all
}

// wide reports whether a parameter is wide enough for an address.
func wide(p simt.Param) bool { return p.Bytes > 0 || simt.TypeBits(p.Type) == 64 }

// results turns the bits of the host function's results into Go's values.
func results(fn reflect.Type, p *program, bits []uint64) (out []reflect.Value) {
	for i := range p.results {
		out = append(out, number(fn.Out(i), bits[i]))
	}
	return out
}
