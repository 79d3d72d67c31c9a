package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Mask says which keys a query sees, and how their scores change. The zero value changes nothing.
type Mask[E Float] struct {
	// Causal hides keys behind a query's own position. The queries are at the last positions of the keys.
	Causal bool
	// Lengths [batch] has the number of keys of each sequence: those from there on are hidden, for sequences that are padded at
	// their end. nil means all keys.
	Lengths *cutile.Tensor[int32]
	// Window, unless 0, is how many keys a query sees in front of it, its own one included; without Causal, as many behind it, too.
	Window int
	// Sinks is how many keys at the start of a sequence are seen in spite of the window; they need Causal and a Window. (G. Xiao and others, Efficient streaming
	// language models with attention sinks, 2023.)
	Sinks int
	// Bias [batch, heads, queries, keys] is added to the scaled scores; -Inf hides a key. Axes that do not matter may be views made
	// by Broadcast. nil means zeros.
	Bias *cutile.Tensor[E]
	// Seen [batch, heads, queries, keys] is true where a query may see a key, which other fields may hide. Axes that do not matter may be
	// views made by Broadcast. nil means true.
	Seen *cutile.Tensor[bool]
	// SoftCap, unless 0, bounds the scaled scores before the bias is added: they become SoftCap·tanh(score/SoftCap).
	SoftCap float32
}

// least and greatest are the bounds of soft caps: beyond them, quotients of scores leave the range of float32.
const least, greatest = 1e-30, 1e30

// softCap is the cap with the factor that scales have.
func (m Mask[E]) softCap() float32 { return m.SoftCap * math.Log2E }

// args are the tensors of a mask that are there, of which those for each query and key have these axes.
func (m Mask[E]) args(each string) (list []shape.Arg) {
	if m.Bias != nil {
		list = append(list, shape.Of("m.Bias", m.Bias, each))
	}
	if m.Seen != nil {
		list = append(list, shape.Of("m.Seen", m.Seen, each))
	}
	if m.Lengths != nil {
		list = append(list, shape.Of("m.Lengths", m.Lengths, "batch"))
	}
	return list
}

// each gives the tensors for each query and key, and what frees those that stand for missing ones.
func (m Mask[E]) each(dev *cutile.Device) (bias *cutile.Tensor[E], seen *cutile.Tensor[bool], free func(), err error) {
	bias, seen, free = m.Bias, m.Seen, func() {}
	if bias == nil {
		if bias, err = cutile.NewTensor[E](dev, 1, 1, 1, 1); err != nil {
			return nil, nil, nil, err
		}
		free = func() { bias.Close() }
	}
	if seen == nil {
		if seen, err = cutile.NewTensor[bool](dev, 1, 1, 1, 1); err != nil {
			free()
			return nil, nil, nil, err
		}
		first := free
		free = func() { first(); seen.Close() }
	}
	return bias, seen, free, nil
}

// unlimited is a window that hides nothing.
const unlimited = 1 << 30

// window checks the numbers of a mask and gives how far queries see back and ahead.
func (m Mask[E]) window(function string, keys int) (back, ahead int, err error) {
	switch {
	case m.Window < 0 || m.Sinks < 0:
		return 0, 0, shape.Wrong(function, "the window is %d and there are %d sinks, expected no negative numbers", m.Window, m.Sinks)
	case m.Sinks > 0 && (m.Window == 0 || !m.Causal):
		return 0, 0, shape.Wrong(function, "there are %d sinks, expected Causal and a Window with them", m.Sinks)
	case m.SoftCap != 0 && !(m.SoftCap >= least && m.SoftCap <= greatest):
		return 0, 0, shape.Wrong(function, "the soft cap is %v, expected a number from %v to %v, or 0 for none", m.SoftCap, least, greatest)
	case keys > unlimited:
		return 0, 0, shape.Wrong(function, "there are %d keys, expected at most %d", keys, unlimited)
	}
	if back = min(m.Window, unlimited) - 1; m.Window == 0 {
		back = unlimited
	}
	if ahead = back; m.Causal {
		ahead = 0
	}
	return back, ahead, nil
}

// lengths gives m.Lengths, or the extent of keys for each sequence, and what frees that.
func (m Mask[E]) lengths(dev *cutile.Device, batch, keys int) (*cutile.Tensor[int32], func(), error) {
	if m.Lengths != nil {
		return m.Lengths, func() {}, nil
	}
	all := make([]int32, batch)
	for i := range all {
		all[i] = int32(keys)
	}
	t, err := cutile.FromSlice(dev, all, batch)
	if err != nil {
		return nil, nil, err
	}
	return t, func() { t.Close() }, nil
}

// RunMasked queues o = softmax(cap(q·kᵀ·scale) + bias)·v for q [batch, heads, queries, dim], k [batch, groups, keys, dim], v
// [batch, groups, keys, width] and o [batch, heads, queries, width], with the keys that a mask leaves; heads is a multiple of groups. The result for a query that sees no key is 0.
func RunMasked[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], m Mask[E], scale float32) error {
	const name = "attention.RunMasked"
	n, err := shape.Check(name, append([]shape.Arg{shape.Of("q", q, "batch heads queries dim"), shape.Of("k", k, "batch groups keys dim"),
		shape.Of("v", v, "batch groups keys width"), shape.Of("o", o, "batch heads queries width")}, m.args("batch heads queries keys")...)...)
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	if m.Seen != nil {
		sums, err := cutile.NewTensor[float32](o.Device(), n["batch"], n["heads"], n["queries"])
		if err != nil {
			return err
		}
		defer sums.Close() // after the kernel
		return m.save(ctx, on, name, n, q, k, v, o, sums, scale)
	}
	back, ahead, err := m.window(name, max(n["keys"], n["queries"]))
	if err != nil {
		return err
	}
	lengths, free, err := m.lengths(o.Device(), n["batch"], n["keys"])
	if err != nil {
		return err
	}
	defer free() // after the kernel
	rows, cols, d := backwardTiles(n)
	w := shape.Fit(n["width"], 16, widest)
	if on, err = shape.Grid(name, on, shape.Tiles(n["queries"], rows), n["heads"], n["batch"]); err != nil {
		return err
	}
	scale *= math.Log2E
	if m.Bias != nil {
		return cutile.Launch(ctx, on, cutile.Sized(Biased[E, one, one, one, one], rows, cols, d, w), q, k.T(), v, m.Bias, lengths, o, back, ahead, m.Sinks, scale, m.softCap())
	}
	return cutile.Launch(ctx, on, cutile.Sized(Masked[E, one, one, one, one], rows, cols, d, w), q, k.T(), v, lengths, o, back, ahead, m.Sinks, scale, m.softCap())
}

// RunDecodeMasked is [RunDecode] with the keys that a mask leaves: the query of a sequence is at the position of its last key, so that
// Causal hides nothing. m.Lengths are the lengths, and nil means full caches; m.Bias and m.Seen are [batch, heads, room].
func RunDecodeMasked[E Float](ctx context.Context, on cutile.Target, parts int, q, k, v, o *cutile.Tensor[E], m Mask[E], scale float32) error {
	const name = "attention.RunDecodeMasked"
	n, err := shape.Check(name, append([]shape.Arg{shape.Of("q", q, "batch heads dim"), shape.Of("k", k, "batch groups room dim"),
		shape.Of("v", v, "batch groups room dim"), shape.Of("o", o, "batch heads dim")}, m.args("batch heads room")...)...)
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	m.Causal = true
	back, _, err := m.window(name, n["room"])
	if err != nil {
		return err
	}
	lengths, free, err := m.lengths(o.Device(), n["batch"], n["room"])
	if err != nil {
		return err
	}
	defer free() // after the kernels
	scale *= math.Log2E
	return inParts(ctx, on, name, parts, n, q, o, func(on cutile.Target, g, cols, d int, q *cutile.Tensor[E], means, sums *cutile.Tensor[float32]) error {
		if m.Seen != nil {
			each := []int{n["batch"], n["groups"], n["heads"] / n["groups"], n["room"]}
			if m.Bias != nil {
				m.Bias = m.Bias.Reshape(each...)
			}
			bias, seen, free, err := m.each(o.Device())
			if err != nil {
				return err
			}
			defer free() // after the kernel
			return cutile.Launch(ctx, on, cutile.Sized(DecodeSeen[E, one, one, one], g, cols, d), q, k, v, bias, seen.Reshape(each...), lengths, means, sums,
				back, m.Sinks, m.Bias != nil, scale, m.softCap())
		}
		if m.Bias != nil {
			bias := m.Bias.Reshape(n["batch"], n["groups"], n["heads"]/n["groups"], n["room"])
			return cutile.Launch(ctx, on, cutile.Sized(DecodeBiased[E, one, one, one], g, cols, d), q, k, v, bias, lengths, means, sums, back, m.Sinks, scale, m.softCap())
		}
		return cutile.Launch(ctx, on, cutile.Sized(DecodeMasked[E, one, one, one], g, cols, d), q, k, v, lengths, means, sums, back, m.Sinks, scale, m.softCap())
	})
}
