package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Form is an integer as a polynomial: the sum of Const and the terms. The number is exact, without bounds: a form stands for
// an integer of the kernel only where that integer cannot have wrapped around. A form of a tile gives each element, by the
// indices of the element.
type Form struct {
	Const int64
	Terms []Term // in a fixed order, no two with the same atoms
}

// Term is the product of a number other than 0 and of one or more atoms, in a fixed order.
type Term struct {
	Coef  int64
	Atoms []Atom
}

// Kind is the kind of an atom.
type Kind uint8

// The kinds of atoms. All but Index and Element are the same for all elements of a tile.
const (
	Param    Kind = iota // a parameter of the entry, Axis by number
	BlockID              // the block's number along Axis of the grid
	GridSize             // the number of blocks along Axis of the grid
	Counter              // the counter of a loop
	Extent               // an extent of a tensor, or its number of tiles, along Axis
	Scalar               // another integer of which there is one
	Index                // the index of the element along dimension Axis of the tile, which has Size elements there
	Element              // an element of the tile Value; which one, [Atom.Along] says
)

// Atom is something that a form is made of. Two atoms are equal if and only if they stand for the same.
type Atom struct {
	Kind  Kind
	Axis  int
	Size  int
	Value *tileir.Value // in the kernel; nil for Index
	along uint64        // for each dimension of Value, 1 + the dimension of the form's tile that runs along it; 4 bits each
	seq   int32         // orders atoms
}

const (
	maxTerms   = 24      // of a form; what has more is an atom of its own
	maxAtoms   = 4       // of a term
	maxRank    = 15      // of tiles whose elements are atoms, as along has 4 bits for each dimension
	maxDivisor = 1 << 30 // of what is promised
)

// Along gives the dimension of the form's tile that runs along a dimension of an element's tile. It reports false if none
// does: the index there is 0.
func (a Atom) Along(dim int) (int, bool) {
	d := int(a.along >> (4 * dim) & 15)
	return d - 1, d > 0
}

// runsAlong reports whether the atom is not the same for all elements along a dimension.
func (a Atom) runsAlong(dim int) bool {
	if a.Kind == Index {
		return a.Axis == dim
	}
	for s := a.along; s != 0; s >>= 4 {
		if int(s&15) == dim+1 {
			return true
		}
	}
	return false
}

// Varies reports whether the atom differs between the elements of a tile.
func (a Atom) Varies() bool { return a.Kind == Index || a.Kind == Element }

func (a Atom) compare(b Atom) int {
	for _, d := range [...]int{int(a.Kind) - int(b.Kind), a.Axis - b.Axis, int(a.seq) - int(b.seq)} {
		if d != 0 {
			return d
		}
	}
	switch {
	case a.along < b.along:
		return -1
	case a.along > b.along:
		return 1
	}
	return 0
}

func compareAtoms(a, b []Atom) int { return slices.CompareFunc(a, b, Atom.compare) }

// number makes the form of a number.
func number(n int64) Form { return Form{Const: n} }

// one makes the form of an atom.
func one(a Atom) Form { return Form{Terms: []Term{{1, []Atom{a}}}} }

// Number gives the number that a form is; it reports false if the form has terms.
func (f Form) Number() (int64, bool) { return f.Const, len(f.Terms) == 0 }

// Equal reports whether two forms are the same polynomial.
func (f Form) Equal(g Form) bool {
	return f.Const == g.Const && slices.EqualFunc(f.Terms, g.Terms, func(a, b Term) bool {
		return a.Coef == b.Coef && slices.Equal(a.Atoms, b.Atoms)
	})
}

// Uniform reports whether a form is the same for all elements of a tile.
func (f Form) Uniform() bool {
	return !f.any(Atom.Varies)
}

func (f Form) any(is func(Atom) bool) bool {
	return slices.ContainsFunc(f.Terms, func(t Term) bool { return slices.ContainsFunc(t.Atoms, is) })
}

// plus adds forms. It reports false where a coefficient leaves 64 bits, or the form becomes too long.
func (f Form) plus(g Form) (Form, bool) { return f.plusTimes(1, g) }

// minus subtracts forms.
func (f Form) minus(g Form) (Form, bool) { return f.plusTimes(-1, g) }

// plusTimes is f + n*g.
func (f Form) plusTimes(n int64, g Form) (out Form, ok bool) {
	c, ok := mul(n, g.Const)
	if out.Const, ok = add(f.Const, c, ok); !ok {
		return out, false
	}
	out.Terms = make([]Term, 0, len(f.Terms)+len(g.Terms))
	i, j := 0, 0
	for i < len(f.Terms) || j < len(g.Terms) {
		var t Term
		order := -1
		if i == len(f.Terms) {
			order = 1
		} else if j < len(g.Terms) {
			order = compareAtoms(f.Terms[i].Atoms, g.Terms[j].Atoms)
		}
		if order <= 0 {
			t = f.Terms[i]
			i++
		}
		if order >= 0 {
			more, ok := mul(n, g.Terms[j].Coef)
			if t.Coef, ok = add(t.Coef, more, ok); !ok {
				return out, false
			}
			t.Atoms = g.Terms[j].Atoms
			j++
		}
		if t.Coef != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return out, len(out.Terms) <= maxTerms
}

// times multiplies forms.
func (f Form) times(g Form) (out Form, ok bool) {
	if out, ok = number(0).plusTimes(g.Const, f); !ok {
		return out, false
	}
	for _, t := range g.Terms {
		part, ok := f.timesTerm(t)
		if !ok {
			return out, false
		}
		if out, ok = out.plus(part); !ok {
			return out, false
		}
	}
	return out, true
}

func (f Form) timesTerm(t Term) (out Form, ok bool) {
	if f.Const != 0 {
		c, ok := mul(f.Const, t.Coef)
		if !ok {
			return out, false
		}
		out.Terms = append(out.Terms, Term{c, t.Atoms})
	}
	for _, u := range f.Terms {
		c, ok := mul(u.Coef, t.Coef)
		if !ok || len(u.Atoms)+len(t.Atoms) > maxAtoms {
			return out, false
		}
		atoms := append(slices.Clone(u.Atoms), t.Atoms...)
		slices.SortFunc(atoms, Atom.compare)
		out.Terms = append(out.Terms, Term{c, atoms})
	}
	slices.SortFunc(out.Terms, func(a, b Term) int { return compareAtoms(a.Atoms, b.Atoms) })
	return out, len(out.Terms) <= maxTerms
}

// without takes one of the atoms that is holds for away from a term, if there is one; what remains is a form.
func (t Term) without(is func(Atom) bool) Form {
	i := slices.IndexFunc(t.Atoms, is)
	if i < 0 {
		return Form{Terms: []Term{t}}
	}
	rest := slices.Delete(slices.Clone(t.Atoms), i, i+1)
	if len(rest) == 0 {
		return number(t.Coef)
	}
	return Form{Terms: []Term{{t.Coef, rest}}}
}

// part keeps the terms for which keep holds.
func (f Form) part(keep func(Term) bool) (out Form) {
	for _, t := range f.Terms {
		if keep(t) {
			out.Terms = append(out.Terms, t)
		}
	}
	return out
}
