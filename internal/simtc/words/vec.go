package words

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// loadVec reads all elements of a tensor as one vector.
func (c *call) loadVec(t *emit.Tensor) emit.Value {
	// From memory the elements go to a fragment first, in accesses of several elements.
	if n := c.staticSize(t.Layout); t.Space != emit.Rmem && n > 1 {
		r := c.fragment(t)
		c.copyVectors(t, r, without, false)
		t = r
	}
	v := &emit.Vec{Elem: t.Elem, Shape: t.Layout.Shape()}
	for i := range c.staticSize(t.Layout) {
		v.Elems = append(v.Elems, c.LoadElem(t, layout.Leaf(layout.N(i))))
	}
	return v
}

// storeVec writes all elements of a tensor: those of a vector, or the same number to each. To
// memory they go by way of a fragment, in accesses of several elements.
func (c *call) storeVec() []emit.Value {
	t := c.tensor(0)
	n := c.staticSize(t.Layout)
	// A number is stored to every element.
	elems := emit.Repeat(c.arg(1), n)
	if v, ok := c.arg(1).(*emit.Vec); ok {
		c.Must(len(v.Elems) == n, c.pos, "a vector of shape %s cannot be stored in a tensor of shape %s", v.Shape, t.Layout.Shape())
		elems = v.Elems
	}
	to := t
	if t.Space != emit.Rmem && n > 1 {
		to = c.fragment(t)
	}
	for i, x := range elems {
		c.StoreElem(to, layout.Leaf(layout.N(i)), x)
	}
	if to != t {
		c.copyVectors(to, t, without, false)
	}
	return nil
}

// fragment makes a tensor in registers for a copy of another tensor. Its modes have the order of
// that tensor's strides, so that contiguous elements share registers and can move at once.
func (c *call) fragment(t *emit.Tensor) *emit.Tensor {
	l, err := layout.FragmentLike(t.Layout.Layout)
	c.Refused(err)
	return c.NewRmem(t.Elem, t.Type, l)
}

// vecSize gives the number of elements of a vector. A number counts as a vector of one element.
func (c *call) vecSize() emit.Value {
	if v, ok := c.arg(0).(*emit.Vec); ok {
		return emit.Number(len(v.Elems))
	}
	return emit.Number(1)
}

// vecAt gives the element of a vector at a coordinate, which must be static: each element has
// registers of its own.
func (c *call) vecAt() emit.Value {
	v, ok := c.arg(0).(*emit.Vec)
	if !ok {
		return c.arg(0)
	}
	l, err := layout.Compact(v.Shape)
	c.Refused(err)
	n, ok := c.Index(&emit.Layout{Layout: l}, c.coord(1)).Static()
	c.Must(ok, c.pos, "the coordinate of an element of a vector must be static: store the vector to a tensor")
	return v.Elems[n]
}

// selectValue gives x if a condition holds, else y, element by element for vectors.
func (c *call) selectValue(t int) emit.Value {
	p, x, y := c.arg(0), c.arg(1), c.arg(2)
	e, _ := emit.Numbers(c.typeArg(t))
	if e == nil {
		// Values without a register form, such as layouts, cannot be selected at run time.
		k, ok := p.(constant.Value)
		c.Must(ok, c.pos, "%s takes only numbers if its condition is dynamic", c.callee.Name)
		// A condition that is known chooses a value of any type.
		return c.Choose(k, x, y, nil)
	}
	var first *emit.Vec
	for _, v := range []emit.Value{p, x, y} {
		if v, ok := v.(*emit.Vec); ok {
			if first == nil {
				first = v
			}
			c.Must(len(v.Elems) == len(first.Elems), c.pos, "%s takes vectors of the same shape, not of shapes %s and %s", c.called(), first.Shape, v.Shape)
		}
	}
	if first == nil {
		return c.Choose(p, x, y, e)
	}
	n := len(first.Elems)
	r := &emit.Vec{Elem: e, Elems: make([]emit.Value, n), Shape: first.Shape}
	ps, xs, ys := spread(p, n), spread(x, n), spread(y, n)
	for i := range n {
		r.Elems[i] = c.Choose(ps[i], xs[i], ys[i], e)
	}
	return r
}

// spread gives the elements of a vector, or n times the same number.
func spread(v emit.Value, n int) []emit.Value {
	if v, ok := v.(*emit.Vec); ok {
		return v.Elems
	}
	return emit.Repeat(v, n)
}
