package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
)

// Roofline is what a device can do, as kernels of this module reach it: they move and compute as little beside it as they can. Other programs
// may reach more.
type Roofline struct {
	Device      string  `json:"device"`
	Description string  `json:"description"`
	Bandwidth   float64 `json:"bandwidth"` // bytes a second to and from memory
	Peaks       []Peak  `json:"peaks"`
	// Missing says which peaks could not be measured, and why.
	Missing []string `json:"missing,omitempty"`
}

// Peak is how many operations of a kind and type a second the device makes.
type Peak struct {
	Kind string  `json:"kind"` // as in [cutile.Ops]: matrix or arithmetic
	Type string  `json:"type"`
	Rate float64 `json:"rate"`
}

// roofSizes say how much work measures a roof.
type roofSizes struct {
	stream int // elements of each of the three vectors of float32
	square int // rows and columns of the matrices
	chains int // elements that are computed by themselves
}

// sizesFor are large enough that caches and the cost of launches do not matter, and on a CPU small enough to take no minute.
func sizesFor(dev *cutile.Device) roofSizes {
	if dev.Name() == "cpu" {
		return roofSizes{1 << 24, 1024, 1 << 16}
	}
	return roofSizes{1 << 26, 4096, 1 << 22}
}

// Roof measures what a device can do: the bandwidth by z = 2x + y for vectors of 64 MiB each on a CPU and of 256 MiB each elsewhere, of which
// each byte counts once; matrix products by those of package kernels/gemm, of 1024 rows and columns on a CPU and of 4096 elsewhere, for
// float32, float64, float16, bfloat16 and tf32; and arithmetic by 128 multiplications with an addition each in float32 for each
// element that is loaded. The fastest sample counts. It takes some seconds.
func Roof(ctx context.Context, dev *cutile.Device) (*Roofline, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if dev == nil || dev.Internal() == nil {
		return nil, errors.New("bench: Roof is given a nil device")
	}
	return roof(ctx, dev, sizesFor(dev), Options{})
}

// probe is work that shows one thing that a device can do.
type probe struct {
	peak  Peak // without a rate; of the bandwidth without a kind, too
	count float64
	work  func(dev *cutile.Device) (cutile.Work, error)
}

func (n roofSizes) probes() []probe {
	cube := 2 * float64(n.square) * float64(n.square) * float64(n.square)
	product := func(typ string, work func(*cutile.Device) (cutile.Work, error)) probe {
		return probe{Peak{Kind: "matrix", Type: typ}, cube, work}
	}
	return []probe{
		{Peak{}, 3 * 4 * float64(n.stream), func(dev *cutile.Device) (cutile.Work, error) {
			x, errX := cutile.Full[float32](dev, 1, n.stream) // memory that was never written need not be there
			y, errY := cutile.Full[float32](dev, 2, n.stream)
			z, errZ := cutile.NewTensor[float32](dev, n.stream)
			return cutile.Work{On: dev, Kernel: triad, Args: []any{x, y, z}}, errors.Join(errX, errY, errZ)
		}},
		product("f32", square(n.square, gemm.Run[float32, float32])),
		product("f64", square(n.square, gemm.RunFloat64)),
		product("f16", square(n.square, gemm.Run[dtype.Float16, float32])),
		product("bf16", square(n.square, gemm.Run[dtype.BFloat16, float32])),
		product("tf32", square(n.square, gemm.RunTF32)),
		{Peak{Kind: "arithmetic", Type: "f32"}, 2 * chainSteps * float64(n.chains), func(dev *cutile.Device) (cutile.Work, error) {
			x, errX := cutile.NewTensor[float32](dev, n.chains)
			y, errY := cutile.NewTensor[float32](dev, n.chains)
			return cutile.Work{On: dev, Kernel: chains, Args: []any{x, y}}, errors.Join(errX, errY)
		}},
	}
}

// square is a product of square matrices.
func square[E dtype.Float, C dtype.Elem](n int, f func(context.Context, cutile.Target, *cutile.Tensor[E], *cutile.Tensor[E], *cutile.Tensor[C]) error) func(*cutile.Device) (cutile.Work, error) {
	return func(dev *cutile.Device) (cutile.Work, error) {
		a, errA := cutile.Uniform[E](dev, 1, -1, 1, n, n)
		b, errB := cutile.Uniform[E](dev, 2, -1, 1, n, n)
		c, errC := cutile.NewTensor[C](dev, n, n)
		run := func() error { return f(context.Background(), dev, a, b, c) }
		return cutile.Work{On: dev, Run: run, Name: "product"}, errors.Join(errA, errB, errC)
	}
}

func roof(ctx context.Context, dev *cutile.Device, n roofSizes, o Options) (*Roofline, error) {
	r := &Roofline{Device: dev.Name(), Description: dev.Description()}
	o.Rounds, o.Budget = 50, time.Second // for each probe
	if err := o.complete(); err != nil {
		return nil, err
	}
	for _, p := range n.probes() {
		rate, err := p.rate(ctx, dev, &o)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && p.peak.Kind == "":
			return nil, fmt.Errorf("bench: the bandwidth of %v: %w", dev, err)
		case err != nil:
			r.Missing = append(r.Missing, fmt.Sprintf("%s %s: %v", p.peak.Kind, p.peak.Type, err))
		case p.peak.Kind == "":
			r.Bandwidth = rate
		default:
			p.peak.Rate = rate
			r.Peaks = append(r.Peaks, p.peak)
		}
	}
	return r, nil
}

// rate is how much of what it counts a device makes in a second.
func (p *probe) rate(ctx context.Context, dev *cutile.Device, o *Options) (float64, error) {
	w, err := p.work(dev)
	if err != nil {
		return 0, err
	}
	results, err := compare(ctx, []Case{{Name: "roof", Work: w, Bytes: -1, Flops: -1}}, o)
	if err != nil {
		return 0, err
	}
	if r := &results[0]; r.Error != "" {
		return 0, errors.New(r.Error)
	} else if r.Time.Min > 0 {
		return p.count / r.Time.Min, nil
	}
	return 0, errors.New("it is too fast for the clock")
}

// rateOf is the peak for operations. Where it was not measured, it is the greatest one of the kind, or of all kinds: the roof is not too low then.
func (r *Roofline) rateOf(o cutile.Ops) float64 {
	var kind, all float64
	for _, p := range r.Peaks {
		switch all = max(all, p.Rate); {
		case p.Kind == o.Kind && p.Type == o.Type:
			return p.Rate
		case p.Kind == o.Kind:
			kind = max(kind, p.Rate)
		}
	}
	if kind > 0 {
		return kind
	}
	return all
}

// least is the least time in which the device can do something, and what bounds it: memory, or the operations that take longest. As
// different units may work side by side, the times of kinds of operations do not add up.
func (r *Roofline) least(bytes int64, ops []cutile.Ops) (bound string, seconds float64) {
	if r.Bandwidth > 0 && bytes > 0 {
		bound, seconds = "memory", float64(bytes)/r.Bandwidth
	}
	for _, o := range ops {
		if rate := r.rateOf(o); rate > 0 && float64(o.N)/rate > seconds {
			bound, seconds = o.Kind+" "+o.Type, float64(o.N)/rate
		}
	}
	return bound, seconds
}

// part is what bounds a result, and the least time as a part of its time.
func (r *Roofline) part(x *Result) (bound string, part float64) {
	bound, seconds := r.least(x.Bytes, x.Ops)
	if bound == "" || x.Seconds() <= 0 || math.IsInf(seconds, 0) {
		return "", 0
	}
	return bound, seconds / x.Seconds()
}
