package qkv_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/kvcache"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/qkv"
	"github.com/cutile-go/cutile/kernels/rope"
)

const angles, base, eps = 40, 10000, 0.01

type element interface {
	qkv.Float
	kerneltest.Num
}

// problem are extents, and what is asked for.
type problem struct {
	tokens, heads, groups, dim, sequences, room int
	normal, neighbours                          bool
}

// problems have tiles that are full and tiles that are not, several tiles of heads, heads or tokens or a cache of none.
func problems() (all []problem) {
	for _, p := range []problem{
		{tokens: 1, heads: 1, groups: 1, dim: 2, sequences: 1, room: 1},
		{tokens: 7, heads: 6, groups: 2, dim: 96, sequences: 3, room: 5},
		{tokens: 3, heads: 40, groups: 8, dim: 128, sequences: 3, room: 4},
		{tokens: 5, heads: 3, groups: 3, dim: 10, sequences: 2, room: 9},
		{tokens: 2, heads: 1, groups: 70, dim: 64, sequences: 1, room: 3},
		{tokens: 2, heads: 3, groups: 0, dim: 4, sequences: 1, room: 3},
		{tokens: 2, heads: 0, groups: 3, dim: 4, sequences: 1, room: 3},
		{tokens: 2, heads: 2, groups: 1, dim: 4, sequences: 1, room: 0},
		{tokens: 0, heads: 2, groups: 1, dim: 4, sequences: 1, room: 3},
		{tokens: 2, heads: 2, groups: 1, dim: 0, sequences: 1, room: 3},
	} {
		for i := range 4 {
			p.normal, p.neighbours = i&1 != 0, i&2 != 0
			all = append(all, p)
		}
	}
	return all
}

// numbers are those of a step, as its reference has them.
type numbers struct{ q, k, v, wq, wk, toK, toV, positions, slots []float64 }

// spread gives slots, no two of which are equal, among them some outside of the cache.
func (p problem) spread(r *rand.Rand) []float64 {
	slots := make([]float64, p.tokens)
	room := p.sequences * p.room
	for i, slot := range r.Perm(room + p.tokens)[:p.tokens] {
		slots[i] = float64(slot)
		if slot > room {
			slots[i] = float64(-slot)
		}
	}
	return slots
}

// build makes a step whose queries, keys and values are parts of one tensor.
func build[E element](t *testing.T, dev *cutile.Device, r *rand.Rand, p problem) (qkv.Step[E], numbers) {
	t.Helper()
	s, n := qkv.Step[E]{Eps: eps, Neighbours: p.neighbours}, numbers{}
	width := []int{p.heads * p.dim, p.groups * p.dim, p.groups * p.dim}
	row := width[0] + width[1] + width[2]
	all, numbers := kerneltest.Random[E](t, dev, r, p.tokens, row)
	part := func(from, width, heads int) (*cutile.Tensor[E], []float64) {
		var kept []float64
		for i := range p.tokens {
			kept = append(kept, numbers[i*row+from:][:width]...)
		}
		return all.Narrow(1, from, from+width).Reshape(p.tokens, heads, p.dim), kept
	}
	s.Q, n.q = part(0, width[0], p.heads)
	s.K, n.k = part(width[0], width[1], p.groups)
	s.V, n.v = part(width[0]+width[1], width[2], p.groups)
	if p.normal {
		s.WQ, n.wq = kerneltest.Random[E](t, dev, r, p.dim)
		s.WK, n.wk = kerneltest.Random[E](t, dev, r, p.dim)
	}
	var err error
	cos, sin := rope.Tables(angles, p.dim, base)
	s.Cos, err = cutile.FromSlice(dev, cos, angles, p.dim/2)
	kerneltest.Must(t, err)
	s.Sin, err = cutile.FromSlice(dev, sin, angles, p.dim/2)
	kerneltest.Must(t, err)
	n.positions = make([]float64, p.tokens)
	for i := range n.positions {
		n.positions[i] = float64(r.IntN(angles))
	}
	n.slots = p.spread(r)
	s.Positions, _ = kerneltest.Tensor[int32](t, dev, n.positions, p.tokens)
	s.Slots, _ = kerneltest.Tensor[int32](t, dev, n.slots, p.tokens)
	s.ToK, n.toK = kerneltest.Random[E](t, dev, r, p.sequences, p.groups, p.room, p.dim)
	s.ToV, n.toV = kerneltest.Random[E](t, dev, r, p.sequences, p.groups, p.room, p.dim)
	return s, n
}

// head is the reference of one head x: normalised where there are weights, then complex numbers times e^(i·angle).
func (p problem) head(x, w []float64, position float64) []float64 {
	scaled, y := make([]float64, p.dim), make([]float64, p.dim)
	copy(scaled, x)
	if w != nil {
		squares := 0.0
		for _, v := range x {
			squares += v * v
		}
		for i, v := range x {
			scaled[i] = v * w[i] / math.Sqrt(squares/float64(p.dim)+eps)
		}
	}
	for i := range p.dim / 2 {
		a, b := i, i+p.dim/2
		if p.neighbours {
			a, b = 2*i, 2*i+1
		}
		s, c := math.Sincos(position * math.Pow(base, -2*float64(i)/float64(p.dim)))
		y[a], y[b] = scaled[a]*c-scaled[b]*s, scaled[b]*c+scaled[a]*s
	}
	return y
}

// reference does the step to the numbers.
func (p problem) reference(n *numbers) {
	for t := range p.tokens {
		for h := range p.heads {
			x := n.q[(t*p.heads+h)*p.dim:][:p.dim]
			copy(x, p.head(x, n.wq, n.positions[t]))
		}
		slot := int(n.slots[t])
		if slot < 0 || slot >= p.sequences*p.room {
			continue
		}
		for g := range p.groups {
			from := (t*p.groups + g) * p.dim
			to := ((slot/p.room*p.groups+g)*p.room + slot%p.room) * p.dim
			copy(n.toK[to:], p.head(n.k[from:][:p.dim], n.wk, n.positions[t]))
			copy(n.toV[to:], n.v[from:][:p.dim])
		}
	}
}

// near holds what is written, and that keys and values and the rest of the cache are as they were.
func near[E element](t *testing.T, what string, s qkv.Step[E], n numbers, tolerance float64) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got       *cutile.Tensor[E]
		want      []float64
		tolerance float64
	}{{"Q", s.Q, n.q, tolerance}, {"ToK", s.ToK, n.toK, tolerance}, {"ToV", s.ToV, n.toV, 0}, {"K", s.K, n.k, 0}, {"V", s.V, n.v, 0}} {
		kerneltest.Near(t, c.name+" "+what, c.got, c.want, c.tolerance)
	}
}

func run[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, p := range problems() {
		s, n := build[E](t, dev, r, p)
		kerneltest.Must(t, qkv.Run(t.Context(), dev, s))
		p.reference(&n)
		near(t, fmt.Sprintf("%+v", p), s, n, tolerance)
	}
}

func TestRun(t *testing.T) {
	t.Run("float32", func(t *testing.T) { run[float32](t, 1e-5) })
	t.Run("float16", func(t *testing.T) { run[dtype.Float16](t, 1e-3) })
	t.Run("bfloat16", func(t *testing.T) { run[dtype.BFloat16](t, 8e-3) })
}

// TestParts holds a step against the kernels that do its parts, for texts of which the cache holds the beginning.
func TestParts(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	p := problem{tokens: 6, heads: 8, groups: 2, dim: 64, sequences: 2, room: 9, normal: true}
	s, n := build[float32](t, dev, r, p)
	lengths := []float64{4, 1} // of the cache before; each text has three more tokens
	for i := range p.tokens {
		n.slots[i] = float64(i/3*p.room) + lengths[i/3] + float64(i%3)
	}
	s.Slots, _ = kerneltest.Tensor[int32](t, dev, n.slots, p.tokens)
	copyOf := func(x *cutile.Tensor[float32]) *cutile.Tensor[float32] {
		y, err := x.Contiguous()
		kerneltest.Must(t, err)
		return y
	}
	q, k, toK, toV := copyOf(s.Q), copyOf(s.K), copyOf(s.ToK), copyOf(s.ToV)
	kerneltest.Must(t, qkv.Run(t.Context(), dev, s))

	normal := kerneltest.New[float32](t, dev, p.tokens, p.heads, p.dim)
	kerneltest.Must(t, norm.RMS(t.Context(), dev, q.Reshape(p.tokens*p.heads, p.dim), s.WQ, normal.Reshape(p.tokens*p.heads, p.dim), eps))
	normalK := kerneltest.New[float32](t, dev, p.tokens, p.groups, p.dim)
	kerneltest.Must(t, norm.RMS(t.Context(), dev, k.Reshape(p.tokens*p.groups, p.dim), s.WK, normalK.Reshape(p.tokens*p.groups, p.dim), eps))
	kerneltest.Must(t, rope.RunBoth(t.Context(), dev, normal, normalK, s.Cos, s.Sin, s.Positions, rope.Halves))
	byText := func(x *cutile.Tensor[float32]) *cutile.Tensor[float32] {
		return x.Reshape(2, 3, p.groups, p.dim).Permute(0, 2, 1, 3)
	}
	at, _ := kerneltest.Tensor[int32](t, dev, lengths, 2)
	kerneltest.Must(t, kvcache.Run(t.Context(), dev, byText(normalK), byText(s.V), toK, toV, at))
	for _, c := range []struct {
		name      string
		got, want *cutile.Tensor[float32]
	}{{"Q", s.Q, normal}, {"ToK", s.ToK, toK}, {"ToV", s.ToV, toV}} {
		kerneltest.Near(t, c.name, c.got, floats(t, c.want), 1e-6)
	}
}

func floats(t *testing.T, x *cutile.Tensor[float32]) []float64 {
	t.Helper()
	all, err := x.Slice()
	kerneltest.Must(t, err)
	out := make([]float64, len(all))
	for i, v := range all {
		out[i] = float64(v)
	}
	return out
}

// TestGrowing: a token at a time leaves what all tokens at once do, bit by bit.
func TestGrowing(t *testing.T) {
	p := problem{tokens: 5, heads: 20, groups: 3, dim: 24, sequences: 2, room: 7, normal: true}
	dev := kerneltest.CPU(t)
	once, _ := build[float32](t, dev, kerneltest.Rand(), p)
	kerneltest.Must(t, qkv.Run(t.Context(), dev, once))
	s, _ := build[float32](t, dev, kerneltest.Rand(), p)
	for i := range p.tokens {
		token := s
		token.Q, token.K, token.V = s.Q.Narrow(0, i, i+1), s.K.Narrow(0, i, i+1), s.V.Narrow(0, i, i+1)
		token.Positions, token.Slots = s.Positions.Narrow(0, i, i+1), s.Slots.Narrow(0, i, i+1)
		kerneltest.Must(t, qkv.Run(t.Context(), dev, token))
	}
	kerneltest.Near(t, "Q", s.Q, floats(t, once.Q), 0)
	kerneltest.Near(t, "ToK", s.ToK, floats(t, once.ToK), 0)
	kerneltest.Near(t, "ToV", s.ToV, floats(t, once.ToV), 0)
}

// TestViews: a cache that lies in memory as [sequences, room, groups, dim], keys and values in one tensor.
func TestViews(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	p := problem{tokens: 6, heads: 2, groups: 3, dim: 12, sequences: 2, room: 5, neighbours: true}
	s, n := build[float32](t, dev, r, p)
	cache := kerneltest.New[float32](t, dev, 2, p.sequences, p.room, p.groups, p.dim)
	s.ToK, s.ToV = cache.Select(0, 0).Permute(0, 2, 1, 3), cache.Select(0, 1).Permute(0, 2, 1, 3)
	for i := range n.toK {
		n.toK[i], n.toV[i] = -7, -7
	}
	kerneltest.Must(t, qkv.Run(t.Context(), dev, s))
	p.reference(&n)
	near(t, "views", s, n, 1e-5)
}

// TestOutside: a position that the tables do not have.
func TestOutside(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	p := problem{tokens: 1, heads: 2, groups: 1, dim: 4, sequences: 1, room: 1, normal: true}
	s, n := build[float32](t, dev, r, p)
	s.Positions, _ = kerneltest.Tensor[int32](t, dev, []float64{angles}, 1)
	s.Slots, _ = kerneltest.Tensor[int32](t, dev, []float64{0}, 1)
	kerneltest.Must(t, qkv.Run(t.Context(), dev, s))
	kerneltest.Near(t, "Q", s.Q, make([]float64, 8), 0)
	kerneltest.Near(t, "ToK", s.ToK, make([]float64, 4), 0)
	kerneltest.Near(t, "ToV", s.ToV, n.v, 0)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	ints := func(n int) *cutile.Tensor[int32] { return kerneltest.New[int32](t, dev, n) }
	right := func() qkv.Step[float32] {
		return qkv.Step[float32]{Q: x(3, 4, 6), K: x(3, 2, 6), V: x(3, 2, 6), WQ: x(6), WK: x(6), Cos: x(9, 3), Sin: x(9, 3),
			Positions: ints(3), ToK: x(1, 2, 8, 6), ToV: x(1, 2, 8, 6), Slots: ints(3)}
	}
	for _, c := range []struct {
		change func(*qkv.Step[float32])
		want   []string
	}{
		{func(s *qkv.Step[float32]) { s.WK = nil }, []string{"qkv.Run: WK is nil, expected a tensor"}},
		{func(s *qkv.Step[float32]) { s.WQ = nil }, []string{"qkv.Run: WQ is nil, expected a tensor"}},
		{func(s *qkv.Step[float32]) { s.Slots, s.V = nil, nil }, []string{"qkv.Run: V is nil, expected a tensor", "qkv.Run: Slots is nil, expected a tensor"}},
		{func(s *qkv.Step[float32]) { s.WQ = x(3) },
			[]string{"qkv.Run: WQ has shape [3], expected [dim]: axis 0 is 3, but dim is 6 along axis 2 of Q"}},
		{func(s *qkv.Step[float32]) { s.Cos, s.Sin = x(9, 6), x(9, 6) },
			[]string{"qkv.Run: heads have 6 numbers and Cos has 6 a row, expected half as many"}},
		{func(s *qkv.Step[float32]) { s.ToV = x(1, 4, 8, 6) },
			[]string{"qkv.Run: ToV has shape [1 4 8 6], expected [sequences groups room dim]: axis 1 is 4, but groups is 2 along axis 1 of K"}},
		{func(s *qkv.Step[float32]) { s.Slots = ints(2) },
			[]string{"qkv.Run: Slots has shape [2], expected [tokens]: axis 0 is 2, but tokens is 3 along axis 0 of Q"}},
		{func(s *qkv.Step[float32]) {
			*s = qkv.Step[float32]{Q: x(0, 1, 8194), K: x(0, 1, 8194), V: x(0, 1, 8194), Cos: x(1, 4097), Sin: x(1, 4097),
				Positions: ints(0), ToK: x(1, 1, 0, 8194), ToV: x(1, 1, 0, 8194), Slots: ints(0)}
		}, []string{"qkv.Run: heads have 8194 numbers, expected at most 8192"}},
	} {
		s := right()
		c.change(&s)
		kerneltest.Mismatch(t, qkv.Run(t.Context(), dev, s), c.want...)
	}
	kerneltest.Mismatch(t, qkv.Run(t.Context(), dev.Grid(2), right()),
		"qkv.Run: the grid follows from the shapes: give a device or a stream without a grid")
	kerneltest.Mismatch(t, qkv.Run(t.Context(), nil, right()),
		"qkv.Run: the target is nil: give a device or a stream")
}
