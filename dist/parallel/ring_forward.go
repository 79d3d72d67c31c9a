package parallel

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/tile"
)

// RingAttention queues o = softmax(q·kᵀ·scale)·v over whole sequences, of which each process has a part ([Ring.Positions]): q and o
// [batch, heads, tokens, dim], k and v [batch, groups, tokens, dim], and sums [batch, heads, tokens]. tokens is the ring's Len of this process, dim at
// most 256, and heads a multiple of groups. It also stores sums, the base-2 logarithms of the sums of weights, for [RingAttentionBackward].
//
// k and v must be contiguous. All processes call it with tensors of the same shapes but for tokens. The launches are queued on the default
// stream of the group's device. The transfer of the next keys and values is queued in front of the computation with those that are there.
//
// The results of parts are joined in float32; each is rounded to E before.
func RingAttention[E attention.Float](ctx context.Context, r *Ring, q, k, v, o *device.Tensor[E], sums *device.Tensor[float32], scale float32) error {
	const name = "RingAttention"
	if err := checkRing(ctx, name, r, q, k, v, sums, like[E]{name: "o", tensor: o}); err != nil || o.Len() == 0 {
		return err
	}
	dev := r.group.Device()
	var w workspace
	defer w.close() // after the launches
	acc := room[float32](&w, dev, o.Shape()...)
	parts := room[E](&w, dev, o.Shape()...)
	partSums := room[float32](&w, dev, sums.Shape()...)
	moving := newMoving(&w, r, k, v)
	if w.err != nil {
		return w.err
	}
	for i, s := range r.steps() {
		keys, values := moving.now(i)
		if err := moving.pass(ctx, i); err != nil {
			return err
		}
		keys, values = rows(keys, s.keys), rows(values, s.keys)
		to, toSums := rows(parts, s.queries), rows(partSums, s.queries)
		if i == 0 {
			toSums = sums
		}
		if err := attention.RunSaving(ctx, dev, rows(q, s.queries), keys, values, to, toSums, s.causal, scale); err != nil {
			return err
		}
		if i == 0 {
			if err := addTo(ctx, acc, parts, true); err != nil {
				return err
			}
			continue
		}
		m, d := rowTiles(to)
		if err := cutile.Launch(ctx, dev, cutile.Sized(joinParts[E, tile.D1, tile.D1], m, d), to, toSums, rows(acc, s.queries), rows(sums, s.queries)); err != nil {
			return err
		}
	}
	return roundTo(ctx, o, acc)
}

// moving are keys and values on their way around the ring: the own ones, and two pairs of buffers, of which one is read while the other is received.
type moving[E attention.Float] struct {
	ring    *Ring
	own     [2]*device.Tensor[E]
	buffers [2][2]*device.Tensor[E]
}

// newMoving makes the buffers: each has room for the longest part.
func newMoving[E attention.Float](w *workspace, r *Ring, k, v *device.Tensor[E]) *moving[E] {
	m := &moving[E]{ring: r, own: [2]*device.Tensor[E]{k, v}}
	for i := range min(r.group.Size()-1, 2) {
		for j := range m.own {
			m.buffers[i][j] = room[E](w, r.group.Device(), longest(r, k.Shape()))
		}
	}
	return m
}

// longest is how many elements a tensor of a shape has at most, for any rank.
func longest(r *Ring, shape []int) int {
	most := 0
	for rank := range r.group.Size() {
		most = max(most, r.Len(rank))
	}
	return shape[0] * shape[1] * most * shape[3]
}

// of is a buffer as a tensor of a rank.
func of[E attention.Float](buffer, like *device.Tensor[E], tokens int) *device.Tensor[E] {
	s := like.Shape()
	return buffer.Narrow(0, 0, s[0]*s[1]*tokens*s[3]).Reshape(s[0], s[1], tokens, s[3])
}

// now is the pair of step i.
func (m *moving[E]) now(i int) (k, v *device.Tensor[E]) {
	if i == 0 {
		return m.own[0], m.own[1]
	}
	size := m.ring.group.Size()
	tokens := m.ring.Len((m.ring.group.Rank() - i + size) % size)
	b := m.buffers[(i-1)%2]
	return of(b[0], m.own[0], tokens), of(b[1], m.own[1], tokens)
}

// pass queues the transfer of the pair of step i to the next process, and that of step i+1 to this one.
func (m *moving[E]) pass(ctx context.Context, i int) error {
	if i+1 == m.ring.group.Size() {
		return nil
	}
	k, v := m.now(i)
	nextK, nextV := m.now(i + 1)
	return passOn(ctx, m.ring, k, nextK, v, nextV)
}

// passOn queues the transfer of two tensors to the next process, and that of two to this one.
func passOn[E dtype.Elem](ctx context.Context, r *Ring, k, nextK, v, nextV *device.Tensor[E]) error {
	next, before := r.neighbours()
	if err := dist.SendRecv(ctx, r.group, next, k, before, nextK); err != nil {
		return err
	}
	return dist.SendRecv(ctx, r.group, next, v, before, nextV)
}
