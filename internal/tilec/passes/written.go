package passes

import "github.com/cutile-go/cutile/tileir"

// Written reports, for each parameter of an entry, whether memory is written through it: whether a pointer that comes
// from it reaches an operation that stores.
func Written(e *tileir.Entry) []bool {
	w := &written{from: map[*tileir.Value]map[int]bool{}, out: make([]bool, len(e.Params))}
	for i, p := range e.Params {
		w.from[p] = map[int]bool{i: true}
	}
	for again := true; again; { // loops carry pointers back
		again = w.block(e.Body)
	}
	return w.out
}

type written struct {
	from map[*tileir.Value]map[int]bool // the parameters that a value's address may come from
	out  []bool
}

// addresses reports whether a value of a type can carry an address.
func addresses(t tileir.Type) bool {
	switch t := t.(type) {
	case *tileir.TileType:
		return t.Pointer || t.Elem == tileir.I64
	case tileir.TokenType:
		return false
	}
	return true
}

func (w *written) block(b *tileir.Block) (changed bool) {
	for _, o := range b.Ops {
		if o.Info.Writes {
			for _, v := range o.Operands {
				if t, ok := v.Type.(*tileir.TileType); ok && !t.Pointer {
					continue // the data, an index or a mask
				}
				for p := range w.from[v] {
					w.out[p] = true
				}
			}
			continue
		}
		for r := range o.Blocks() {
			changed = w.enter(o, r) || w.block(r) || changed
		}
		for _, r := range o.Results {
			if addresses(r.Type) {
				changed = w.flow(o.Operands, r) || changed
			}
		}
	}
	return changed
}

// enter passes operands to a region's arguments, and what the region hands back to the results.
func (w *written) enter(o *tileir.Op, r *tileir.Block) (changed bool) {
	for _, a := range r.Args {
		if addresses(a.Type) {
			changed = w.flow(o.Operands, a) || changed
		}
	}
	for _, res := range o.Results {
		if addresses(res.Type) {
			changed = w.flow(r.Ops[len(r.Ops)-1].Operands, res) || changed
		}
	}
	return changed
}

func (w *written) flow(from []*tileir.Value, to *tileir.Value) (changed bool) {
	for _, v := range from {
		for p := range w.from[v] {
			if w.from[to] == nil {
				w.from[to] = map[int]bool{}
			}
			if !w.from[to][p] {
				w.from[to][p], changed = true, true
			}
		}
	}
	return changed
}
