package dist_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// lengths are those of the arrays. Tests of package collective have arrays of several pieces.
var lengths = []int{0, 1, 7, 1023}

// ops are the reductions in float64, by which those of small integers are checked.
var ops = []struct {
	op dist.Op
	do func(a, b float64) float64
}{
	{dist.Sum, func(a, b float64) float64 { return a + b }},
	{dist.Product, func(a, b float64) float64 { return a * b }},
	{dist.Max, math.Max},
	{dist.Min, math.Min},
}

// types runs every collective with every element type.
func (r *rank) types() error { return r.each(append(slices.Clone(common), narrow...)) }

func (r *rank) each(all []func(*rank) error) error {
	for _, run := range all {
		if err := run(r); err != nil {
			return err
		}
	}
	return nil
}

// common are the tests of the types with which every library reduces, and of some that are moved alone; narrow those of the rest.
var common = []func(*rank) error{
	numbers(func(x float64) int8 { return int8(x) }), numbers(func(x float64) int32 { return int32(x) }),
	numbers(func(x float64) int64 { return int64(x) }), numbers(func(x float64) uint8 { return uint8(int8(x)) }),
	numbers(func(x float64) uint32 { return uint32(int32(x)) }), numbers(func(x float64) uint64 { return uint64(int64(x)) }),
	numbers(func(x float64) float32 { return float32(x) }), numbers(func(x float64) float64 { return x }),
	numbers(dtype.Float16FromFloat64), numbers(dtype.BFloat16FromFloat64),
	wraps[int8], wraps[uint8], wraps[int32], wraps[uint32], wraps[int64], wraps[uint64],
	moves(func(x float64) bool { return int(x)%2 != 0 }), moves(dtype.Float8E5M2FromFloat64),
}

var narrow = []func(*rank) error{
	numbers(func(x float64) int16 { return int16(x) }), numbers(func(x float64) uint16 { return uint16(int16(x)) }),
	wraps[int16], wraps[uint16],
}

// value is element i of the array of a rank: a small integer, so that products of four fit all types.
func value(rank, i int) float64 { return float64((rank*3+i*5)%7 - 3) }

// unsigned reports whether a type has no negative numbers, so that values are others.
func unsigned[E dtype.Elem]() bool {
	switch dtype.Of[E]() {
	case dtype.U8, dtype.U16, dtype.U32, dtype.U64:
		return true
	}
	return false
}

// array makes the array of a rank.
func array[E dtype.Elem](rank, n int, from func(float64) E) []E {
	out := make([]E, n)
	for i := range out {
		x := value(rank, i)
		if unsigned[E]() {
			x = math.Abs(x)
		}
		out[i] = from(x)
	}
	return out
}

// reduced is what reducing the arrays of all ranks gives.
func reduced[E dtype.Elem](ranks, n int, from func(float64) E, do func(a, b float64) float64) []E {
	out := make([]E, n)
	for i := range out {
		x := 0.0
		for rank := range ranks {
			v := value(rank, i)
			if unsigned[E]() {
				v = math.Abs(v)
			}
			if rank == 0 {
				x = v
			} else {
				x = do(x, v)
			}
		}
		out[i] = from(x)
	}
	return out
}

// got checks a tensor.
func got[E dtype.Elem](what string, t *cutile.Tensor[E], want []E) error {
	have, err := t.Slice()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for i := range want {
		if have[i] != want[i] {
			return fmt.Errorf("%s of %d %v: element %d is %v, want %v", what, len(want), dtype.Of[E](), i, have[i], want[i])
		}
	}
	if len(have) != len(want) {
		return fmt.Errorf("%s: %d elements, want %d", what, len(have), len(want))
	}
	return nil
}

// numbers runs every collective with elements of a type that can be reduced.
func numbers[E dist.Number](from func(float64) E) func(r *rank) error {
	return func(r *rank) error {
		for _, n := range lengths {
			for i, op := range ops {
				if i > 0 && n < 7 { // each call takes long where there are more processes than processors
					break
				}
				if err := reduces(r, n, op.op, op.do, from); err != nil {
					return err
				}
			}
		}
		return moves(from)(r)
	}
}

func reduces[E dist.Number](r *rank, n int, op dist.Op, do func(a, b float64) float64, from func(float64) E) error {
	self, size := r.g.Rank(), r.g.Size()
	src, err := cutile.FromSlice(r.dev, array(self, n, from), 1, n)
	if err != nil {
		return err
	}
	dst, err := cutile.NewTensor[E](r.dev, n)
	if err != nil {
		return err
	}
	want := reduced(size, n, from, do)
	if err := dist.AllReduce(r, r.g, op, dst, src); err != nil {
		return err
	}
	if err := got("AllReduce", dst, want); err != nil {
		return err
	}
	if err := got("src of AllReduce", src, array(self, n, from)); err != nil {
		return err
	}
	if err := dist.AllReduce(r, r.g, op, src, src); err != nil {
		return err
	}
	if err := got("AllReduce in place", src, want); err != nil {
		return err
	}
	all, err := cutile.FromSlice(r.dev, array(self, n*size, from), size, n)
	if err != nil {
		return err
	}
	if err := dist.ReduceScatter(r, r.g, op, dst, all); err != nil {
		return err
	}
	if err := got("ReduceScatter", dst, reduced(size, n*size, from, do)[self*n:(self+1)*n]); err != nil {
		return err
	}
	return reducesTo(r, n, op, do, from)
}

// reducesTo reduces to the last rank: the others have no tensor for it, or one that stays as it is.
func reducesTo[E dist.Number](r *rank, n int, op dist.Op, do func(a, b float64) float64, from func(float64) E) error {
	self, size := r.g.Rank(), r.g.Size()
	own := array(self, n, from)
	src, err := cutile.FromSlice(r.dev, own, n)
	if err != nil {
		return err
	}
	dst, err := cutile.FromSlice(r.dev, own, 1, n)
	if err != nil {
		return err
	}
	want := own
	if self == size-1 {
		want = reduced(size, n, from, do)
	}
	if err := dist.Reduce(r, r.g, op, size-1, dst, src); err != nil {
		return err
	}
	if err := errors.Join(got("Reduce", dst, want), got("src of Reduce", src, own)); err != nil {
		return err
	}
	if err := dist.Reduce(r, r.g, op, size-1, src, src); err != nil {
		return err
	}
	if err := got("Reduce in place", src, want); err != nil {
		return err
	}
	var none *cutile.Tensor[E]
	if self == size-1 {
		none = dst
	}
	return dist.Reduce(r, r.g, op, size-1, none, src)
}

// integer lists the types of integers.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// wraps reduces integers of any bits: sums and products wrap around, and unsigned ones have no sign. Libraries compute them in vectors, and what is
// left in other ways.
func wraps[E integer](r *rank) error {
	self, size := r.g.Rank(), r.g.Size()
	const n = 100
	arrays := make([][]E, size)
	for rank := range arrays {
		random := rand.New(rand.NewPCG(uint64(rank), 7))
		for range n * size {
			arrays[rank] = append(arrays[rank], E(random.Uint64()))
		}
	}
	src, err := cutile.FromSlice(r.dev, arrays[self], size, n)
	if err != nil {
		return err
	}
	whole, err := cutile.NewTensor[E](r.dev, size*n)
	if err != nil {
		return err
	}
	part, err := cutile.NewTensor[E](r.dev, n)
	if err != nil {
		return err
	}
	for op, do := range []func(a, b E) E{ // in the same order in all processes
		dist.Sum: func(a, b E) E { return a + b }, dist.Product: func(a, b E) E { return a * b },
		dist.Max: func(a, b E) E { return max(a, b) }, dist.Min: func(a, b E) E { return min(a, b) },
	} {
		want := slices.Clone(arrays[0])
		for _, a := range arrays[1:] {
			for i, x := range a {
				want[i] = do(want[i], x)
			}
		}
		err := errors.Join(dist.AllReduce(r, r.g, dist.Op(op), whole, src), dist.ReduceScatter(r, r.g, dist.Op(op), part, src))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%v of any bits: ", dist.Op(op))
		if err := errors.Join(got(name+"AllReduce", whole, want), got(name+"ReduceScatter", part, want[self*n:(self+1)*n])); err != nil {
			return err
		}
		if err := dist.Reduce(r, r.g, dist.Op(op), size-1, whole, src); err != nil {
			return err
		}
		if err := got(name+"Reduce", whole, want); err != nil { // elsewhere, it has them already
			return err
		}
	}
	return nil
}

// moves runs every collective that computes nothing.
func moves[E dtype.Elem](from func(float64) E) func(r *rank) error {
	return func(r *rank) error {
		for _, n := range lengths {
			for _, f := range []func(*rank, int, func(float64) E) error{gathers[E], nothing[E], roots[E], exchanges[E], broadcasts[E], rings[E], pairs[E]} {
				if err := f(r, n, from); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func gathers[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	src, err := cutile.FromSlice(r.dev, array(r.g.Rank(), n, from), n)
	if err != nil {
		return err
	}
	dst, err := cutile.NewTensor[E](r.dev, r.g.Size(), n)
	if err != nil {
		return err
	}
	if err := dist.AllGather(r, r.g, dst, src); err != nil {
		return err
	}
	var want []E
	for rank := range r.g.Size() {
		want = append(want, array(rank, n, from)...)
	}
	return got("AllGather", dst, want)
}

// roots gathers the arrays of all in each rank in turn, and scatters that of the root.
func roots[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	self, size := r.g.Rank(), r.g.Size()
	own, err := cutile.FromSlice(r.dev, array(self, n, from), n)
	if err != nil {
		return err
	}
	part, err := cutile.NewTensor[E](r.dev, n)
	if err != nil {
		return err
	}
	for root := range size {
		var to, src *cutile.Tensor[E]
		if self == root {
			if to, err = cutile.NewTensor[E](r.dev, size, n); err != nil {
				return err
			}
			if src, err = cutile.FromSlice(r.dev, array(root, size*n, from), size, n); err != nil {
				return err
			}
		}
		if err := errors.Join(dist.Gather(r, r.g, root, to, own), dist.Scatter(r, r.g, root, part, src)); err != nil {
			return err
		}
		if err := got("Scatter", part, array(root, size*n, from)[self*n:(self+1)*n]); err != nil {
			return err
		}
		if self != root {
			continue
		}
		var want []E
		for rank := range size {
			want = append(want, array(rank, n, from)...)
		}
		if err := got("Gather", to, want); err != nil {
			return err
		}
	}
	return nil
}

// nothing runs collectives on views without elements, which begin behind their memory.
func nothing[E dtype.Elem](r *rank, _ int, _ func(float64) E) error {
	x, err := cutile.NewTensor[E](r.dev, 3, 0)
	if err != nil {
		return err
	}
	y, err := cutile.NewTensor[E](r.dev, 3)
	if err != nil {
		return err
	}
	a, b := x.Select(0, 2), y.Narrow(0, 3, 3)
	if a.Len() != 0 || b.Len() != 0 || b.Err() != nil {
		return fmt.Errorf("views of %d and %d elements, %v", a.Len(), b.Len(), b.Err())
	}
	return errors.Join(dist.AllGather(r, r.g, a, b), dist.AllToAll(r, r.g, b, a), dist.Broadcast(r, r.g, 0, a), dist.Gather(r, r.g, 0, a, b),
		dist.Scatter(r, r.g, 0, b, a), r.g.Sync(r))
}

func exchanges[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	self, size := r.g.Rank(), r.g.Size()
	src, err := cutile.FromSlice(r.dev, array(self, n*size, from), size, n)
	if err != nil {
		return err
	}
	dst, err := cutile.NewTensor[E](r.dev, size*n)
	if err != nil {
		return err
	}
	if err := dist.AllToAll(r, r.g, dst, src); err != nil {
		return err
	}
	var want []E
	for rank := range size {
		want = append(want, array(rank, n*size, from)[self*n:(self+1)*n]...)
	}
	return got("AllToAll", dst, want)
}

func broadcasts[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	for root := range r.g.Size() {
		t, err := cutile.FromSlice(r.dev, array(r.g.Rank(), n, from), n)
		if err != nil {
			return err
		}
		if err := dist.Broadcast(r, r.g, root, t); err != nil {
			return err
		}
		if err := got(fmt.Sprintf("Broadcast from %d", root), t, array(root, n, from)); err != nil {
			return err
		}
	}
	return nil
}

// rings sends n elements to the next rank, and to the one before that as many as its own number says.
func rings[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	self, size := r.g.Rank(), r.g.Size()
	next, before := (self+1)%size, (self+size-1)%size
	longer := func(rank int) int {
		if size == 1 {
			return n
		}
		return n + rank
	}
	src, err := cutile.FromSlice(r.dev, array(self, longer(self), from), longer(self))
	if err != nil {
		return err
	}
	dst, err := cutile.NewTensor[E](r.dev, longer(before))
	if err != nil {
		return err
	}
	if err := dist.SendRecv(r, r.g, next, src, before, dst); err != nil {
		return err
	}
	return got("SendRecv", dst, array(before, longer(before), from))
}

// pairs sends from rank 0 to the last rank, and back.
func pairs[E dtype.Elem](r *rank, n int, from func(float64) E) error {
	self, last := r.g.Rank(), r.g.Size()-1
	if last == 0 || self != 0 && self != last {
		return nil
	}
	there, back := array(0, n, from), array(9, n, from)
	t, err := cutile.NewTensor[E](r.dev, n)
	if err != nil {
		return err
	}
	if self == 0 {
		if err := t.Write(r, there); err != nil {
			return err
		}
		if err := dist.Send(r, r.g, last, t); err != nil {
			return err
		}
		if err := dist.Recv(r, r.g, last, t); err != nil {
			return err
		}
		return got("Recv", t, back)
	}
	if err := dist.Recv(r, r.g, 0, t); err != nil {
		return err
	}
	if err := got("Recv", t, there); err != nil {
		return err
	}
	if err := t.Write(r, back); err != nil {
		return err
	}
	return dist.Send(r, r.g, 0, t)
}
