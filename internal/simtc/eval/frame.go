package eval

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// frame holds the variables of a function or of a block in it. Go's blocks nest, and so do the
// frames.
type frame struct {
	up   *frame
	vars map[types.Object]*emit.Cell
	env  *world.Env
	pkg  *world.Pkg
	call *callState
}

// sub makes the frame of a block inside of this one.
func (fr *frame) sub() *frame {
	return &frame{up: fr, vars: map[types.Object]*emit.Cell{}, env: fr.env, pkg: fr.pkg, call: fr.call}
}

// find gives the variable of an object, or nil if the object is not a variable of this function or
// of those around it.
func (fr *frame) find(o types.Object) *emit.Cell {
	for ; fr != nil; fr = fr.up {
		if c := fr.vars[o]; c != nil {
			return c
		}
	}
	return nil
}
