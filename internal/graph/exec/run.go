package exec

import (
	"context"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// Run queues a run and returns its results. args are the parameters in their order, each in row-major order.
func (p *Program) Run(s *device.Stream, args []*device.Tensor) ([]*device.Tensor, error) {
	slots, err := p.acquire()
	if err != nil {
		return nil, err
	}
	defer p.release(slots)
	results := make([]*device.Tensor, len(p.outs))
	for i, r := range p.outs {
		view, err := strided.RowMajor(r.node.Shape)
		if err != nil {
			return nil, err
		}
		mem, err := p.dev.Alloc(int64(r.node.Len() * r.node.Elem.Size()))
		if err != nil {
			return nil, err
		}
		results[i] = &device.Tensor{Memory: mem, View: view, Elem: r.node.Elem}
	}
	for i := range p.steps {
		if err := p.steps[i].launch(s, args, slots, results); err != nil {
			return nil, err
		}
	}
	for i, r := range p.outs {
		if !r.copy || r.node.Len() == 0 {
			continue
		}
		from, offset := r.from.memory(args, slots, results)
		if err := results[i].Memory.Copy(0, from, offset, results[i].Memory.Size()); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// memory gives the memory of a place, and where the array begins in it.
func (p *place) memory(args []*device.Tensor, slots []*device.Memory, results []*device.Tensor) (*device.Memory, int64) {
	switch p.kind {
	case ofParam:
		t := args[p.index]
		return t.Memory, int64(t.Address() - t.Memory.Address())
	case ofSlot:
		return slots[p.index], 0
	case ofResult:
		return results[p.index].Memory, 0
	}
	return p.fixed, 0
}

// launch queues the kernel.
func (s *step) launch(on *device.Stream, args []*device.Tensor, slots []*device.Memory, results []*device.Tensor) error {
	bits := make([]uint64, len(s.args))
	uses := make([]device.Use, len(s.args))
	for i := range s.args {
		mem, offset := s.args[i].memory(args, slots, results)
		bits[i] = mem.Address() + uint64(offset)
		uses[i] = device.Use{Memory: mem, Writes: i == 0}
	}
	return on.Launch(s.kernel, s.code.Grid, bits, uses)
}

// acquire gives the memory of a run, which no other run takes meanwhile.
func (p *Program) acquire() ([]*device.Memory, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		slots := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return slots, nil
	}
	p.mu.Unlock()
	slots := make([]*device.Memory, len(p.slots))
	for i, size := range p.slots {
		var err error
		if slots[i], err = p.dev.Alloc(size); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// release gives the memory of a run to later ones, whose kernels wait for those that use it.
func (p *Program) release(slots []*device.Memory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, slots)
}

// kernelsKey is the key of a device's kernels of graphs.
type kernelsKey struct{}

type kernels = cache.Cache[string, engine.Kernel]

// loaded gives the compiled code on a device: the same for the same Tile IR.
func loaded(ctx context.Context, dev *device.Device, code *emit.Code) (engine.Kernel, error) {
	all := dev.Hold(kernelsKey{}, func() (any, func()) {
		c := cache.New[string, engine.Kernel](func(error) bool { return false })
		return c, func() { c.Clear(func(k engine.Kernel) { k.Close() }) }
	}).(*kernels)
	text, err := bytecode.Write(code.Module, tileir.Newest, bytecode.Options{})
	if err != nil {
		return nil, err
	}
	ctx, explain := dev.Until(ctx)
	k, err := all.Get(ctx, string(text), func(ctx context.Context) (engine.Kernel, error) {
		return dev.Compile(ctx, code.Module, code.Entry, code.Entry)
	})
	return k, explain(err)
}
