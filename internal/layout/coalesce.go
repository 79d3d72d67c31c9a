package layout

import (
	"errors"
	"slices"
)

// Coalesce gives the same function of an integer coordinate with as few modes as can be joined: modes of size 1 go, and
// neighbours whose strides follow on are one. Only static modes are joined.
func Coalesce(l Layout) Layout {
	ms := mergeModes(l.leafModes())
	switch len(ms) {
	case 0:
		return compact1(N(1))
	case 1:
		return ms[0]
	}
	return Join(ms...)
}

// mergeModes drops and joins leaves.
func mergeModes(leaves []Layout) []Layout {
	var ms []Layout
	for _, m := range leaves {
		if m.shape.is(1) {
			continue
		}
		if k := len(ms) - 1; k >= 0 && follows(ms[k], m) {
			ms[k].shape = Leaf(ms[k].shape.n.Mul(m.shape.n))
			continue
		}
		ms = append(ms, m)
	}
	return ms
}

// follows reports whether the static mode b starts where a ends.
func follows(a, b Layout) bool {
	next := a.stride.times(a.shape.n)
	return a.isStatic() && b.isStatic() && next.n == b.stride.n && slices.Equal(next.path, b.stride.path)
}

// CoalesceBy coalesces below the leaves of a profile: (1,1) keeps two modes apart. Modes that the profile lacks stay as
// they are.
func CoalesceBy(l Layout, profile Tuple) (Layout, error) {
	var walk func(l Layout, p Tuple) (Layout, error)
	walk = func(l Layout, p Tuple) (Layout, error) {
		if p.form != list {
			return Coalesce(l), nil
		}
		if len(p.list) > l.Rank() || l.Depth() == 0 {
			return Layout{}, errors.New("the profile has more modes than the layout")
		}
		ms := l.Modes()
		for i, q := range p.list {
			m, err := walk(ms[i], q)
			if err != nil {
				return Layout{}, err
			}
			ms[i] = m
		}
		return Join(ms...), nil
	}
	r, err := walk(l, profile)
	return finish("coalesce", r, err, l, profile)
}

// FilterZeros gives every leaf of stride 0 the size 1.
func FilterZeros(l Layout) Layout {
	ds := l.stride.Leaves()
	i := -1
	return Layout{l.shape.mapLeaves(func(s Tuple) Tuple {
		i++
		if ds[i].is(0) {
			return Leaf(N(1))
		}
		return s
	}), l.stride}
}

// Filter drops the modes of stride 0 or size 1 and coalesces: the same offsets, each mode moving.
func Filter(l Layout) Layout { return Coalesce(FilterZeros(l)) }
