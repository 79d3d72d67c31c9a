package layout

import "errors"

// LogicalDivide splits a layout into (tile, rest): the elements that the tiler points to, and the layout of the tiles.
// A by-mode tiler splits each mode that it has an entry for and leaves the others.
func LogicalDivide(a Layout, b Tiler) (Layout, error) {
	r, err := logicalDivide(a, b)
	return finish("logical_divide", r, err, a, b)
}

func logicalDivide(a Layout, b Tiler) (Layout, error) {
	by, ok := b.(ByMode)
	if !ok {
		t, rest, err := splitWhole(a, b.(Layout))
		return Join(t, rest), err
	}
	ms := a.Modes()
	if err := by.fits(a); err != nil {
		return Layout{}, err
	}
	for i, e := range by {
		if e.Whole {
			continue
		}
		t, rest, err := split(ms[i], e.Layout)
		if err != nil {
			return Layout{}, err
		}
		ms[i] = Join(t, rest)
	}
	return Join(ms...), nil
}

// splitWhole is split by a tiler for the whole domain.
func splitWhole(a, b Layout) (tile, rest Layout, err error) {
	if b.Rank() > a.Rank() {
		return tile, rest, errors.New("the tiler has a higher rank than the layout")
	}
	return split(a, b)
}

// split is A o B and A o complement(B).
func split(a, b Layout) (tile, rest Layout, err error) {
	c, err := Complement(b, Coalesce(a).shape)
	if err != nil {
		return tile, rest, err
	}
	if tile, err = Compose(a, b); err == nil {
		rest, err = Compose(a, c)
	}
	return tile, rest, err
}

// zipped gives the modes of the tile and of the rest. With a by-mode tiler, a mode that is left whole has 1:0 in the
// tile and itself in the rest.
func zipped(a Layout, b Tiler) (tile, rest Layout, err error) {
	by, ok := b.(ByMode)
	if !ok {
		return splitWhole(a, b.(Layout))
	}
	divided, err := logicalDivide(a, by)
	if err != nil {
		return tile, rest, err
	}
	tile, rest = Join(), Join()
	for i, m := range divided.Modes() {
		switch {
		case i >= len(by):
			rest = Append(rest, m)
		case by[i].Whole:
			tile, rest = Append(tile, compact1(N(1))), Append(rest, m)
		default:
			tile, rest = Append(tile, m.Modes()[0]), Append(rest, m.Modes()[1])
		}
	}
	return tile, rest, nil
}

// arrange nests the parts of a divide or product as its name says.
type arrange func(first, second Layout) Layout

func asZipped(first, second Layout) Layout { return Join(first, second) }
func asTiled(first, second Layout) Layout  { return Prepend(second, first) }
func asFlat(first, second Layout) Layout   { return Join(append(first.Modes(), second.Modes()...)...) }

func divide(op string, as arrange, a Layout, b Tiler) (Layout, error) {
	t, rest, err := zipped(a, b)
	if err != nil {
		return finish(op, Layout{}, err, a, b)
	}
	return finish(op, as(t, rest), nil, a, b)
}

// ZippedDivide divides and gathers: ((tiles...), (rests...)).
func ZippedDivide(a Layout, b Tiler) (Layout, error) { return divide("zipped_divide", asZipped, a, b) }

// TiledDivide divides and unpacks the rest: ((tiles...), rest, rest...).
func TiledDivide(a Layout, b Tiler) (Layout, error) { return divide("tiled_divide", asTiled, a, b) }

// FlatDivide divides and unpacks both: (tile, tile..., rest, rest...).
func FlatDivide(a Layout, b Tiler) (Layout, error) { return divide("flat_divide", asFlat, a, b) }
