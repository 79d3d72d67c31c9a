package scaling

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
)

// The extents of what is measured: layers of width by width, of which depth have gradients, and attention over a sequence.
const (
	depth, width, tokens = 6, 512, 128
	heads, sequence, dim = 4, 1024, 64
	rounds               = 25
	several              = 4 // steps in a round: where processes share a processor, one that waits for it would start its clock late
)

// bench is a process of the benchmark.
type bench struct {
	context.Context
	dev *cutile.Device
	g   *dist.Group
	err error // the first
}

// measure measures everything. Each time is the least of some rounds, of which each ends with the last process.
func measure() error {
	dev, err := cutile.Open("cpu", cutile.WithWorkers(1))
	if err != nil {
		return err
	}
	defer dev.Close()
	g, err := dist.Join(context.Background(), dev)
	if err != nil {
		return err
	}
	b := &bench{context.Background(), dev, g, nil}
	b.messages()
	b.data()
	b.tensor()
	b.ring()
	if b.err != nil {
		return fmt.Errorf("rank %d: %w", g.Rank(), b.err)
	}
	return g.Close()
}

// work is something that is measured, several times in a round if it is short.
type work struct {
	name   string
	repeat int
	do     func() error
}

// inTurn measures works, in turn: what else the machine does then disturbs all alike.
func (b *bench) inTurn(works ...work) {
	took := make([][]int64, len(works))
	for round := range rounds + 1 {
		for i, w := range works {
			if b.err == nil {
				b.err = b.g.Barrier(b)
			}
			start := time.Now()
			for range w.repeat {
				if b.err == nil {
					b.err = w.do()
				}
			}
			if b.err == nil {
				b.err = b.dev.Sync(b)
			}
			if round > 0 { // the first compiles
				took[i] = append(took[i], int64(time.Since(start))/int64(w.repeat))
			}
		}
	}
	for i, w := range works {
		if b.err == nil {
			b.err = b.least(w.name, took[i])
		}
	}
}

// least prints the least of some rounds, of which each ends with the last process.
func (b *bench) least(what string, took []int64) error {
	t, err := cutile.Wrap(b.dev, took)
	if err != nil {
		return err
	}
	if err := errors.Join(dist.AllReduce(b, b.g, dist.Max, t, t), b.g.Sync(b)); err != nil {
		return err
	}
	if b.g.Rank() == 0 {
		fmt.Printf("%s\t%v\n", what, float64(slices.Min(took))/1e9)
	}
	return nil
}

// full makes a tensor of small numbers, whose memory is written.
func (b *bench) full(shape ...int) *cutile.Tensor[float32] {
	t, err := cutile.Full(b.dev, float32(1)/1024, shape...)
	b.err = errors.Join(b.err, err)
	return t
}

func (b *bench) messages() {
	size, own := b.g.Size(), b.g.Rank()
	for _, n := range lengths {
		x, y := b.full(n/4), b.full(n/4)
		repeat := max(1, (1<<18)/n)
		repeat = min(repeat, 100)
		b.inTurn(
			work{message(n), repeat, func() error { return dist.SendRecv(b, b.g, (own+1)%size, x, (own+size-1)%size, y) }},
			work{allReduce(n), repeat, func() error { return dist.AllReduce(b, b.g, dist.Sum, x, y) }},
		)
	}
}

// data is a backward pass of products whose gradients are summed, each in a bucket of its own.
func (b *bench) data() {
	x := b.full(tokens, width)
	var layers []parallel.Parameter
	for i := range depth {
		layers = append(layers, parallel.Parameter{Name: fmt.Sprint("w", i), Shape: []int{width, width}})
	}
	if b.err != nil {
		return
	}
	s, err := parallel.NewGradients[float32](b, b.g, layers, parallel.WithBucket(4*width*width))
	if b.err = err; err != nil {
		return
	}
	backward := func(ready bool) error {
		for i := range depth {
			if err := gemm.Run(b, b.dev, x.T(), x, s.Tensor(i)); err != nil {
				return err
			}
			if ready {
				if err := s.Ready(b, s.Tensor(i)); err != nil {
					return err
				}
			}
		}
		if ready {
			return s.Finish(b)
		}
		return nil
	}
	b.inTurn(work{"backward", several, func() error { return backward(false) }}, work{"data parallel", several, func() error { return backward(true) }})
}

// tensor is a pair of layers, forward and backward, of which each process has a part, and what it computes of them without the others.
func (b *bench) tensor() {
	const inner = 4 * width
	own := inner / b.g.Size()
	x, y, dx := b.full(tokens, width), b.full(tokens, width), b.full(tokens, width)
	h, dh := b.full(tokens, own), b.full(tokens, own)
	up, down, dup, ddown := b.full(own, width), b.full(width, own), b.full(own, width), b.full(width, own)
	type grads = parallel.LinearGradients[float32]
	var none *cutile.Tensor[float32]
	alone := func(products [][3]*cutile.Tensor[float32]) func() error {
		return func() error {
			for _, p := range products {
				if err := gemm.Run(b, b.dev, p[0], p[1], p[2]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	type products = [][3]*cutile.Tensor[float32]
	b.inTurn(
		work{"forward", several, alone(products{{x, up.T(), h}, {h, down.T(), y}})},
		work{"inputs", several, alone(products{{y, down, dh}, {dh, up, dx}})},
		work{"weights", several, alone(products{{y.T(), h, ddown}, {dh.T(), x, dup}})},
		work{"tensor parallel", several, func() error {
			return errors.Join(
				parallel.ColumnLinear(b, b.g, x, up, none, h, nil), parallel.RowLinear(b, b.g, h, down, none, y, nil),
				parallel.RowLinearBackward(b, b.g, h, down, y, grads{X: dh, W: ddown}), parallel.ColumnLinearBackward(b, b.g, x, up, dh, grads{X: dx, W: dup}),
			)
		}},
	)
}

// ring is attention forward, of which each process has a part of the sequence, and the same to as many of its own keys.
func (b *bench) ring() {
	r, err := parallel.NewRing(b.g, sequence, false)
	if b.err = errors.Join(b.err, err); b.err != nil {
		return
	}
	own := r.Len(b.g.Rank())
	q, k, v, o, sums := b.full(1, heads, own, dim), b.full(1, heads, own, dim), b.full(1, heads, own, dim), b.full(1, heads, own, dim), b.full(1, heads, own)
	b.inTurn(
		work{"one part", several, func() error { return attention.RunSaving(b, b.dev, q, k, v, o, sums, false, attention.Scale(dim)) }},
		work{"ring attention", several, func() error { return parallel.RingAttention(b, r, q, k, v, o, sums, attention.Scale(dim)) }},
	)
}
