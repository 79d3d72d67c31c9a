package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// declare makes the cell of a variable.
func (l *lowerer) declare(fr *frame, id *ast.Ident, t types.Type, v emit.Value) {
	if id == nil || id.Name == "_" {
		return
	}
	o := fr.pkg.Info.Defs[id].(*types.Var)
	c := l.Variable(id.Name, id.Pos(), t, v)
	fr.vars.set(o, c)
	l.debug(o, c)
}

// debug tells debuggers of a variable.
func (l *lowerer) debug(o *types.Var, c *emit.Cell) {
	param := o.Kind() == types.ParamVar || o.Kind() == types.RecvVar
	if s := o.Parent(); s != nil {
		l.Declared(c, o.Pos(), s.End(), param)
	}
}

// find gives the cell of a variable, or nil if it is not a variable of the kernel.
func (l *lowerer) find(fr *frame, o types.Object) *emit.Cell {
	c := fr.find(o)
	if c == nil {
		c = l.state.of(o)
	}
	// A counted loop gathers what its bounds read.
	l.Read(c)
	return c
}

// variables maps variables to their cells.
type variables map[*types.Var]*emit.Cell

// of gives the cell of an object, or nil if the object is not one of these variables.
func (vs variables) of(o types.Object) *emit.Cell {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	return vs[v]
}

// set gives a variable its cell.
func (vs variables) set(o types.Object, c *emit.Cell) { vs[o.(*types.Var)] = c }

// find gives the cell of a variable of the function or of the functions around it.
func (fr *frame) find(o types.Object) *emit.Cell {
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
