package layout

import "slices"

// Tuple is an integer, an underscore, or a list of tuples. The zero value is the integer 0. A Tuple is never changed.
//
// Shapes are tuples of integers; strides also have [Basis] leaves; coordinates also have [All].
type Tuple struct {
	form form
	n    Int
	path []int // the modes of a basis leaf, outermost first
	list []Tuple
}

type form uint8

const (
	leaf form = iota
	underscore
	list
)

// All is the underscore: the whole mode where a coordinate is expected.
var All = Tuple{form: underscore}

// Leaf is the tuple that is one integer.
func Leaf(n Int) Tuple { return Tuple{n: n} }

// T is the list of the given tuples; T() is the empty one.
func T(modes ...Tuple) Tuple { return Tuple{form: list, list: slices.Clone(modes)} }

// Of is the list of static integers.
func Of(ns ...int) Tuple {
	t := Tuple{form: list, list: make([]Tuple, len(ns))}
	for i, n := range ns {
		t.list[i] = Leaf(N(n))
	}
	return t
}

// Basis is the stride that goes n steps along one mode of the codomain: Basis(N(2), 0, 1) prints 2@1@0 and steps
// along mode 1 of mode 0. Without a path it is the plain stride n.
func Basis(n Int, path ...int) Tuple { return Tuple{n: n, path: slices.Clone(path)} }

// IsLeaf reports whether t is one integer, and gives it. The value of a basis leaf is its number of steps.
func (t Tuple) IsLeaf() (n Int, ok bool) { return t.n, t.form == leaf }

// IsAll reports whether t is the underscore.
func (t Tuple) IsAll() bool { return t.form == underscore }

// Path gives the modes of a basis leaf, outermost first; nil for everything else.
func (t Tuple) Path() []int { return slices.Clone(t.path) }

// Modes gives the entries of a list; anything else is its own only mode.
func (t Tuple) Modes() []Tuple {
	if t.form == list {
		return slices.Clone(t.list)
	}
	return []Tuple{t}
}

// Rank is the number of modes.
func (t Tuple) Rank() int {
	if t.form == list {
		return len(t.list)
	}
	return 1
}

// Depth is the depth of nesting, 0 for an integer.
func (t Tuple) Depth() int {
	if t.form != list {
		return 0
	}
	d := 0
	for _, m := range t.list {
		d = max(d, m.Depth())
	}
	return d + 1
}

// Product multiplies all leaves; 1 for an empty tuple.
func (t Tuple) Product() Int {
	p := N(1)
	for _, n := range t.Leaves() {
		p = p.Mul(n.n)
	}
	return p
}

// ProductEach gives the product of each mode: (20,6) for ((4,5),6).
func (t Tuple) ProductEach() Tuple {
	if t.form != list {
		return Leaf(t.Product())
	}
	r := T()
	for _, m := range t.list {
		r.list = append(r.list, Leaf(m.Product()))
	}
	return r
}

// Leaves gives the leaves, left to right.
func (t Tuple) Leaves() []Tuple {
	if t.form != list {
		return []Tuple{t}
	}
	var ls []Tuple
	for _, m := range t.list {
		ls = append(ls, m.Leaves()...)
	}
	return ls
}

// Flatten is the list of the leaves; an integer becomes a list of one.
func (t Tuple) Flatten() Tuple { return T(t.Leaves()...) }

// Congruent reports whether both have the same nesting.
func (t Tuple) Congruent(u Tuple) bool {
	return t.Rank() == u.Rank() && (t.form == list) == (u.form == list) && t.zipAll(u, Tuple.Congruent)
}

// WeaklyCongruent reports whether the nesting of t is that of u with some of u's branches cut to a leaf: t can be a
// coordinate where u is the shape.
func (t Tuple) WeaklyCongruent(u Tuple) bool {
	return t.form != list || u.form == list && len(t.list) == len(u.list) && t.zipAll(u, Tuple.WeaklyCongruent)
}

// zipAll reports whether f holds for all pairs of modes of two lists of one length; it holds for leaves.
func (t Tuple) zipAll(u Tuple, f func(Tuple, Tuple) bool) bool {
	for i := range t.list {
		if !f(t.list[i], u.list[i]) {
			return false
		}
	}
	return true
}

// Equal reports whether both have the same nesting and leaves, see [Int.Equal].
func (t Tuple) Equal(u Tuple) bool {
	if t.form != u.form || len(t.list) != len(u.list) {
		return false
	}
	if t.form == leaf {
		return t.n.Equal(u.n) && slices.Equal(t.path, u.path)
	}
	return t.zipAll(u, Tuple.Equal)
}

// mapLeaves replaces each leaf.
func (t Tuple) mapLeaves(f func(Tuple) Tuple) Tuple {
	if t.form != list {
		return f(t)
	}
	r := T(make([]Tuple, len(t.list))...)
	for i, m := range t.list {
		r.list[i] = m.mapLeaves(f)
	}
	return r
}

// times scales an integer or basis leaf.
func (t Tuple) times(n Int) Tuple { return Tuple{n: t.n.Mul(n), path: t.path} }

// is reports whether t is the plain static integer n.
func (t Tuple) is(n int) bool { return t.form == leaf && len(t.path) == 0 && t.n.Is(n) }

// badLeaf gives the first leaf whose arithmetic failed.
func (t Tuple) badLeaf() (Int, bool) {
	for _, l := range t.Leaves() {
		if l.n.bad() {
			return l.n, true
		}
	}
	return Int{}, false
}

// hasAll reports whether an underscore is in t.
func (t Tuple) hasAll() bool {
	return slices.ContainsFunc(t.Leaves(), Tuple.IsAll)
}

// MapInts replaces every integer, those of basis leaves included.
func (t Tuple) MapInts(f func(Int) Int) Tuple {
	return t.mapLeaves(func(leaf Tuple) Tuple {
		if leaf.form == underscore {
			return leaf
		}
		return Tuple{n: f(leaf.n), path: leaf.path}
	})
}
