package loops

import "github.com/cutile-go/cutile/internal/graph/ir"

// Cost is what a kernel, or the part of a node in it, does, as far as the kernel's expression tells.
type Cost struct {
	Operations int64 // functions of elements, comparisons and folds; a product and its addition are two
	Read       int64 // bytes of arrays in memory, each once
	Written    int64
}

// Bytes returns the bytes that are read and written.
func (c Cost) Bytes() int64 { return c.Read + c.Written }

// Plus returns the sum of two costs.
func (c Cost) Plus(d Cost) Cost {
	return Cost{c.Operations + d.Operations, c.Read + d.Read, c.Written + d.Written}
}

// Cost estimates what the kernel does: the sum of [Kernel.Costs].
func (k *Kernel) Cost() (all Cost) {
	for _, c := range k.Costs() {
		all = all.Plus(c)
	}
	return all
}

// Costs estimates what the kernel does for each node. An operation counts once for each position along the axes that its result
// depends on, and an array that several nodes read counts with the one that reads most of it.
func (k *Kernel) Costs() map[*ir.Node]Cost {
	costs := map[*ir.Node]Cost{}
	if k.Into != nil {
		costs[k.Into.Node] = Cost{Written: k.positions(k.uses()) * int64(k.Into.Elem().Size())}
	}
	type load struct {
		bytes int64
		by    *ir.Node
	}
	read := map[*Buffer]load{}
	k.Walk(func(e *Expr) {
		if e.Kind == Load {
			n := min(k.positions(e.Uses), int64(e.Buffer.Len())) * int64(e.Elem.Size())
			if old := read[e.Buffer]; old.by == nil || n > old.bytes {
				read[e.Buffer] = load{n, e.Node}
			}
			return
		}
		costs[e.Node] = costs[e.Node].Plus(Cost{Operations: k.operations(e)})
	})
	for _, l := range read {
		costs[l.by] = costs[l.by].Plus(Cost{Read: l.bytes})
	}
	return costs
}

// operations counts those of an expression without its operands.
func (k *Kernel) operations(e *Expr) int64 {
	n := k.positions(e.Uses)
	switch e.Kind {
	case Call, Convert, Guard, Scan, ArgSort:
		return n
	case Reduce, ArgReduce:
		return n * k.positions(axesOf(e.Along))
	case Dot:
		return 2 * n * k.positions(axesOf(e.Along))
	case Attention: // for each score: the greatest one, a difference, its exponential, the sum
		return 2*n*k.positions(axesOf(e.Along)) + 4*k.positions(e.Args[0].Uses)
	}
	return 0
}

// uses gives the axes along which results are stored.
func (k *Kernel) uses() (axes Axes) {
	for i, a := range k.Axes {
		if a.Role != Inner && a.Role != DotSum && a.Role != Key {
			axes |= 1 << i
		}
	}
	return axes
}

// positions counts the positions along axes.
func (k *Kernel) positions(axes Axes) int64 {
	n := int64(1)
	for i, a := range k.Axes {
		if axes.Has(i) {
			n *= int64(a.Extent)
		}
	}
	return n
}
