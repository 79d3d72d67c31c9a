package attention_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// latentValues are the first latent elements of rows of dim.
func latentValues(rows []float64, dim, latent int) []float64 {
	var out []float64
	for i := 0; i < len(rows); i += dim {
		out = append(out, rows[i:i+latent]...)
	}
	return out
}

// decodeLatent decodes from rows in one piece if size is 0, else from pages of that size. p has one group; its dim is that of rows.
func decodeLatent[E element](t *testing.T, parts, size, latent int, p problem, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.dim)
	rows := random[E](t, dev, r, p.batch*p.keys*p.dim)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, latent)
	at := given[E](t, dev, p, m)
	if size == 0 {
		x, _ := kerneltest.Tensor[E](t, dev, rows, p.batch, p.keys, p.dim)
		kerneltest.Must(t, attention.RunDecodeLatent(t.Context(), dev, parts, q, x, o, at, attention.Scale(p.dim)))
	} else {
		g := pagesFor(r, p, size, m.lengths)
		x, _ := kerneltest.Tensor[E](t, dev, g.cache(p, rows), g.pages, size, p.dim)
		table, _ := kerneltest.Tensor[int32](t, dev, g.table, p.batch, (p.keys+size-1)/size)
		kerneltest.Must(t, attention.RunDecodeLatentPaged(t.Context(), dev, parts, q, x, table, o, at, attention.Scale(p.dim)))
	}
	want := p.wide(qs, rows, latentValues(rows, p.dim, latent), latent, m, func(b, _ int) int {
		if m.lengths != nil {
			return m.lengths[b] - 1
		}
		return p.keys - 1
	})
	kerneltest.Near(t, fmt.Sprintf("latent %d of %v, pages of %d, %d %v", latent, p, size, m.window, m.lengths), o, want, tolerance)
}

func TestRunDecodeLatent(t *testing.T) {
	p := problem{3, 20, 1, 1, 70, 45} // two tiles of heads, the second one not full
	for i, m := range []mask{
		{lengths: []int{0, 70, 33}},
		{lengths: []int{1, 69, 64}, window: 20, sinks: 3, softCap: 0.75},
	} {
		for _, size := range []int{0, 5, 16} {
			decodeLatent[float32](t, []int{1, 3}[i], size, 37, p, m, 2e-5)
		}
	}
	decodeLatent[float32](t, 0, 0, 1, problem{1, 1, 1, 1, 1, 2}, mask{}, 1e-5)
	decodeLatent[dtype.Float16](t, 2, 0, 512, problem{1, 3, 1, 1, 40, 576}, mask{}, 4e-3)
	decodeLatent[dtype.BFloat16](t, 1, 8, 64, problem{2, 4, 1, 1, 40, 80}, mask{lengths: []int{40, 9}}, 2e-2)
	decodeLatent[float32](t, 1, 0, 4, problem{1, 2, 1, 1, 0, 6}, mask{}, 1e-5)
	decodeLatent[float32](t, 1, 0, 4, problem{0, 2, 1, 1, 3, 6}, mask{}, 1e-5)
}

func TestLatentMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	run := func(dim, latent int, m attention.Mask[float32]) error {
		return attention.RunDecodeLatent(t.Context(), dev, 1, x(1, 2, dim), x(1, 3, dim), x(1, 2, latent), m, 1)
	}
	none := attention.Mask[float32]{}
	for _, c := range []struct {
		err  error
		want string
	}{
		{run(4, 4, none), "attention.RunDecodeLatent: o has 4 elements a head and rows have 4, expected 1 to 512, and 1 to 256 more"},
		{run(600, 513, none), "attention.RunDecodeLatent: o has 513 elements a head and rows have 600, expected 1 to 512, and 1 to 256 more"},
		{run(6, 4, attention.Mask[float32]{Bias: x(1, 2, 3)}), "attention.RunDecodeLatent: m.Bias or m.Seen is a tensor, expected nil"},
		{run(6, 4, attention.Mask[float32]{Window: -1}), "attention.RunDecodeLatent: the window is -1 and there are 0 sinks, expected no negative numbers"},
		{run(6, 4, attention.Mask[float32]{Lengths: ints(t, dev, 1, 2)}), "attention.RunDecodeLatent: m.Lengths has shape [2], expected [batch]: axis 0 is 2, but batch is 1 along axis 0 of q"},
		{attention.RunDecodeLatent(t.Context(), dev, -1, x(1, 2, 6), x(1, 3, 6), x(1, 2, 4), none, 1), "attention.RunDecodeLatent: parts is -1, expected 1 to 64, or 0 for a number that fits"},
		{attention.RunDecodeLatentPaged(t.Context(), dev, 1, x(1, 2, 6), x(5, 3, 6), ints(t, dev, 1, 2).Reshape(2, 1), x(1, 2, 4), none, 1),
			"attention.RunDecodeLatentPaged: table has shape [2 1], expected [batch most]: axis 0 is 2, but batch is 1 along axis 0 of q"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
}
