package tile

import (
	"math"

	"github.com/cutile-go/cutile/tile/op"
)

// Load reads the tile at an index, which has one number per axis and counts tiles.
func (x In[T]) Load(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadPad reads the tile at an index; elements outside the tensor are pad, which is 0 of either sign, an infinity or NaN.
func (x In[T]) LoadPad(pad float64, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(op.WithPadding(x.v, padding[T](pad)), index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadUnpadded reads the tile at an index; elements outside the tensor are unspecified, which can make it cheaper than Load.
// Use it if only elements inside the tensor affect the results, for example when f(x) is stored where x was loaded.
func (x In[T]) LoadUnpadded(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(op.WithPadding(x.v, op.NoPadding), index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadSoon reads like Load, with a hint how far ahead to fetch, from 1 to 10.
func (x In[T]) LoadSoon(latency int, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, op.Weak, op.NoScope, op.Hints{Latency: latency}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// Index returns the index of the block's own tile along an axis.
func (x Out[T]) Index(axis int) int {
	checkAxis[T](axis)
	bx, by, bz := op.TileBlockID()
	lead := op.Rank[T]() - 3
	if lead <= 0 {
		return int([]int32{bx, by, bz}[axis])
	}
	if axis > lead {
		return int([]int32{bx, by, bz}[axis-lead])
	}
	tiles := op.IndexSpace(x.v)
	at := int(bx)
	for a := range tiles {
		if a < lead && lead-a > axis {
			at /= int(tiles[lead-a])
		}
	}
	if axis > 0 {
		at %= int(tiles[axis])
	}
	return at
}

// own returns the index of the block's own tile.
func (x Out[T]) own() []int {
	index := make([]int, op.Rank[T]())
	for i := range index {
		index[i] = x.Index(i)
	}
	return index
}

// Load reads the block's own tile, which it may have stored before; elements outside the tensor are zero.
func (x Out[T]) Load() T {
	t, done := op.LoadView(op.WithPadding(x.v, op.PadZero), x.own(), op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// LoadUnpadded reads like Load, but elements outside the tensor are unspecified.
func (x Out[T]) LoadUnpadded() T {
	t, done := op.LoadView(op.WithPadding(x.v, op.NoPadding), x.own(), op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// Store writes the block's own tile.
func (x Out[T]) Store(t T) {
	wrote(x.v, op.StoreView(t, x.v, x.own(), op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}

// Load reads the tile at an index, after every earlier store.
func (x InOut[T]) Load(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// LoadUnpadded reads like Load, but elements outside the tensor are unspecified.
func (x InOut[T]) LoadUnpadded(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadView(op.WithPadding(x.v, op.NoPadding), index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// Store writes the tile at an index, after every earlier load and store.
func (x InOut[T]) Store(t T, index ...int) {
	checkIndex[T](len(index))
	wrote(x.v, op.StoreView(t, x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}

func checkIndex[T any](n int) {
	op.Require(n == op.Rank[T](), "a tile of shape %s needs one index for each axis, but there are %d", op.ShapeName[T](), n)
}

// padding returns the padding value for a number.
func padding[T any](pad float64) op.Padding {
	op.Known(pad, "the padding")
	op.Require(pad == 0 || op.IsFloat[T](), "a load of %s pads with 0: use Where for another value", op.ElemName[T]())
	switch {
	case pad != pad:
		return op.PadNaN
	case pad == math.Inf(1):
		return op.PadPosInf
	case pad == math.Inf(-1):
		return op.PadNegInf
	}
	op.Require(pad == 0, "a load pads with 0, an infinity or NaN: use Where for another value")
	if op.IsFloat[T]() && math.Signbit(pad) {
		return op.PadNegZero
	}
	return op.PadZero
}

// entry is the token with which every chain starts; printed orders the output of Print.

//cutile:state
var entry op.Token

//cutile:state
var printed = entry

// gate is the token that every access waits for. It includes the wait for the previous grid, if the kernel has one, and
// the last operation that acquired.

//cutile:state
var gate = entry

// ready joins a token with the token that every access waits for.
func ready(t op.Token) op.Token {
	if op.SameValue(gate, entry) || op.SameValue(gate, t) {
		return t
	}
	return op.JoinTokens(t, gate)
}

// after records a load, so that a later store waits for it.
func after[V any](v V, t op.Token) {
	touch(t)
	if op.SameValue(op.All(v), op.Stored(v)) {
		op.SetAll(v, t)
	} else {
		op.SetAll(v, op.JoinTokens(op.All(v), t))
	}
}

// wrote records a store, so that every later access waits for it.
func wrote[V any](v V, t op.Token) {
	touch(t)
	op.SetStored(v, t)
	op.SetAll(v, t)
}
