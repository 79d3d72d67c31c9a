package onnx

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// Options are the options of a [Session].
type Options struct {
	// Known names inputs whose elements may decide on shapes and on what is computed, such as a number of steps, or a sampling
	// rate that a condition compares. A graph is built for each combination of their elements: at most 16384 each.
	Known []string
	// Outputs are the outputs that runs return; nil stands for all outputs of the model. Any value of the model's graph may be one.
	Outputs []string
	// Graphs is the number of graphs that are kept, each for a combination of shapes of inputs; 0 stands for 8.
	Graphs int
	// MaxElements is the greatest number of elements of an array that a node may make; 0 stands for 2^28.
	MaxElements int
}

// Session runs a model on a device. Its methods may be called from several goroutines.
type Session struct {
	m       *Model
	dev     *device.Device
	opts    Options
	outputs []string
	key     uint64        // of random numbers
	runs    atomic.Uint64 // with random numbers

	mu     sync.Mutex
	kept   map[string]*list.Element // of *compiled
	order  *list.List               // the last used first
	closed bool
}

// compiled is a graph for one combination of shapes.
type compiled struct {
	key     string
	ready   chan struct{} // closed when the fields below are set
	program *graph.Program
	params  []string
	err     error
}

var errNoOutputs = errors.New("onnx: the graph has no outputs, so that a run would compute nothing: export the model with at least one, or name values of the graph in Options.Outputs")

// Session makes a session on a device. opts may be nil.
func (m *Model) Session(dev *device.Device, opts *Options) (*Session, error) {
	if m == nil || dev == nil {
		return nil, errors.New("onnx: the model or the device is nil")
	}
	s := &Session{m: m, dev: dev, kept: map[string]*list.Element{}, order: list.New(), key: rand.Uint64()}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Graphs <= 0 {
		s.opts.Graphs = 8
	}
	if s.opts.MaxElements <= 0 {
		s.opts.MaxElements = 1 << 28
	}
	for _, name := range s.opts.Known {
		if !slices.ContainsFunc(m.inputs, func(i Info) bool { return i.Name == name }) {
			return nil, fmt.Errorf("onnx: Options.Known: the model has no input %q; its inputs are %v", name, m.inputs)
		}
	}
	if s.outputs = slices.Clone(s.opts.Outputs); s.outputs == nil {
		for _, o := range m.outputs {
			s.outputs = append(s.outputs, o.Name)
		}
	}
	if len(s.outputs) == 0 {
		return nil, errNoOutputs
	}
	return s, nil
}

// Run runs the model. There must be a contiguous tensor on the session's device for each input of the model, and no other. The
// results are new tensors, by the names of the outputs. Run does not wait for the device: errors of running kernels come from calls
// that wait, such as [device.Tensor.Slice]. The first run with a combination of shapes builds and compiles a graph, which ctx can end.
func (s *Session) Run(ctx context.Context, inputs map[string]device.AnyTensor) (map[string]device.AnyTensor, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	c, args, err := s.prepare(ctx, inputs)
	if err != nil {
		return nil, err
	}
	defer c.release(args)
	results, err := c.program.Run(ctx, s.dev, args...)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	out := map[string]device.AnyTensor{}
	for i, name := range s.outputs {
		out[name] = results[i]
	}
	return out, nil
}

// Plan describes the kernels that a run with these inputs consists of.
func (s *Session) Plan(ctx context.Context, inputs map[string]device.AnyTensor) (string, error) {
	c, args, err := s.prepare(ctx, inputs)
	if err != nil {
		return "", err
	}
	c.release(args)
	return c.program.String(), nil
}

// Dump writes a stage of the program that a run with these inputs consists of, as [graph.Program.Dump] does. Operations are those of
// package graph, each with the node of the model that it is part of.
func (s *Session) Dump(ctx context.Context, w io.Writer, stage graph.Stage, inputs map[string]device.AnyTensor) error {
	c, args, err := s.prepare(ctx, inputs)
	if err != nil {
		return err
	}
	c.release(args)
	if err := c.program.Dump(w, stage); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

// Profile measures the kernels that a run with these inputs consists of, as [graph.Program.Profile] does.
func (s *Session) Profile(ctx context.Context, inputs map[string]device.AnyTensor) (graph.Profile, error) {
	return s.ProfileRuns(ctx, graph.DefaultRuns, inputs)
}

// ProfileRuns measures the kernels in a number of runs, as [graph.Program.ProfileRuns] does.
func (s *Session) ProfileRuns(ctx context.Context, runs int, inputs map[string]device.AnyTensor) (graph.Profile, error) {
	c, args, err := s.prepare(ctx, inputs)
	if err != nil {
		return nil, err
	}
	defer c.release(args)
	p, err := c.program.ProfileRuns(ctx, s.dev, runs, args...)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return p, nil
}

// prepare gives the program for inputs, and its arguments.
func (s *Session) prepare(ctx context.Context, inputs map[string]device.AnyTensor) (*compiled, []device.AnyTensor, error) {
	key, facts, err := s.check(ctx, inputs)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: %w", err)
	}
	c, err := s.compiled(ctx, key, inputs, facts)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: %w", err)
	}
	args := make([]device.AnyTensor, len(c.params))
	for i, name := range c.params {
		args[i] = inputs[name]
		if name == randomState {
			if args[i], err = device.FromSlice(s.dev, []uint64{s.key, 0, s.runs.Add(1)}); err != nil {
				return nil, nil, fmt.Errorf("onnx: %w", err)
			}
		}
	}
	return c, args, nil
}

// release closes the state of random numbers, which prepare has made.
func (c *compiled) release(args []device.AnyTensor) {
	if i := slices.Index(c.params, randomState); i >= 0 {
		args[i].(*device.Tensor[uint64]).Close()
	}
}

// check compares inputs with the model's and gives what tells apart the graphs for them, and the elements of those that are known.
func (s *Session) check(ctx context.Context, inputs map[string]device.AnyTensor) (key string, facts map[string]*known, err error) {
	var b strings.Builder
	facts = map[string]*known{}
	for _, in := range s.m.inputs {
		t := inputs[in.Name]
		if t == nil {
			return "", nil, fmt.Errorf("input %q is missing; the model's inputs are %v", in.Name, s.m.inputs)
		}
		if err := t.Err(); err != nil {
			return "", nil, fmt.Errorf("input %q: %w", in.Name, err)
		}
		if t.DType() != in.Elem {
			return "", nil, fmt.Errorf("input %q has elements of %v, expected elements of %s", in.Name, t.DType(), in.Type)
		}
		if t.Device() != s.dev {
			return "", nil, fmt.Errorf("input %q is on another device than that of the session; they were opened as %s and %s (each call of Open makes a device): make the tensor on that of the session", in.Name, t.Device().Name(), s.dev.Name())
		}
		fits := in.Rank < 0 || in.Rank == t.Rank()
		for i := 0; fits && i < len(in.Dims); i++ {
			fits = in.Dims[i].N < 0 || in.Dims[i].N == t.Shape()[i]
		}
		if !fits {
			return "", nil, fmt.Errorf("input %q has shape %v, expected %v", in.Name, t.Shape(), in)
		}
		fmt.Fprintf(&b, "%v;", t.Shape())
		if !slices.Contains(s.opts.Known, in.Name) {
			continue
		}
		k, err := read(ctx, t)
		if err != nil {
			return "", nil, fmt.Errorf("input %q is known: %w", in.Name, err)
		}
		facts[in.Name] = k
		fmt.Fprintf(&b, "%x;", k.bytes())
	}
	for name := range inputs {
		if !slices.ContainsFunc(s.m.inputs, func(i Info) bool { return i.Name == name }) {
			return "", nil, fmt.Errorf("the model has no input %q; its inputs are %v", name, s.m.inputs)
		}
	}
	return b.String(), facts, nil
}

// compiled gives the graph for a key, which one of the goroutines that ask for it builds.
func (s *Session) compiled(ctx context.Context, key string, inputs map[string]device.AnyTensor, facts map[string]*known) (*compiled, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, fmt.Errorf("the session is %w", device.ErrClosed)
		}
		e := s.kept[key]
		if e == nil {
			c := &compiled{key: key, ready: make(chan struct{})}
			s.kept[key] = s.order.PushFront(c)
			for s.order.Len() > s.opts.Graphs {
				s.drop(s.order.Back())
			}
			s.mu.Unlock()
			s.compile(ctx, c, inputs, facts)
			return c, c.err
		}
		s.order.MoveToFront(e)
		s.mu.Unlock()
		c := e.Value.(*compiled)
		select {
		case <-c.ready:
			if c.err == nil {
				return c, nil
			}
			if !errors.Is(c.err, context.Canceled) && !errors.Is(c.err, context.DeadlineExceeded) {
				return nil, c.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// Close gives the memory of the session back, which its graphs have for weights and runs, when the runs that have begun have ended. Results
// stay, and so does the model. Later runs return an error. A session that is no longer reachable is closed some time later.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		s.drop(e)
		if c := e.Value.(*compiled); c.isReady() {
			c.close()
		} else {
			go c.close()
		}
	}
	return nil
}

func (c *compiled) isReady() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// close closes the program when it has been compiled.
func (c *compiled) close() {
	<-c.ready
	if c.program != nil {
		c.program.Close()
	}
}

// drop forgets a graph. s.mu is held.
func (s *Session) drop(e *list.Element) {
	s.order.Remove(e)
	delete(s.kept, e.Value.(*compiled).key)
}

// compile builds and compiles a graph, and forgets it if it cannot.
func (s *Session) compile(ctx context.Context, c *compiled, inputs map[string]device.AnyTensor, facts map[string]*known) {
	defer close(c.ready)
	defer func() {
		if c.err == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if e := s.kept[c.key]; e != nil && e.Value.(*compiled) == c {
			s.drop(e)
		}
	}()
	c.err = errors.New("BUG: the graph was not built")
	b := &builder{m: s.m, ctx: ctx, dev: s.dev, g: graph.New(), limit: s.opts.MaxElements, given: inputs}
	var outs []*graph.Value
	shapes := map[string][]int{}
	for name, t := range inputs {
		shapes[name] = t.Shape()
	}
	if c.params, outs, c.err = b.model(shapes, facts, s.outputs); c.err == nil {
		c.program, c.err = b.g.Compile(ctx, s.dev, outs...)
	}
}

// model builds the model's graph and gives the names of its parameters and the values of the outputs.
func (b *builder) model(shapes map[string][]int, facts map[string]*known, outputs []string) (params []string, outs []*graph.Value, err error) {
	top := &scope{values: map[string]*val{}, opsets: b.m.opsets}
	for _, t := range b.m.graph.Initializers {
		top.values[t.Name] = b.stored(b.m.weights[t])
	}
	for _, in := range b.m.inputs {
		if k := facts[in.Name]; k != nil {
			top.values[in.Name] = constant(k)
			continue
		}
		if in.Elem == dtype.Invalid {
			return nil, nil, fmt.Errorf("input %v: this kind of value is not supported", in)
		}
		b.g.Label("input")
		shape := shapes[in.Name]
		top.values[in.Name] = &val{elem: in.Elem, shape: shape, node: b.g.Parameter(in.Name, in.Elem, shape...)}
		b.params = append(b.params, in.Name)
	}
	b.g.Label("")
	if err := b.ended(nil); err != nil {
		return nil, nil, err
	}
	if err := b.run(b.m.graph.Nodes, top); err != nil {
		return nil, nil, err
	}
	for _, name := range outputs {
		v := top.values[name]
		if v == nil {
			return nil, nil, fmt.Errorf("the model has no value %q for an output", name)
		}
		if v.kind != array {
			return nil, nil, fmt.Errorf("output %q is a sequence or an optional value, expected a tensor", name)
		}
		outs = append(outs, b.of(v))
	}
	return b.params, outs, b.ended(nil)
}
