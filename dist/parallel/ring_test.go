package parallel_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
)

func init() { cases["ring"], cases["ahead"] = (*rank).ring, (*rank).ahead }

// sequence is a problem of attention as all processes together have it.
type sequence struct{ batch, heads, groups, tokens, dim int }

// attended is plain attention in float64, with its gradients.
type attended struct{ o, sums, dq, dk, dv array }

// attend computes it one query at a time: with p the weights, dv = pᵀ·do, ds = p·(do·vᵀ - Σ p·(do·vᵀ)), dq = ds·k·scale and dk = dsᵀ·q·scale.
func (s sequence) attend(q, k, v, do array, causal bool) attended {
	zero := func(of array) array { return array{of.shape, make([]float64, len(of.data))} }
	a := attended{o: zero(q), dq: zero(q), dk: zero(k), dv: zero(v)}
	scale := 1 / math.Sqrt(float64(s.dim))
	row := func(x array, i int) []float64 { return x.data[i*s.dim : (i+1)*s.dim] }
	for at := range s.batch * s.heads * s.tokens {
		b, h, i := at/(s.heads*s.tokens), at/s.tokens%s.heads, at%s.tokens
		first := (b*s.groups + h/(s.heads/s.groups)) * s.tokens
		n := s.tokens
		if causal {
			n = i + 1
		}
		weights, slopes := make([]float64, n), make([]float64, n)
		peak, sum, mean := math.Inf(-1), 0.0, 0.0
		for j := range n {
			weights[j] = dot(row(q, at), row(k, first+j)) * scale
			peak = max(peak, weights[j])
		}
		for j := range n {
			weights[j] = math.Exp(weights[j] - peak)
			sum += weights[j]
		}
		a.sums.data = append(a.sums.data, math.Log2(sum)+peak*math.Log2E)
		for j := range n {
			weights[j] /= sum
			slopes[j] = dot(row(do, at), row(v, first+j))
			mean += weights[j] * slopes[j]
		}
		for j := range n {
			ds := weights[j] * (slopes[j] - mean) * scale
			for d := range s.dim {
				row(a.o, at)[d] += weights[j] * row(v, first+j)[d]
				row(a.dv, first+j)[d] += weights[j] * row(do, at)[d]
				row(a.dk, first+j)[d] += ds * row(q, at)[d]
				row(a.dq, at)[d] += ds * row(k, first+j)[d]
			}
		}
	}
	a.sums.shape = q.shape[:3]
	return a
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// ring compares attention in a ring with plain attention, in parts of equal and of different lengths.
func (r *rank) ring() error {
	size := r.g.Size()
	if err := r.positions(); err != nil {
		return err
	}
	for _, s := range []sequence{{2, 4, 2, 61, 24}, {1, 2, 1, 150, 64}, {1, 3, 3, 16 * size, 16}, {1, 1, 1, 2 * size, 1}} {
		for _, causal := range []bool{false, true} {
			err := ringed[float32](r, s, causal, 2e-5)
			if size <= 2 {
				err = errors.Join(err, ringed[dtype.Float16](r, s, causal, 6e-3), ringed[dtype.BFloat16](r, s, causal, 4e-2))
			}
			if err != nil {
				return fmt.Errorf("%+v, causal %v: %w", s, causal, err)
			}
		}
	}
	return r.large()
}

// positions looks whether each token is at one rank, and whether causal work is even: in each step, and for all queries together.
func (r *rank) positions() error {
	const n = 101
	for _, causal := range []bool{false, true} {
		ring, err := parallel.NewRing(r.g, n, causal)
		if err != nil {
			return err
		}
		var tokens []int
		for rank := range r.g.Size() {
			own, seen := ring.Positions(rank), 0
			for _, at := range own {
				seen += at + 1
			}
			if share := n * (n + 1) / 2 / r.g.Size(); causal && (seen < share*9/10 || seen > share*11/10) {
				return fmt.Errorf("the queries of rank %d see %d keys, of %d for each process", rank, seen, share)
			}
			tokens = append(tokens, own...)
		}
		slices.Sort(tokens)
		for i, at := range tokens {
			if i != at || len(tokens) != n {
				return fmt.Errorf("causal %v: the ranks have the tokens %v", causal, tokens)
			}
		}
	}
	return nil
}

func ringed[E attention.Float](r *rank, s sequence, causal bool, tolerance float64) error {
	random := rand.New(rand.NewPCG(uint64(s.tokens), 1))
	q, do := normal[E](random, s.batch, s.heads, s.tokens, s.dim), normal[E](random, s.batch, s.heads, s.tokens, s.dim)
	k, v := normal[E](random, s.batch, s.groups, s.tokens, s.dim), normal[E](random, s.batch, s.groups, s.tokens, s.dim)
	want := s.attend(q, k, v, do, causal)
	ring, err := parallel.NewRing(r.g, s.tokens, causal)
	if err != nil {
		return err
	}
	own := func(x array) array { return x.take(2, ring.Positions(r.g.Rank())) }
	var a all
	x := [4]*cutile.Tensor[E]{}
	for i, of := range []array{q, k, v, do} {
		x[i] = keepTensor[E](&a, r, own(of))
	}
	empty := func(of array) *cutile.Tensor[E] { t, err := fresh[E](r, own(of)); return keep(&a, t, err) }
	o, to := empty(q), attention.Gradients[E]{Q: empty(q), K: empty(k), V: empty(v)}
	sums, err := fresh[float32](r, own(want.sums))
	if keep(&a, sums, err); a.err != nil {
		return a.err
	}
	scale := attention.Scale(s.dim)
	if err := parallel.RingAttention(r, ring, x[0], x[1], x[2], o, sums, scale); err != nil {
		return err
	}
	if err := parallel.RingAttentionBackward(r, ring, x[0], x[1], x[2], o, sums, x[3], to, scale); err != nil {
		return err
	}
	one := func(x array) array { return array{x.shape, slices.Repeat([]float64{1}, len(x.data))} }
	return errors.Join(
		near("o", o, own(want.o), one(own(want.o)), tolerance), near("sums", sums, own(want.sums), one(own(want.sums)), 1e-4),
		near("dq", to.Q, own(want.dq), one(own(q)), tolerance), near("dk", to.K, own(want.dk), one(own(k)), tolerance),
		near("dv", to.V, own(want.dv), one(own(v)), tolerance), near("k", x[1], own(k), one(own(k)), 0), near("v", x[2], own(v), one(own(v)), 0))
}

// large has scores of thousands, whose powers overflow where they are not relative to the greatest, and holds the ring against package
// attention in one process.
func (r *rank) large() error {
	s := sequence{1, 2, 1, 37, 8}
	for _, causal := range []bool{false, true} {
		random := rand.New(rand.NewPCG(3, 3))
		q, k, v := normal[float32](random, 1, 2, s.tokens, s.dim), normal[float32](random, 1, 1, s.tokens, s.dim), normal[float32](random, 1, 1, s.tokens, s.dim)
		for i := range q.data {
			q.data[i] *= 1024
		}
		ring, err := parallel.NewRing(r.g, s.tokens, causal)
		if err != nil {
			return err
		}
		own := func(x array) array { return x.take(2, ring.Positions(r.g.Rank())) }
		var a all
		wholeQ, wholeK, wholeV := keepTensor[float32](&a, r, q), keepTensor[float32](&a, r, k), keepTensor[float32](&a, r, v)
		wholeO := keepTensor[float32](&a, r, q)
		myQ, myK, myV, o := keepTensor[float32](&a, r, own(q)), keepTensor[float32](&a, r, own(k)), keepTensor[float32](&a, r, own(v)), keepTensor[float32](&a, r, own(q))
		sums, err := cutile.NewTensor[float32](r.dev, 1, 2, ring.Len(r.g.Rank()))
		if keep(&a, sums, err); a.err != nil {
			return a.err
		}
		if err := attention.Run(r, r.dev, wholeQ, wholeK, wholeV, wholeO, causal, attention.Scale(s.dim)); err != nil {
			return err
		}
		if err := parallel.RingAttention(r, ring, myQ, myK, myV, o, sums, attention.Scale(s.dim)); err != nil {
			return err
		}
		plain, err := wholeO.Slice()
		if err != nil {
			return err
		}
		want, bound := own(array{q.shape, dtype.Float64s(plain)}), own(array{q.shape, slices.Repeat([]float64{1}, len(plain))})
		if err := near("o of large scores", o, want, bound, 1e-5); err != nil {
			return fmt.Errorf("causal %v: %w", causal, err)
		}
	}
	return nil
}

// ahead checks that keys and values are sent while others are computed with: rank 0 gets its queries only when rank 1 is done, for
// which it needs the keys of rank 0.
func (r *rank) ahead() error {
	other, err := r.g.Split(r, 0, r.g.Rank())
	if err != nil {
		return err
	}
	defer other.Close()
	ring, err := parallel.NewRing(r.g, 20, false)
	if err != nil {
		return err
	}
	var a all
	ones := func(shape ...int) *cutile.Tensor[float32] {
		t, err := cutile.Full(r.dev, float32(1), shape...)
		return keep(&a, t, err)
	}
	q, k, v, o, sums := ones(1, 1, 10, 8), ones(1, 1, 10, 8), ones(1, 1, 10, 8), ones(1, 1, 10, 8), ones(1, 1, 10)
	if a.err != nil {
		return a.err
	}
	if r.g.Rank() == 0 {
		if err := dist.Recv(r, other, 1, q); err != nil {
			return err
		}
	}
	if err := parallel.RingAttention(r, ring, q, k, v, o, sums, 1); err != nil {
		return err
	}
	if _, err := o.Slice(); err != nil {
		return err
	}
	if r.g.Rank() == 1 {
		return errors.Join(dist.Send(r, other, 0, q), other.Sync(r))
	}
	return nil
}

// TestRingAlone: in one process the ring is plain attention.
func TestRingAlone(t *testing.T) {
	if err := alone(t).ring(); err != nil {
		t.Error(err)
	}
}
