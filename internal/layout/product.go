package layout

import "errors"

// LogicalProduct repeats a block by a tiler: (block, repetitions), where the repetitions are the tiler over the
// block's complement. A by-mode tiler repeats each mode that it has an entry for.
func LogicalProduct(block Layout, b Tiler) (Layout, error) {
	r, err := logicalProduct(block, b)
	return finish("logical_product", r, err, block, b)
}

func logicalProduct(block Layout, b Tiler) (Layout, error) {
	by, ok := b.(ByMode)
	if !ok {
		again, err := repeat(block, b.(Layout))
		return Join(block, again), err
	}
	if err := by.fits(block); err != nil {
		return Layout{}, err
	}
	ms := block.Modes()
	for i, e := range by {
		if e.Whole {
			continue
		}
		again, err := repeat(ms[i], e.Layout)
		if err != nil {
			return Layout{}, err
		}
		ms[i] = Join(ms[i], again)
	}
	return Join(ms...), nil
}

// repeat is complement(block) o tiler.
func repeat(block, b Layout) (Layout, error) {
	cosize, err := b.Cosize()
	if err != nil {
		return Layout{}, err
	}
	c, err := Complement(block, Leaf(block.Size().Mul(cosize)))
	if err != nil {
		return Layout{}, err
	}
	return Compose(c, b)
}

func product(op string, as arrange, block Layout, b Tiler) (Layout, error) {
	by, ok := b.(ByMode)
	if !ok {
		again, err := repeat(block, b.(Layout))
		return finish(op, as(block, again), err, block, b)
	}
	p, err := logicalProduct(block, by)
	if err != nil {
		return finish(op, Layout{}, err, block, b)
	}
	first, second := Join(), Join()
	for i, m := range p.Modes() {
		if i >= len(by) || by[i].Whole {
			first, second = Append(first, m), Append(second, compact1(N(1)))
			continue
		}
		first, second = Append(first, m.Modes()[0]), Append(second, m.Modes()[1])
	}
	return finish(op, as(first, second), nil, block, b)
}

// ZippedProduct multiplies and gathers: ((blocks...), (repetitions...)).
func ZippedProduct(block Layout, b Tiler) (Layout, error) {
	return product("zipped_product", asZipped, block, b)
}

// TiledProduct multiplies and unpacks the repetitions: ((blocks...), repetition, repetition...).
func TiledProduct(block Layout, b Tiler) (Layout, error) {
	return product("tiled_product", asTiled, block, b)
}

// FlatProduct multiplies and unpacks both.
func FlatProduct(block Layout, b Tiler) (Layout, error) {
	return product("flat_product", asFlat, block, b)
}

// BlockedProduct repeats a block along the modes of b: mode i is (block mode i, mode i of b). The shorter one gets
// modes 1:0. The blocks lie side by side. It refuses a tuple of one mode repeated by an integer.
func BlockedProduct(block, b Layout) (Layout, error) {
	first, second, err := sideBySide(block, b)
	if err == nil && first.Depth() > 0 && b.Depth() == 0 && b.Rank() == first.Rank() {
		err = errNoModes
	}
	if err != nil {
		return finish("blocked_product", Layout{}, err, block, b)
	}
	r := Join(Join(first, second))
	if first.Depth() > 0 {
		r = zip(first, second)
	}
	return finish("blocked_product", r, nil, block, b)
}

// RakedProduct is [BlockedProduct] with the repetitions first: the elements of the blocks interleave. Each mode is
// coalesced. It refuses an integer repeated by a tuple of one mode.
func RakedProduct(block, b Layout) (Layout, error) {
	first, second, err := sideBySide(block, b)
	if err == nil && b.Depth() > 0 && first.Depth() == 0 {
		err = errNoModes
	}
	if err != nil {
		return finish("raked_product", Layout{}, err, block, b)
	}
	ms := []Layout{Join(second, first)}
	if first.Depth() > 0 && second.Depth() > 0 && first.Rank() == second.Rank() {
		ms = zip(second, first).Modes()
	}
	for i := range ms {
		ms[i] = Coalesce(ms[i])
	}
	return finish("raked_product", Join(ms...), nil, block, b)
}

var errNoModes = errors.New("a tuple and an integer have no common modes")

// sideBySide gives block and repetitions, of one rank where that is above 1.
func sideBySide(block, b Layout) (first, second Layout, err error) {
	rank := max(block.Rank(), b.Rank())
	first = padTo(block, rank)
	second, err = repeat(first, padTo(b, rank))
	return first, second, err
}

// zip pairs the modes of two layouts of one rank.
func zip(first, second Layout) Layout {
	as, bs := first.Modes(), second.Modes()
	for i := range as {
		as[i] = Join(as[i], bs[i])
	}
	return Join(as...)
}
