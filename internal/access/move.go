package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// movedForm is the rule of reshapes, broadcasts and permutations of integers.
func movedForm(in *Info, v *tileir.Value, o *tileir.Op) (Form, bool) {
	return in.moved(in.Form(o.Operands[0]), o)
}

// moved writes a form of an operation's operand in the indices of the result. It reports false where an index of the operand
// is no sum of those of the result.
func (in *Info) moved(f Form, o *tileir.Op) (Form, bool) {
	if f.Uniform() {
		return f, true
	}
	from, to := o.Operands[0].Type.(*tileir.TileType).Shape, o.Results[0].Type.(*tileir.TileType).Shape
	switch o.Info.Opcode {
	case tileir.OpPermute:
		dims := make([]int, len(from))
		for i, d := range o.Attr("permutation").(tileir.Ints) {
			dims[d] = i
		}
		return in.renamed(f, dims)
	case tileir.OpReshape:
		return in.reshaped(f, from, to)
	}
	return f, true // a dimension that a broadcast repeats has no index yet
}

// renamed moves each dimension to another one. A dimension that is negative has no other, and the form must not have it.
func (in *Info) renamed(f Form, dims []int) (Form, bool) {
	out := number(f.Const)
	for _, t := range f.Terms {
		u := one(Atom{})
		u.Terms[0] = Term{t.Coef, make([]Atom, len(t.Atoms))}
		for i, a := range t.Atoms {
			b, ok := a.renamed(dims)
			if !ok {
				return out, false
			}
			u.Terms[0].Atoms[i] = b
		}
		slices.SortFunc(u.Terms[0].Atoms, Atom.compare)
		var ok bool
		if out, ok = out.plus(u); !ok {
			return out, false
		}
	}
	return out, true
}

func (a Atom) renamed(dims []int) (Atom, bool) {
	switch a.Kind {
	case Index:
		a.Axis = dims[a.Axis]
		return a, a.Axis >= 0
	case Element:
		along := a.along
		a.along = 0
		for shift := 0; along>>shift != 0; shift += 4 {
			d := int(along >> shift & 15)
			if d == 0 {
				continue
			}
			to := dims[d-1]
			if to < 0 || to >= maxRank {
				return a, false
			}
			a.along |= uint64(to+1) << shift
		}
	}
	return a, true
}

// group is a run of dimensions of one shape that has as many elements as a run of another, without extents of 1.
type group struct{ from, to []int }

// groups splits two shapes of the same size into the shortest runs that correspond.
func groups(from, to []int) (out []group) {
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		var g group
		m, n := 1, 1
		for first := true; first || m != n; first = false {
			if m <= n && i < len(from) {
				if m *= from[i]; from[i] > 1 {
					g.from = append(g.from, i)
				}
				i++
			} else if j < len(to) {
				if n *= to[j]; to[j] > 1 {
					g.to = append(g.to, j)
				}
				j++
			}
		}
		out = append(out, g)
	}
	return out
}

// reshaped splits each dimension into several, several into one, or renames it.
func (in *Info) reshaped(f Form, from, to []int) (Form, bool) {
	dims := make([]int, len(from))
	for i := range dims {
		dims[i] = -1
	}
	var splits []group
	ok := true
	for _, g := range groups(from, to) {
		switch {
		case len(g.from) == 1 && len(g.to) == 1:
			dims[g.from[0]] = g.to[0]
		case len(g.from) == 1:
			splits = append(splits, g)
		case len(g.to) == 1:
			if f, ok = in.joined(f, g, from); !ok {
				return f, false
			}
			dims[g.from[0]] = g.to[0]
		}
	}
	kept := f.part(func(t Term) bool { return !anyAlong(t, splits) })
	kept.Const = f.Const
	out, ok := in.renamed(kept, dims)
	if !ok {
		return out, false
	}
	for _, g := range splits {
		for _, t := range f.Terms {
			if !anyAlong(t, []group{g}) {
				continue
			}
			part, ok := in.split(t, g, to, dims)
			if !ok {
				return out, false
			}
			if out, ok = out.plus(part); !ok {
				return out, false
			}
		}
	}
	return out, true
}

func anyAlong(t Term, gs []group) bool {
	for _, g := range gs {
		for _, a := range t.Atoms {
			if a.runsAlong(g.from[0]) {
				return true
			}
		}
	}
	return false
}

// split writes the index of a dimension in those of the dimensions that split it.
func (in *Info) split(t Term, g group, to []int, dims []int) (Form, bool) {
	isIndex := func(a Atom) bool { return a.Kind == Index && a.Axis == g.from[0] }
	rest, ok := in.renamed(t.without(isIndex), dims)
	if !ok {
		return rest, false // it has the index twice, or an element along it, or another dimension that is split
	}
	sum, n := Form{}, int64(1)
	for i := len(g.to) - 1; i >= 0; i-- {
		size := to[g.to[i]]
		if sum, ok = sum.plusTimes(n, in.index(g.to[i], size)); !ok {
			return sum, false
		}
		n *= int64(size)
	}
	return rest.times(sum)
}

// joined replaces the indices of several dimensions by one index, named as that of the first. Their terms must have
// coefficients as if they counted the elements in their order.
func (in *Info) joined(f Form, g group, from []int) (Form, bool) {
	size := 1
	for _, d := range g.from {
		size *= from[d]
	}
	runs := func(d int) func(Term) bool {
		return func(t Term) bool { return anyAlong(t, []group{{from: []int{d}}}) }
	}
	last := g.from[len(g.from)-1]
	base := f.part(runs(last))
	rest, ok := f.minus(base)
	unit, okUnit := in.factor(base, last)
	if !ok || !okUnit {
		return f, false
	}
	n := int64(from[last])
	for i := len(g.from) - 2; i >= 0; i-- {
		d := g.from[i]
		part := rest.part(runs(d))
		have, ok1 := in.factor(part, d)
		want, ok2 := number(0).plusTimes(n, unit)
		if !ok1 || !ok2 || !have.Equal(want) {
			return f, false
		}
		if rest, ok = rest.minus(part); !ok {
			return f, false
		}
		n *= int64(from[d])
	}
	whole, ok := unit.times(in.index(g.from[0], size))
	if !ok {
		return f, false
	}
	return rest.plus(whole)
}

// factor is what a form multiplies an index by; it reports false if the form is no multiple of the index, or has other indices
// of the same dimension.
func (in *Info) factor(f Form, dim int) (out Form, ok bool) {
	ok = f.Const == 0
	for _, t := range f.Terms {
		rest := t.without(func(a Atom) bool { return a.Kind == Index && a.Axis == dim })
		if rest.any(func(a Atom) bool { return a.runsAlong(dim) }) {
			return out, false
		}
		var fine bool
		if out, fine = out.plus(rest); !fine {
			return out, false
		}
	}
	return out, ok
}
