package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/tileir"
)

// effect is what an operation does to memory, as other blocks see it.
type effect struct {
	kind     races.Kind
	acquires bool
	releases bool
	strong   bool
	elem     tileir.Elem
}

// effectOf gives the effect of an operation; false if it touches no memory. What is ordered or atomic within the scope of
// a block alone is neither for other blocks.
func effectOf(op *tileir.Op) (effect, bool) {
	if !op.Info.Reads && !op.Info.Writes {
		return effect{}, false
	}
	e := effect{kind: races.Read, strong: strong(op)}
	if op.Info.Writes {
		e.kind = races.Write
	}
	switch t := op.Address().Type.(type) {
	case tileir.ViewType:
		e.elem = t.TensorView().Elem
	case *tileir.TileType:
		e.elem = t.Elem
	}
	if !e.strong || tileir.Int(op.Int("memory_scope")) == tileir.ScopeTileBlock {
		return e, true
	}
	e.kind += races.AtomicRead - races.Read
	order := tileir.Int(op.Int("memory_ordering_semantics"))
	e.acquires = order == tileir.MemoryAcquire || order == tileir.MemoryAcqRel
	e.releases = order == tileir.MemoryRelease || order == tileir.MemoryAcqRel
	return e, true
}

// traits is what a watch, and a comparison of twins, must know of a kernel.
type traits struct {
	orders  bool // some operation releases or acquires
	keeps   bool // blocks may wait for others, or print: they run in the usual order
	recasts bool // pointers may change their type
	atomics bool // some access is atomic: the order of blocks may show in results
	grain   int  // bytes of the smallest access
	ops     []*tileir.Op
}

// findTraits reads the traits off an entry.
func findTraits(e *tileir.Entry) traits {
	t := traits{grain: 8}
	e.Body.Walk(func(op *tileir.Op, around []*tileir.Op) bool {
		switch op.Info.Opcode {
		case tileir.OpPtrToPtr, tileir.OpIntToPtr:
			t.recasts = true
		case tileir.OpPrintTko:
			text, _ := op.Attr("str").(tileir.String)
			t.keeps = t.keeps || !cover.IsMark(string(text))
		}
		if e, ok := effectOf(op); ok {
			t.grain = min(t.grain, e.elem.Bytes())
			t.orders = t.orders || e.acquires || e.releases
			t.atomics = t.atomics || e.kind == races.AtomicRead || e.kind == races.AtomicWrite
			t.keeps = t.keeps || e.strong && slices.ContainsFunc(around, func(o *tileir.Op) bool { return shapeOf(o).body == endless })
		}
		return true
	})
	return t
}
