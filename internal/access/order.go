package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Ordered reports whether tokens make an access wait for another one, first, which comes before it in the text or in an earlier
// iteration. Weak accesses without such an order may be made in any.
func (in *Info) Ordered(first, second *Access) bool {
	seen := map[*tileir.Value]bool{}
	token := second.Op.Operand("token")
	return token != nil && in.waits(token, first.Op, seen)
}

// Behind reports whether tokens make an access wait for an operation that is no access itself, such as a fence.
func (in *Info) Behind(op *tileir.Op, a *Access) bool {
	token := a.Op.Operand("token")
	return token != nil && in.waits(token, op, map[*tileir.Value]bool{})
}

// waits reports whether a token stands for the end of an operation, among others.
func (in *Info) waits(token *tileir.Value, end *tileir.Op, seen map[*tileir.Value]bool) bool {
	if seen[token] {
		return false
	}
	seen[token] = true
	if token.Def == end {
		return true
	}
	for _, v := range in.tokensBefore(token) {
		if in.waits(v, end, seen) {
			return true
		}
	}
	return false
}

// tokensBefore are the tokens that another one is made of or may be.
func (in *Info) tokensBefore(v *tileir.Value) (out []*tileir.Value) {
	if v.Def == nil {
		return in.incoming(v)
	}
	switch v.Def.Info.Opcode {
	case tileir.OpIf:
		return in.yields(v)
	case tileir.OpFor, tileir.OpLoop:
		return in.outgoing(v)
	}
	for _, w := range v.Def.Operands {
		if _, ok := w.Type.(tileir.TokenType); ok {
			out = append(out, w)
		}
	}
	return out
}

// incoming are the values that a block argument of a loop may be.
func (in *Info) incoming(v *tileir.Value) (out []*tileir.Value) {
	n := in.values[v]
	if n.block == nil {
		return nil
	}
	loop := in.owner[n.block]
	args := n.block.Args
	switch loop.Info.Opcode {
	case tileir.OpFor, tileir.OpLoop:
	default:
		return nil
	}
	i := int(n.place) - len(args) // from the end, as a for has a counter before them
	from := [][]*tileir.Value{loop.Operands}
	for _, o := range ends(n.block, tileir.OpContinue) {
		from = append(from, o.Operands)
	}
	for _, list := range from {
		if at := len(list) + i; at >= 0 {
			out = append(out, list[at])
		}
	}
	return out
}

// outgoing are the values that a result of a loop may be.
func (in *Info) outgoing(v *tileir.Value) (out []*tileir.Value) {
	loop := v.Def
	i := slices.Index(loop.Results, v)
	body := loop.Regions[0]
	if loop.Info.Opcode == tileir.OpFor {
		return []*tileir.Value{body.Args[i+1]}
	}
	for _, o := range ends(body, tileir.OpBreak) {
		out = append(out, o.Operands[i])
	}
	return out
}

// ends are the operations of a kind that end an iteration of the loop whose body a block is.
func ends(b *tileir.Block, code int) (out []*tileir.Op) {
	for _, o := range b.Ops {
		switch o.Info.Opcode {
		case code:
			out = append(out, o)
		case tileir.OpIf:
			for r := range o.Blocks() {
				out = append(out, ends(r, code)...)
			}
		}
	}
	return out
}
