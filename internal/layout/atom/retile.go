package atom

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/layout"
)

// Retile rearranges a fragment that was partitioned by another operation with the same TV layout, such as the
// accumulators of the TiledMma that the copy was made for, as this copy takes it: ((value of an atom, atom), RestM,
// RestN, ...). Mode 0 of the fragment has some of the thread's values in the order of TV, the other modes the rest.
func (c TiledCopy) Retile(fragment layout.Layout) (layout.Layout, error) {
	r, err := c.retile(fragment)
	if err != nil {
		return layout.Layout{}, refuse("retile", err, fragment, c.TV)
	}
	return r, nil
}

func (c TiledCopy) retile(fragment layout.Layout) (layout.Layout, error) {
	if fragment.Rank() <= len(c.Tiler) {
		return layout.Layout{}, fmt.Errorf("a fragment has the values and %d modes behind them", len(c.Tiler))
	}
	v, err := count(fragment.Modes()[0].Size())
	if err != nil {
		return layout.Layout{}, err
	}
	byPlace, shape, err := c.valuesByPlace(v)
	if err != nil {
		return layout.Layout{}, err
	}
	// (value of an atom, atom) to (value of mode 0, the other modes)
	values, err := inOrder(layout.N(v), byPlace, c.Atom.Ref.Modes()[1].Size())
	if err != nil {
		return layout.Layout{}, err
	}
	tiled, err := layout.ZippedDivide(fragment, append(layout.TileOf(v), shape...))
	if err != nil {
		return layout.Layout{}, err
	}
	r, err := layout.Compose(tiled.Modes()[0], values)
	if err != nil {
		return layout.Layout{}, err
	}
	rest := tiled.Modes()[1].Modes()
	return layout.Join(append([]layout.Layout{r}, rest[1:]...)...), nil
}

// valuesByPlace maps what follows mode 0 of a fragment with v values, by the modes of the tile, to the order of these
// parts in TV; shape is a tiler for those modes.
func (c TiledCopy) valuesByPlace(v int) (l layout.Layout, shape layout.ByMode, err error) {
	tile, err := c.tileShape()
	if err != nil {
		return l, nil, err
	}
	inverse, err := layout.RightInverse(c.TV)
	if err != nil {
		return l, nil, err
	}
	compact, err := layout.Compact(tile)
	if err != nil {
		return l, nil, err
	}
	if inverse, err = layout.Compose(inverse, compact); err != nil {
		return l, nil, err
	}
	if l, err = layout.Recast(c.Size()*v, 1, inverse); err != nil {
		return l, nil, err
	}
	shape, err = sizes(l.Shape().ProductEach())
	return l, shape, err
}

// inOrder repeats v values by the inverse of l and divides them by an atom's values.
func inOrder(v layout.Int, l layout.Layout, perAtom layout.Int) (layout.Layout, error) {
	inverse, err := layout.RightInverse(l)
	if err != nil {
		return layout.Layout{}, err
	}
	repeated, err := layout.LogicalProduct(entry(v).Layout, inverse)
	if err != nil {
		return layout.Layout{}, err
	}
	return layout.ZippedDivide(repeated, entry(perAtom).Layout)
}
