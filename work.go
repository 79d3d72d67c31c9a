package cutile

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/tilec/cost"
)

// Work is a launch: what [Launch] takes. Or else it is whatever Run queues on the stream On, such as functions of package cute or several launches.
type Work struct {
	On     Target
	Kernel any
	Args   []any

	// Run queues the work, where Kernel is nil. It may compile when it is called first.
	Run func() error
	// Name names what Run does in records.
	Name string
	// Code, where not nil, gives the code that Run runs, as a text or a key of it: that of an executor of package cute (Module().Text()), or
	// [Prepared.Key] of each launch. Records know the work by it, beside Name, and so notice that it has changed. Without Code, give the work
	// another Name when that changes.
	Code func(ctx context.Context) (string, error)
}

// Prepare compiles the work and returns a function that queues it once, on the stream that On names; it does not run it. Work with Run is
// compiled when it is queued first. Package bench measures with it.
func (w Work) Prepare(ctx context.Context) (launch func() error, err error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if w.Kernel == nil && w.Run != nil {
		if stream, _ := device.Place(w.On); stream == nil {
			return nil, fmt.Errorf("cutile: work on a nil device or stream: %w", ErrMismatch)
		}
		return w.Run, nil
	}
	p, err := Prepare(ctx, w.On, w.Kernel, w.Args...)
	if err != nil {
		return nil, err
	}
	return func() error { return p.Launch(context.Background()) }, nil
}

// prepare is Prepare for work on a given stream.
func (w Work) prepare(ctx context.Context, on *Stream) (func() error, error) {
	if stream, _ := device.Place(w.On); stream == nil || stream.Internal() != on.Internal() {
		return nil, errors.New("it is on another stream than the default")
	}
	if w.Kernel == nil && w.Run != nil {
		if _, err := w.code(ctx); err != nil {
			return nil, err
		}
	}
	return w.Prepare(ctx)
}

// Cost is what a launch does, as the command cutile cost counts it.
type Cost struct {
	// Bytes is how many bytes move to and from memory at least, as if caches kept everything: those that blocks access, but of each
	// tensor no more than all of it, once for loads and once for stores.
	Bytes int64
	// Accessed is how many bytes blocks load and store, each time that they do.
	Accessed int64
	// Ops are the floating-point operations, by kind and type.
	Ops []Ops
	// Exact is false where something depends on data, so that numbers are bounds.
	Exact bool
}

// Ops are operations of one kind on elements of one type.
type Ops struct {
	// Kind is "matrix" for matrix products, where a sum of k products counts as 2k, "arithmetic" for sums, products, quotients, minima and
	// maxima, and "special" for roots, exponentials and the like.
	Kind string `json:"kind"`
	// Type is the type of the factors or elements as Tile IR names it, such as f32 or bf16.
	Type string `json:"type"`
	N    int64  `json:"n"`
}

// Flops is the number of all floating-point operations.
func (c Cost) Flops() (n int64) {
	for _, o := range c.Ops {
		n += o.N
	}
	return n
}

// Cost counts what a launch does without running it. It needs a Kernel: nothing is known of what Run does.
func (w Work) Cost(ctx context.Context) (c Cost, err error) {
	if err := device.CheckContext(ctx); err != nil {
		return c, err
	}
	if w.Kernel == nil && w.Run != nil {
		return c, errors.New("cutile: the cost of work with Run is not known: count its bytes and operations yourself")
	}
	p, report, err := w.count(ctx)
	if err != nil {
		return c, err
	}
	entry := p.base.Module.Entries[0]
	sizes := make([]int64, len(entry.Params))
	for _, t := range p.call.Tensors(p.base.Writes) {
		all := int64(t.Size)
		for _, n := range t.Shape {
			all *= int64(n)
		}
		sizes[t.Arg] = min(all, t.Bytes()) // elements that are one in memory move once
	}
	loaded, stored := report.Traffic(entry, sizes)
	for _, o := range report.Ops() {
		c.Ops = append(c.Ops, Ops(o))
	}
	c.Bytes, c.Accessed, c.Exact = loaded+stored, report.Grid.Loaded+report.Grid.Stored, len(report.Notes) == 0
	return c, nil
}

// plan binds the work's arguments, and compiles its kernel to Tile IR. It gives the bits of the parameters, too.
func (w Work) plan(ctx context.Context) (*plan, []uint64, error) {
	p, err := newPlan(w.On, w.Kernel)
	if err != nil {
		return nil, nil, err
	}
	bits, err := p.toTileIR(ctx, w.Args)
	return p, bits, err
}

// count counts what the kernel does.
func (w Work) count(ctx context.Context) (*plan, *cost.Report, error) {
	p, _, err := w.plan(ctx)
	if err != nil {
		return nil, nil, err
	}
	bits, _, wrong := p.call.Pack(p.base.Writes)
	if wrong != nil {
		return nil, nil, mismatch(p.kernel.Name(), wrong)
	}
	report, err := cost.Count(p.base.Module.Entries[0], cost.Signed(bits), p.grid)
	return p, report, err
}

// estimate is how long the work may take: the greater one of the time for its bytes and that for its operations, in bytes. It is only compared
// with that of other work on the device. Work of which nothing is known comes last.
func (w Work) estimate(ctx context.Context) float64 {
	if w.Kernel == nil {
		return unknownEstimate
	}
	_, report, err := w.count(ctx)
	if err != nil {
		return unknownEstimate // which the trial says
	}
	return report.Estimate()
}

const unknownEstimate = 1e300
