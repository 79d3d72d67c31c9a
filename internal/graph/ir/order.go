package ir

import (
	"fmt"
	"slices"
)

// Ordered passes an array on, and says in which order of its axes the elements should lie in memory, if it has memory: those of the last one
// next to each other. What is computed element by element of arrays with an order has it, too.
func (g *Graph) Ordered(x *Node, axes []int) (*Node, error) {
	axes, err := axesOf(axes, x)
	if err != nil {
		return nil, err
	}
	if len(axes) != x.Rank() {
		return nil, fmt.Errorf("axes %v for %s, expected each axis once", axes, x.Type())
	}
	return g.add(Node{Op: Order, In: []*Node{x}, Elem: x.Elem, Shape: x.Shape, Attr: AxesAttr{axes}})
}

// orders give the order of a node's axes, by operation. Other operations have results in row-major order.
var orders = map[Op]func(n *Node) []int{
	Order:     func(n *Node) []int { return n.Attr.(AxesAttr).Axes },
	Pointwise: firstOrder,
	Convert:   firstOrder,
	Bitcast:   firstOrder,
	Slice:     firstOrder,
	Reverse:   firstOrder,
	Pad:       firstOrder,
	Concat:    firstOrder,
	Transpose: transposedOrder,
	Reshape:   reshapedOrder,
	Reduce:    func(n *Node) []int { return orderWithout(n.In[0].Order, n.Attr.(ReduceAttr).Axes) },
	ArgReduce: func(n *Node) []int { return orderWithout(n.In[0].Order, []int{n.Attr.(ArgReduceAttr).Axis}) },
	Window:    windowOrder,
}

// orderOf gives the order of a node's axes: nil for row-major order.
func orderOf(n *Node) []int {
	f := orders[n.Op]
	if f == nil {
		return nil
	}
	if order := f(n); !slices.IsSorted(order) {
		return order
	}
	return nil
}

// firstOrder is the order of the first operand that has one.
func firstOrder(n *Node) []int {
	for _, x := range n.In {
		if x.Order != nil && x.Rank() == n.Rank() {
			return x.Order
		}
	}
	return nil
}

func transposedOrder(n *Node) []int {
	var order []int
	for _, a := range n.In[0].Order {
		order = append(order, slices.Index(n.Attr.(AxesAttr).Axes, a))
	}
	return order
}

// reshapedOrder is the order where the shapes differ in axes of extent 1 alone.
func reshapedOrder(n *Node) []int {
	x := n.In[0]
	if x.Order == nil {
		return nil
	}
	to := make([]int, x.Rank()) // where an axis of the operand is in the result; -1 for one that is dropped
	next := 0
	var order []int
	for i, d := range x.Shape {
		if to[i] = -1; d == 1 {
			continue
		}
		for ; next < n.Rank() && n.Shape[next] == 1; next++ {
			order = append(order, next)
		}
		if next == n.Rank() || n.Shape[next] != d {
			return nil
		}
		to[i] = next
		next++
	}
	for ; next < n.Rank(); next++ { // of extent 1, as the arrays have as many elements
		order = append(order, next)
	}
	for _, a := range x.Order {
		if to[a] >= 0 {
			order = append(order, to[a])
		}
	}
	return order
}

// orderWithout is the order of what is left when axes go.
func orderWithout(order, axes []int) []int {
	var out []int
	for _, a := range order {
		if slices.Contains(axes, a) {
			continue
		}
		less := 0
		for _, b := range axes {
			less += when(b < a)
		}
		out = append(out, a-less)
	}
	return out
}

// windowOrder has the elements of windows last.
func windowOrder(n *Node) []int {
	order := slices.Clone(n.In[0].Order)
	for i := range order {
		order = append(order, len(n.In[0].Shape)+i)
	}
	return order
}
