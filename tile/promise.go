package tile

import "github.com/cutile-go/cutile/tile/op"

// The promises below are about integers and tiles of them. The compiler relies on them: if a promise does not hold, the
// behaviour is undefined on a GPU, and the CPU engine reports an error if it checks promises.

// AssumeDivBy promises that x is divisible by n, a power of two.
func AssumeDivBy[T ~int | ~int32 | ~int64 | ~uint64](x T, n int) T { return op.AssumeDivBy(x, n) }

// AssumeAtLeast promises that x is at least lo.
func AssumeAtLeast[T ~int | ~int32 | ~int64 | ~uint64](x T, lo int) T {
	return op.AssumeAtLeast(x, lo)
}

// AssumeAtMost promises that x is at most hi.
func AssumeAtMost[T ~int | ~int32 | ~int64 | ~uint64](x T, hi int) T { return op.AssumeAtMost(x, hi) }

// AssumeBetween promises that x is at least lo and at most hi.
func AssumeBetween[T ~int | ~int32 | ~int64 | ~uint64](x T, lo, hi int) T {
	return op.AssumeBetween(x, lo, hi)
}

// AssumeRuns promises that elements repeat in runs of the given lengths, one per axis.
func AssumeRuns[T IntTile](x T, runs ...int) T {
	op.Require(len(runs) == op.Rank[T](), "a tile of shape %s needs one length for each axis", op.ShapeName[T]())
	return op.AssumeSame(x, runs...)
}

// AssumeDivEvery promises that the first of each run of every elements along an axis is divisible by n, and that the
// others count up from it.
func AssumeDivEvery[T IntTile](x T, n, every, axis int) T {
	checkAxis[T](axis)
	return op.AssumeDivEvery(x, n, every, axis)
}

// LoadHint reads like Load, with hints.
func (x In[T]) LoadHint(h Hints, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, op.Weak, op.NoScope, h, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadHint reads like Load, with hints.
func (x InOut[T]) LoadHint(h Hints, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, op.Weak, op.NoScope, h, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// StoreHint writes like Store, with hints.
func (x InOut[T]) StoreHint(h Hints, t T, index ...int) {
	checkIndex[T](len(index))
	wrote(x.v, op.StoreView(t, x.v, index, op.Weak, op.NoScope, h, ready(op.All(x.v))))
}

// LoadOrdered reads like Load, with an ordering among blocks: Relaxed or Acquire.
func (x InOut[T]) LoadOrdered(o Order, s Scope, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, o, s, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	acquired(o, done)
	return t
}

// StoreOrdered writes like Store, with an ordering among blocks: Relaxed or Release.
func (x InOut[T]) StoreOrdered(o Order, s Scope, t T, index ...int) {
	checkIndex[T](len(index))
	wrote(x.v, op.StoreView(t, x.v, index, o, s, op.Hints{}, before(o, op.All(x.v))))
}

// LaunchDependents allows the grid that waits for this one to start, if it was launched that way. It runs concurrently with the
// rest of this grid, whose stores are visible to it after its own [WaitGrid].
func LaunchDependents() { gate = op.LaunchDependents(gate) }

// WaitGrid waits until the grid that this one depends on has ended: its stores are visible to every later access. A kernel that
// calls it outside of branches and loops is launched so that it may start while the previous kernel on the stream still runs
// (programmatic dependent launch, sm_90 and later): before the call, it must not access memory that the previous kernel stores
// to, nor store to memory that it reads.
func WaitGrid() { gate = op.WaitGrid(gate) }
