package tileir

import "iter"

// All gives the operations of all entries, entry by entry.
func (m *Module) All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for _, e := range m.Entries {
			if !e.Body.each(yield) {
				return
			}
		}
	}
}

// All gives the operations of the entry's body, as [Block.All] does.
func (e *Entry) All() iter.Seq[*Op] { return e.Body.All() }

// All gives the operations of the block and of all regions in it, each operation before those in its regions. The list of
// a block is read when the walk comes to it: a loop may give the regions of the current operation other operations.
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

// All gives the operation itself and those in its regions.
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

// Blocks gives the regions of the operation that are there: an else may be absent.
func (o *Op) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for _, r := range o.Regions {
			if r != nil && len(r.Ops) > 0 && !yield(r) {
				return
			}
		}
	}
}

// Walk visits the operations in the order of [Block.All] and tells what each stands in: around has the operations whose
// regions hold it, outermost first, and is valid only during the call. Where visit reports false, the walk leaves out the
// regions of the operation.
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
