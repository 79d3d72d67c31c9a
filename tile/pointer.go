package tile

import "github.com/cutile-go/cutile/tile/op"

// Ptr is the memory of a tensor, element by element. Offsets count elements from the tensor's first one; the CPU engine
// refuses what lies outside the allocation, a GPU does not.
type Ptr[E NumElem] struct{ p op.Pointer[E] }

// memory stands for the memory of a tensor where a typed launch wants a tile type.
type memory[E any] struct{ _ [0]E }

func (memory[E]) tile()    {}
func (memory[E]) ElemOf(E) {}

// ViewOf names the element type; the Go compiler asks it, nobody calls it.
func (Ptr[E]) ViewOf(memory[E]) {}

//cutile:param ptr
func newPtr[E NumElem](p op.Pointer[E]) Ptr[E] {
	if n := op.Divisor(p); n > 1 {
		p = op.AssumeDivBy(p, n)
	}
	return Ptr[E]{op.Track(p, entry)}
}

// Gather reads one element for each offset; where mask does not hold it gives other and reads nothing.
func Gather[R NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, mask B, other float64) R {
	sameShape[R, I]()
	op.Require(op.SameElem[R, E](), "Gather gives tiles of the pointer's element: convert the result")
	at := op.Offset(spread[op.Pointers[E, I]](p.p), offset)
	x, done := op.LoadPtr[R](at, mask, op.Constant[R](other), op.Weak, op.NoScope, op.Stored(p.p))
	after(p.p, done)
	return x
}

// Scatter writes one element for each offset where mask holds. Which of two elements with one offset stays is not said.
func Scatter[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) {
	sameShape[T, I]()
	op.Require(op.SameElem[T, E](), "Scatter writes tiles of the pointer's element: convert the tile")
	at := op.Offset(spread[op.Pointers[E, I]](p.p), offset)
	wrote(p.p, op.StorePtr(at, x, mask, op.Weak, op.NoScope, op.All(p.p)))
}

// AtomicAdd adds to memory where mask holds and gives the values from before. Blocks may meet.
func AtomicAdd[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) T {
	sameShape[T, I]()
	op.Require(op.SameElem[T, E](), "AtomicAdd adds tiles of the pointer's element: convert the tile")
	op.Require(op.IsFloat[T]() || op.Bits[T]() >= 32, "AtomicAdd needs floats or integers of 32 or 64 bits")
	mode := op.RMWAdd
	if op.IsFloat[T]() {
		mode = op.RMWAddF
	}
	at := op.Offset(spread[op.Pointers[E, I]](p.p), offset)
	old, done := op.AtomicRMW(at, x, mask, mode, op.Relaxed, op.Device, op.All(p.p))
	wrote(p.p, done)
	return old
}

func sameShape[T, I any]() {
	op.Require(op.ShapeName[T]() == op.ShapeName[I](), "offsets of shape %s do not fit elements of shape %s", op.ShapeName[I](), op.ShapeName[T]())
}
