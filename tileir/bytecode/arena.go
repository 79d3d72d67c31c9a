package bytecode

import (
	"reflect"

	"github.com/cutile-go/cutile/tileir"
)

// slab gives out pieces of chunks, so that the parts of a module cost few allocations. Each chunk is twice as large as the
// one before, and the first as expected.
type slab[T any] struct {
	free []T
	next int // elements in the next chunk
}

// Least and greatest number of elements in a chunk.
const (
	minChunk = 8
	maxChunk = 1 << 16
)

// take gives n zero elements, whose capacity ends with them.
func (s *slab[T]) take(b *budget, n int) []T {
	if n == 0 {
		return []T{}
	}
	if n > len(s.free) {
		size := max(n, minChunk, min(s.next, maxChunk))
		s.free = room[T](b, size)
		s.next = 2 * size
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// one gives a single element.
func (s *slab[T]) one(b *budget) *T { return &s.take(b, 1)[0] }

// copied gives the elements of xs, nil for none.
func copied[T any](s *slab[T], b *budget, xs []T) []T {
	if len(xs) == 0 {
		return nil
	}
	out := s.take(b, len(xs))
	copy(out, xs)
	return out
}

// arena holds the chunks that a module's parts come from.
type arena struct {
	globals   slab[tileir.Global]
	entries   slab[tileir.Entry]
	blocks    slab[tileir.Block]
	ops       slab[tileir.Op]
	values    slab[tileir.Value]
	constants slab[tileir.Constant]
	tiles     slab[tileir.TileType]
	archHints slab[tileir.ArchHints]
	hints     slab[tileir.Hint]
	files     slab[tileir.SourceFile]
	scopes    slab[tileir.Scope]
	locs      slab[tileir.Loc]
	funcs     slab[tileir.FuncType]
	tensors   slab[tileir.TensorViewType]
	views     slab[tileir.PartitionViewType]
	strided   slab[tileir.StridedViewType]
	sparse    slab[tileir.GatherScatterViewType]

	opRefs    slab[*tileir.Op]
	valueRefs slab[*tileir.Value]
	blockRefs slab[*tileir.Block]
	types     slab[tileir.Type]
	attrs     slab[tileir.Attr]
	numbers   slab[tileir.Number]
	bools     slab[bool]
	ints      slab[int]
	int64s    slab[int64]
	parts     slab[int32]
}

// expect prepares for entries of n operations, with places of l kinds.
func (a *arena) expect(n, l int) {
	a.ops.next, a.opRefs.next, a.values.next, a.locs.next = n, n, n, l
	a.attrs.next, a.valueRefs.next, a.ints.next = n, 3*n, n/2
}

// budget counts the memory that a module takes.
type budget struct{ spent int }

// tooLarge is the panic of a module that takes more than the limit; Read turns it into an error.
type tooLarge struct{}

// room makes n zero elements, if the budget allows.
func room[T any](b *budget, n int) []T {
	b.spend(n * int(reflect.TypeFor[T]().Size()))
	return make([]T, n)
}

// reuse is room in a slice that is cleared and no longer needed, where it is large enough.
func reuse[T any](b *budget, old []T, n int) []T {
	if n > cap(old) {
		return room[T](b, n)
	}
	return old[:n]
}

func (b *budget) spend(bytes int) {
	if b.spent += bytes; b.spent > maxMemory {
		panic(tooLarge{})
	}
}
