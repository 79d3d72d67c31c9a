package layout

import (
	"errors"
	"sort"
)

// Complement is the layout of the offsets that a leaves out, up to the target: ordered, disjoint from a's offsets, and
// with them reaching the target, an integer or a shape. (2,4):(1,6) in 24 gives 3:2.
//
// Layouts that hit an offset twice, or whose modes lie between each other, have none. Symbolic integers are refused for more than one
// mode.
func Complement(a Layout, target Tuple) (Layout, error) {
	r, err := complement(a, target)
	return finish("complement", r, err, a, target)
}

func complement(a Layout, target Tuple) (Layout, error) {
	if target.hasAll() {
		return Layout{}, errors.New("the target of a complement is a shape")
	}
	modes := Filter(a).leafModes()
	if len(modes) == 1 && modes[0].stride.is(0) {
		return compactRest(target, N(1)), nil
	}
	for _, m := range modes {
		if len(m.stride.path) > 0 {
			return Layout{}, errors.New("a coordinate layout has no complement")
		}
		if len(modes) > 1 && !m.isStatic() {
			return Layout{}, ErrSymbolic
		}
	}
	var gaps []Layout
	reached := N(1) // the stride at which the next gap starts
	for len(modes) > 0 {
		i := lowestStride(modes)
		m := modes[i]
		modes = append(modes[:i:i], modes[i+1:]...)
		if m.stride.n.isStatic() && reached.isStatic() && m.stride.n.n < reached.n {
			return Layout{}, errors.New("it hits an offset twice, or its modes lie between each other: there is no complement")
		}
		gaps = append(gaps, Layout{Leaf(m.stride.n.Quo(reached)), Leaf(reached)})
		reached = m.stride.n.Mul(m.shape.n)
	}
	return Coalesce(Join(append(gaps, compactRest(target, reached).leafModes()...)...)), nil
}

// compactRest covers the target from the stride reached on.
func compactRest(target Tuple, reached Int) Layout {
	var sizes []Tuple
	left := reached
	for _, t := range target.Leaves() {
		sizes = append(sizes, Leaf(t.n.CeilDiv(left)))
		left = left.CeilDiv(t.n)
	}
	shape := T(sizes...)
	// Neighbours that are known are one mode, as are their strides.
	return Coalesce(Layout{shape, compactFrom(shape, reached)})
}

// lowestStride gives the first mode of the lowest stride.
func lowestStride(modes []Layout) int {
	best := 0
	for i, m := range modes {
		if m.stride.n.n < modes[best].stride.n.n {
			best = i
		}
	}
	return best
}

// step is a mode of a layout that is inverted: the coordinate steps of size before each move of stride.
type step struct{ size, stride, before int64 }

// steps gives the moving modes of a coalesced layout sorted by stride. A mode of symbolic stride is left out where skip
// is set and refused otherwise, as is every symbolic size.
func steps(a Layout, skip bool) ([]step, error) {
	before := N(1)
	var ss []step
	for _, m := range a.leafModes() {
		if len(m.stride.path) > 0 {
			return nil, errors.New("a coordinate layout has no inverse")
		}
		if !m.shape.n.isStatic() || !m.stride.n.isStatic() && !skip {
			return nil, ErrSymbolic
		}
		if m.stride.n.isStatic() && m.stride.n.n != 0 {
			ss = append(ss, step{m.shape.n.n, m.stride.n.Abs().n, before.n})
		}
		before = before.Mul(m.shape.n)
		if err := arithmetic(Leaf(before), Leaf(m.stride.n.Abs())); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(ss, func(i, j int) bool { return ss[i].stride < ss[j].stride })
	return ss, nil
}

// RightInverse is the longest layout R with A(R(i)) = i. Modes of symbolic stride are not used; a symbolic size is
// refused.
func RightInverse(a Layout) (Layout, error) {
	flat := Coalesce(a)
	ss, err := steps(flat, true)
	// If two modes have the same stride, the smaller one is used.
	sort.SliceStable(ss, func(i, j int) bool {
		return ss[i].stride < ss[j].stride || ss[i].stride == ss[j].stride && ss[i].size < ss[j].size
	})
	r := Join()
	next := int64(1)
	for _, s := range ss {
		if s.stride != next {
			continue
		}
		r = Append(r, Layout{Leaf(Int{n: s.size}), Leaf(Int{n: s.before})})
		next = Int{n: s.size}.Mul(Int{n: next}).n
	}
	return finish("right_inverse", Coalesce(r), err, a)
}

// LeftInverse is a layout R with A(R(A(i))) = A(i); where A hits no offset twice, R(A(i)) = i. It refuses symbolic
// layouts and strides that do not divide one another.
func LeftInverse(a Layout) (Layout, error) {
	flat := Coalesce(a)
	ss, err := steps(flat, false)
	if err != nil {
		return finish("left_inverse", Layout{}, err, a)
	}
	if len(ss) == 0 { // everything is at offset 0
		return flat, nil
	}
	r := Join()
	covered, last := int64(1), step{}
	for _, s := range ss {
		if s.stride%covered != 0 { // neither is 0
			return finish("left_inverse", Layout{}, errors.New("the strides do not divide one another"), a)
		}
		r = Append(r, Layout{Leaf(Int{n: s.stride / covered}), Leaf(Int{n: last.before})})
		covered, last = s.stride, s
	}
	r = Append(r, Layout{Leaf(Int{n: last.size}), Leaf(Int{n: last.before})})
	return finish("left_inverse", Coalesce(r), nil, a)
}
