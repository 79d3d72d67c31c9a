package exec

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// Program computes a graph's results on a device. Its methods may be called from several goroutines.
type Program struct {
	Plan *loops.Plan

	dev     *device.Device
	holding *holding
	sizes   emit.Sizes
	fixed   map[*loops.Buffer]*device.Memory
	steps   []step
	slots   []int64 // the sizes of the memory that one run needs beside its results
	dynamic int     // the number of arrays whose memory control steps make
	outs    []result

	mu     sync.Mutex
	free   [][]*device.Memory // memory of runs that have been queued
	runs   int                // that are being queued
	closed bool
}

// step is a launch of a kernel, or the run of other programs.
type step struct {
	of     *loops.Step
	arrays []*loops.Buffer // that it uses
	args   []place         // where they are

	grid    [3]uint32
	kernel  engine.Kernel
	control *control
}

// place says which memory an array has.
type place struct {
	kind  placeKind
	index int            // of a parameter, slot or result
	fixed *device.Memory // of a constant
}

type placeKind uint8

const (
	ofNone placeKind = iota // an array without elements
	ofParam
	ofSlot
	ofResult
	ofDynamic
	ofFixed
)

// result is an array that a run returns.
type result struct {
	node *ir.Node
	from place // what to copy where no kernel writes the result itself
	copy bool
}

// Compile makes the program that computes results from parameters, with tiles of the given sizes.
func Compile(ctx context.Context, dev *device.Device, params, results []*ir.Node, sizes emit.Sizes) (*Program, error) {
	plan, err := loops.New(results, sizes.Keys)
	if err != nil {
		return nil, err
	}
	p := &Program{Plan: plan, dev: dev, sizes: sizes, fixed: map[*loops.Buffer]*device.Memory{}, holding: &holding{kernels: kernelsOf(dev)}}
	runtime.AddCleanup(p, (*holding).release, p.holding)
	steps := make([]step, len(plan.Steps))
	for i := range plan.Steps {
		if steps[i], err = p.compile(ctx, &plan.Steps[i], sizes); err != nil {
			return nil, err
		}
	}
	if err := p.constants(); err != nil {
		return nil, err
	}
	if steps, err = p.once(ctx, steps); err != nil {
		return nil, err
	}
	p.place(params, steps)
	return p, nil
}

// compile gives the code of a kernel, which other programs on the device share, or the programs that a control step runs.
func (p *Program) compile(ctx context.Context, s *loops.Step, sizes emit.Sizes) (step, error) {
	if s.Control != nil {
		c, err := newControl(ctx, p.dev, s.Control, sizes)
		return step{of: s, arrays: s.Arrays(p.Plan), control: c}, err
	}
	code, err := emit.Kernel(s.Kernel, sizes)
	if err != nil {
		return step{}, err
	}
	shared, err := p.holding.kernels.get(ctx, p.dev, code)
	if err != nil {
		return step{}, fmt.Errorf("%w\nin %v", err, s.Kernel)
	}
	p.holding.shared = append(p.holding.shared, shared)
	return step{of: s, arrays: code.Args, grid: code.Grid, kernel: shared.kernel}, nil
}

// constants writes the constants to the device.
func (p *Program) constants() error {
	for n, b := range p.Plan.Buffers {
		a, ok := n.Attr.(ir.ConstantAttr)
		if !ok {
			continue
		}
		if _, splat := a.Bits(n.Elem); splat && n.Len() != 1 {
			continue // a kernel fills it
		}
		if n.Len() == 0 {
			continue
		}
		mem, err := p.dev.Alloc(int64(len(a.Data)))
		if err != nil {
			return err
		}
		if err := mem.Write(a.Data, 0); err != nil {
			return err
		}
		p.fixed[b] = mem
	}
	return nil
}

// once runs the kernels that depend on constants alone, and gives the other steps.
func (p *Program) once(ctx context.Context, steps []step) ([]step, error) {
	var rest []step
	for len(steps) > 0 {
		n := 1 // the kernels that write the same array, which follow each other
		for n < len(steps) && steps[0].control == nil && steps[n].control == nil && steps[n].arrays[0] == steps[0].arrays[0] {
			n++
		}
		if !p.known(steps[:n]) {
			rest, steps = append(rest, steps[:n]...), steps[n:]
			continue
		}
		into := steps[0].arrays[0]
		mem, err := p.dev.Alloc(bytes(into))
		if err != nil {
			return nil, err
		}
		p.fixed[into] = mem
		for _, s := range steps[:n] {
			for _, b := range s.arrays {
				s.args = append(s.args, place{kind: ofFixed, fixed: p.fixed[b]})
			}
			if err := s.launch(&run{stream: p.dev.Main()}); err != nil {
				return nil, err
			}
		}
		steps = steps[n:]
	}
	if err := p.dev.Main().Sync(ctx); err != nil {
		return nil, err
	}
	for _, mem := range p.fixed {
		if err := mem.Freeze(ctx); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// known reports whether steps are kernels that read constants alone and make no result.
func (p *Program) known(steps []step) bool {
	for _, s := range steps {
		if s.control != nil || p.isResult(s.arrays[0].Node) {
			return false
		}
		for _, b := range s.arrays[1:] {
			if p.fixed[b] == nil {
				return false
			}
		}
	}
	return true
}

func (p *Program) isResult(n *ir.Node) bool {
	for _, r := range p.Plan.Results {
		if r == n {
			return true
		}
	}
	return false
}

func bytes(b *loops.Buffer) int64 { return int64(b.Len() * b.Elem().Size()) }
