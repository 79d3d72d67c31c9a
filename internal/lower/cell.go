package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
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
	fr.vars[fr.pkg.Info.Defs[id]] = l.newCell(id.Name, t, l.coerce(id.Pos(), v, t))
}

// find gives the cell of a variable: nil where it is not one of the kernel.
func (l *lowerer) find(fr *frame, o types.Object) *cell {
	c := fr.find(o)
	if c == nil {
		c = l.state[o]
	}
	l.read(c)
	return c
}

func (l *lowerer) read(c *cell) {
	if l.reads != nil && c != nil {
		l.reads[c] = true
	}
}

func (fr *frame) find(o types.Object) *cell {
	for f := fr; f != nil; f = f.parent {
		if c := f.vars[o]; c != nil {
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
func (l *lowerer) scope(f func() flow) flow {
	n := len(l.cells)
	r := f()
	l.trim(n)
	return r
}

// trim drops cells, but keeps those that travel with a value.
func (l *lowerer) trim(n int) {
	kept := l.cells[:n]
	for _, c := range l.cells[n:] {
		if c.keep {
			kept = append(kept, c)
		}
	}
	l.cells = kept
}

// leaves flattens a cell's value to tiles: those are what a loop carries and a branch yields.
func (l *lowerer) leaves(pos token.Pos, c *cell) []*tile { return l.flatten(pos, c, c.v, c.typ) }

func (l *lowerer) flatten(pos token.Pos, c *cell, v value, t types.Type) []*tile {
	switch v := v.(type) {
	case *structVal:
		st := t.Underlying().(*types.Struct)
		var out []*tile
		for i, f := range v.fields {
			out = append(out, l.flatten(pos, c, f, st.Field(i).Type())...)
		}
		return out
	case *listVal:
		var out []*tile
		for _, e := range v.elems {
			out = append(out, l.flatten(pos, c, e, elemType(t))...)
		}
		return out
	case *funcVal, noneVal:
		l.fail(pos, "%s is a function: it cannot change inside a loop or branch", c.name)
	case *tile:
		if v.meta != nil {
			l.fail(pos, "%s is a view or pointer: it cannot change inside a loop or branch", c.name)
		}
		if t == nil {
			return []*tile{v}
		}
	}
	return []*tile{l.as(pos, v, t)}
}

// rebuild is the reverse of flatten: it takes tiles from the front of vs.
func rebuild(old value, vs *[]*tile) value {
	switch v := old.(type) {
	case *structVal:
		s := &structVal{fields: make([]value, len(v.fields))}
		for i, f := range v.fields {
			s.fields[i] = rebuild(f, vs)
		}
		return s
	case *listVal:
		s := &listVal{elems: make([]value, len(v.elems))}
		for i, e := range v.elems {
			s.elems[i] = rebuild(e, vs)
		}
		return s
	}
	v := (*vs)[0]
	*vs = (*vs)[1:]
	return v
}

func elemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return t
}

// agree gives two values of one variable the same shape: a plain truth value spreads to the mask on the other side.
func (l *lowerer) agree(pos token.Pos, name string, a, b value) (value, value) {
	x, xTile := a.(*tile)
	y, yTile := b.(*tile)
	switch {
	case xTile && yTile:
		if x.desc.Shape != nil && y.desc.Shape != nil && !x.desc.Same(y.desc) {
			l.fail(pos, "%s is a tile of %s on one way and of %s on the other", name, typeText(x.desc), typeText(y.desc))
		}
	case xTile && isBool(b) && len(x.desc.Shape) > 0:
		return a, l.constant(pos, b, x.typ)
	case yTile && isBool(a) && len(y.desc.Shape) > 0:
		return l.constant(pos, a, y.typ), b
	}
	return a, b
}

func isBool(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Bool
}
