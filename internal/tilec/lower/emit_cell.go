package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

func (em *emitter) newCell(name string, t types.Type, v value) *cell {
	c := &cell{name: name, typ: t, v: v}
	em.cells = append(em.cells, c)
	return c
}

// variable makes a named cell. An array behind a slice takes the name of the first variable that holds the slice.
func (em *emitter) variable(name string, pos token.Pos, t types.Type, v value) *cell {
	c := em.newCell(name, t, em.coerce(pos, v, t))
	if s, ok := c.v.(*sliceVal); ok && s.of != nil && s.of.c.name == "" {
		s.of.c.name = name
	}
	return c
}

// read notes what is read, where that is asked for.
func (em *emitter) read(c *cell) {
	if em.reads != nil && c != nil {
		em.readPart(&place{c: c})
	}
}

func (em *emitter) readPart(p *place) {
	if em.reads != nil {
		*em.reads = append(*em.reads, p)
	}
}

func (em *emitter) snapshot(n int) []value {
	out := make([]value, n)
	for i, c := range em.cells[:n] {
		out[i] = c.v
	}
	return out
}

func (em *emitter) restore(vs []value) {
	for i, v := range vs {
		em.cells[i].v = v
	}
}

// scope ends the life of the variables that f declares.
func (em *emitter) scope(in *inlined, f func() flow) flow {
	n := len(em.cells)
	r := f()
	em.trim(n, in.ret)
	return r
}

// trim drops cells, but keeps those that travel with a value or that something older or a result can still reach.
func (em *emitter) trim(n int, results []value) {
	var live map[*cell]bool
	kept := em.cells[:n]
	for _, c := range em.cells[n:] {
		if c.shared && live == nil {
			live = reachable(em.cells[:n], results)
		}
		if c.keep || live[c] {
			kept = append(kept, c)
		}
	}
	em.cells = kept
}

// reachable are the cells that pointers, slices and functions lead to.
func reachable(from []*cell, values []value) map[*cell]bool {
	live := map[*cell]bool{}
	var visit func(v value)
	reach := func(c *cell) {
		if !live[c] {
			live[c] = true
			visit(c.v)
		}
	}
	visit = func(v value) {
		switch v := v.(type) {
		case *structVal, *listVal:
			for _, p := range partsOf(v) {
				visit(p)
			}
		case *held:
			visit(v.v)
		case *place:
			reach(v.c)
		case *sliceVal:
			if v.of != nil {
				reach(v.of.c)
			}
		case function:
			v.Reach(visit, reach)
		}
	}
	for _, c := range from {
		visit(c.v)
	}
	for _, v := range values {
		visit(v)
	}
	return live
}

func elemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Pointer:
		return elemType(u.Elem())
	}
	return t
}

// agree gives two values of one variable, from two blocks, the same shape: a plain truth value spreads to the mask on the
// other side, and what is not set on one side is nobody's business there.
func (em *emitter) agree(pos token.Pos, p *place, a, b value, inA, inB *tileir.Block) (value, value) {
	if t := p.typ(); isInterface(t) {
		em.sameHeld(pos, p, a, b)
	}
	x, xTile := a.(*tile)
	y, yTile := b.(*tile)
	switch {
	case a == unset{} && isConst(content(b)):
		a = b
	case a == unset{} && yTile:
		em.inBlock(inA, func() { a = em.filler(pos, y) })
	case b == unset{} && xTile:
		em.inBlock(inB, func() { b = em.filler(pos, x) })
	case xTile && yTile:
		if x.desc.Shape != nil && y.desc.Shape != nil && !x.desc.Same(y.desc) {
			em.Fail(pos, "%s is a tile of %s on one way and of %s on the other", p, typeText(x.desc), typeText(y.desc))
		}
	case xTile && isBool(b) && len(x.desc.Shape) > 0:
		em.inBlock(inB, func() { b = em.constant(pos, b, x.typ) })
	case yTile && isBool(a) && len(y.desc.Shape) > 0:
		em.inBlock(inA, func() { a = em.constant(pos, a, y.typ) })
	}
	return a, b
}

// filler is any value like x.
func (em *emitter) filler(pos token.Pos, x *tile) value {
	if x.meta != nil || x.desc.Shape == nil || x.desc.Kind.IsView() || x.desc.Pointer || x.desc.Kind == describe.TokenKind {
		em.Fail(pos, "a view or pointer cannot be the result on only some of the ways through a loop or branch")
	}
	return em.constant(pos, constant.MakeInt64(0), x.typ)
}

func isBool(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Bool
}
