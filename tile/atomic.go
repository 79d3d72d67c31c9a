package tile

import "github.com/cutile-go/cutile/tile/op"

// modeFor is the variant of an operation for the elements of T.
func modeFor[T any](name string, m op.RMW) op.RMW {
	float := op.IsFloat[T]()
	wide := op.Bits[T]() >= 32
	switch m {
	case op.RMWAdd:
		op.Require(float || wide, "%s needs floats or integers of 32 or 64 bits", name)
		if float {
			return op.RMWAddF
		}
	case op.RMWMax:
		op.Require(!float && wide, "%s needs integers of 32 or 64 bits", name)
		if !op.IsSigned[T]() {
			return op.RMWUMax
		}
	case op.RMWMin:
		op.Require(!float && wide, "%s needs integers of 32 or 64 bits", name)
		if !op.IsSigned[T]() {
			return op.RMWUMin
		}
	case op.RMWXchg:
		op.Require(wide, "%s needs elements of 32 or 64 bits", name)
	default:
		op.Require(!float && wide, "%s needs integers of 32 or 64 bits", name)
	}
	return m
}

// Atomic modifies memory atomically where mask is true and returns the previous values. The ordering is Relaxed, Acquire,
// Release or AcqRel.
func Atomic[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B, m RMW, o Order, s Scope) T {
	return atomic("Atomic", p, offset, x, mask, m, o, s)
}

func atomic[T NumTile, E NumElem, I IntTile, B ~bool](name string, p Ptr[E], offset I, x T, mask B, m op.RMW, o Order, s Scope) T {
	sameShape[T, I](mask)
	op.Require(op.SameElem[T, E](), "%s takes tiles of the pointer's element: convert the tile", name)
	at := elements(p, offset)
	old, done := op.AtomicRMW(at, x, mask, modeFor[T](name, m), o, s, before(o, op.All(p.p)))
	wrote(p.p, done)
	acquired(o, done)
	return old
}

// AtomicAdd adds to memory where mask is true and returns the previous values. Several blocks may update the same element.
func AtomicAdd[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicAdd", p, offset, x, mask, op.RMWAdd, op.Relaxed, op.Device)
}

// AtomicMax stores the greater number where mask is true and returns the previous values.
func AtomicMax[T IntTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicMax", p, offset, x, mask, op.RMWMax, op.Relaxed, op.Device)
}

// AtomicMin stores the smaller number where mask is true and returns the previous values.
func AtomicMin[T IntTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicMin", p, offset, x, mask, op.RMWMin, op.Relaxed, op.Device)
}

// AtomicAnd clears the bits that x does not have where mask is true and returns the previous values.
func AtomicAnd[T IntTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicAnd", p, offset, x, mask, op.RMWAnd, op.Relaxed, op.Device)
}

// AtomicOr sets the bits of x where mask is true and returns the previous values.
func AtomicOr[T IntTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicOr", p, offset, x, mask, op.RMWOr, op.Relaxed, op.Device)
}

// AtomicXor flips the bits of x where mask is true and returns the previous values.
func AtomicXor[T IntTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicXor", p, offset, x, mask, op.RMWXor, op.Relaxed, op.Device)
}

// AtomicExchange stores x where mask is true and returns the previous values.
func AtomicExchange[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	return atomic("AtomicExchange", p, offset, x, mask, op.RMWXchg, op.Relaxed, op.Device)
}

// CompareAndSwap stores x where memory equals old and mask is true. It returns the previous values, and old where mask is
// false.
func CompareAndSwap[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, old, x T, mask B) T {
	return CompareAndSwapOrdered(p, offset, old, x, mask, op.AcqRel, op.Device)
}

// CompareAndSwapOrdered is [CompareAndSwap] with an ordering: Relaxed, Acquire, Release or AcqRel.
func CompareAndSwapOrdered[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, old, x T, mask B, o Order, s Scope) T {
	sameShape[T, I](mask)
	op.Require(op.SameElem[T, E](), "CompareAndSwap takes tiles of the pointer's element: convert the tiles")
	op.Require(op.Bits[T]() >= 32, "CompareAndSwap needs elements of 32 or 64 bits")
	at := elements(p, offset)
	was, done := op.AtomicCAS(at, old, x, mask, o, s, before(o, op.All(p.p)))
	wrote(p.p, done)
	acquired(o, done)
	return was
}

// Accumulate folds a tile into the tensor at an index, atomically: several blocks may update the same element. m is RMWAnd,
// RMWOr, RMWXor, RMWAdd, RMWMax or RMWMin; elements outside the tensor are dropped.
func (x InOut[T]) Accumulate(m RMW, t T, index ...int) { x.AccumulateIn(m, op.Device, t, index...) }

// AccumulateIn is like Accumulate, but atomic only among the blocks of a scope: BlockScope or DeviceScope.
func (x InOut[T]) AccumulateIn(m RMW, s Scope, t T, index ...int) {
	checkIndex[T](len(index))
	op.Require(m != op.RMWXchg, "Accumulate cannot exchange")
	v := op.WithPadding(x.v, op.NoPadding)
	wrote(x.v, op.RedView(v, index, t, modeFor[T]("Accumulate", m), op.Relaxed, s, ready(op.All(x.v))))
}

// AccumulateWindow folds a tile into the window at an index, atomically, like [InOut.Accumulate].
func AccumulateWindow[R, T Tile](x InOut[T], steps []int, m RMW, t R, index ...int) {
	checkWindows[R, T](steps)
	checkIndex[R](len(index))
	op.Require(m != op.RMWXchg, "AccumulateWindow cannot exchange")
	v := op.MakeStridedView[R](x.v, op.NoPadding, steps)
	wrote(x.v, op.RedStrided(v, index, t, modeFor[R]("AccumulateWindow", m), op.Relaxed, op.Device, ready(op.All(x.v))))
}
