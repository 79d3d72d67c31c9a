package emit

import (
	"go/token"
	"go/types"
)

// NewCell makes a variable. t is nil for a value that belongs to another value, such as the memory
// token of a tensor.
func (em *Emitter) NewCell(name string, t types.Type, v Value) *Cell {
	c := &Cell{Name: name, Type: t, V: v}
	em.Cells = append(em.Cells, c)
	return c
}

// Variable makes a variable with a name. The array of a slice takes the name of the first variable
// that holds the slice, so that messages can name it.
func (em *Emitter) Variable(name string, pos token.Pos, t types.Type, v Value) *Cell {
	c := em.NewCell(name, t, em.Coerce(pos, v, t))
	// The array has no name in the source, but messages about its elements need one.
	if s, ok := c.V.(*Slice); ok && s.Of != nil && s.Of.Cell.Name == "" {
		s.Of.Cell.Name = name
	}
	return c
}

// Read records that a variable is read, if the caller asked for that.
func (em *Emitter) Read(c *Cell) {
	if em.Reads != nil && c != nil {
		em.ReadPart(&Place{Cell: c})
	}
}

// ReadPart records that a part of a variable is read, if the caller asked for that. A counted loop
// needs to know what its bounds depend on.
func (em *Emitter) ReadPart(p *Place) {
	if em.Reads != nil {
		*em.Reads = append(*em.Reads, p)
	}
}

// Snapshot lists the values of the first n cells. Values never change, so the list is enough to
// restore the cells.
func (em *Emitter) Snapshot(n int) []Value {
	out := make([]Value, n)
	for i, c := range em.Cells[:n] {
		out[i] = c.V
	}
	return out
}

// Restore gives the first cells the values that a [Emitter.Snapshot] has for them.
func (em *Emitter) Restore(vs []Value) {
	for i, v := range vs {
		em.Cells[i].V = v
		// What debuggers were told on another path does not count on this one.
		em.Cells[i].told = told{}
	}
}

// Scope ends the life of the variables that f declares.
func (em *Emitter) Scope(in *Inlined, f func() Flow) Flow {
	n := len(em.Cells)
	r := f()
	em.Trim(n, in.Ret)
	return r
}

// Trim drops the cells from the n-th on, except those which must be kept: cells that belong to a
// value, and cells that an older cell or a result can still reach. Fewer cells make each later
// branch and loop cheaper, as these compare all of them.
func (em *Emitter) Trim(n int, results []Value) {
	var live map[*Cell]bool
	// The cells that stay move down, in their order.
	kept := em.Cells[:n]
	for _, c := range em.Cells[n:] {
		// Most calls share no cell, and need no search.
		if c.Shared && live == nil {
			live = reachable(em.Cells[:n], results)
		}
		// A cell that is dropped need not be compared by branches and loops any more.
		if c.Keep || live[c] {
			kept = append(kept, c)
		}
	}
	em.Cells = kept
}

// reachable lists the cells that pointers, slices and functions in some cells and values lead to.
func reachable(from []*Cell, values []Value) map[*Cell]bool {
	live := map[*Cell]bool{}
	var visit func(v Value)
	reach := func(c *Cell) {
		if !live[c] {
			live[c] = true
			visit(c.V)
		}
	}
	visit = func(v Value) {
		switch v := v.(type) {
		case *Struct, *List:
			for _, p := range PartsOf(v) {
				visit(p)
			}
		case *Held:
			visit(v.V)
		case *Place:
			reach(v.Cell)
		case *Slice:
			// A nil slice has no array.
			if v.Of != nil {
				reach(v.Of.Cell)
			}
		case Function:
			v.Reach(visit, reach)
		}
	}
	for _, c := range from {
		visit(c.V)
	}
	for _, v := range values {
		visit(v)
	}
	return live
}
