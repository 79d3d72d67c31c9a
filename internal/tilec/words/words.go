package words

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// Declared is a function of the language whose directive tells what a call of it does. Package
// lower implements it.
type Declared interface {
	emit.Function
	Directive() *decl.Directive
	Receiver() (name string, t types.Type, ok bool)
	TypeArgs() map[string]types.Type
}

// call is a call of a function with a directive. The receiver is the first of the arguments.
type call struct {
	*emit.Emitter
	fn   Declared
	pos  token.Pos
	args []emit.Value

	names []string     // of the parameters, once bind has run
	types []types.Type // of the parameters
}

// Do emits the operation that the directive of a function names, or answers its question.
// Operations know lists but no slices, so slices are converted on the way in and out.
func Do(em *emit.Emitter, fn Declared, pos token.Pos, args []emit.Value) []emit.Value {
	for i, a := range args {
		// The values that slices hold now are what the operation gets.
		args[i] = em.Plain(a)
	}
	c := &call{Emitter: em, fn: fn, pos: pos, args: args}
	var out []emit.Value
	if fn.Directive().Word == decl.Op {
		out = c.op()
	} else {
		out = c.intrinsic()
	}
	for i, v := range out {
		// The results are slices in Go.
		if list, ok := v.(*emit.List); ok {
			out[i] = em.NewSlice(emit.ElemType(fn.Results()[i]), list.Elems, len(list.Elems))
		}
	}
	return out
}

// bind gives the arguments the names and types of the parameters. Most intrinsics do not need them.
func (c *call) bind() {
	if c.names != nil {
		return
	}
	// The receiver counts as the first parameter, as directives name it like the others.
	c.names, c.types = c.fn.Params()
	if name, t, ok := c.fn.Receiver(); ok {
		c.names, c.types = slices.Insert(c.names, 0, name), slices.Insert(c.types, 0, t)
	}
}

// index gives the index of a parameter among the arguments, or -1 if there is none with that name.
func (c *call) index(name string) int { return slices.Index(c.names, name) }

// called gives the function of the language that the user's code called on the way here, for
// messages.
func (c *call) called() string {
	return c.Calls.Outermost(c.fn.Name())
}
