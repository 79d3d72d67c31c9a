package tile

import (
	"math"

	"github.com/cutile-go/cutile/tile/op"
)

// Ptr gives access to the memory of a tensor, element by element. Offsets count elements from the tensor's first one; the CPU
// engine refuses accesses outside the allocation, a GPU does not.
type Ptr[E NumElem] struct{ p op.Pointer[E] }

// memory takes the place of a tile type in a typed launch with the memory of a tensor.
type memory[E any] struct{ _ [0]E }

func (memory[E]) tile()    {}
func (memory[E]) ElemOf(E) {}

// ViewOf tells the Go compiler the element type; it is not meant to be called.
func (Ptr[E]) ViewOf(memory[E]) {}

//cutile:param ptr
func newPtr[E NumElem](p op.Pointer[E]) Ptr[E] {
	if n := op.Divisor(p); n > 1 {
		p = op.AssumeDivBy(p, n)
	}
	return Ptr[E]{op.Track(p, entry)}
}

// Gather reads one element for each offset; where mask is false the element is that of other, which may be a number, and nothing is
// read.
func Gather[R NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, mask B, other R) R {
	sameShape[R, I](mask)
	op.Require(op.SameElem[R, E](), "Gather returns tiles of the pointer's element: convert the result")
	at := elements(p, offset)
	x, done := op.LoadPtr[R](at, mask, other, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(p.p)))
	after(p.p, done)
	return x
}

// Scatter writes one element for each offset where mask is true. Which of two elements with the same offset is kept is
// unspecified.
func Scatter[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B) {
	sameShape[T, I](mask)
	op.Require(op.SameElem[T, E](), "Scatter writes tiles of the pointer's element: convert the tile")
	at := elements(p, offset)
	wrote(p.p, op.StorePtr(at, x, mask, op.Weak, op.NoScope, op.Hints{}, ready(op.All(p.p))))
}

// GatherOrdered is [Gather] with an ordering among blocks: Weak, Relaxed or Acquire. Weak has no scope, NoScope.
func GatherOrdered[R NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, mask B, other R, o Order, s Scope) R {
	sameShape[R, I](mask)
	op.Require(op.SameElem[R, E](), "GatherOrdered returns tiles of the pointer's element: convert the result")
	at := elements(p, offset)
	x, done := op.LoadPtr[R](at, mask, other, o, s, op.Hints{}, ready(op.Stored(p.p)))
	after(p.p, done)
	acquired(o, done)
	return x
}

// ScatterOrdered is [Scatter] with an ordering among blocks: Weak, Relaxed or Release. Weak has no scope, NoScope.
func ScatterOrdered[T NumTile, E NumElem, I IntTile, B ~bool](p Ptr[E], offset I, x T, mask B, o Order, s Scope) {
	sameShape[T, I](mask)
	op.Require(op.SameElem[T, E](), "ScatterOrdered writes tiles of the pointer's element: convert the tile")
	at := elements(p, offset)
	wrote(p.p, op.StorePtr(at, x, mask, o, s, op.Hints{}, before(o, op.All(p.p))))
}

// elements returns pointers to the elements at offsets. Those of Tile IR have a sign: offsets without one become wider. An offset of 64 bits
// that has no counterpart with a sign leads to no memory.
func elements[E NumElem, I IntTile](p Ptr[E], offset I) op.Pointers[E, I] {
	all := spread[op.Pointers[E, I]](p.p)
	if op.IsSigned[I]() {
		return op.Offset(all, offset)
	}
	if op.Bits[I]() < 32 {
		return op.Offset(all, op.ExtI[op.As[I32, I]](offset))
	}
	if op.Bits[I]() == 64 {
		offset = op.MinI(offset, op.Constant[I](math.MaxInt64))
	}
	return op.Offset(all, wide(offset))
}

// Reinterpret returns a pointer to the same memory with elements of another type.
func Reinterpret[F, E NumElem](p Ptr[E]) Ptr[F] { return Ptr[F]{op.Recast[F](p.p)} }

// Address returns the address that a pointer points to, in bytes.
func Address[E NumElem](p Ptr[E]) int { return op.PtrToInt[int](p.p) }

// FenceAlias orders every earlier access through x and y before every later one, for pointers that reach the same memory by
// different addresses.
func FenceAlias[E, F NumElem](x Ptr[E], y Ptr[F]) {
	t := op.FenceAlias(op.JoinTokens(ready(op.All(x.p)), op.All(y.p)))
	wrote(x.p, t)
	wrote(y.p, t)
}

// Scratch allocates memory for n elements that belongs to the running block. Each execution of the statement allocates it anew;
// its initial contents are unspecified.
func Scratch[E NumElem](n int) Ptr[E] {
	op.Known(n, "the number of elements")
	op.Require(n >= 0, "the number of elements is %d", n)
	return Ptr[E]{op.Track(op.Alloca[E](n, 16, false), entry)}
}

// Global allocates memory that belongs to the kernel and keeps its contents from launch to launch, until the kernel is
// unloaded. It is initialised with the given elements, then zeros up to a power of two. It is declared at package level; each
// kernel that mentions it has its own copy:
//
//	//cutile:state
//	var counters = tile.Global(make([]int32, 64)...)
func Global[E NumElem](values ...E) Ptr[E] {
	if !op.InKernel() {
		return Ptr[E]{}
	}
	return Ptr[E]{op.Track(op.GetGlobal(values, 0, false), entry)}
}

// Table allocates memory for constants. It is declared like [Global], below a line //cutile:state of its own or of its group of
// variables. A kernel must not write to it.
func Table[E NumElem](values ...E) Ptr[E] {
	if !op.InKernel() {
		return Ptr[E]{}
	}
	return Ptr[E]{op.Track(op.GetGlobal(values, 0, true), entry)}
}

// sameShape checks that there is an offset for each element of T, and a boolean for each element or a constant for all.
func sameShape[T, I, B any](mask B) {
	op.Require(op.ShapeName[T]() == op.ShapeName[I](), "offsets of shape %s do not fit elements of shape %s", op.ShapeName[I](), op.ShapeName[T]())
	op.Require(op.IsConst(mask) || op.ShapeName[B]() == op.ShapeName[T](), "a mask of shape %s does not fit elements of shape %s", op.ShapeName[B](), op.ShapeName[T]())
}
