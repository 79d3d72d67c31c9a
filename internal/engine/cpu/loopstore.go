package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/tileir"
)

// A loop that is a product often has a store right behind it, which is all that becomes of the sums. The product then puts them
// where the store would, and the store does nothing.

// findStores finds the stores of what loops that are products compute, in a block and in the regions of its operations.
func (l *loopProducts) findStores(b *tileir.Block, order func(*tileir.Block) []*tileir.Op) {
	ops := order(b)
	for i, op := range ops {
		for _, r := range op.Regions {
			if r != nil {
				l.findStores(r, order)
			}
		}
		if p := l.loops[op]; p != nil {
			l.stores[op] = storeOf(op.Results[p.Carried], ops[i+1:])
		}
	}
}

// storeOf finds the operation that stores a value, if only pure operations come before it, and it needs none of their results.
func storeOf(v *tileir.Value, ops []*tileir.Op) *tileir.Op {
	between := map[*tileir.Op]bool{nil: false}
	for _, op := range ops {
		if op.Info.Opcode == tileir.OpStoreViewTko && op.Operands[0] == v && !strong(op) {
			if slices.ContainsFunc(op.Operands, func(w *tileir.Value) bool { return between[w.Def] }) {
				return nil
			}
			return op
		}
		if !op.Info.Pure {
			return nil
		}
		between[op] = true
	}
	return nil
}

// storeBehind prepares the store behind a loop; nil if there is none, if something else uses the value, too, or if the store is
// done together with other operations.
func (c *compiler) storeBehind(loop *tileir.Op, v *tileir.Value) *access {
	op := c.products.stores[loop]
	if op == nil || c.plan.uses[v] != 1 || c.plan.joins(op) {
		delete(c.products.stores, loop)
		return nil
	}
	return c.newAccess(op, op.Operands[1], op.Group(2))
}

// joins reports whether an operation is done together with others.
func (p *planner) joins(op *tileir.Op) bool {
	for _, s := range p.segments {
		for i := range s.Steps {
			if s.Steps[i].Op == op {
				return true
			}
		}
	}
	for _, r := range p.runs {
		if slices.Contains(r.ops, op) {
			return true
		}
	}
	return false
}

// behindProduct reports whether an operation is a store that a product before it may have done.
func (c *compiler) behindProduct(op *tileir.Op) bool {
	for _, s := range c.products.stores {
		if s == op {
			return true
		}
	}
	return false
}

// target gives the place in memory where the sums go, of so many rows and columns, if the store puts just these there, in rows that are
// apart; else the given place in the arena.
func (l *loopProduct) target(f *frame, arena gemm.Sums, rows, cols int) (to gemm.Sums, inMemory bool) {
	if l.store == nil {
		return arena, false
	}
	var r region
	ok := l.store.find(f, &r)
	f.fault = nil // the store will say it
	if !ok {
		return arena, false
	}
	base, stride, ok := l.store.rows(&r, l.spec.M, l.spec.N)
	if !r.whole {
		base, stride, ok = l.store.rowsInside(&r, [2]int{l.spec.M, l.spec.N}, [2]int{rows, cols})
	} else if rows < l.spec.M || cols < l.spec.N {
		return arena, false
	}
	if !ok || stride < cols*l.spec.Kind.Acc() {
		return arena, false
	}
	return gemm.Sums{At: base, Row: stride}, true
}
