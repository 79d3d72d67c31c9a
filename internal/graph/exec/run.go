package exec

import (
	"context"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// run is the memory of one run.
type run struct {
	ctx     context.Context
	stream  *device.Stream
	args    []*device.Tensor
	slots   []*device.Memory
	results []*device.Tensor
	dynamic []*device.Tensor

	bits []uint64 // of the launch that is being queued
	uses []device.Use
}

// Run queues a run and returns its results. args are the parameters in their order, each in row-major order. It waits only where
// what is computed next depends on elements; ctx ends that wait.
func (p *Program) Run(ctx context.Context, s *device.Stream, args []*device.Tensor) ([]*device.Tensor, error) {
	return p.run(ctx, s, args, p.all)
}

// run is Run with other work in the place of the program's steps.
func (p *Program) run(ctx context.Context, s *device.Stream, args []*device.Tensor, work func(*run) error) ([]*device.Tensor, error) {
	results := make([]*device.Tensor, len(p.outs))
	for i, out := range p.outs {
		var err error
		if results[i], err = p.alloc(out.node); err != nil {
			release(results[:i])
			return nil, err
		}
	}
	if err := p.runInto(ctx, s, results, args, work); err != nil {
		release(results)
		return nil, err
	}
	return results, nil
}

// all queues the program's steps.
func (p *Program) all(r *run) error {
	for i := range p.steps {
		if err := p.steps[i].do(p, r); err != nil {
			return err
		}
	}
	return nil
}

// RunInto is Run with memory for the results: tensors in row-major order, which share no memory with each other and the arguments.
func (p *Program) RunInto(ctx context.Context, s *device.Stream, results, args []*device.Tensor) error {
	return p.runInto(ctx, s, results, args, p.all)
}

func (p *Program) runInto(ctx context.Context, s *device.Stream, results, args []*device.Tensor, work func(*run) error) error {
	slots, err := p.acquire()
	if err != nil {
		return err
	}
	defer p.release(slots)
	r := &run{ctx: ctx, stream: s, args: args, slots: slots, results: results, dynamic: make([]*device.Tensor, p.dynamic)}
	defer r.close()
	err = work(r)
	if err == nil {
		err = p.copies(r)
	}
	// A run that failed has queued kernels, too.
	if ran := p.holding.ran(s); err == nil {
		err = ran
	}
	return err
}

// copies queues the copies of results that no kernel writes.
func (p *Program) copies(r *run) error {
	for i, out := range p.outs {
		if !out.copy || out.node.Len() == 0 {
			continue
		}
		to, at := place{kind: ofResult, index: i}.in(r)
		from, offset := out.from.in(r)
		if err := to.Copy(at, from, offset, int64(out.node.Len()*out.node.Elem.Size())); err != nil {
			return err
		}
	}
	return nil
}

// close gives the memory of control steps back.
func (r *run) close() {
	for _, t := range r.dynamic {
		if t != nil {
			t.Memory.Close()
		}
	}
}

// alloc makes the memory of an array.
func (p *Program) alloc(n *ir.Node) (*device.Tensor, error) {
	view, err := strided.RowMajor(n.Shape)
	if err != nil {
		return nil, err
	}
	mem, err := p.dev.Alloc(int64(n.Len() * n.Elem.Size()))
	if err != nil {
		return nil, err
	}
	return &device.Tensor{Memory: mem, View: view, Elem: n.Elem}, nil
}

// in gives the memory of a place in a run, and where the array begins in it.
func (p place) in(r *run) (*device.Memory, int64) {
	var t *device.Tensor
	switch p.kind {
	case ofParam:
		t = r.args[p.index]
	case ofResult:
		t = r.results[p.index]
	case ofDynamic:
		t = r.dynamic[p.index]
	case ofSlot:
		return r.slots[p.index], 0
	default:
		return p.fixed, 0
	}
	return t.Memory, int64(t.Address() - t.Memory.Address())
}

// do queues a kernel, or runs what a control step chooses.
func (s *step) do(p *Program, r *run) error {
	if s.control == nil {
		return s.launch(r)
	}
	in := make([]*device.Tensor, len(s.arrays))
	for i, b := range s.arrays {
		view, err := strided.RowMajor(b.Node.Shape)
		if err != nil {
			return err
		}
		mem, offset := s.args[i].in(r)
		if mem == nil { // without elements
			if mem, err = p.dev.Alloc(0); err != nil {
				return err
			}
		}
		view.Offset = int(offset) / b.Elem().Size()
		in[i] = &device.Tensor{Memory: mem, View: view, Elem: b.Elem()}
	}
	out, err := s.control.do(r, in)
	copy(r.dynamic[s.control.first:], out)
	return err
}

// launch queues the kernel.
func (s *step) launch(r *run) error {
	r.bits, r.uses = r.bits[:0], r.uses[:0]
	for i := range s.args {
		mem, offset := s.args[i].in(r)
		r.bits = append(r.bits, mem.Address()+uint64(offset)+s.first[i])
		r.uses = append(r.uses, device.Use{Memory: mem, Writes: i == 0})
	}
	return r.stream.Launch(s.code.kernel, s.code.grid, r.bits, r.uses)
}

// Close gives the program's memory back when the runs that have begun, and their work, have ended. A program that is no longer
// reachable is closed some time later.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.runs == 0 {
		p.dispose()
	}
}

// dispose gives everything back. p.mu is held, and no run uses the program.
func (p *Program) dispose() {
	p.holding.release()
	for _, slots := range p.free {
		closeAll(slots)
	}
	p.free = nil
	for _, s := range p.steps {
		if s.control != nil {
			s.control.close()
		}
	}
}

func closeAll(all []*device.Memory) {
	for _, mem := range all {
		mem.Close()
	}
}

// acquire begins a run, which ends with release, and gives memory for it that no other run takes meanwhile.
func (p *Program) acquire() ([]*device.Memory, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, device.ErrClosed
	}
	p.runs++
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
			closeAll(slots[:i])
			p.end()
			return nil, err
		}
	}
	return slots, nil
}

// release ends a run and gives its memory to later ones, whose kernels wait for those that use it.
func (p *Program) release(slots []*device.Memory) {
	p.mu.Lock()
	p.free = append(p.free, slots)
	p.mu.Unlock()
	p.end()
}

// end counts the end of a run. The last one disposes of a closed program.
func (p *Program) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs--; p.closed && p.runs == 0 {
		p.dispose()
	}
}
