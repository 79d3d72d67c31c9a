package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// holdings finds what the variables of the source hold from each operation on.
func holdings(e *tileir.Entry) map[*tileir.Op][]*tileir.Holding {
	at := map[*tileir.Op][]*tileir.Holding{}
	for i := range e.Holdings {
		h := &e.Holdings[i]
		at[h.Before] = append(at[h.Before], h)
	}
	return at
}

// observe tells debuggers of the variables that have changed before an operation. It makes no values, so that the program stays as it is.
func (e *emitter) observe(op *tileir.Op) {
	if e.producing { // its warp does not run the kernel's own code
		return
	}
	for _, h := range e.holdings[op] {
		e.Observe(&ir.Observed{Variable: h.Variable, What: e.observed(h.What)})
	}
}

// observed is what is known of a part: nil for nothing, such as a tile that is in no registers, or in shared memory.
func (e *emitter) observed(p *tileir.VariablePart) *ir.ObservedPart {
	switch {
	case p == nil:
		return nil
	case p.Value != nil:
		return e.observedTile(p)
	case p.Elem != tileir.NoElem:
		t := tileir.Tile(p.Elem)
		if !shown(t) {
			return nil
		}
		return &ir.ObservedPart{Name: p.Name, Type: p.Type, Elem: p.Elem, Unsigned: p.Unsigned, Bits: p.Bits}
	}
	out := &ir.ObservedPart{Name: p.Name, Type: p.Type, List: p.List}
	for _, q := range p.Parts {
		if part := e.observed(q); part != nil {
			out.Parts = append(out.Parts, part)
		}
	}
	if len(out.Parts) == 0 || p.List && len(out.Parts) < len(p.Parts) {
		return nil
	}
	return out
}

// observedTile is what registers have of a tile.
func (e *emitter) observedTile(p *tileir.VariablePart) *ir.ObservedPart {
	x := e.vals[p.Value]
	if x == nil || x.gen != nil || !shown(x.t) || len(e.p.Uses[p.Value]) == 0 { // what nobody uses may be made up
		return nil
	}
	t := typeOf(p.Value)
	out := &ir.ObservedPart{Name: p.Name, Type: p.Type, Elem: t.Elem, Pointer: t.Pointer, Unsigned: p.Unsigned, Shape: t.Shape}
	switch {
	case len(x.regs) == 0:
		return nil
	case t.Size() == 1:
		out.Values = x.regs[:1]
	case len(x.regs) != x.lay.Regs():
		return nil
	default:
		out.Values = x.regs
	}
	return out
}

// shown reports whether debuggers know what to make of an element's register: not of one that has less than a byte, but for truth values.
func shown(t *tileir.TileType) bool {
	_, ok := lane.Form(t)
	return ok && (t.Pointer || t.Elem == tileir.I1 || t.Elem.Bits() >= 8)
}
