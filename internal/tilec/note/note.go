// Package note marks in the operations of a kernel, while it is lowered and improved, what variables of the source hold. A note stands between
// operations and is none itself: it goes where its place goes, and what it names is not in use on its account, so that a kernel with notes
// becomes the same code as one without. [Take] takes the notes out and leaves [tileir.Holding].
package note

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// info is what notes have in place of a row of the table of operations. They have no effect, so that nothing is kept apart by one.
var info = &tileir.Info{Mnemonic: "note", Opcode: -1, Category: "note", Pure: true}

// Is reports whether an operation is a note.
func Is(o *tileir.Op) bool { return o.Info == info }

// Notes are the notes of a kernel. Their operands are the values that they name, which passes replace as those of any operation.
type Notes struct{ of map[*tileir.Op]*content }

type content struct {
	variable *tileir.Variable
	what     *tileir.VariablePart // without its values, which are the operands in the order of the parts
}

// New makes an empty list.
func New() *Notes { return &Notes{map[*tileir.Op]*content{}} }

// Add makes a note that a variable holds something from here on; what is nil for nothing that a debugger could show.
func (n *Notes) Add(v *tileir.Variable, what *tileir.VariablePart, loc tileir.Loc) *tileir.Op {
	o := &tileir.Op{Info: info, Loc: loc}
	each(what, func(p *tileir.VariablePart) { o.Operands = append(o.Operands, p.Value) })
	n.of[o] = &content{v, what}
	return o
}

// each calls f for the parts that are values.
func each(p *tileir.VariablePart, f func(p *tileir.VariablePart)) {
	switch {
	case p == nil:
	case p.Value != nil:
		f(p)
	default:
		for _, q := range p.Parts {
			each(q, f)
		}
	}
}

// Take takes the notes out of an entry. Of values that passes have dropped it finds others that are the same, if there are some.
func (n *Notes) Take(e *tileir.Entry) {
	t := taker{Notes: n, live: map[*tileir.Value]bool{}}
	for _, v := range e.Params {
		t.live[v] = true
	}
	t.alive(e.Body)
	t.block(e.Body)
	e.Holdings = t.out
}

type taker struct {
	*Notes
	live map[*tileir.Value]bool // what the entry computes
	out  []tileir.Holding
}

func (t *taker) alive(b *tileir.Block) {
	for _, v := range b.Args {
		t.live[v] = true
	}
	for _, o := range b.Ops {
		for _, v := range o.Results {
			t.live[v] = true
		}
		for r := range o.Blocks() {
			t.alive(r)
		}
	}
}

func (t *taker) block(b *tileir.Block) {
	var open []*tileir.Op
	b.Ops = slices.DeleteFunc(b.Ops, func(o *tileir.Op) bool {
		if Is(o) {
			open = append(open, o)
			return true
		}
		for _, x := range open {
			c := t.of[x]
			t.out = append(t.out, tileir.Holding{Variable: c.variable, Before: o, What: t.what(c.what, x.Operands)})
		}
		open = nil
		for r := range o.Blocks() {
			t.block(r)
		}
		return false
	})
}

// what is a part with the values that it has now. What is not there any more is left out.
func (t *taker) what(p *tileir.VariablePart, values []*tileir.Value) *tileir.VariablePart {
	if p == nil {
		return nil
	}
	next := 0
	var visit func(p *tileir.VariablePart) *tileir.VariablePart
	visit = func(p *tileir.VariablePart) *tileir.VariablePart {
		q := *p
		if p.Value != nil {
			v := values[next]
			next++
			return t.found(&q, v)
		}
		q.Parts = nil
		for _, part := range p.Parts {
			if part = visit(part); part != nil {
				q.Parts = append(q.Parts, part)
			}
		}
		if q.Elem == tileir.NoElem && len(q.Parts) == 0 || q.List && len(q.Parts) < len(p.Parts) {
			return nil
		}
		return &q
	}
	return visit(p)
}

// found gives a part a value that the entry has: the one that it had, or one that is equal. nil stands for none.
func (t *taker) found(p *tileir.VariablePart, v *tileir.Value) *tileir.VariablePart {
	for !t.live[v] {
		o := v.Def
		if o == nil {
			return nil
		}
		switch o.Info.Opcode {
		case tileir.OpAssume:
		case tileir.OpExtI: // narrowed, where the wide number is not in use
			if o.Int("signedness") != int64(tileir.Signed) || p.Unsigned || elemOf(o.Operands[0]).Bits() < 8 {
				return nil
			}
		case tileir.OpConstant:
			return known(p, o)
		default:
			return nil
		}
		v = o.Operands[0]
	}
	if v.Def != nil && v.Def.Info.Opcode == tileir.OpConstant {
		return known(p, v.Def)
	}
	p.Value = v
	return p
}

// known makes a part a number that is known: the only element of a constant.
func known(p *tileir.VariablePart, o *tileir.Op) *tileir.VariablePart {
	c, ok := o.Attr("value").(*tileir.Constant)
	if !ok || c.Type.Size() != 1 || c.Type.Pointer {
		return nil
	}
	p.Value, p.Elem, p.Bits = nil, c.Type.Elem, c.Element(0)
	return p
}

func elemOf(v *tileir.Value) tileir.Elem {
	if t, ok := v.Type.(*tileir.TileType); ok && !t.Pointer {
		return t.Elem
	}
	return tileir.NoElem
}
