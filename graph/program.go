package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/exec"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Program computes values of a graph on a device. Its methods may be called from several goroutines.
type Program struct {
	dev    *device.Device
	exec   *exec.Program
	params []*ir.Node
}

// Compile makes the program that computes the given values, of which there must be at least one. Everything that depends on constants
// alone is computed now. ctx ends the wait for the compiler.
func (g *Graph) Compile(ctx context.Context, dev *device.Device, results ...*Value) (*Program, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if dev.Internal() == nil {
		return nil, errors.New("graph: the device is nil")
	}
	if len(results) == 0 && g.Err() == nil {
		return nil, errors.New("graph: no results, expected at least one value for the program to compute")
	}
	outs := make([]*ir.Node, len(results))
	for i, v := range results {
		switch {
		case v == nil:
			return nil, fmt.Errorf("graph: result %d is nil", i+1)
		case v.g != g:
			return nil, fmt.Errorf("graph: %w", foreign(fmt.Sprintf("result %d", i+1), v))
		case v.node == nil && g.Err() == nil:
			return nil, fmt.Errorf("graph: result %d is no value", i+1)
		}
		outs[i] = v.node
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	params := make([]*ir.Node, len(g.params))
	for i, v := range g.params {
		params[i] = v.node
	}
	p, err := exec.Compile(ctx, dev.Internal(), params, outs, emit.DefaultSizes)
	if err != nil {
		return nil, brief(failure.Explain("kernel", "of a graph", err))
	}
	return &Program{dev, p, params}, nil
}

// Run queues a run on a device or stream and returns its results, without waiting for it. args are for the parameters of the
// graph, in order: tensors of their element types and shapes; of a tensor that is not contiguous, Run makes a copy. Each result is a
// *Tensor of its element type in memory of its own. Errors of running kernels come from calls that wait, such as
// [device.Tensor.Slice]. A program with [While] or [If] waits for conditions, until ctx ends.
func (p *Program) Run(ctx context.Context, on device.Target, args ...device.AnyTensor) ([]device.AnyTensor, error) {
	stream, tensors, done, err := p.bind(ctx, on, args)
	if err != nil {
		return nil, err
	}
	defer done()
	outs, err := p.exec.Run(ctx, stream.Internal(), tensors)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	results := make([]device.AnyTensor, len(outs))
	for i, t := range outs {
		results[i] = device.Typed(p.dev, t)
	}
	return results, nil
}

// RunInto is [Program.Run] with memory for the results, which saves making it: contiguous tensors of the element types and shapes of
// the results, in order. They share no memory with each other and with the arguments, nor parts of it: views of one tensor do.
func (p *Program) RunInto(ctx context.Context, on device.Target, results []device.AnyTensor, args ...device.AnyTensor) error {
	stream, tensors, done, err := p.bind(ctx, on, args)
	if err != nil {
		return err
	}
	defer done()
	nodes := p.exec.Plan.Results
	if len(results) != len(nodes) {
		return fmt.Errorf("graph: tensors for %d results, expected %d", len(results), len(nodes))
	}
	outs := make([]*core.Tensor, len(results))
	for i, a := range results {
		t, err := p.tensor(a, nodes[i])
		if err == nil && t.Memory.Frozen() {
			err = fmt.Errorf("the tensor is %w", device.ErrFrozen)
		}
		if err == nil && !a.IsContiguous() {
			err = fmt.Errorf("the tensor of shape %v has the strides %v, expected a contiguous one", t.View.Shape, t.View.Strides)
		}
		for j, other := range slices.Concat(outs[:i], tensors) {
			if err == nil && nodes[i].Len() > 0 && other.Memory == t.Memory {
				err = fmt.Errorf("the tensor shares memory with %s", p.tensorName(j, i))
			}
		}
		if err != nil {
			return fmt.Errorf("graph: the tensor for result %d, %s: %w", i+1, nodes[i].Type(), err)
		}
		outs[i] = t
	}
	if err := p.exec.RunInto(ctx, stream.Internal(), outs, tensors); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return nil
}

// tensorName names the j-th of the tensors of some results and then of all arguments.
func (p *Program) tensorName(j, results int) string {
	if j < results {
		return fmt.Sprintf("that for result %d", j+1)
	}
	return fmt.Sprintf("argument %d, for parameter %s", j-results+1, p.paramText(j-results))
}

// bind checks what a run is given. Arguments that are not contiguous are copied, and done gives the copies back when the work that
// is queued on them has ended.
func (p *Program) bind(ctx context.Context, on device.Target, args []device.AnyTensor) (s *device.Stream, tensors []*core.Tensor, done func(), err error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, nil, nil, err
	}
	stream, grid := device.Place(on)
	switch {
	case stream == nil || grid != nil:
		return nil, nil, nil, errors.New("graph: a program runs on a device or a stream")
	case stream.Internal().Device() != p.dev.Internal():
		return nil, nil, nil, fmt.Errorf("graph: the program was compiled for another device%s; the stream is one of %v", p.dev.Internal().Apart(stream.Internal().Device()), stream.Device())
	case len(args) != len(p.params):
		return nil, nil, nil, fmt.Errorf("graph: %d arguments, expected %d, for %s", len(args), len(p.params), cut(p.signature(), maxLine))
	}
	var copies []device.AnyTensor
	done = func() {
		runtime.KeepAlive(stream) // a stream that nobody can use is closed
		for _, c := range copies {
			c.Close()
		}
	}
	for i, a := range args {
		t, err := p.tensor(a, p.params[i])
		if err == nil && !a.IsContiguous() {
			var c device.AnyTensor
			if c, err = device.Contiguous(a); err == nil {
				copies = append(copies, c)
				t = c.Untyped()
			}
		}
		if err != nil {
			done()
			return nil, nil, nil, fmt.Errorf("graph: argument %d, for parameter %s: %w", i+1, p.paramText(i), err)
		}
		tensors = append(tensors, t)
	}
	return stream, tensors, done, nil
}

// Close gives the memory of the program back when the runs that have begun, and their work, have ended: its constants, and what runs
// need. Results stay. A later Run returns an error. A program that is no longer reachable is closed some time later.
func (p *Program) Close() { p.exec.Close() }

// tensor checks that a tensor can be an array of the program.
func (p *Program) tensor(a device.AnyTensor, want *ir.Node) (*core.Tensor, error) {
	var t *core.Tensor
	if a != nil {
		t = a.Untyped()
	}
	switch {
	case t == nil:
		return nil, errors.New("the tensor is nil")
	case t.Err != nil:
		return nil, t.Err
	case t.Memory.Closed():
		return nil, fmt.Errorf("the tensor is %w", device.ErrClosed)
	case t.Elem != want.Elem || !slices.Equal(t.View.Shape, want.Shape):
		return nil, fmt.Errorf("the tensor is %v%v", t.Elem, t.View.Shape)
	case t.Memory.Device() != p.dev.Internal():
		return nil, fmt.Errorf("the tensor is on another device%s; the program was compiled for %v: copy its elements to a tensor there", t.Memory.Device().Apart(p.dev.Internal()), p.dev)
	}
	return t, nil
}

func (p *Program) paramText(i int) string {
	return strings.TrimSpace(p.params[i].Attr.(ir.ParameterAttr).Name + " " + p.params[i].Type())
}

func (p *Program) signature() string {
	s := "no parameters"
	for i := range p.params {
		if i == 0 {
			s = p.paramText(i)
		} else {
			s += ", " + p.paramText(i)
		}
	}
	return s
}

// String returns the kernels that the program runs: their axes, what they compute and from what.
func (p *Program) String() string { return cutLines(p.exec.Plan.String()) }
