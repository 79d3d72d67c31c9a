package atom

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/layout"
)

// Side is the source or the destination of a copy.
type Side int

// The two sides.
const (
	Src Side = iota
	Dst
)

// String is CuTe's letter for the side, S or D.
func (s Side) String() string { return "SD"[s : s+1] }

// layout is an atom's TV layout of a side.
func (c Copy) layout(s Side) layout.Layout {
	if s == Src {
		return c.Src
	}
	return c.Dst
}

// TiledCopy is an atom repeated over threads and values: TV maps (thread, value) to the place in the tile that Tiler
// cuts out of a tensor.
type TiledCopy struct {
	Atom  Copy
	TV    layout.Layout
	Tiler layout.ByMode
}

// NewTiledCopy repeats an atom by a TV layout over a tile. It refuses threads or values that are no whole number of
// atoms, which would copy beyond the tile.
func NewTiledCopy(atom Copy, tv layout.Layout, tiler layout.ByMode) (TiledCopy, error) {
	c := TiledCopy{atom, tv, tiler}
	fail := func(format string, args ...any) (TiledCopy, error) {
		return TiledCopy{}, refusef("make_tiled_copy", []any{atom.Name, tv, tiler}, format, args...)
	}
	if tv.Rank() != 2 {
		return fail("a thread-value layout must have two modes")
	}
	for i, what := range []string{"threads", "values per thread"} {
		has, err := count(tv.Modes()[i].Size())
		if err != nil {
			return fail("%w", err)
		}
		takes, _ := atom.Ref.Modes()[i].Size().Static()
		if has == 0 || has%takes != 0 {
			return fail("the atom takes %d %s, the layout has %d, which is not a multiple", takes, what, has)
		}
	}
	shape, err := c.tileShape()
	if err != nil {
		return fail("%w", err)
	}
	tile, err := count(shape.Product())
	if err != nil {
		return fail("%w", err)
	}
	cosize, err := tv.Cosize()
	if err != nil {
		return fail("%w", err)
	}
	if n, err := count(cosize); err != nil || n > tile {
		return fail("the thread-value layout reaches beyond the %d places of the tile", tile)
	}
	return c, nil
}

// NewTiledCopyTV repeats an atom by a layout of threads and a layout of each thread's values.
func NewTiledCopyTV(atom Copy, threads, values layout.Layout) (TiledCopy, error) {
	tile, tv, err := layout.LayoutTV(threads, values)
	if err != nil {
		return TiledCopy{}, err
	}
	tiler, err := sizes(tile)
	if err != nil {
		return TiledCopy{}, err
	}
	return NewTiledCopy(atom, tv, tiler)
}

// NewTiledCopyMma repeats an atom so that the registers' side holds an operand as a TiledMma wants it.
func NewTiledCopyMma(atom Copy, m TiledMma, o Operand) (TiledCopy, error) {
	tv, err := m.TV(o)
	if err != nil {
		return TiledCopy{}, err
	}
	tiler, err := sizes(m.tileOf(o))
	if err != nil {
		return TiledCopy{}, err
	}
	return NewTiledCopy(atom, tv, tiler)
}

// NewTiledCopyAtomC repeats an atom so that each thread moves the values of one atom, the first ones of its accumulators:
// the smallest tile that holds them (make_tiled_copy_C_atom). The tiler picks the tile's places out of the TiledMma's.
func NewTiledCopyAtomC(atom Copy, m TiledMma) (TiledCopy, error) {
	values, has := atom.Ref.Modes()[1].Size(), m.atom.TV[C].Modes()[1].Size()
	if !has.Mod(values).Is(0) {
		return TiledCopy{}, refusef("make_tiled_copy_C_atom", []any{atom.Name, m.Tile()},
			"the atom takes %v values from each thread, the accumulators have %v, which is not a multiple", values, has)
	}
	c, err := firstAccumulators(m, values)
	if err != nil {
		return TiledCopy{}, refuse("make_tiled_copy_C_atom", err, atom.Name, m.Tile())
	}
	return NewTiledCopy(atom, c.TV, c.Tiler)
}

// firstAccumulators is the TV layout of the first values of each thread, over the tile that they make up.
func firstAccumulators(m TiledMma, values layout.Int) (c TiledCopy, err error) {
	tv, err := m.TV(C)
	if err != nil {
		return c, err
	}
	first, err := layout.Compact(layout.T(layout.Leaf(layout.N(m.Size())), layout.Leaf(values)))
	if err != nil {
		return c, err
	}
	if tv, err = layout.Compose(tv, first); err != nil {
		return c, err
	}
	for axis := range 2 {
		strides := []int{0, 0}
		strides[axis] = 1
		along, err := layout.New(m.tileOf(C), layout.Of(strides...))
		if err != nil {
			return c, err
		}
		places, err := layout.Compose(along, tv)
		if err != nil {
			return c, err
		}
		c.Tiler = append(c.Tiler, layout.Entry{Layout: layout.Filter(places)})
	}
	tile, err := layout.Compact(m.tileOf(C))
	if err != nil {
		return c, err
	}
	if tile, err = layout.Compose(tile, c.Tiler); err != nil {
		return c, err
	}
	inverse, err := layout.LeftInverse(tile)
	if err == nil {
		c.TV, err = layout.Compose(inverse, tv)
	}
	return c, err
}

// sizes is the by-mode tiler of a list of integers.
func sizes(t layout.Tuple) (layout.ByMode, error) {
	b, err := layout.Tile(layout.T(t.Modes()...))
	by, _ := b.(layout.ByMode)
	return by, err
}

// Size is the number of threads.
func (c TiledCopy) Size() int {
	n, _ := c.TV.Modes()[0].Size().Static()
	return n
}

// String is what CuTe prints.
func (c TiledCopy) String() string {
	return fmt.Sprintf("Tiled Copy\n  Tiler MN:        %s\n  TV Layout tiled: %v\n%s", tilerText(c.Tiler), c.TV, c.Atom.print("  "))
}

// tileShape is the shape of the tile, a mode for each entry of the tiler.
func (c TiledCopy) tileShape() (layout.Tuple, error) {
	var modes []layout.Tuple
	for _, e := range c.Tiler {
		if e.Whole {
			return layout.Tuple{}, fmt.Errorf("the tiler %v has a whole mode, whose size is not known", c.Tiler)
		}
		modes = append(modes, e.Layout.Shape())
	}
	return layout.T(modes...), nil
}

// dealt is the TV layout of a side: (thread, (value of an atom, atom)) to the place in the tile.
func (c TiledCopy) dealt(s Side) (layout.Layout, error) {
	ref := c.Atom.Ref
	// ((thread, value) of an atom, (thread, value) by atom)
	byAtom, err := layout.ZippedDivide(c.TV, layout.ByMode{entry(ref.Modes()[0].Size()), entry(ref.Modes()[1].Size())})
	if err != nil {
		return layout.Layout{}, err
	}
	inverse, err := layout.RightInverse(ref)
	if err != nil {
		return layout.Layout{}, err
	}
	toRef, err := layout.Compose(inverse, c.Atom.layout(s))
	if err != nil {
		return layout.Layout{}, err
	}
	one, err := layout.Compose(byAtom.Modes()[0], toRef)
	if err != nil {
		return layout.Layout{}, err
	}
	of, by := one.Modes(), byAtom.Modes()[1].Modes()
	return layout.CoalesceBy(layout.Join(layout.Join(of[0], by[0]), layout.Join(of[1], by[1])),
		layout.T(layout.Leaf(layout.N(1)), layout.Of(1, 1)))
}

// entry is n:1 in a by-mode tiler.
func entry(n layout.Int) layout.Entry {
	v, _ := n.Static()
	return layout.TileOf(v)[0]
}

// Layout is the TV layout of a side over the tile: layout_src_tv and layout_dst_tv.
func (c TiledCopy) Layout(s Side) (layout.Layout, error) {
	r, err := c.dealt(s)
	var shape layout.Tuple
	if err == nil {
		shape, err = c.tileShape()
	}
	var tile layout.Layout
	if err == nil {
		tile, err = layout.Compact(shape)
	}
	if err == nil {
		r, err = layout.Compose(tile, r)
	}
	if err != nil {
		return layout.Layout{}, refuse("layout_tv_"+s.String(), err, c.TV)
	}
	return r, nil
}

// ThrFrg takes a layout apart: (thread, (value of an atom, atom), (RestM, RestN, ...)).
func (c TiledCopy) ThrFrg(s Side, l layout.Layout) (layout.Layout, error) {
	tiled, err := layout.ZippedDivide(l, c.Tiler)
	var r layout.Layout
	if err == nil {
		r, err = c.dealt(s)
	}
	if err == nil {
		r, err = layout.Compose(tiled.Modes()[0], r)
	}
	if err != nil {
		return layout.Layout{}, refuse("tidfrg_"+s.String(), err, l, c.Tiler)
	}
	return layout.Append(r, tiled.Modes()[1]), nil
}

// Partition is what a thread reads (Src) or writes (Dst) of a tensor: ((value of an atom, atom), RestM, RestN, ...), and
// the offset of its first value.
func (c TiledCopy) Partition(s Side, thread layout.Int, l layout.Layout) (layout.Layout, layout.Tuple, error) {
	frg, crd, err := c.slice(s, thread, l)
	if err != nil {
		return layout.Layout{}, layout.Tuple{}, err
	}
	return sliced("partition_"+s.String(), frg, crd, l)
}

// PartitionComposed is [TiledCopy.Partition] of a swizzled layout.
func (c TiledCopy) PartitionComposed(s Side, thread layout.Int, l layout.Composed) (layout.Composed, layout.Int, error) {
	frg, crd, err := c.slice(s, thread, l.Layout)
	if err != nil {
		return layout.Composed{}, layout.Int{}, err
	}
	l.Layout = frg
	return layout.SliceComposed(l, crd)
}

// slice gives the layout by thread and value, and the coordinate in it of a thread's values.
func (c TiledCopy) slice(s Side, thread layout.Int, l layout.Layout) (frg layout.Layout, crd layout.Tuple, err error) {
	if err := member(thread, c.Size()); err != nil {
		return frg, crd, refuse("partition_"+s.String(), err, l)
	}
	if frg, err = c.ThrFrg(s, l); err != nil {
		return frg, crd, err
	}
	return frg, layout.T(layout.Leaf(thread), layout.All, all(frg.Modes()[2].Rank())), nil
}
