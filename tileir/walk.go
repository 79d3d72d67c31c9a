package tileir

import "iter"

// All iterates over the operations of all entries, entry by entry.
func (m *Module) All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for _, e := range m.Entries {
			if !e.Body.each(yield) {
				return
			}
		}
	}
}

// All iterates over the operations of the entry's body, like [Block.All].
func (e *Entry) All() iter.Seq[*Op] { return e.Body.All() }

// All iterates over the operations of the block and of all regions in it, each operation before those in its regions. The
// operations of a block are read when the iteration reaches it: a loop may replace those in the regions of the current
// operation.
func (b *Block) All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) { b.each(yield) }
}

// each reports whether yield wants more.
func (b *Block) each(yield func(*Op) bool) bool {
	if b == nil {
		return true
	}
	for _, o := range b.Ops {
		if !o.each(yield) {
			return false
		}
	}
	return true
}

// All iterates over the operation itself and the operations in its regions.
func (o *Op) All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) { o.each(yield) }
}

func (o *Op) each(yield func(*Op) bool) bool {
	if !yield(o) {
		return false
	}
	for _, r := range o.Regions {
		if !r.each(yield) {
			return false
		}
	}
	return true
}

// Blocks iterates over the regions that the operation has: an else may be absent.
func (o *Op) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for _, r := range o.Regions {
			if r != nil && len(r.Ops) > 0 && !yield(r) {
				return
			}
		}
	}
}

// Walk visits the operations in the order of [Block.All] with the operations that enclose each: around has those whose regions
// contain it, outermost first, and is valid only during the call. If visit returns false, Walk skips the regions of the
// operation.
func (b *Block) Walk(visit func(o *Op, around []*Op) bool) { b.walk(nil, visit) }

func (b *Block) walk(around []*Op, visit func(*Op, []*Op) bool) {
	for _, o := range b.Ops {
		if !visit(o, around) {
			continue
		}
		for r := range o.Blocks() {
			r.walk(append(around, o), visit)
		}
	}
}
