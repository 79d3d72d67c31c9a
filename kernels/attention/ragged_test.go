package attention_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// ragged is a batch of sequences of different lengths, of which each has p's heads, groups and dim.
type ragged struct {
	problem
	width           int
	starts, ends    []int // of queries
	keyStarts, stop []int
	tokens, keys    int
}

// sequences lays sequences one after the other, with tokens of nobody in front and behind.
func sequences(p problem, width int, queries, keys []int) ragged {
	out := ragged{problem: p, width: width, tokens: 2, keys: 3}
	for b := range queries {
		out.starts, out.keyStarts = append(out.starts, out.tokens), append(out.keyStarts, out.keys)
		out.tokens, out.keys = out.tokens+queries[b], out.keys+keys[b]
		out.ends, out.stop = append(out.ends, out.tokens), append(out.stop, out.keys)
	}
	out.tokens, out.keys = out.tokens+1, out.keys+2
	return out
}

// rows takes the rows of a head from x [all, heads, dim].
func rowsOf(x []float64, from, to, heads, head, dim int) []float64 {
	var out []float64
	for i := from; i < to; i++ {
		out = append(out, x[(i*heads+head)*dim:][:dim]...)
	}
	return out
}

// attend is the reference, a sequence and head at a time; what belongs to nobody is -7.
func (g ragged) attend(q, k, v []float64, m mask) []float64 {
	out := make([]float64, g.tokens*g.heads*g.width)
	for i := range out {
		out[i] = -7
	}
	for b, from := range g.starts {
		for h := range g.heads {
			group := h / (g.heads / g.groups)
			n := problem{1, 1, 1, g.ends[b] - from, g.stop[b] - g.keyStarts[b], g.dim}
			ks, vs := rowsOf(k, g.keyStarts[b], g.stop[b], g.groups, group, g.dim), rowsOf(v, g.keyStarts[b], g.stop[b], g.groups, group, g.width)
			o := n.wide(rowsOf(q, from, g.ends[b], g.heads, h, g.dim), ks, vs, g.width, m, func(_, i int) int { return n.keys - n.queries + i })
			for i := range n.queries {
				copy(out[((from+i)*g.heads+h)*g.width:], o[i*g.width:][:g.width])
			}
		}
	}
	return out
}

// ints makes a tensor of whole numbers.
func ints(t *testing.T, dev *cutile.Device, list ...int) *cutile.Tensor[int32] {
	t.Helper()
	values := make([]int32, len(list))
	for i, n := range list {
		values[i] = int32(n)
	}
	x, err := cutile.FromSlice(dev, values, len(list))
	kerneltest.Must(t, err)
	return x
}

func runRagged[E element](t *testing.T, g ragged, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, g.tokens, g.heads, g.dim)
	k, ks := kerneltest.Random[E](t, dev, r, g.keys, g.groups, g.dim)
	v, vs := kerneltest.Random[E](t, dev, r, g.keys, g.groups, g.width)
	o := kerneltest.New[E](t, dev, g.tokens, g.heads, g.width)
	starts, keyStarts := ints(t, dev, append(g.starts[:len(g.starts):len(g.starts)], g.tokens-1)...), ints(t, dev, append(g.keyStarts[:len(g.starts):len(g.starts)], g.keys-2)...)
	at := attention.Mask[E]{Causal: m.causal, Window: m.window, Sinks: m.sinks, SoftCap: float32(m.softCap)}
	kerneltest.Must(t, attention.RunRagged(t.Context(), dev, q, k, v, o, starts, keyStarts, at, attention.Scale(g.dim)))
	kerneltest.Near(t, fmt.Sprint("ragged ", g, m.causal, m.window), o, g.attend(qs, ks, vs, m), tolerance)
}

func TestRunRagged(t *testing.T) {
	heads := problem{heads: 4, groups: 2, dim: 12}
	g := sequences(heads, 20, []int{0, 70, 1, 5, 33, 0}, []int{4, 70, 90, 5, 0, 0})
	for _, m := range []mask{{}, {causal: true}, {causal: true, window: 9, sinks: 2, softCap: 0.75}, {window: 3}} {
		runRagged[float32](t, g, m, 2e-5)
	}
	runRagged[dtype.Float16](t, sequences(problem{heads: 6, groups: 1, dim: 40}, 24, []int{40, 3}, []int{50, 3}), mask{causal: true}, 4e-3)
	runRagged[dtype.BFloat16](t, sequences(problem{heads: 2, groups: 2, dim: 8}, 8, []int{7, 30}, []int{7, 30}), mask{causal: true}, 2e-2)
	runRagged[float32](t, sequences(problem{heads: 1, groups: 1, dim: 1}, 1, []int{1}, []int{1}), mask{causal: true}, 1e-5)
	runRagged[float32](t, sequences(problem{heads: 1, groups: 1, dim: 3}, 200, []int{3, 3}, []int{0, 0}), mask{}, 1e-5)
	runRagged[float32](t, sequences(problem{heads: 2, groups: 1, dim: 192}, 128, []int{20}, []int{20}), mask{causal: true}, 2e-5) // latent heads
}

// TestHostileStarts has starts that decrease and ones outside the tensors: no token has two sequences, and none is outside.
func TestHostileStarts(t *testing.T) {
	const tokens, keys = 40, 30
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[float32](t, dev, r, tokens, 1, 4)
	k, ks := kerneltest.Random[float32](t, dev, r, keys, 1, 4)
	v, vs := kerneltest.Random[float32](t, dev, r, keys, 1, 4)
	for _, c := range []struct{ starts, keyStarts []int }{
		{[]int{0, 30, 10, 35, 40}, []int{0, 20, 5, 25, 30}},
		{[]int{-1 << 31, -5, 17, 1<<31 - 1, 3}, []int{-7, 1 << 30, 2, 3, 4}},
		{[]int{50, 60, 70, 80, 90}, []int{0, 1, 2, 3, 4}},
	} {
		o := kerneltest.New[float32](t, dev, tokens, 1, 4)
		kerneltest.Must(t, attention.RunRagged(t.Context(), dev, q, k, v, o, ints(t, dev, c.starts...), ints(t, dev, c.keyStarts...), attention.Mask[float32]{}, attention.Scale(4)))
		g := ragged{problem: problem{heads: 1, groups: 1, dim: 4}, width: 4, tokens: tokens, keys: keys}
		fit := func(list []int, most int) (from, to []int) {
			least := 0
			for i, n := range list {
				least = max(least, min(n, most))
				if i > 0 {
					to = append(to, least)
				}
				from = append(from, least)
			}
			return from[:len(list)-1], to
		}
		g.starts, g.ends = fit(c.starts, tokens)
		g.keyStarts, g.stop = fit(c.keyStarts, keys)
		kerneltest.Near(t, fmt.Sprint("starts ", c.starts), o, g.attend(qs, ks, vs, mask{}), 2e-5)
	}
}

func runPaged[E element](t *testing.T, size int, p problem, queries, lengths []int, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	tokens := 0
	starts := []int{0}
	for _, n := range queries {
		tokens += n
		starts = append(starts, tokens)
	}
	q, qs := kerneltest.Random[E](t, dev, r, tokens, p.heads, p.dim)
	ks, vs := random[E](t, dev, r, p.batch*p.groups*p.keys*p.dim), random[E](t, dev, r, p.batch*p.groups*p.keys*p.dim)
	g, most := pagesFor(r, p, size, lengths), (p.keys+size-1)/size
	k, _ := kerneltest.Tensor[E](t, dev, g.cache(p, ks), g.pages, p.groups, size, p.dim)
	v, _ := kerneltest.Tensor[E](t, dev, g.cache(p, vs), g.pages, p.groups, size, p.dim)
	table, _ := kerneltest.Tensor[int32](t, dev, g.table, p.batch, most)
	o := kerneltest.New[E](t, dev, tokens, p.heads, p.dim)
	at := attention.Mask[E]{Causal: m.causal, Window: m.window, Sinks: m.sinks, SoftCap: float32(m.softCap), Lengths: ints(t, dev, lengths...)}
	kerneltest.Must(t, attention.RunPaged(t.Context(), dev, q, k, v, table, o, ints(t, dev, starts...), at, attention.Scale(p.dim)))
	var want []float64
	for b, n := range queries {
		one := problem{1, p.heads, p.groups, n, p.keys, p.dim}
		part := one.masked(turn(qs[starts[b]*p.heads*p.dim:][:n*p.heads*p.dim], n, p.heads, p.dim), ks[b*p.groups*p.keys*p.dim:], vs[b*p.groups*p.keys*p.dim:],
			mask{causal: m.causal, window: m.window, sinks: m.sinks, softCap: m.softCap, lengths: lengths[b : b+1]}, func(_, i int) int { return lengths[b] - n + i })
		want = append(want, turn(part, p.heads, n, p.dim)...)
	}
	kerneltest.Near(t, fmt.Sprint("prefill ", size, p, queries, lengths), o, want, tolerance)
}

// turn swaps the first two axes of x [a, b, dim].
func turn(x []float64, a, b, dim int) []float64 {
	out := make([]float64, len(x))
	for i := range a * b {
		copy(out[(i%b*a+i/b)*dim:][:dim], x[i*dim:])
	}
	return out
}

func TestRunPaged(t *testing.T) {
	p := problem{batch: 4, heads: 4, groups: 2, keys: 90, dim: 12}
	for _, size := range []int{1, 7, 16, 64} {
		runPaged[float32](t, size, p, []int{20, 0, 70, 1}, []int{20, 0, 90, 65}, mask{causal: true}, 2e-5)
	}
	runPaged[float32](t, 16, p, []int{3, 5, 2, 1}, []int{0, 3, 90, 17}, mask{causal: true, window: 6, sinks: 1, softCap: 0.75}, 2e-5) // more queries than keys
	runPaged[dtype.Float16](t, 16, p, []int{3, 5, 40, 1}, []int{9, 5, 77, 17}, mask{causal: true}, 4e-3)
	runPaged[dtype.BFloat16](t, 8, p, []int{3, 5, 4, 1}, []int{9, 5, 77, 17}, mask{}, 2e-2)
}

func TestRaggedMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	q, k, starts, pages, table := x(5, 2, 4), x(6, 1, 4), ints(t, dev, 0, 5), x(3, 1, 2, 4), kerneltest.New[int32](t, dev, 1, 2)
	run := func(v *cutile.Tensor[float32], keyStarts *cutile.Tensor[int32], m attention.Mask[float32]) error {
		return attention.RunRagged(t.Context(), dev, q, k, v, q, starts, keyStarts, m, 1)
	}
	none := attention.Mask[float32]{}
	for _, c := range []struct {
		err  error
		want string
	}{
		{run(x(6, 1, 3), starts, none), "attention.RunRagged: o has shape [5 2 4], expected [tokens heads width]: axis 2 is 4, but width is 3 along axis 2 of v"},
		{run(k, ints(t, dev, 0, 3, 6), none), "attention.RunRagged: keyStarts has shape [3], expected [starts]: axis 0 is 3, but starts is 2 along axis 0 of starts"},
		{run(k, starts, attention.Mask[float32]{Lengths: starts}), "attention.RunRagged: m.Lengths is a tensor, expected nil: keyStarts say where keys end"},
		{run(k, starts, attention.Mask[float32]{Bias: x(1, 2, 5, 6)}), "attention.RunRagged: m.Bias or m.Seen is a tensor, expected nil: sequences of different lengths have none"},
		{run(k, starts, attention.Mask[float32]{Window: -1}), "attention.RunRagged: the window is -1 and there are 0 sinks, expected no negative numbers"},
		{attention.RunRagged(t.Context(), dev, q, k, k, q, ints(t, dev), ints(t, dev), none, 1), "attention.RunRagged: starts is empty, expected an element more than there are sequences"},
		{attention.RunRagged(t.Context(), dev, x(5, 2, 0), x(6, 1, 0), k, q, starts, starts, none, 1), "attention.RunRagged: queries have 0 elements and values 4, expected one at least"},
		{attention.RunPaged(t.Context(), dev, q, pages, pages, table, q, ints(t, dev, 0, 2, 5), none, 1), "attention.RunPaged: there are 3 starts, expected 2, one more than table has sequences"},
		{attention.RunPaged(t.Context(), dev, q, pages, pages, table, q, starts, attention.Mask[float32]{Lengths: starts}, 1),
			"attention.RunPaged: m.Lengths has shape [2], expected [batch]: axis 0 is 2, but batch is 1 along axis 0 of table"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
	kerneltest.Must(t, attention.RunRagged(t.Context(), dev, q, k, k, q, ints(t, dev, 0), ints(t, dev, 0), none, 1)) // no sequences
}
