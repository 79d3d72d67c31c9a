package plan

import "github.com/cutile-go/cutile/tileir"

// fetched finds the loads of products' factors that no loop copies ahead, such as those in front of the loop, and whose tiles come to shared
// memory as boxes where they are loaded, to lie there until their products have read them: so many maps are taken already.
func (p *Plan) fetched(maps int) map[*tileir.Op]*Feed {
	out := map[*tileir.Op]*Feed{}
	for op := range p.Entry.All() {
		if f := p.fetch(op); f != nil && maps < mostMaps {
			out[op] = f
			maps++
		}
	}
	return out
}

// fetch describes a load that may come as a box: all threads wait for it, so that nobody else has to, but it waits for nobody.
func (p *Plan) fetch(op *tileir.Op) *Feed {
	if op.Info.Opcode != tileir.OpLoadViewTko || p.Feeds[op] != nil || tileir.Int(op.Int("memory_ordering_semantics")) != tileir.MemoryWeak {
		return nil
	}
	t := op.Results[0].Type.(*tileir.TileType)
	if t.Size()*t.Elem.Bytes()/t.Elem.PerByte() < leastBoxed || op.Operand("view").Type.(tileir.ViewType).PaddingValue() > tileir.PadZero || p.awaits(op) {
		return nil
	}
	if v := p.Vector(op); v.Elems*t.Elem.Bytes() != Widest || t.Elem.PerByte() > 1 {
		return nil
	}
	why, known := p.Reasons[op]
	f := p.toProduct(&Feed{Load: op})
	if delete(p.Reasons, op); known { // which says why no loop copies it
		p.Reasons[op] = why
	}
	if f == nil || f.Again != nil || f.To.Wide != nil {
		return nil
	}
	if f.Tensor, _ = p.tensor(op); f.Tensor == nil {
		return nil
	}
	return f
}
