package cpu

import (
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// copiesOfView gives what copies between a view's memory and its tile; nil if it is interpreted, as is what has a memory order.
func (c *compiler) copiesOfView(a *access, t *tileir.TensorViewType) *nativeCopy {
	if a.sparse >= 0 || a.halves || strong(a.op) {
		return nil
	}
	load := a.op.Info.Opcode == tileir.OpLoadViewTko
	kinds := []nest.CopyKind{nest.Lines}
	if !a.adjacent(t, func(dense int) bool { return dense == 1 }) {
		kinds = append(kinds, nest.Gathered)
		if !load && !a.adjacent(t, func(int) bool { return true }) {
			kinds = append(kinds, nest.Scattered)
		}
	}
	return c.copies(a.size, kinds...)
}

// adjacent reports whether elements of the tensor are known to be adjacent along a dimension whose stride in the tile is ok.
func (a *access) adjacent(t *tileir.TensorViewType, ok func(dense int) bool) bool {
	for i, n := range a.tile {
		if n > 1 && t.Strides[a.axes[i].Dim] == 1 && ok(a.dense[i]) {
			return true
		}
	}
	return false
}

// copiesView notes that a load or store through a view, which stands alone, is done by machine code.
func (c *compiler) copiesView(a *access) {
	switch {
	case a.copies == nil:
	case c.plan.turned.by[a.op] != nil:
		c.notes.copies(a.op, "lines are copied, and turned on the way")
	default:
		c.notes.copies(a.op, "lines are copied")
	}
}
