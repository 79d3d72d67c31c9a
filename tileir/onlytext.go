package tileir

import (
	"slices"

	"github.com/cutile-go/cutile/internal/names"
)

// EntryKind distinguishes kernels from entries that occur only in texts of the dialect's own tests.
type EntryKind uint8

// The kinds of entries.
const (
	KernelEntry EntryKind = iota
	TestFunc              // a function, which has parameters of any type and may have results
	LooseOps              // operations outside of an entry
)

// OpForeign is the opcode of operations of other dialects, which are in no table.
const OpForeign = 25

// OnlyText returns the reason why a module cannot be written as bytecode or run, or "": it has parts that only the text form
// can represent; see [EntryKind].
func (m *Module) OnlyText() string {
	for _, e := range m.Entries {
		switch {
		case e == nil || e.Kind == KernelEntry:
		case e.Kind == LooseOps:
			return "operations stand outside of an entry"
		default:
			return "@" + names.Symbol(e.Name) + " is a function of a test, not an entry"
		}
		if e != nil && e.Body.hasForeign() {
			return "@" + names.Symbol(e.Name) + " has operations of other dialects"
		}
	}
	return ""
}

func (b *Block) hasForeign() bool {
	return b != nil && slices.ContainsFunc(b.Ops, func(o *Op) bool {
		return o != nil && o.Info != nil && (o.Info.Opcode == OpForeign || slices.ContainsFunc(o.Regions, (*Block).hasForeign))
	})
}
