package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// order finds which accesses of the block have to wait for others of its threads: those that may meet in memory and that tokens order,
// or of which the second writes what depends on what the first reads; and all that tokens order around an access that orders memory for
// other blocks.
func (e *emitter) order() {
	list := e.p.Info.Accesses()
	for i, a := range list {
		e.turns[a.Op] = &ir.Turn{After: map[*ir.Turn]bool{}, Number: i}
	}
	in := influences{plan.NestingOf(e.p.Entry)}
	for _, b := range list {
		before := in.of(b.Op)
		for _, a := range list {
			if e.waits(a, b, before) {
				e.turns[b.Op].After[e.turns[a.Op]] = true
			}
		}
	}
}

// waits reports whether an access has to wait for another one. before are the operations that decide what it does.
func (e *emitter) waits(a, b *access.Access, before map[*tileir.Op]bool) bool {
	if acquires(a.Op) || releases(b.Op) {
		return e.p.Info.Ordered(a, b)
	}
	if !a.Writes && !b.Writes || !e.p.Info.MayTouch(a, b) {
		return false
	}
	return e.p.Info.Ordered(a, b) || !a.Writes && before[a.Op] && !e.sameThreads(a, b)
}

// sameThreads reports whether each thread writes only elements that it has read itself, and no other thread has.
func (e *emitter) sameThreads(a, b *access.Access) bool {
	if a.Base == nil || a.Base != b.Base || a.Elem != b.Elem || !a.Start.Equal(b.Start) || !a.Gathered.Equal(b.Gathered) || len(a.Gathered.Terms) > 0 {
		return false
	}
	if e.p.Stores[b.Op] != nil { // one thread writes them all
		return false
	}
	same := slices.EqualFunc(a.Dims, b.Dims, func(x, y access.Dim) bool { return x.Size == y.Size && x.Stride.Equal(y.Stride) })
	if !same || b.Op.Info.Opcode != tileir.OpStoreViewTko || a.Op.Info.Opcode != tileir.OpLoadViewTko {
		return false
	}
	l := e.wanted(a.Op.Results[0])
	value := b.Op.Operand("tile")
	return l.Duplicates() == 0 && l.Equal(e.wanted(value)) && l.Equal(e.p.Memory(b.Op, typeOf(value)))
}

func orderOf(op *tileir.Op) tileir.Int {
	return tileir.Int(op.Int("memory_ordering_semantics"))
}

func acquires(op *tileir.Op) bool {
	return orderOf(op) == tileir.MemoryAcquire || orderOf(op) == tileir.MemoryAcqRel
}

func releases(op *tileir.Op) bool {
	return orderOf(op) == tileir.MemoryRelease || orderOf(op) == tileir.MemoryAcqRel
}

// influences knows which operations decide what another one does: by its operands, and by whether it happens at all.
type influences struct{ *plan.Nesting }

// of gives the operations that influence one.
func (in influences) of(op *tileir.Op) map[*tileir.Op]bool {
	seen := map[*tileir.Op]bool{}
	var visit func(o *tileir.Op)
	visit = func(o *tileir.Op) {
		if o == nil || seen[o] {
			return
		}
		seen[o] = true
		visit(in.Around[o])
		for _, v := range o.Operands {
			if _, ok := v.Type.(tileir.TokenType); ok {
				continue
			}
			visit(v.Def)
			visit(in.Owner[v].Op)
		}
		for _, end := range in.Ends[o] {
			visit(end)
		}
	}
	visit(op)
	return seen
}
