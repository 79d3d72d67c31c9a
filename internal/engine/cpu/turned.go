package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// turned are permutations that a load or store does on its way: the tile of the load lies in the arena as the permutation's
// result does, or that of the store as its operand. Such a permutation is another name for the same bytes.
type turned struct {
	renames map[*tileir.Op]bool       // permutations
	by      map[*tileir.Op]*tileir.Op // of a load or store: its permutation
}

// findTurned finds the permutations of which a load is the only source and all that uses the load, or a store is all that uses
// them.
func findTurned(b *tileir.Block, uses map[*tileir.Value]int) turned {
	t := turned{map[*tileir.Op]bool{}, map[*tileir.Op]*tileir.Op{}}
	for op := range b.All() {
		switch op.Info.Opcode {
		case tileir.OpPermute:
			if load := op.Operands[0].Def; load != nil && load.Info.Opcode == tileir.OpLoadViewTko {
				t.join(load, load.Operands[0], op, uses[load.Results[0]])
			}
		case tileir.OpStoreViewTko:
			if p := op.Operands[0].Def; p != nil && p.Info.Opcode == tileir.OpPermute {
				t.join(op, op.Operands[1], p, uses[op.Operands[0]])
			}
		}
	}
	return t
}

// join lets an access through a view do a permutation, if nothing else uses what lies between them. Views with an index for
// each element, and elements of half a byte, go through the tile in its own order.
func (t *turned) join(access *tileir.Op, view *tileir.Value, permute *tileir.Op, uses int) {
	v := viewOf(view.Type.(tileir.ViewType))
	if uses == 1 && !t.renames[permute] && v.sparse < 0 && v.elem.PerByte() == 1 {
		t.renames[permute], t.by[access] = true, permute
	}
}

// of gives the permutation that a load or store does, and reports whether an operation is one that is done so.
func (t *turned) of(op *tileir.Op) (permute *tileir.Op, renames bool) { return t.by[op], t.renames[op] }

// isAlias reports whether the result of an operation is its operand's bytes.
func (p *planner) isAlias(op *tileir.Op) bool {
	return shapeOf(op).alias || p.turned.renames[op] || keepsBytes(op)
}

// turn gives the strides of an access's tile in the arena, by the dimensions of its view, and these from the outermost on.
func (t *turned) turn(access *tileir.Op, tile []int) (strides, order []int) {
	order = make([]int, len(tile))
	for i := range order {
		order[i] = i
	}
	permute := t.by[access]
	if permute == nil {
		return rowMajor(tile), order
	}
	strides = make([]int, len(tile))
	dims := permute.Attr("permutation").(tileir.Ints)
	if access.Info.Opcode == tileir.OpLoadViewTko {
		for i, s := range rowMajor(tileType(permute.Results[0]).Shape) {
			strides[dims[i]], order[i] = s, int(dims[i])
		}
		return strides, order
	}
	for i, s := range rowMajor(tileType(permute.Operands[0]).Shape) {
		for k, d := range dims {
			if int(d) == i {
				strides[k], order[i] = s, k
			}
		}
	}
	return strides, order
}

// strewn reports whether a load or store is known to have neighbours of its tile at a distance in memory.
func (t *turned) strewn(access *tileir.Op) bool {
	v := viewOf(access.Address().Type.(tileir.ViewType))
	strides := access.Address().Type.(tileir.ViewType).TensorView().Strides
	_, order := t.turn(access, v.tile)
	for _, k := range slices.Backward(order) {
		if v.tile[k] > 1 {
			s := strides[v.axes[k].Dim]
			return s != 1 && s != tileir.Dynamic
		}
	}
	return false
}
