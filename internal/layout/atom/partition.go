package atom

import (
	"errors"

	"github.com/cutile-go/cutile/internal/layout"
)

// TV maps (thread, value) to the place in an operand's tile, which is the operand's part of [TiledMma.Tile]. Threads that
// differ only along the axis that the operand lacks have the same values.
func (t TiledMma) TV(o Operand) (layout.Layout, error) {
	ref, err := layout.Compact(t.tileOf(o))
	if err != nil {
		return layout.Layout{}, err
	}
	frg, err := t.ThrFrg(o, ref)
	if err != nil {
		return layout.Layout{}, err
	}
	thr, values := frg.Modes()[0], frg.Modes()[1]
	groups := thr.Modes()[1].Modes()
	axes := o.axes()
	vmnk := []layout.Layout{thr.Modes()[0], {}, {}, {}}
	for i, n := range t.atoms {
		vmnk[1+i], err = layout.New(layout.Leaf(layout.N(n)), layout.Leaf(layout.N(0)))
		if err != nil {
			return layout.Layout{}, err
		}
	}
	vmnk[1+axes[0]], vmnk[1+axes[1]] = groups[0], groups[1]
	inverse, err := layout.RightInverse(t.threads)
	if err == nil {
		thr, err = layout.Compose(layout.Join(vmnk...), inverse)
	}
	if err != nil {
		return layout.Layout{}, refuse("tv_layout_"+o.String(), err, t.threads, t.Tile())
	}
	return layout.Join(thr, values), nil
}

// Partition is what a thread has of an operand: (FrgV,RestM,RestK,...) for A, and the offset of its first value.
func (t TiledMma) Partition(o Operand, thread layout.Int, l layout.Layout) (layout.Layout, layout.Tuple, error) {
	frg, crd, err := t.slice(o, thread, l)
	if err != nil {
		return layout.Layout{}, layout.Tuple{}, err
	}
	return sliced("partition_"+o.String(), frg, crd, l)
}

// PartitionComposed is [TiledMma.Partition] of a swizzled layout.
func (t TiledMma) PartitionComposed(o Operand, thread layout.Int, c layout.Composed) (layout.Composed, layout.Int, error) {
	frg, crd, err := t.slice(o, thread, c.Layout)
	if err != nil {
		return layout.Composed{}, layout.Int{}, err
	}
	c.Layout = frg
	return layout.SliceComposed(c, crd)
}

// slice gives the layout by thread and value, and the coordinate in it of a thread's values.
func (t TiledMma) slice(o Operand, thread layout.Int, l layout.Layout) (frg layout.Layout, crd layout.Tuple, err error) {
	if frg, err = t.ThrFrg(o, l); err != nil {
		return frg, crd, err
	}
	at, err := t.threads.FlatCoord(thread)
	if err == nil {
		err = member(thread, t.Size())
	}
	if err != nil {
		return frg, crd, refuse("partition_"+o.String(), err, l)
	}
	a, vmnk := o.axes(), at.Modes()
	rest := frg.Modes()[1].Modes()[1]
	return frg, layout.T(
		layout.T(vmnk[0], layout.T(vmnk[1+a[0]], vmnk[1+a[1]])),
		layout.T(layout.All, all(rest.Rank()))), nil
}

// sliced slices a layout by thread and value that was made of l.
func sliced(op string, frg layout.Layout, crd layout.Tuple, l layout.Layout) (layout.Layout, layout.Tuple, error) {
	origin, err := l.Index(layout.Leaf(layout.N(0)))
	var r layout.Layout
	var off layout.Tuple
	if err == nil {
		r, off, err = layout.SliceAndOffset(frg, crd)
	}
	if err != nil {
		return layout.Layout{}, layout.Tuple{}, refuse(op, err, l)
	}
	return r, layout.AddOffsets(off, origin), nil
}

// PartitionShape is the shape of what a thread has of an operand of a shape.
func (t TiledMma) PartitionShape(o Operand, shape layout.Tuple) (layout.Tuple, error) {
	l, err := layout.Compact(shape)
	if err != nil {
		return layout.Tuple{}, err
	}
	r, _, err := t.Partition(o, layout.N(0), l)
	return r.Shape(), err
}

// Fragment is the layout of the registers for a partition: in the order of the shape for C, in the order of the
// partition's strides for A and B, so that copies between both move neighbours. An operand that is read from shared
// memory has none.
func (t TiledMma) Fragment(o Operand, partition layout.Layout) (layout.Layout, error) {
	op := "make_fragment_" + o.String()
	values := t.atom.TV[o].Modes()[1].Size()
	switch {
	case t.atom.Shared[o]:
		return layout.Layout{}, refuse(op, errors.New("the instruction reads the operand from shared memory"), t.atom.Name)
	case !partition.Modes()[0].Size().Equal(values):
		return layout.Layout{}, refusef(op, []any{partition}, "mode 0 must have the %v values that the instruction takes from a thread", values)
	case o == C:
		return layout.Compact(partition.Shape())
	}
	return layout.FragmentLike(partition)
}
