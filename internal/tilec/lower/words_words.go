package lower

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/decl"
)

// Declared is a function of the language whose directive says what a call of it does.
type Declared interface {
	function
	Directive() *decl.Directive
	Receiver() (name string, t types.Type, ok bool)
	TypeArgs() map[string]types.Type
}

// call is a call of a function with a directive; a receiver is the first of the arguments.
type call struct {
	*emitter
	fn   Declared
	pos  token.Pos
	args []value

	names []string     // of the parameters, once they are bound
	types []types.Type // of the parameters
}

// do emits or answers what the directive of a function says. Operations know lists, but no slices.
func do(em *emitter, fn Declared, pos token.Pos, args []value) []value {
	for i, a := range args {
		args[i] = em.plain(a)
	}
	c := &call{emitter: em, fn: fn, pos: pos, args: args}
	var out []value
	if fn.Directive().Word == decl.Op {
		out = c.op()
	} else {
		out = c.intrinsic()
	}
	for i, v := range out {
		if list, ok := v.(*listVal); ok {
			out[i] = em.newSlice(elemType(fn.Results()[i]), list.elems, len(list.elems))
		}
	}
	return out
}

// bind names the arguments by the parameters.
func (c *call) bind() {
	if c.names != nil {
		return
	}
	if name, t, ok := c.fn.Receiver(); ok {
		c.names, c.types = append(c.names, name), append(c.types, t)
	}
	names, ts := c.fn.Params()
	c.names, c.types = append(c.names, names...), append(c.types, ts...)
}

// index is the place of a parameter: -1 where there is none of this name.
func (c *call) index(name string) int { return slices.Index(c.names, name) }
