package attention_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// paged scatters the keys or values of sequences over pages in random order, of which some belong to nobody and hold what would spoil any
// sum, and gives the cache [pages, groups, size, dim] and the table. Pages behind the lengths have hostile numbers.
type paged struct {
	size, pages int
	table       []float64
}

// pagesFor makes a table for p.keys keys of each sequence; the pages in which no key below the length of a sequence lies have numbers
// outside the cache.
func pagesFor(r *rand.Rand, p problem, size int, lengths []int) paged {
	most := (p.keys + size - 1) / size
	out := paged{size: size, pages: p.batch*most + 2}
	order := r.Perm(out.pages)
	hostile := []float64{-1, 1 << 30, float64(out.pages), -1 << 31, 1<<31 - 1}
	for at := range p.batch * most {
		number := float64(order[at])
		if lengths != nil && at%most*size >= lengths[at/most] {
			number = hostile[at%len(hostile)]
		}
		out.table = append(out.table, number)
	}
	return out
}

// cache places x [batch, groups, keys, dim] on the pages.
func (g paged) cache(p problem, x []float64) []float64 {
	out := make([]float64, g.pages*p.groups*g.size*p.dim)
	for i := range out {
		out[i] = 1e4 // for nobody
	}
	most := len(g.table) / max(p.batch, 1)
	for row := range p.batch * p.groups * p.keys {
		b, h, j := row/p.keys/p.groups, row/p.keys%p.groups, row%p.keys
		if page := int(g.table[b*most+j/g.size]); page >= 0 && page < g.pages {
			copy(out[((page*p.groups+h)*g.size+j%g.size)*p.dim:][:p.dim], x[row*p.dim:])
		}
	}
	return out
}

// random gives numbers that elements represent exactly.
func random[E element](t *testing.T, dev *cutile.Device, r *rand.Rand, n int) []float64 {
	t.Helper()
	_, x := kerneltest.Random[E](t, dev, r, n)
	return x
}

func decodePaged[E element](t *testing.T, parts, size int, p problem, m mask, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.dim)
	ks, vs := random[E](t, dev, r, p.batch*p.groups*p.keys*p.dim), random[E](t, dev, r, p.batch*p.groups*p.keys*p.dim)
	g := pagesFor(r, p, size, m.lengths)
	k, _ := kerneltest.Tensor[E](t, dev, g.cache(p, ks), g.pages, p.groups, size, p.dim)
	v, _ := kerneltest.Tensor[E](t, dev, g.cache(p, vs), g.pages, p.groups, size, p.dim)
	most := (p.keys + size - 1) / size
	table, _ := kerneltest.Tensor[int32](t, dev, g.table, p.batch, most)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.dim)
	room := p
	room.keys = most * size // the masks for each key reach to the end of the last page
	at := given[E](t, dev, room, m)
	if at.Bias != nil {
		at.Bias = at.Bias.Reshape(p.batch, p.heads, room.keys)
	}
	if at.Seen != nil {
		at.Seen = at.Seen.Reshape(p.batch, p.heads, room.keys)
	}
	kerneltest.Must(t, attention.RunDecodePaged(t.Context(), dev, parts, q, k, v, table, o, at, attention.Scale(p.dim)))
	want := p.masked(qs, ks, vs, m, func(b, _ int) int {
		if m.lengths != nil {
			return m.lengths[b] - 1
		}
		return p.keys - 1
	})
	kerneltest.Near(t, fmt.Sprintf("pages of %d %v %d %d %v", size, p, m.window, m.sinks, m.lengths), o, want, tolerance)
}

func TestRunDecodePaged(t *testing.T) {
	p := problem{3, 4, 2, 1, 90, 12}
	for i, m := range []mask{
		{lengths: []int{0, 90, 77}},
		{lengths: []int{1, 90, 33}, window: 20, sinks: 4, softCap: 0.75},
		{lengths: []int{64, 89, 65}, bias: slopes},
		{lengths: []int{64, 90, 13}, bias: slopes, chosen: some},
	} {
		for _, size := range []int{1, 5, 16, 128} {
			decodePaged[float32](t, []int{1, 3, 0, 2}[i], size, p, m, 2e-5)
		}
	}
	decodePaged[float32](t, 0, 15, problem{2, 2, 2, 1, 90, 8}, mask{}, 2e-5) // full pages
	decodePaged[dtype.Float16](t, 2, 16, problem{2, 8, 1, 1, 90, 32}, mask{lengths: []int{90, 41}}, 4e-3)
	decodePaged[dtype.BFloat16](t, 1, 8, problem{1, 4, 2, 1, 50, 20}, mask{lengths: []int{37}, window: 9}, 2e-2)
	decodePaged[float32](t, 1, 4, problem{1, 1, 1, 1, 0, 4}, mask{lengths: []int{0}}, 1e-5) // no pages for the sequence
	decodePaged[float32](t, 1, 4, problem{0, 1, 1, 1, 3, 4}, mask{}, 1e-5)
}

// TestHostilePages has numbers outside the cache in front of the ends of sequences, which hide their keys, and lengths that no cache has.
func TestHostilePages(t *testing.T) {
	const size = 8
	dev, r, p := kerneltest.CPU(t), kerneltest.Rand(), problem{4, 2, 1, 1, 40, 12}
	q, qs := kerneltest.Random[float32](t, dev, r, p.batch, p.heads, p.dim)
	ks, vs := random[float32](t, dev, r, p.batch*p.groups*p.keys*p.dim), random[float32](t, dev, r, p.batch*p.groups*p.keys*p.dim)
	g := pagesFor(r, p, size, nil)
	k, _ := kerneltest.Tensor[float32](t, dev, g.cache(p, ks), g.pages, p.groups, size, p.dim)
	v, _ := kerneltest.Tensor[float32](t, dev, g.cache(p, vs), g.pages, p.groups, size, p.dim)
	const most = 5
	hidden := map[int]float64{0: -1, 3: 1<<31 - 1, most + 2: float64(g.pages), 2*most + 1: -1 << 31}
	for at, number := range hidden {
		g.table[at] = number
	}
	for i := range most {
		g.table[3*most+i] = 1 << 30 // all of the last sequence
		hidden[3*most+i] = 1 << 30
	}
	table, _ := kerneltest.Tensor[int32](t, dev, g.table, p.batch, most)
	o := kerneltest.New[float32](t, dev, p.batch, p.heads, p.dim)
	for _, lengths := range [][]float64{{40, 33, 17, 40}, {1<<31 - 1, 41, -1, 7}, {-1 << 31, 0, 1 << 30, 1}} {
		of, _ := kerneltest.Tensor[int32](t, dev, lengths, p.batch)
		kerneltest.Must(t, attention.RunDecodePaged(t.Context(), dev, 2, q, k, v, table, o, attention.Mask[float32]{Lengths: of}, attention.Scale(p.dim)))
		m := mask{chosen: func(b, _, _, j int) bool {
			_, out := hidden[b*most+j/size]
			return !out && float64(j) < lengths[b]
		}}
		kerneltest.Near(t, fmt.Sprint("lengths ", lengths), o, p.masked(qs, ks, vs, m, func(int, int) int { return 0 }), 2e-5)
	}
}

func TestPagedMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	q, k, table := kerneltest.New[float32](t, dev, 1, 2, 4), kerneltest.New[float32](t, dev, 5, 1, 3, 4), kerneltest.New[int32](t, dev, 1, 2)
	run := func(q, k, v *cutile.Tensor[float32], table *cutile.Tensor[int32], m attention.Mask[float32]) error {
		return attention.RunDecodePaged(t.Context(), dev, 1, q, k, v, table, q, m, 1)
	}
	kerneltest.Must(t, run(q, k, k, table, attention.Mask[float32]{}))
	for _, c := range []struct {
		err  error
		want string
	}{
		{run(q, k, kerneltest.New[float32](t, dev, 5, 1, 2, 4), table, attention.Mask[float32]{}),
			"v has shape [5 1 2 4], expected [pages groups size dim]: axis 2 is 2, but size is 3 along axis 2 of k"},
		{run(q, k, k, kerneltest.New[int32](t, dev, 2, 2), attention.Mask[float32]{}),
			"table has shape [2 2], expected [batch most]: axis 0 is 2, but batch is 1 along axis 0 of q"},
		{run(q, k, k, nil, attention.Mask[float32]{}), "table is nil, expected a tensor"},
		{run(q, k, k, table, attention.Mask[float32]{Bias: kerneltest.New[float32](t, dev, 1, 2, 7)}),
			"m.Bias has shape [1 2 7], expected [batch heads 6]: axis 2 is 7"},
		{run(q, k, k, table, attention.Mask[float32]{SoftCap: -2}), "the soft cap is -2, expected a number from 1e-30 to 1e+30, or 0 for none"},
		{attention.RunDecodePaged(t.Context(), dev, 65, q, k, k, table, q, attention.Mask[float32]{}, 1), "parts is 65, expected 1 to 64, or 0 for a number that fits"},
	} {
		kerneltest.Mismatch(t, c.err, "attention.RunDecodePaged: "+c.want)
	}
}
