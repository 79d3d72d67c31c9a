package layout

import (
	"fmt"
	"slices"
)

// Compose is the composition A o B: the layout R with R(c) = A(B(c)), of B's shape. A by-mode tiler composes each mode
// with its entry and drops the modes that it has no entry for.
//
// It refuses where the divisibility that makes R a layout does not hold for static numbers; symbolic ones are trusted, or checked when
// the program runs, see [Checker].
func Compose(a Layout, b Tiler) (Layout, error) {
	r, err := compose(a, b)
	return finish("composition", r, err, a, b)
}

func compose(a Layout, b Tiler) (Layout, error) {
	by, ok := b.(ByMode)
	if !ok {
		return composeLayout(a, b.(Layout))
	}
	if err := by.fits(a); err != nil {
		return Layout{}, err
	}
	ms := a.Modes()[:len(by)]
	for i, e := range by {
		if e.Whole {
			continue
		}
		m, err := composeLayout(ms[i], e.Layout)
		if err != nil {
			return Layout{}, err
		}
		ms[i] = m
	}
	return Join(ms...), nil
}

// composeLayout composes with each leaf of b.
func composeLayout(a, b Layout) (Layout, error) {
	if b.shape.form == list {
		ms := b.Modes()
		for i := range ms {
			m, err := composeLayout(a, ms[i])
			if err != nil {
				return Layout{}, err
			}
			ms[i] = m
		}
		return Join(ms...), nil
	}
	if len(b.stride.path) > 0 { // a step along one mode of a
		m, err := a.Mode(b.stride.path...)
		if err != nil {
			return Layout{}, err
		}
		return composeLayout(m, Layout{b.shape, Leaf(b.stride.n)})
	}
	return composeLeaf(keepLast(a), b.shape.n, b.stride.n)
}

// keepLast coalesces, but keeps a last mode of size 1 that does not follow on: it says how far apart the elements
// beyond the domain are.
func keepLast(a Layout) []Layout {
	leaves := a.leafModes()
	if len(leaves) == 0 {
		return []Layout{compact1(N(1))}
	}
	last := leaves[len(leaves)-1]
	ms := mergeModes(leaves)
	if k := len(ms) - 1; last.shape.is(1) && (k < 0 || !follows(ms[k], last)) {
		ms = append(ms, last)
	}
	return ms
}

// composeLeaf takes n elements, each d apart, out of the modes of a. Each mode gives what it can: d says how much of it
// one step passes over, left how many steps stay inside it. The last mode has no end. A single element has stride 0, but
// its step must fit like any other.
func composeLeaf(a []Layout, n, d Int) (Layout, error) {
	if d.Is(0) {
		return Layout{Leaf(n), Leaf(d)}, nil
	}
	if n.isStatic() && n.n < 1 {
		return Layout{}, fmt.Errorf("a mode has the size %v", n)
	}
	single := n.Is(1)
	var r []Layout
	for _, m := range a[:len(a)-1] {
		s := m.shape.n
		if err := stepDivides(s, d); err != nil {
			return Layout{}, err
		}
		step, sign := stepAndSign(d)
		left := s.CeilDiv(step)
		take := left.Min(n)
		if err := countDivides(left, take, n); err != nil {
			return Layout{}, err
		}
		if !left.Is(1) && !n.Is(1) {
			r = append(r, Layout{Leaf(take), m.stride.times(d)})
		}
		n = n.Quo(take)
		d = step.CeilDiv(s).Mul(sign)
	}
	if single {
		return compact1(N(1)), nil
	}
	if last := a[len(a)-1]; !n.Is(1) {
		r = append(r, Layout{Leaf(n), last.stride.times(d)})
	}
	if len(r) == 1 {
		return r[0], nil
	}
	return Join(slices.Clip(r)...), nil
}

// stepAndSign takes a stride apart. A symbolic one counts as positive.
func stepAndSign(d Int) (step, sign Int) {
	if d.isStatic() && d.n < 0 {
		return d.Abs(), N(-1)
	}
	return d, N(1)
}

// stepDivides demands that a step d stays inside a mode of size s a whole number of times, or passes it whole.
func stepDivides(s, d Int) error {
	if !s.isStatic() || !d.isStatic() {
		return Demand(fmt.Sprintf("neither the stride %v nor the size %v of a mode divides the other", d, s), []Int{s, d}, func() []Int {
			return []Int{d.Mod(s.atLeast1()), s.Mod(d.atLeast1())}
		})
	}
	if s.n == 0 || d.n == 0 {
		return ErrZero
	}
	if d.n%s.n != 0 && s.n%d.n != 0 {
		return fmt.Errorf("neither the stride %v nor the size %v of a mode divides the other", d, s)
	}
	return nil
}

// countDivides demands that the elements of a mode are taken in whole parts.
func countDivides(left, take, n Int) error {
	if left.Is(1) || n.Is(1) || take.Is(0) {
		return nil
	}
	if !n.isStatic() || !left.isStatic() {
		why := fmt.Sprintf("%v elements are not a whole number of times the %v that a mode gives", n, take)
		return Demand(why, []Int{n, left}, func() []Int {
			return []Int{left.Add(N(-1)), n.Add(N(-1)), n.Mod(take.atLeast1())}
		})
	}
	if n.n%take.n != 0 {
		return fmt.Errorf("%v elements are not a whole number of times the %v that a mode gives", n, take)
	}
	if left.n%take.n != 0 {
		return fmt.Errorf("%v elements do not divide the %v that a mode gives", take, left)
	}
	return nil
}
