package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"github.com/cutile-go/cutile/internal/device"
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
	first  []uint64        // for each array the byte that a kernel's argument points to

	code    *shared
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
	plan, err := loops.New(ctx, results, sizes.Keys)
	if err != nil {
		return nil, err
	}
	p := &Program{Plan: plan, dev: dev, sizes: sizes, fixed: map[*loops.Buffer]*device.Memory{}, holding: &holding{kernels: kernelsOf(dev), fixed: fixedOf(dev)}}
	runtime.AddCleanup(p, (*holding).release, p.holding)
	steps := make([]step, len(plan.Steps))
	for i := range plan.Steps {
		if steps[i], err = p.compile(ctx, &plan.Steps[i], sizes); err != nil {
			return nil, err
		}
	}
	if err := p.constants(ctx); err != nil {
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
	shared, err := p.holding.kernels.get(ctx, p.dev, s.Kernel, sizes)
	if err != nil {
		return step{}, fmt.Errorf("%w\nin %v", err, s.Kernel)
	}
	p.holding.shared = append(p.holding.shared, shared)
	out := step{of: s, code: shared}
	for _, a := range emit.Args(s.Kernel) {
		out.arrays = append(out.arrays, a.Buffer)
		out.first = append(out.first, uint64(a.First)*uint64(a.Buffer.Elem().Size()))
	}
	return out, nil
}

// constants writes the constants to the device.
func (p *Program) constants(ctx context.Context) error {
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
		err := p.fix(ctx, b, keyOf([]byte("constant"), a.Data), func(mem *device.Memory) error { return mem.Write(a.Data, 0) })
		if err != nil {
			return err
		}
	}
	return nil
}

// fix gives an array the memory of an equal one of another program, or memory that make writes.
func (p *Program) fix(ctx context.Context, b *loops.Buffer, key fixedKey, make func(*device.Memory) error) error {
	a := p.holding.fixed.find(key)
	if a == nil {
		mem, err := p.dev.Alloc(bytes(b))
		if err != nil {
			return err
		}
		if err := make(mem); err != nil {
			mem.Close()
			return err
		}
		if a, err = p.holding.fixed.add(ctx, key, mem); err != nil {
			return err
		}
	}
	p.holding.arrays = append(p.holding.arrays, a)
	p.fixed[b] = a.mem
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
		together := steps[:n]
		err := p.fix(ctx, steps[0].arrays[0], p.keyOnce(together), func(into *device.Memory) error { return p.runOnce(together, into) })
		if err != nil {
			return nil, err
		}
		steps = steps[n:]
	}
	return rest, nil
}

// keyOnce is the key of what kernels make of constants: they, the memory of the constants, which is the same for the same ones, and the
// parts of the arrays that they use.
func (p *Program) keyOnce(steps []step) fixedKey {
	parts := [][]byte{[]byte("made")}
	for _, s := range steps {
		numbers := []uint64{s.first[0]}
		for i, b := range s.arrays[1:] {
			numbers = append(numbers, p.fixed[b].Address(), s.first[i+1])
		}
		at, _ := binary.Append(nil, binary.LittleEndian, numbers) // of a slice of numbers, it cannot fail
		parts = append(parts, []byte(s.code.key), at)
	}
	return keyOf(parts...)
}

// runOnce queues kernels that write one array.
func (p *Program) runOnce(steps []step, into *device.Memory) error {
	for _, s := range steps {
		s.args = []place{{kind: ofFixed, fixed: into}}
		for _, b := range s.arrays[1:] {
			s.args = append(s.args, place{kind: ofFixed, fixed: p.fixed[b]})
		}
		if err := s.launch(&run{stream: p.dev.Main()}); err != nil {
			return err
		}
	}
	return nil
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
