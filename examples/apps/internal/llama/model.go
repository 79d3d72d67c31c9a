package llama

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/qkv"
)

// Model is a decoder with the keys and values of several sequences, each in a slot. It is for one goroutine.
type Model interface {
	Config() Config
	Options() Options
	// Prefill processes tokens of one sequence, at most Options.Chunk, of which the first is at position from. It returns the
	// logits of the token that follows, [1, vocab].
	Prefill(ctx context.Context, slot, from int, tokens []int32) (*cutile.Tensor[float32], error)
	// Decode processes one token for each of the first slots, at its position. It returns logits, [slots, vocab].
	Decode(ctx context.Context, tokens, positions []int32) (*cutile.Tensor[float32], error)
	// Move copies the first tokens of a sequence to another slot.
	Move(ctx context.Context, from, to, tokens int) error
	// Close frees the memory when all queued work has run.
	Close() error
}

// model has what it computes with in E.
type model[E float] struct {
	config  Config
	options Options
	dev     *cutile.Device
	table   *cutile.Tensor[E]
	head    linear[E]
	norm    *cutile.Tensor[E]
	layers  []layer[E]

	cos, sin                 *cutile.Tensor[float32]
	ids, positions, slots    *cutile.Tensor[int32] // [rows]
	x, h, d                  *cutile.Tensor[E]     // [rows, dim]: the residual stream, what a part of a layer reads, and what it adds
	qkv, mix, gates, product *cutile.Tensor[E]     // [rows, …]
	logits                   *cutile.Tensor[float32]
}

func (m *model[E]) Config() Config   { return m.config }
func (m *model[E]) Options() Options { return m.options }

// prepare makes the tensors that a step uses.
func (m *model[E]) prepare() error {
	c, rows := m.config, max(m.options.Slots, m.options.Chunk)
	cos, sin := c.Rope.tables(m.options.Room, c.HeadDim)
	var failed []error
	one := func(t **cutile.Tensor[E], cols int) {
		var err error
		*t, err = cutile.NewTensor[E](m.dev, rows, cols)
		failed = append(failed, err)
	}
	angles := func(t **cutile.Tensor[float32], x []float32) {
		var err error
		*t, err = cutile.FromSlice(m.dev, x, m.options.Room, c.HeadDim/2)
		failed = append(failed, err)
	}
	ints := func(t **cutile.Tensor[int32]) {
		var err error
		*t, err = cutile.NewTensor[int32](m.dev, rows)
		failed = append(failed, err)
	}
	angles(&m.cos, cos)
	angles(&m.sin, sin)
	ints(&m.ids)
	ints(&m.positions)
	ints(&m.slots)
	one(&m.x, c.Dim)
	one(&m.h, c.Dim)
	one(&m.d, c.Dim)
	one(&m.qkv, (c.Heads+2*c.Groups)*c.HeadDim)
	one(&m.mix, c.Heads*c.HeadDim)
	one(&m.gates, 2*c.Hidden)
	one(&m.product, c.Hidden)
	var err error
	m.logits, err = cutile.NewTensor[float32](m.dev, m.options.Slots, c.Vocab)
	return errors.Join(append(failed, err)...)
}

// Prefill implements Model.
func (m *model[E]) Prefill(ctx context.Context, slot, from int, tokens []int32) (*cutile.Tensor[float32], error) {
	n := len(tokens)
	if n == 0 || n > m.options.Chunk || from < 0 || from+n > m.options.Room || slot < 0 || slot >= m.options.Slots {
		panic(fmt.Sprintf("BUG: %d tokens from position %d in slot %d", n, from, slot))
	}
	positions, slots := make([]int32, n), make([]int32, n)
	for i := range positions {
		positions[i], slots[i] = int32(from+i), int32(slot*m.options.Room+from+i)
	}
	keys := func(t *cutile.Tensor[E]) *cutile.Tensor[E] {
		return t.Narrow(0, slot, slot+1).Narrow(2, 0, from+n)
	}
	c := m.config
	err := m.run(ctx, tokens, positions, slots, func(l layer[E], q, o *cutile.Tensor[E]) error {
		heads := func(t *cutile.Tensor[E]) *cutile.Tensor[E] {
			return t.Reshape(1, n, c.Heads, c.HeadDim).Permute(0, 2, 1, 3)
		}
		return attention.RunMasked(ctx, m.dev, heads(q), keys(l.k), keys(l.v), heads(o), attention.Mask[E]{Causal: true, Window: l.window},
			attention.Scale(c.HeadDim))
	})
	if err != nil {
		return nil, err
	}
	return m.last(ctx, n-1, n)
}

// Decode implements Model.
func (m *model[E]) Decode(ctx context.Context, tokens, positions []int32) (*cutile.Tensor[float32], error) {
	n := len(tokens)
	if n == 0 || n > m.options.Slots || n != len(positions) {
		panic(fmt.Sprintf("BUG: %d tokens at %d positions", n, len(positions)))
	}
	slots, counts := make([]int32, n), make([]int32, n)
	for i, p := range positions {
		if p < 0 || int(p) >= m.options.Room {
			panic(fmt.Sprintf("BUG: position %d", p))
		}
		slots[i], counts[i] = int32(i*m.options.Room)+p, p+1
	}
	lengths, err := cutile.FromSlice(m.dev, counts)
	if err != nil {
		return nil, err
	}
	defer lengths.Close() // after the kernels
	err = m.run(ctx, tokens, positions, slots, func(l layer[E], q, o *cutile.Tensor[E]) error {
		return attention.RunDecodeMasked(ctx, m.dev, parts, q, l.k.Narrow(0, 0, n), l.v.Narrow(0, 0, n), o,
			attention.Mask[E]{Lengths: lengths, Window: l.window}, attention.Scale(m.config.HeadDim))
	})
	if err != nil {
		return nil, err
	}
	return m.last(ctx, 0, n)
}

// parts is into how many parts a cache is split. It does not depend on the number of sequences, so that a text does not depend on
// who else is served.
const parts = 4

// rows are the tensors of a step, with a row for each of its tokens.
type rows[E float] struct {
	x, h, d                  *cutile.Tensor[E]
	all, mix, gates, product *cutile.Tensor[E]
	positions, slots         *cutile.Tensor[int32]
}

// attend computes attention for the queries of a step.
type attend[E float] func(l layer[E], q, o *cutile.Tensor[E]) error

// run computes all layers for rows of tokens.
func (m *model[E]) run(ctx context.Context, tokens, positions, slots []int32, f attend[E]) error {
	n := len(tokens)
	ids := m.ids.Narrow(0, 0, n)
	cut := func(t *cutile.Tensor[E]) *cutile.Tensor[E] { return t.Narrow(0, 0, n) }
	r := rows[E]{x: cut(m.x), h: cut(m.h), d: cut(m.d), all: cut(m.qkv), mix: cut(m.mix), gates: cut(m.gates), product: cut(m.product),
		positions: m.positions.Narrow(0, 0, n), slots: m.slots.Narrow(0, 0, n)}
	if err := errors.Join(ids.Write(ctx, tokens), r.positions.Write(ctx, positions), r.slots.Write(ctx, slots)); err != nil {
		return err
	}
	if err := embedding.Run(ctx, m.dev, ids, m.table, r.x); err != nil {
		return err
	}
	for i, l := range m.layers {
		var err error
		if i == 0 {
			err = norm.RMS(ctx, m.dev, r.x, l.norm1, r.h, m.config.Eps)
		} else {
			err = norm.AddRMS(ctx, m.dev, r.d, r.x, l.norm1, r.h, m.config.Eps)
		}
		if err == nil {
			err = m.layer(ctx, l, r, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// layer computes what a layer adds, r.d, from its normalised input r.h.
func (m *model[E]) layer(ctx context.Context, l layer[E], r rows[E], f attend[E]) error {
	c, n := m.config, r.x.Shape()[0]
	heads := func(from, count int) *cutile.Tensor[E] {
		return r.all.Narrow(1, from*c.HeadDim, (from+count)*c.HeadDim).Reshape(n, count, c.HeadDim)
	}
	q := heads(0, c.Heads)
	step := qkv.Step[E]{Q: q, K: heads(c.Heads, c.Groups), V: heads(c.Heads+c.Groups, c.Groups), WQ: l.qn, WK: l.kn, Eps: c.Eps, Cos: m.cos,
		Sin: m.sin, Positions: r.positions, Neighbours: c.Neighbours, ToK: l.k, ToV: l.v, Slots: r.slots}
	for _, next := range []func() error{
		func() error { return apply(ctx, m.dev, l.qkv, r.h, r.all) },
		func() error { return qkv.Run(ctx, m.dev, step) },
		func() error { return f(l, q, r.mix.Reshape(n, c.Heads, c.HeadDim)) },
		func() error { return apply(ctx, m.dev, l.out, r.mix, r.d) },
		func() error { return norm.AddRMS(ctx, m.dev, r.d, r.x, l.norm2, r.h, c.Eps) },
		func() error { return apply(ctx, m.dev, l.gates, r.h, r.gates) },
		func() error {
			return pointwise.RunSiLUMul(ctx, m.dev, r.gates.Narrow(1, 0, c.Hidden), r.gates.Narrow(1, c.Hidden, 2*c.Hidden), r.product)
		},
		func() error { return apply(ctx, m.dev, l.down, r.product, r.d) },
	} {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

// last computes the logits of some rows.
func (m *model[E]) last(ctx context.Context, from, to int) (*cutile.Tensor[float32], error) {
	x, h, d := m.x.Narrow(0, from, to), m.h.Narrow(0, from, to), m.d.Narrow(0, from, to)
	if err := norm.AddRMS(ctx, m.dev, d, x, m.norm, h, m.config.Eps); err != nil {
		return nil, err
	}
	logits := m.logits.Narrow(0, 0, to-from)
	return logits, apply(ctx, m.dev, m.head, h, logits)
}

// Move implements Model.
func (m *model[E]) Move(ctx context.Context, from, to, tokens int) error {
	if from == to || tokens == 0 {
		return nil
	}
	for _, l := range m.layers {
		for _, t := range []*cutile.Tensor[E]{l.k, l.v} {
			for g := range m.config.Groups { // each is contiguous
				part := func(slot int) *cutile.Tensor[E] { return t.Select(0, slot).Select(0, g).Narrow(0, 0, tokens) }
				if err := part(to).Copy(ctx, part(from)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Close implements Model.
func (m *model[E]) Close() error {
	var failed []error
	free := func(list ...interface{ Close() error }) {
		for _, t := range list {
			failed = append(failed, t.Close())
		}
	}
	free(m.table, m.norm, m.cos, m.sin, m.ids, m.positions, m.slots, m.x, m.h, m.d, m.qkv, m.mix, m.gates, m.product, m.logits)
	m.head.close(free)
	for _, l := range m.layers {
		free(l.norm1, l.norm2, l.k, l.v)
		if l.qn != nil {
			free(l.qn, l.kn)
		}
		for _, w := range []linear[E]{l.qkv, l.out, l.gates, l.down} {
			w.close(free)
		}
	}
	return errors.Join(failed...)
}
