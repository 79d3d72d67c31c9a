package cuda

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/tileir"
)

// debugKey is what the code of an entry depends on beside its bytecode where debuggers are told of it: the calls, and what variables hold, of
// which bytecode has nothing.
func debugKey(e *tileir.Entry) (key []byte) {
	if !debug.On(debug.Variables) {
		return nil
	}
	key = append(key, "with variables"...)
	ops, values := map[*tileir.Op]int{}, map[*tileir.Value]int{}
	number := func(list []*tileir.Value) {
		for _, v := range list {
			values[v] = len(values)
		}
	}
	number(e.Params)
	for o := range e.All() {
		ops[o] = len(ops)
		number(o.Results)
		for b := range o.Blocks() {
			number(b.Args)
		}
	}
	var part func(p *tileir.VariablePart)
	part = func(p *tileir.VariablePart) {
		if p == nil {
			key = append(key, " nothing"...)
			return
		}
		value := -1
		if n, ok := values[p.Value]; ok {
			value = n
		}
		key = fmt.Appendf(key, " {%q %q %d %d %d %t %t", p.Name, p.Type, value, p.Elem, p.Bits, p.Unsigned, p.List)
		for _, q := range p.Parts {
			part(q)
		}
		key = append(key, '}')
	}
	for _, h := range e.Holdings {
		v := h.Variable
		key = fmt.Appendf(key, "\n%d %q %q %d %d %d %d %t", ops[h.Before], v.Name, v.Loc.File, v.Loc.Line, v.Loc.Col, v.Until.Line, v.Until.Col, v.Param)
		for c := v.Loc.Caller; c != nil; c = c.Caller {
			key = fmt.Appendf(key, " in %q %d %d", c.File, c.Line, c.Col)
		}
		part(h.What)
	}
	return key
}
