package parallel_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/dtype"
)

// layers are parameters of odd lengths: with buckets of 1200 bytes some share one, and some fill more than one.
var layers = []parallel.Parameter{
	{"w3", []int{7, 11}}, {"b3", []int{11}}, {"scale", nil}, {"w2", []int{41, 33}}, {"b2", []int{33}}, {"w1", []int{5, 1, 9}}, {"b1", []int{1}},
}

const smallBucket = 1200

// number is element i of a gradient in a part of a step.
type number func(step, part, gradient, i int) float64

// random are numbers whose sums depend on their order.
func random(step, part, gradient, i int) float64 {
	r := rand.New(rand.NewPCG(uint64(step<<8|part), uint64(gradient<<20|i)))
	return float64(float32(r.NormFloat64() * math.Exp2(float64(r.IntN(30)))))
}

// whole are small integers, whose sums are exact in all types.
func whole(step, part, gradient, i int) float64 {
	return float64((step + part*part + gradient + i) % 4)
}

// tree sums parts as dist.WithTree says.
func tree[T any](from, to int, of func(part int) T, plus func(a, b T) T) T {
	if to-from == 1 {
		return of(from)
	}
	first := 1
	for 2*first < to-from {
		first *= 2
	}
	return plus(tree(from, from+first, of, plus), tree(from+first, to, of, plus))
}

// kind is what the test knows of an element type.
type kind[E dist.Number] struct {
	from   func(float64) E
	plus   func(a, b E) E
	by     func(a E, n int) E // nil if there is no mean
	number number
}

func plain[E interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}](n number, mean bool) kind[E] {
	k := kind[E]{from: func(x float64) E { return E(x) }, plus: func(a, b E) E { return a + b }, number: n}
	if mean {
		k.by = func(a E, n int) E { return a / E(n) }
	}
	return k
}

// narrow are floats of 16 bits.
func narrow[E dist.Number](from func(float64) E, to func(E) float64) kind[E] {
	return kind[E]{from, func(a, b E) E { return from(to(a) + to(b)) }, func(a E, n int) E { return from(to(a) / float64(n)) }, whole}
}

// types sums gradients of all types, in several parts, twice.
func (r *rank) types() error {
	half := func(x dtype.Float16) float64 { return x.Float64() }
	brain := func(x dtype.BFloat16) float64 { return x.Float64() }
	return errors.Join(
		sums(r, plain[float32](random, true)), sums(r, plain[float64](random, true)),
		sums(r, narrow(dtype.Float16FromFloat64, half)), sums(r, narrow(dtype.BFloat16FromFloat64, brain)),
		sums(r, plain[int8](whole, false)), sums(r, plain[int16](whole, false)), sums(r, plain[int32](whole, false)), sums(r, plain[int64](whole, false)),
		sums(r, plain[uint8](whole, false)), sums(r, plain[uint16](whole, false)), sums(r, plain[uint32](whole, false)), sums(r, plain[uint64](whole, false)),
	)
}

func sums[E dist.Number](r *rank, k kind[E]) error {
	size := r.g.Size()
	for _, parts := range []int{size, 2 * size, 8 * size} {
		opts := []parallel.Option{parallel.WithBucket(smallBucket), parallel.WithParts(parts)}
		if k.by != nil && parts > size {
			opts = append(opts, parallel.WithMean())
		}
		if err := sum(r, k, parts, k.by != nil && parts > size, opts); err != nil {
			return fmt.Errorf("%v, %d parts: %w", dtype.Of[E](), parts, err)
		}
	}
	if size == 1 { // one process takes any number
		return sum(r, k, 7, false, []parallel.Option{parallel.WithParts(7)})
	}
	return nil
}

func sum[E dist.Number](r *rank, k kind[E], parts int, mean bool, opts []parallel.Option) error {
	s, err := parallel.NewGradients[E](r, r.g, layers, opts...)
	if err != nil {
		return err
	}
	order := rand.New(rand.NewPCG(uint64(r.g.Rank()), 0)) // each process has an order of its own
	for step := range 2 {
		from, to := s.Parts()
		if want := parts / r.g.Size(); to-from != want || from != want*r.g.Rank() {
			return fmt.Errorf("the parts are %d to %d", from, to)
		}
		for part := from; part < to; part++ {
			for _, i := range order.Perm(len(layers)) {
				x := make([]E, s.Tensor(i).Len())
				for j := range x {
					x[j] = k.from(k.number(step, part, i, j))
				}
				if err := s.Tensor(i).Write(r, x); err != nil {
					return err
				}
				if err := s.Ready(r, s.Tensor(i).Flatten()); err != nil {
					return err
				}
			}
		}
		if err := s.Finish(r); err != nil {
			return err
		}
		for i := range layers {
			got, err := s.Tensor(i).Slice()
			if err != nil {
				return err
			}
			for j, x := range got {
				want := tree(0, parts, func(part int) E { return k.from(k.number(step, part, i, j)) }, k.plus)
				if mean {
					want = k.by(want, parts)
				}
				if x != want {
					return fmt.Errorf("step %d: element %d of %s is %v, want %v", step, j, layers[i].Name, x, want)
				}
			}
		}
	}
	return s.Close()
}

// TestAlone: a single process sums its parts in a tree, too.
func TestAlone(t *testing.T) {
	r := alone(t)
	if err := r.types(); err != nil {
		t.Error(err)
	}
	if err := r.replicas(); err != nil {
		t.Error(err)
	}
}

func alone(t *testing.T) *rank {
	t.Helper()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	g, err := dist.Join(t.Context(), dev, dist.WithTree())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(g.Close(), dev.Close()); err != nil {
			t.Error(err)
		}
	})
	return &rank{t.Context(), dev, g}
}

// TestBuckets: gradients follow each other in buckets that have as many bytes as asked for, and a long one has its own.
func TestBuckets(t *testing.T) {
	r := alone(t)
	for _, c := range []struct {
		bytes int
		want  []int
	}{
		{smallBucket, []int{96, 1356, 88}}, {96 * 4, []int{96, 1356, 88}}, {93*4 - 1, []int{92, 4, 1356, 88}},
		{1, []int{80, 12, 4, 1356, 36, 48, 4}}, {1 << 20, []int{1540}},
	} {
		s, err := parallel.NewGradients[float32](r, r.g, layers, parallel.WithBucket(c.bytes))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range s.Buckets() {
			got = append(got, b.Len())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("buckets of %d bytes have %v elements, want %v", c.bytes, got, c.want)
		}
		for i := range layers {
			if at := s.Tensor(i).Untyped(); at.View.Offset%4 != 0 {
				t.Errorf("%s begins at element %d", layers[i].Name, at.View.Offset)
			}
		}
		if s.Len() != len(layers) || !slices.Equal(s.Tensor(5).Shape(), layers[5].Shape) {
			t.Errorf("%d gradients, the fifth is %v", s.Len(), s.Tensor(5))
		}
		if err := s.Tensor(4).Fill(r, 5); err != nil {
			t.Fatal(err)
		}
		total := float32(0)
		for _, b := range s.Buckets() {
			x, err := b.Slice()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range x {
				total += v
			}
		}
		if total != 5*33 {
			t.Errorf("the gradient is no view of its bucket: the sum of all is %v", total)
		}
		likes, views, err := s.Like()
		if err != nil || len(likes) != len(s.Buckets()) || len(views) != len(layers) {
			t.Fatalf("%d buckets and %d views, %v", len(likes), len(views), err)
		}
		for i, v := range views {
			own := s.Tensor(i)
			if !slices.Equal(v.Shape(), own.Shape()) || v.Untyped().View.Offset != own.Untyped().View.Offset || v.Untyped().Memory == own.Untyped().Memory {
				t.Errorf("%v does not lie as %v does", v, own)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMistakes: each is an error that says what is wrong and what to do.
func TestMistakes(t *testing.T) {
	r := alone(t)
	two := []parallel.Parameter{{"w", []int{4, 5}}, {"b", []int{5}}}
	set := func(p []parallel.Parameter, opts ...parallel.Option) error {
		_, err := parallel.NewGradients[float32](r, r.g, p, opts...)
		return err
	}
	s, err := parallel.NewGradients[float32](r, r.g, two, parallel.WithParts(2))
	if err != nil {
		t.Fatal(err)
	}
	x, err := cutile.NewTensor[float32](r.dev, 5)
	if err != nil {
		t.Fatal(err)
	}
	w, b := s.Tensor(0), s.Tensor(1)
	_, ints := parallel.NewGradients[int32](r, r.g, two, parallel.WithMean())
	_, nilGroup := parallel.NewGradients[float32](r, nil, two)
	var none *parallel.Gradients[float32]
	for _, c := range []struct {
		err  error
		want string
	}{
		{nilGroup, "parallel: NewGradients: the group is nil: use the one that dist.Join returns"},
		{ints, "WithMean: there is no mean of int32: sum them, or use floats"},
		{set(nil), "parallel: NewGradients: there are no parameters"},
		{set(two, parallel.WithBucket(0)), "WithBucket(0): a bucket has at least one byte"},
		{set(two, parallel.WithParts(-1)), "WithParts(-1): the number of parts must be 1 to 1024"},
		{set(two, parallel.WithParts(1025)), "WithParts(1025): the number of parts must be 1 to 1024"},
		{set([]parallel.Parameter{{"w", []int{4}}, {"w", []int{4}}}), `parameter 1 has the name "w", as parameter 0 has: each needs a name of its own`},
		{set([]parallel.Parameter{{"", []int{4}}}), "parameter 0 has no name: give each one of its own"},
		{set(two, nil), "parallel: NewGradients: an option is nil"},
		{set([]parallel.Parameter{{"w", []int{4, 0}}}), "the shape of w is [4 0]: it needs elements"},
		{set([]parallel.Parameter{{"w", []int{1 << 30, 1 << 30}}}), "the shape of w is [1073741824 1073741824]: it needs elements, and at most"},
		{none.Ready(r), "parallel: the gradients are nil: use what NewGradients returns"},
		{none.Finish(r), "parallel: the gradients are nil"},
		{none.Close(), "parallel: the gradients are nil"},
		{s.Tensor(2).Err(), "parallel: there is no gradient 2: the set has 2"},
		{s.Finish(r), "parallel: Finish: 2 of 2 gradients are not ready (w, b), in part 1 of the 2 of this process: call Ready when their launches are queued"},
		{s.Ready(r, nil), "parallel: Ready: a gradient is nil"},
		{s.Ready(r, x), "parallel: Ready: Tensor[float32] of shape [5] on cpu is no gradient of this set: give what Tensor returns, or a view of all of it"},
		{s.Ready(r, w.Narrow(0, 0, 2)), "is only a part of the gradient of w, or in another order: give what Tensor returns"},
		{s.Ready(r, w.T()), "is only a part of the gradient of w, or in another order"},
		{s.Ready(r, w.Narrow(0, 3, 9)), "Narrow of Tensor[float32]"},
		{s.Ready(r, w, w), "parallel: Ready: the gradient of w is ready twice, while 1 of 2 gradients are not ready (b), in part 1 of the 2 of this process: call Ready once for each gradient"},
		{s.Finish(r), "1 of 2 gradients are not ready (b), in part 1"},
		{errors.Join(s.Ready(r, b), s.Ready(r, b, w), s.Ready(r, w)), "the gradient of w is ready again after the last part (of 2): call Finish first"},
		{s.Finish(nil), "the context is nil"},
		{parallel.Replicate(r, r.g, x, nil), "parallel: Replicate: tensor 1 is nil"},
		{parallel.Replicate(r, nil, x), "parallel: Replicate: the group is nil"},
		{parallel.Replicate(r, r.g, w.T()), "parallel: Replicate: dist: Broadcast: the tensor has gaps"},
		{parallel.CheckReplicas(r, r.g, x.Narrow(0, 3, 9)), "parallel: CheckReplicas: tensor 0: cutile: Narrow of Tensor[float32]"},
		{parallel.CheckReplicas(r, alone(t).g, x), "parallel: CheckReplicas: tensor 0 is on another device than the group: move it there"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
	if err := s.Finish(r); err != nil {
		t.Errorf("mistakes change nothing: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{s.Ready(r, w), s.Finish(r)} {
		if !errors.Is(err, cutile.ErrClosed) || err.Error() != "parallel: the gradients are closed" {
			t.Errorf("behind Close: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if from, to := parallel.Part(29, 1, 4); from != 7 || to != 14 {
		t.Errorf("part 1 of 4 of 29 elements is %d to %d", from, to)
	}
	if from, to := parallel.Part(29, 0, 0); from != 0 || to != 0 {
		t.Errorf("part 0 of none is %d to %d", from, to)
	}
	unmade := new(parallel.Gradients[float32])
	if err := unmade.Ready(r, x); err == nil || !strings.Contains(err.Error(), "is no gradient of this set") {
		t.Errorf("a set that was not made: %v", err)
	}
}

// TestClosed: the error of a group that was closed stays.
func TestClosed(t *testing.T) {
	r := alone(t)
	s, err := parallel.NewGradients[float32](r, r.g, layers[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.g.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{s.Ready(r, s.Tensor(0)), s.Ready(r, s.Tensor(0)), s.Finish(r)} {
		if want := "parallel: Ready: w3: dist: the group is closed"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
