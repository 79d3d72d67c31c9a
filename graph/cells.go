package graph

import (
	"fmt"
	"slices"
)

// cell is a recurrent network that is being unrolled.
type cell struct {
	RecurrentOptions
	hidden int
	f      []func(x *Value) *Value
	r      *Value // weights of the state before, transposed: [hidden, gates·hidden]
	bias   *Value // theirs, [gates·hidden], or nil
}

// gate takes the columns of gate i.
func (l *cell) gate(x *Value, i int) *Value { return Narrow(x, -1, i*l.hidden, (i+1)*l.hidden) }

// product multiplies the state before by its weights.
func (l *cell) product(h *Value) *Value {
	y := MatMul(h, l.r)
	if l.bias != nil {
		y = Add(y, l.bias)
	}
	return y
}

// apply applies activation i.
func (l *cell) apply(i int, x *Value) *Value {
	y := l.f[i](x)
	if y == nil {
		return x.g.fail(fmt.Errorf("activation %d makes nil of %v, expected the same shape and type", i, x))
	}
	if x.node != nil && y.node != nil && (y.node.Elem != x.node.Elem || !slices.Equal(y.node.Shape, x.node.Shape)) {
		return x.g.fail(fmt.Errorf("activation %d makes %v of %v, expected the same shape and type", i, y, x))
	}
	return y
}

func (l *cell) rnn(x, h, c *Value) (*Value, *Value) { return l.apply(0, Add(x, l.product(h))), c }

// lstm has the gates input, output and forget, and what is added to the cell.
func (l *cell) lstm(x, h, c *Value) (*Value, *Value) {
	g := Add(x, l.product(h))
	gate := func(i, peephole int, c *Value) *Value {
		x := l.gate(g, i)
		if l.Peepholes != nil {
			x = Add(x, Mul(l.gate(l.Peepholes, peephole), c))
		}
		return l.apply(0, x)
	}
	in := gate(0, 0, c)
	forget := Sub(like(in, 1), in)
	if !l.InputForget {
		forget = gate(2, 2, c)
	}
	next := Add(Mul(forget, c), Mul(in, l.apply(1, l.gate(g, 3))))
	return Mul(gate(1, 1, next), l.apply(2, next)), next
}

// gru has the gates update and reset, and the new state.
func (l *cell) gru(x, h, c *Value) (*Value, *Value) {
	p := l.product(h)
	update := l.apply(0, Add(l.gate(x, 0), l.gate(p, 0)))
	reset := l.apply(0, Add(l.gate(x, 1), l.gate(p, 1)))
	inner := Mul(reset, l.gate(p, 2))
	if !l.ResetAfter {
		inner = MatMul(Mul(reset, h), l.gate(l.r, 2))
		if l.bias != nil {
			inner = Add(inner, l.gate(l.bias, 2))
		}
	}
	next := l.apply(1, Add(l.gate(x, 2), inner))
	return Add(Mul(Sub(like(update, 1), update), next), Mul(update, h)), c
}
