package attention_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// mask is what the reference knows of a mask: a bias for each head, query and key, and the lengths.
type mask struct {
	causal        bool
	window, sinks int
	lengths       []int
	bias          func(b, h, i, j int) float64
	chosen        func(b, h, i, j int) bool
	softCap       float64
}

// capped is a score below the soft cap, and the slope of that there.
func (m mask) capped(score float64) (below, slope float64) {
	if m.softCap == 0 {
		return score, 1
	}
	t := math.Tanh(score / m.softCap)
	return m.softCap * t, 1 - t*t
}

// seen tells whether the query at position p of sequence b sees key j.
func (m mask) seen(b, p, j int) bool {
	switch {
	case m.lengths != nil && j >= m.lengths[b], m.causal && j > p:
		return false
	case m.window == 0 || j < m.sinks:
		return true
	}
	return j > p-m.window && j < p+m.window
}

// masked is the reference: position is that of query i of sequence b.
func (p problem) masked(q, k, v []float64, m mask, position func(b, i int) int) []float64 {
	return p.wide(q, k, v, p.dim, m, position)
}

// wide is the reference for values of another width.
func (p problem) wide(q, k, v []float64, width int, m mask, position func(b, i int) int) []float64 {
	o := make([]float64, p.batch*p.heads*p.queries*width)
	for row := range p.batch * p.heads * p.queries {
		b, h, i := row/p.queries/p.heads, row/p.queries%p.heads, row%p.queries
		g := b*p.groups + h/(p.heads/p.groups)
		scores, sum := make([]float64, p.keys), 0.0
		for j := range scores {
			scores[j] = math.Inf(-1)
			if !m.seen(b, position(b, i), j) || m.chosen != nil && !m.chosen(b, h, i, j) {
				continue
			}
			scores[j] = 0
			for d := range p.dim {
				scores[j] += q[row*p.dim+d] * k[(g*p.keys+j)*p.dim+d] / math.Sqrt(float64(p.dim))
			}
			scores[j], _ = m.capped(scores[j])
			if m.bias != nil {
				scores[j] += m.bias(b, h, i, j)
			}
		}
		peak := -math.MaxFloat64
		for _, s := range scores {
			peak = max(peak, s)
		}
		for j := range scores {
			scores[j] = math.Exp(scores[j] - peak)
			sum += scores[j]
		}
		for j, w := range scores {
			for d := range width {
				if w > 0 {
					o[row*width+d] += w / sum * v[(g*p.keys+j)*width+d]
				}
			}
		}
	}
	return o
}

// given makes the mask for a call, with a bias of slopes that differ from head to head and hide some keys, or none.
func given[E element](t *testing.T, dev *cutile.Device, p problem, m mask) attention.Mask[E] {
	out := attention.Mask[E]{Causal: m.causal, Window: m.window, Sinks: m.sinks, SoftCap: float32(m.softCap)}
	if m.lengths != nil {
		var list []float64
		for _, n := range m.lengths {
			list = append(list, float64(n))
		}
		out.Lengths, _ = kerneltest.Tensor[int32](t, dev, list, p.batch)
	}
	if m.chosen != nil {
		var values []bool
		for i := range p.batch * p.heads * p.queries * p.keys {
			row := i / p.keys
			values = append(values, m.chosen(row/p.queries/p.heads, row/p.queries%p.heads, row%p.queries, i%p.keys))
		}
		var err error
		out.Seen, err = cutile.FromSlice(dev, values, p.batch, p.heads, p.queries, p.keys)
		kerneltest.Must(t, err)
	}
	if m.bias != nil {
		var values []float64
		for i := range p.batch * p.heads * p.queries * p.keys {
			row := i / p.keys
			values = append(values, m.bias(row/p.queries/p.heads, row/p.queries%p.heads, row%p.queries, i%p.keys))
		}
		out.Bias, _ = kerneltest.Tensor[E](t, dev, values, p.batch, p.heads, p.queries, p.keys)
	}
	return out
}

// slopes is a bias that halves represent exactly; it hides each seventh key.
func slopes(b, h, i, j int) float64 {
	if (i+j)%7 == 3 {
		return math.Inf(-1)
	}
	return float64(j%16-8)/4*float64(h+1) - float64(b)
}

// some is a mask without a pattern; query 5 of the last head sees nothing.
func some(b, h, i, j int) bool { return (i*7+j*3+h*5+b)%4 != 0 && !(h == 1 && i == 5) }

func runMasked[E element](t *testing.T, p problem, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.queries, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.queries, p.dim)
	kerneltest.Must(t, attention.RunMasked(t.Context(), dev, q, k, v, o, given[E](t, dev, p, m), attention.Scale(p.dim)))
	want := p.masked(qs, ks, vs, m, func(_, i int) int { return p.keys - p.queries + i })
	kerneltest.Near(t, fmt.Sprintf("%v %v %d %d %v", p, m.causal, m.window, m.sinks, m.lengths), o, want, tolerance)
}

func TestRunMasked(t *testing.T) {
	long := problem{2, 2, 1, 150, 190, 8} // three tiles of keys
	for _, m := range []mask{
		{},
		{lengths: []int{190, 67}},
		{causal: true, lengths: []int{0, 100}},
		{causal: true, window: 20},
		{causal: true, window: 1},
		{causal: true, window: 40, sinks: 3},
		{causal: true, window: 40, sinks: 100},
		{window: 30, lengths: []int{190, 64}},
		{bias: slopes},
		{causal: true, window: 70, sinks: 2, lengths: []int{130, 1}, bias: slopes},
		{chosen: some},
		{causal: true, window: 70, sinks: 2, lengths: []int{130, 90}, bias: slopes, chosen: some},
		{softCap: 0.75},
		{causal: true, softCap: 0.5, bias: slopes},
		{lengths: []int{190, 77}, softCap: 1.5, bias: slopes, chosen: some},
	} {
		runMasked[float32](t, long, m, 2e-5)
	}
	runMasked[dtype.Float16](t, problem{1, 4, 2, 33, 33, 24}, mask{causal: true, window: 9, sinks: 1, bias: slopes}, 4e-3)
	runMasked[dtype.Float16](t, problem{1, 4, 2, 33, 33, 24}, mask{causal: true, softCap: 0.5}, 4e-3)
	runMasked[dtype.BFloat16](t, problem{1, 2, 2, 17, 40, 12}, mask{softCap: 0.5, bias: slopes}, 2e-2)
	runMasked[float32](t, problem{1, 1, 1, 5, 3, 4}, mask{causal: true}, 1e-5) // two queries before the first key
	runMasked[float32](t, problem{1, 1, 1, 1, 1, 1}, mask{causal: true, window: 1}, 1e-5)
	runMasked[float32](t, problem{1, 1, 1, 2, 0, 4}, mask{}, 1e-5)
	runMasked[float32](t, problem{0, 1, 1, 2, 3, 4}, mask{}, 1e-5)
}

func runDecodeMasked[E element](t *testing.T, parts int, p problem, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.dim)
	at := given[E](t, dev, p, m)
	if at.Bias != nil {
		at.Bias = at.Bias.Reshape(p.batch, p.heads, p.keys)
	}
	if at.Seen != nil {
		at.Seen = at.Seen.Reshape(p.batch, p.heads, p.keys)
	}
	kerneltest.Must(t, attention.RunDecodeMasked(t.Context(), dev, parts, q, k, v, o, at, attention.Scale(p.dim)))
	want := p.masked(qs, ks, vs, m, func(b, _ int) int {
		if m.lengths != nil {
			return m.lengths[b] - 1
		}
		return p.keys - 1
	})
	kerneltest.Near(t, fmt.Sprintf("decode %v %d %d %v", p, m.window, m.sinks, m.lengths), o, want, tolerance)
}

func TestRunDecodeMasked(t *testing.T) {
	p := problem{3, 4, 2, 1, 200, 16}
	for i, m := range []mask{
		{},
		{lengths: []int{0, 200, 77}, window: 50},
		{lengths: []int{9, 200, 130}, window: 20, sinks: 4},
		{lengths: []int{1, 199, 130}, bias: slopes},
		{lengths: []int{64, 200, 65}, window: 1, sinks: 70, bias: slopes},
		{lengths: []int{64, 200, 0}, window: 90, sinks: 5},
		{lengths: []int{64, 200, 13}, chosen: some},
		{window: 90, bias: slopes, chosen: some},
		{lengths: []int{64, 200, 0}, softCap: 0.75},
		{window: 90, bias: slopes, softCap: 0.5},
		{lengths: []int{64, 200, 13}, bias: slopes, chosen: some, softCap: 1.5},
	} {
		runDecodeMasked[float32](t, []int{1, 3, 0}[i%3], p, m, 2e-5)
	}
	runDecodeMasked[dtype.BFloat16](t, 2, problem{1, 8, 1, 1, 90, 32}, mask{window: 33, sinks: 1}, 2e-2)
}

// TestSoftCapLargeScores has scores far above the cap, infinite ones among them, and caps at both ends of their range.
func TestSoftCapLargeScores(t *testing.T) {
	dev, p := kerneltest.CPU(t), problem{1, 1, 1, 1, 5, 1}
	q, qs := kerneltest.Tensor[float32](t, dev, []float64{1e20}, 1, 1, 1, 1)
	k, ks := kerneltest.Tensor[float32](t, dev, []float64{1e20, -1e20, 0, 1e-20, 2}, 1, 1, 5, 1)
	v, vs := kerneltest.Tensor[float32](t, dev, []float64{1, 2, 3, 4, 5}, 1, 1, 5, 1)
	o := kerneltest.New[float32](t, dev, 1, 1, 1, 1)
	for _, most := range []float64{1e-30, 3, 50, 1e30} {
		m := mask{softCap: float64(float32(most))}
		kerneltest.Must(t, attention.RunMasked(t.Context(), dev, q, k, v, o, given[float32](t, dev, p, m), 1))
		kerneltest.Near(t, fmt.Sprint("cap ", most), o, p.masked(qs, ks, vs, m, func(int, int) int { return 0 }), 1e-5)
	}
}

// TestBroadcastBias has one bias for all sequences and heads.
func TestBroadcastBias(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	p := problem{2, 2, 2, 17, 17, 8}
	q, qs := kerneltest.Random[float32](t, dev, r, 2, 2, 17, 8)
	bias, biases := kerneltest.Random[float32](t, dev, r, 1, 1, 17, 17)
	o := kerneltest.New[float32](t, dev, 2, 2, 17, 8)
	m := attention.Mask[float32]{Bias: bias.Broadcast(2, 2, 17, 17)}
	kerneltest.Must(t, attention.RunMasked(t.Context(), dev, q, q, q, o, m, attention.Scale(8)))
	want := p.masked(qs, qs, qs, mask{bias: func(_, _, i, j int) float64 { return biases[i*17+j] }}, func(_, i int) int { return i })
	kerneltest.Near(t, "one bias", o, want, 1e-5)
}

func TestMaskMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := kerneltest.New[float32](t, dev, 1, 2, 3, 4)
	for _, c := range []struct {
		m    attention.Mask[float32]
		want string
	}{
		{attention.Mask[float32]{Window: -1}, "the window is -1 and there are 0 sinks, expected no negative numbers"},
		{attention.Mask[float32]{Causal: true, Sinks: 1}, "there are 1 sinks, expected Causal and a Window with them"},
		{attention.Mask[float32]{Window: 1, Sinks: 1}, "there are 1 sinks, expected Causal and a Window with them"},
		{attention.Mask[float32]{SoftCap: -1}, "the soft cap is -1, expected a number from 1e-30 to 1e+30, or 0 for none"},
		{attention.Mask[float32]{SoftCap: float32(math.NaN())}, "the soft cap is NaN, expected a number from 1e-30 to 1e+30, or 0 for none"},
		{attention.Mask[float32]{SoftCap: float32(math.Inf(1))}, "the soft cap is +Inf, expected a number from 1e-30 to 1e+30, or 0 for none"},
		{attention.Mask[float32]{Bias: x}, "m.Bias has shape [1 2 3 4], expected [batch heads queries keys]: axis 3 is 4, but keys is 3 along axis 2 of k"},
		{attention.Mask[float32]{Seen: kept(t, dev, 1, 2, 3, 4)}, "m.Seen has shape [1 2 3 4], expected [batch heads queries keys]: axis 3 is 4, but keys is 3 along axis 2 of k"},
		{attention.Mask[float32]{Lengths: kerneltest.New[int32](t, dev, 3)}, "m.Lengths has shape [3], expected [batch]: axis 0 is 3, but batch is 1 along axis 0 of q"},
	} {
		kerneltest.Mismatch(t, attention.RunMasked(t.Context(), dev, x, x, x, x, c.m, 1), "attention.RunMasked: "+c.want)
	}
	kerneltest.Mismatch(t, attention.RunDecodeMasked(t.Context(), dev, 65, x.Select(2, 0), x, x, x.Select(2, 1), attention.Mask[float32]{}, 1),
		"attention.RunDecodeMasked: parts is 65, expected 1 to 64, or 0 for a number that fits")
}

// runWide has values of another width than keys.
func runWide[E element](t *testing.T, p problem, width int, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.queries, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, width)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.queries, width)
	kerneltest.Must(t, attention.RunMasked(t.Context(), dev, q, k, v, o, given[E](t, dev, p, m), attention.Scale(p.dim)))
	want := p.wide(qs, ks, vs, width, m, func(_, i int) int { return p.keys - p.queries + i })
	kerneltest.Near(t, fmt.Sprint("values of ", width, p), o, want, tolerance)
}

func TestWidths(t *testing.T) {
	runWide[float32](t, problem{1, 2, 2, 20, 33, 192}, 128, mask{causal: true}, 2e-5) // a prompt for latent heads
	runWide[float32](t, problem{2, 4, 2, 7, 40, 5}, 40, mask{bias: slopes}, 2e-5)
	runWide[dtype.Float16](t, problem{1, 4, 1, 33, 33, 24}, 7, mask{causal: true, chosen: some}, 4e-3)
	runWide[dtype.BFloat16](t, problem{1, 2, 2, 3, 20, 48}, 32, mask{causal: true}, 2e-2)
	runWide[float32](t, problem{1, 1, 1, 2, 0, 4}, 8, mask{}, 1e-5)
	dev := kerneltest.CPU(t)
	x := func(dim int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, 1, 1, 2, dim) }
	run := func(dim, width int) error {
		return attention.RunMasked(t.Context(), dev, x(dim), x(dim), x(width), x(width), attention.Mask[float32]{}, 1)
	}
	kerneltest.Mismatch(t, run(4, 300), "attention.RunMasked: heads have 300 elements, expected at most 256")
	kerneltest.Mismatch(t, run(0, 3), "attention.RunMasked: queries have 0 elements and values 3, expected one at least")
}
