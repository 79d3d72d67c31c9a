package gomlx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Executable is a compiled computation. Its methods may be called from several goroutines.
type Executable struct {
	backend         *Backend
	name            string
	names           []string // of inputs
	inputs, outputs []shapes.Shape
	storages        []*storage // of outputs

	mu      sync.Mutex
	program *graph.Program // nil after Finalize
}

var _ backends.Executable = (*Executable)(nil)

// Finalize makes the computation unusable and frees its memory, of constants and between kernels, when the work that is queued
// has ended. Outputs stay.
func (e *Executable) Finalize() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.program != nil {
		e.program.Close()
		e.program = nil
	}
}

// Inputs returns the names and shapes of the parameters in their order.
func (e *Executable) Inputs() (names []string, inputs []shapes.Shape) {
	return slices.Clone(e.names), slices.Clone(e.inputs)
}

// Outputs returns the shapes of the outputs in their order.
func (e *Executable) Outputs() []shapes.Shape { return slices.Clone(e.outputs) }

// Execute queues the computation and returns its outputs, in memory of their own. It waits for the computation only if inputs are
// shared with the program. Donated inputs are freed when the work on them has ended, also if Execute fails.
func (e *Executable) Execute(inputs []backends.Buffer, donate []bool, n backends.DeviceNum) ([]backends.Buffer, error) {
	results, err := e.run(inputs, donate, n)
	for i, in := range inputs {
		if i < len(donate) && donate[i] {
			if x, ok := in.(*Buffer); ok && x != nil && x.backend == e.backend && !e.backend.IsFinalized() {
				err = errors.Join(err, x.free())
			}
		}
	}
	if err != nil {
		for _, t := range results {
			t.Close()
		}
		return nil, fmt.Errorf("cutile: Execute of %q: %w", e.name, err)
	}
	outputs := make([]backends.Buffer, len(results))
	for i, t := range results {
		outputs[i] = &Buffer{backend: e.backend, shape: e.outputs[i].Clone(), storage: e.storages[i], tensor: t}
	}
	return outputs, nil
}

// current gives the program, or an error after Finalize.
func (e *Executable) current() (*graph.Program, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.program == nil {
		return nil, errors.New("the computation was finalized")
	}
	return e.program, nil
}

// run queues the computation.
func (e *Executable) run(inputs []backends.Buffer, donate []bool, n backends.DeviceNum) ([]device.AnyTensor, error) {
	program, err := e.current()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(e.backend.usable(), checkDevice(n)); err != nil {
		return nil, err
	}
	if len(inputs) != len(e.inputs) || donate != nil && len(donate) != len(inputs) {
		return nil, fmt.Errorf("%d inputs and %d marks of donated ones, expected %d inputs, for %v, and a mark for each or none", len(inputs), len(donate), len(e.inputs), e.names)
	}
	args := make([]device.AnyTensor, len(inputs))
	wait := false
	for i, in := range inputs {
		x, err := e.backend.buffer(in)
		if err == nil && !x.shape.Equal(e.inputs[i]) {
			err = fmt.Errorf("the buffer is %s, expected %s", x.shape, e.inputs[i])
		}
		shared := false
		if err == nil {
			args[i], shared, err = x.use()
		}
		if err != nil {
			return nil, fmt.Errorf("input %d, %q: %w", i+1, e.names[i], err)
		}
		defer x.done()
		wait = wait || shared
	}
	results, err := program.Run(context.Background(), e.backend.dev, args...)
	if errors.Is(err, device.ErrClosed) {
		if _, finalized := e.current(); finalized != nil { // in another goroutine, meanwhile
			err = finalized
		}
	}
	if wait {
		err = errors.Join(err, e.backend.wait())
	}
	return results, err
}

// wait waits for the work that was queued so far. Errors of kernels come from those who read their results.
func (b *Backend) wait() error {
	event, err := b.dev.Stream().Record()
	if err != nil {
		return err
	}
	defer event.Close()
	return event.Sync(context.Background())
}
