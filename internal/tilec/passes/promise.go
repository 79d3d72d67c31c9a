package passes

import (
	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/tileir"
)

// Promise writes a proof into a kernel, as the attribute inbounds of bytecode 13.4. A load through a padded view is promised
// only where all of the tile lies inside, and goes through a view without padding then, as the assembler takes no other. Numbers of blocks that the proof settles become 0.
func Promise(e *tileir.Entry, proof Proof) {
	plain := map[*tileir.Value]*tileir.Value{}
	for _, o := range Accesses(e) {
		n := len(ranges.Indices(o))
		p := proof[:n]
		proof = proof[n:]
		if !p.Any() {
			continue
		}
		if view := o.Operand("view"); paddingOf(view.Type) != tileir.NoPadding {
			if !p.All() {
				continue
			}
			if plain[view] == nil {
				plain[view] = unpadded(e, view)
			}
			at := o.Info.OperandIndex("view")
			o.Group(at)[0] = plain[view]
		}
		bools := make(tileir.Bools, n)
		for i := range bools {
			bools[i] = p[i] == inside
		}
		o.Attrs[o.Info.AttrIndex("inbounds")] = bools
	}
	settle(e, proof.Alone())
	simplify(e)
}

func paddingOf(t tileir.Type) tileir.Padding {
	switch t := t.(type) {
	case *tileir.PartitionViewType:
		return t.Padding
	case *tileir.StridedViewType:
		return t.Padding
	}
	return tileir.NoPadding
}

// unpadded makes the same view without padding, beside the operation that makes it.
func unpadded(e *tileir.Entry, view *tileir.Value) *tileir.Value {
	var t tileir.Type
	switch old := view.Type.(type) {
	case *tileir.PartitionViewType:
		c := *old
		c.Padding, t = tileir.NoPadding, &c
	case *tileir.StridedViewType:
		c := *old
		c.Padding, t = tileir.NoPadding, &c
	}
	made := view.Def
	o := tileir.NewOp(made.Info, [][]*tileir.Value{made.Operands}, nil, []tileir.Type{t}, nil, made.Loc)
	insertAfter(e.Body, made, o)
	return o.Results[0]
}

func insertAfter(b *tileir.Block, at, o *tileir.Op) bool {
	for i, old := range b.Ops {
		if old == at {
			b.Ops = append(b.Ops[:i+1:i+1], append([]*tileir.Op{o}, b.Ops[i+1:]...)...)
			return true
		}
		for r := range old.Blocks() {
			if insertAfter(r, at, o) {
				return true
			}
		}
	}
	return false
}
