package loops

// Cost is what a kernel does, as far as its expression tells.
type Cost struct {
	Operations int64 // functions of elements, comparisons and folds; a product and its addition are two
	Bytes      int64 // that it reads and writes, each once
}

// Cost estimates what the kernel does. An operation counts once for each position along the axes that its result depends on.
func (k *Kernel) Cost() (c Cost) {
	if k.Into != nil {
		c.Bytes = k.positions(k.uses()) * int64(k.Into.Elem().Size())
	}
	read := map[*Buffer]int64{}
	k.Walk(func(e *Expr) {
		n := k.positions(e.Uses)
		switch e.Kind {
		case Call, Convert, Guard:
			c.Operations += n
		case Dot:
			c.Operations += 2 * n * k.positions(axesOf(e.Along))
		case Attention: // for each score: the greatest one, a difference, its exponential, the sum
			c.Operations += 2*n*k.positions(axesOf(e.Along)) + 4*k.positions(e.Args[0].Uses)
		case Reduce, ArgReduce:
			c.Operations += n * k.positions(axesOf(e.Along))
		case Scan, ArgSort:
			c.Operations += n
		case Load:
			read[e.Buffer] = max(read[e.Buffer], min(n, int64(e.Buffer.Len()))*int64(e.Elem.Size()))
		}
	})
	for _, n := range read {
		c.Bytes += n
	}
	return c
}

// uses gives the axes along which results are stored.
func (k *Kernel) uses() (axes Axes) {
	for i, a := range k.Axes {
		if a.Role != Inner && a.Role != DotSum {
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
