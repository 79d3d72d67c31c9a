package parallel

import (
	"context"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/kernels/attention"
)

// RingAttentionBackward queues the gradients of queries, keys and values of this process. It writes to the tensors of to, shaped like q, k and v;
// to.Bias is nil. do is the gradient of o; all other arguments are those of the preceding call of [RingAttention].
//
// The gradients of keys and values go around the ring in float32 behind the keys, one step later, and come home after a last transfer. What
// a process adds is rounded to E before. The sum is in the order of the ring, the same in each run.
func RingAttentionBackward[E attention.Float](ctx context.Context, r *Ring, q, k, v, o *device.Tensor[E], sums *device.Tensor[float32],
	do *device.Tensor[E], to attention.Gradients[E], scale float32) error {
	const name = "RingAttentionBackward"
	err := checkRing(ctx, name, r, q, k, v, sums, like[E]{name: "o", tensor: o}, like[E]{name: "do", tensor: do},
		like[E]{name: "to.Q", tensor: to.Q}, like[E]{"to.K", to.K, true}, like[E]{"to.V", to.V, true})
	if err == nil && to.Bias != nil {
		err = wrong(name, "to.Bias is a tensor, expected nil: there is no bias")
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	dev := r.group.Device()
	var w workspace
	defer w.close()
	acc := room[float32](&w, dev, q.Shape()...)
	part := attention.Gradients[E]{Q: room[E](&w, dev, q.Shape()...), K: room[E](&w, dev, longest(r, k.Shape())), V: room[E](&w, dev, longest(r, v.Shape()))}
	moving := newMoving(&w, r, k, v)
	behind := newBehind(&w, r, k.Shape())
	if w.err != nil {
		return w.err
	}
	for i, s := range r.steps() {
		keys, values := moving.now(i)
		if err := moving.pass(ctx, i); err != nil {
			return err
		}
		tokens := r.Len(s.owner)
		g := attention.Gradients[E]{Q: rows(part.Q, s.queries), K: rows(of(part.K, k, tokens), s.keys), V: rows(of(part.V, v, tokens), s.keys)}
		if err := attention.RunBackward(ctx, dev, rows(q, s.queries), rows(keys, s.keys), rows(values, s.keys), rows(o, s.queries), rows(sums, s.queries),
			rows(do, s.queries), g, s.causal, scale); err != nil {
			return err
		}
		if err := addTo(ctx, rows(acc, s.queries), g.Q, i == 0); err != nil {
			return err
		}
		dk, dv := behind.now(i)
		if err := addTo(ctx, rows(dk, s.keys), g.K, i == 0); err != nil {
			return err
		}
		if err := addTo(ctx, rows(dv, s.keys), g.V, i == 0); err != nil {
			return err
		}
		if err := behind.pass(ctx, i); err != nil {
			return err
		}
	}
	dk, dv := behind.now(r.group.Size())
	if err := roundTo(ctx, to.Q, acc); err != nil {
		return err
	}
	if err := roundTo(ctx, to.K, dk); err != nil {
		return err
	}
	return roundTo(ctx, to.V, dv)
}

// behind are the gradients that follow the keys and values: of each of both, one buffer is added to while the other is sent or received.
type behind struct {
	ring    *Ring
	shape   []int
	buffers [2][2]*device.Tensor[float32]
}

func newBehind(w *workspace, r *Ring, shape []int) *behind {
	b := &behind{ring: r, shape: shape}
	for i := range b.buffers {
		for j := range b.buffers[i] {
			b.buffers[i][j] = room[float32](w, r.group.Device(), longest(r, shape))
		}
	}
	return b
}

// now is the pair of step i. After the last step it is that of this process.
func (b *behind) now(i int) (dk, dv *device.Tensor[float32]) {
	size := b.ring.group.Size()
	tokens := b.ring.Len((b.ring.group.Rank() - i + 2*size) % size)
	pair := b.buffers[i%2]
	if size == 1 {
		pair = b.buffers[0] // nothing moves
	}
	view := func(x *device.Tensor[float32]) *device.Tensor[float32] {
		return x.Narrow(0, 0, b.shape[0]*b.shape[1]*tokens*b.shape[3]).Reshape(b.shape[0], b.shape[1], tokens, b.shape[3])
	}
	return view(pair[0]), view(pair[1])
}

// pass queues the transfer of the pair of step i to the next process, and that of step i+1 to this one.
func (b *behind) pass(ctx context.Context, i int) error {
	if b.ring.group.Size() == 1 {
		return nil
	}
	dk, dv := b.now(i)
	nextK, nextV := b.now(i + 1)
	return passOn(ctx, b.ring, dk, nextK, dv, nextV)
}
