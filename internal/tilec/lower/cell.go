package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

func (l *lowerer) newCell(name string, t types.Type, v value) *cell {
	c := &cell{name: name, typ: t, v: v}
	l.cells = append(l.cells, c)
	return c
}

// declare gives a variable its cell.
func (l *lowerer) declare(fr *frame, id *ast.Ident, t types.Type, v value) {
	if id == nil || id.Name == "_" {
		return
	}
	fr.vars.set(fr.pkg.Info.Defs[id].(*types.Var), l.variable(id.Name, id.Pos(), t, v))
}

// variable makes a named cell. An array behind a slice takes the name of the first variable that holds the slice.
func (l *lowerer) variable(name string, pos token.Pos, t types.Type, v value) *cell {
	c := l.newCell(name, t, l.coerce(pos, v, t))
	if s, ok := c.v.(*sliceVal); ok && s.of != nil && s.of.c.name == "" {
		s.of.c.name = name
	}
	return c
}

// find gives the cell of a variable: nil where it is not one of the kernel.
func (l *lowerer) find(fr *frame, o types.Object) *cell {
	c := fr.find(o)
	if c == nil {
		c = l.state.of(o)
	}
	l.read(c)
	return c
}

// read notes what is read, where that is asked for.
func (l *lowerer) read(c *cell) {
	if l.reads != nil && c != nil {
		l.readPart(&place{c: c})
	}
}

func (l *lowerer) readPart(p *place) {
	if l.reads != nil {
		*l.reads = append(*l.reads, p)
	}
}

// variables are the cells of variables.
type variables map[*types.Var]*cell

// of gives the cell of a variable: nil where o is none, or another one.
func (vs variables) of(o types.Object) *cell {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	return vs[v]
}

func (vs variables) set(o types.Object, c *cell) { vs[o.(*types.Var)] = c }

// find gives the cell of a variable of the function, or of those around it.
func (fr *frame) find(o types.Object) *cell {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	for f := fr; f != nil; f = f.parent {
		if c := f.vars[v]; c != nil {
			return c
		}
	}
	return nil
}

func (l *lowerer) snapshot(n int) []value {
	out := make([]value, n)
	for i, c := range l.cells[:n] {
		out[i] = c.v
	}
	return out
}

func (l *lowerer) restore(vs []value) {
	for i, v := range vs {
		l.cells[i].v = v
	}
}

// scope ends the life of the variables that f declares.
func (l *lowerer) scope(fr *frame, f func() flow) flow {
	n := len(l.cells)
	r := f()
	l.trim(n, fr.ret)
	return r
}

// trim drops cells, but keeps those that travel with a value or that something older or a result can still reach.
func (l *lowerer) trim(n int, results []value) {
	var live map[*cell]bool
	kept := l.cells[:n]
	for _, c := range l.cells[n:] {
		if c.shared && live == nil {
			live = reachable(l.cells[:n], results)
		}
		if c.keep || live[c] {
			kept = append(kept, c)
		}
	}
	l.cells = kept
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
		case *funcVal:
			visit(v.self)
			if v.frame != nil {
				for _, c := range v.frame.vars {
					reach(c)
				}
			}
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
func (l *lowerer) agree(pos token.Pos, p *place, a, b value, inA, inB *tileir.Block) (value, value) {
	if t := p.typ(); isInterface(t) {
		l.sameHeld(pos, p, a, b)
	}
	x, xTile := a.(*tile)
	y, yTile := b.(*tile)
	switch {
	case a == unset{} && isConst(content(b)):
		a = b
	case a == unset{} && yTile:
		l.inBlock(inA, func() { a = l.filler(pos, y) })
	case b == unset{} && xTile:
		l.inBlock(inB, func() { b = l.filler(pos, x) })
	case xTile && yTile:
		if x.desc.Shape != nil && y.desc.Shape != nil && !x.desc.Same(y.desc) {
			l.Fail(pos, "%s is a tile of %s on one way and of %s on the other", p, typeText(x.desc), typeText(y.desc))
		}
	case xTile && isBool(b) && len(x.desc.Shape) > 0:
		l.inBlock(inB, func() { b = l.constant(pos, b, x.typ) })
	case yTile && isBool(a) && len(y.desc.Shape) > 0:
		l.inBlock(inA, func() { a = l.constant(pos, a, y.typ) })
	}
	return a, b
}

// filler is any value like x.
func (l *lowerer) filler(pos token.Pos, x *tile) value {
	if x.meta != nil || x.desc.Shape == nil || x.desc.Kind.IsView() || x.desc.Pointer || x.desc.Kind == describe.TokenKind {
		l.Fail(pos, "a view or pointer cannot be the result on only some of the ways through a loop or branch")
	}
	return l.constant(pos, constant.MakeInt64(0), x.typ)
}

func isBool(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Bool
}
