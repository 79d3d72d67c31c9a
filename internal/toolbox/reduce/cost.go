package reduce

import (
	"math/bits"

	"github.com/cutile-go/cutile/tileir"
)

// What the parts of a module cost. A change has to make the sum less, so that the search ends.
const (
	entryCost    = 100
	globalCost   = 50
	opCost       = 20
	standInCost  = 8  // of an operation that stands for others
	paramCost    = 15 // more than a stand-in for it
	valueCost    = 3  // of an operand, a result or an argument
	attrCost     = 2
	positionCost = 1
)

// cost is how large a module is.
func (t *tree) cost() int {
	if t.price < 0 {
		t.price = t.sum()
	}
	return t.price
}

func (t *tree) sum() (n int) {
	for _, g := range t.module.Globals {
		n += globalCost + bits.Len(uint(len(g.Value.Data))) + locCost(g.Loc)
	}
	for _, e := range t.module.Entries {
		n += entryCost + paramCost*len(e.Params) + locCost(e.Loc) + attrCost*len(e.Hints)
		for op := range e.All() {
			n += costOf(op)
		}
	}
	return n
}

func costOf(op *tileir.Op) int {
	n := opCost
	if standsIn(op) {
		n = standInCost
	}
	n += valueCost*len(op.Operands) + valuesCost(op.Results) + locCost(op.Loc)
	for r := range op.Blocks() {
		n += valuesCost(r.Args)
	}
	for i, a := range op.Attrs {
		n += attributeCost(&op.Info.Attrs[i], a)
	}
	return n
}

// standsIn reports whether an operation only makes a value of nothing.
func standsIn(op *tileir.Op) bool {
	return op.Info.Opcode == tileir.OpConstant || op.Info.Opcode == tileir.OpMakeToken
}

func locCost(l tileir.Loc) int {
	if l.IsZero() {
		return 0
	}
	return positionCost
}

// attributeCost is that of an attribute: what is not the default costs, and what has many bits.
func attributeCost(in *tileir.AttrInfo, a tileir.Attr) int {
	switch a := a.(type) {
	case nil:
		return 0
	case *tileir.Constant:
		n := bits.Len(uint(len(a.Data)))
		if v, ok := a.Splat(); ok {
			n = bits.Len(uint(min(v, 2)))
		}
		return n
	}
	if _, less := plainValue(in, a); less {
		return attrCost + 1
	}
	return attrCost
}

func valuesCost(vs []*tileir.Value) (n int) {
	for _, v := range vs {
		n += valueCost
		for _, d := range extentsOf(v.Type) {
			n += bits.Len(uint(d)) - 1
		}
	}
	return n
}

// extentsOf are the extents of a tile, or of the tiles of a view.
func extentsOf(t tileir.Type) []int {
	switch t := t.(type) {
	case *tileir.TileType:
		return t.Shape
	case tileir.ViewType:
		if tile := t.TileType(); tile != nil {
			return tile.Shape
		}
	}
	return nil
}
