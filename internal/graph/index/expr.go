package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Expr is a sum of multiples of atoms and a constant. The zero Expr is 0. Exprs are immutable.
type Expr struct {
	Const int64
	Terms []Term // in the order of their atoms' keys, without zero factors
}

// Term is a multiple of an atom.
type Term struct {
	Factor int64
	Atom   *Atom
}

// Kind is the kind of an atom.
type Kind uint8

// The kinds of atoms.
const (
	AxisAtom  Kind = iota // the position along axis Axis
	DivAtom               // the quotient of Arg and By, rounded down
	ModAtom               // the remainder of that
	ClampAtom             // Arg, but at least Lo and at most Hi
	ValueAtom             // Value, an integer that is computed from elements
)

// Atom is an integer that is not a sum. Lo and Hi are the least and the greatest number that it can be.
type Atom struct {
	Kind   Kind
	Axis   int
	Arg    Expr
	By     int64
	Value  any
	Lo, Hi int64

	key string
}

// Constant returns n.
func Constant(n int64) Expr { return Expr{Const: n} }

// Axis returns the position along an axis of a given extent.
func Axis(axis, extent int) Expr {
	if extent == 1 {
		return Expr{}
	}
	return of(&Atom{Kind: AxisAtom, Axis: axis, Hi: int64(extent) - 1, key: fmt.Sprintf("a%04d", axis)})
}

// Value returns an integer that is computed from elements and lies between lo and hi. Values with the same key are the same.
func Value(value any, key string, lo, hi int64) Expr {
	if lo == hi {
		return Constant(lo)
	}
	return of(&Atom{Kind: ValueAtom, Value: value, Lo: lo, Hi: hi, key: "v" + key})
}

func of(a *Atom) Expr { return Expr{Terms: []Term{{1, a}}} }

// Add returns e + f.
func (e Expr) Add(f Expr) Expr { return e.plus(f, 1) }

// Sub returns e - f.
func (e Expr) Sub(f Expr) Expr { return e.plus(f, -1) }

// Plus returns e + n.
func (e Expr) Plus(n int64) Expr { return Expr{e.Const + n, e.Terms} }

// plus returns e + factor·f.
func (e Expr) plus(f Expr, factor int64) Expr {
	sum := Expr{Const: e.Const + factor*f.Const}
	a, b := e.Terms, f.Terms
	for len(a) > 0 || len(b) > 0 {
		var order int
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = cmp.Compare(a[0].Atom.key, b[0].Atom.key)
		}
		var t Term
		if order <= 0 {
			t, a = a[0], a[1:]
		}
		if order >= 0 {
			t = Term{t.Factor + factor*b[0].Factor, b[0].Atom}
			b = b[1:]
		}
		if t.Factor != 0 {
			sum.Terms = append(sum.Terms, t)
		}
	}
	return sum.rejoin()
}

// rejoin replaces c·(x/n)·n + c·(x mod n) by c·x. As (x/m)/n is x/(m·n), that is also the quotient beside (x/m) mod n.
func (e Expr) rejoin() Expr {
	for i, t := range e.Terms {
		if t.Atom.Kind != ModAtom {
			continue
		}
		x, by := t.Atom.Arg, t.Atom.By
		if inner, ok := x.alone(DivAtom); ok {
			x, by = inner.Arg, inner.By*by
		}
		for j, u := range e.Terms {
			if u.Atom.Kind == DivAtom && u.Factor == t.Factor*t.Atom.By &&
				(u.Atom.By == by && u.Atom.Arg.Equal(x) || u.Atom.By == t.Atom.By && u.Atom.Arg.Equal(t.Atom.Arg)) {
				rest := Expr{e.Const, slices.Concat(e.Terms[:min(i, j)], e.Terms[min(i, j)+1:max(i, j)], e.Terms[max(i, j)+1:])}
				return rest.plus(t.Atom.Arg, t.Factor)
			}
		}
	}
	return e
}

// alone gives the atom that e is, if it is one of a kind.
func (e Expr) alone(kind Kind) (*Atom, bool) {
	if len(e.Terms) != 1 || e.Const != 0 || e.Terms[0].Factor != 1 || e.Terms[0].Atom.Kind != kind {
		return nil, false
	}
	return e.Terms[0].Atom, true
}

// Times returns n·e.
func (e Expr) Times(n int64) Expr {
	if n == 0 {
		return Expr{}
	}
	out := Expr{Const: n * e.Const, Terms: slices.Clone(e.Terms)}
	for i := range out.Terms {
		out.Terms[i].Factor *= n
	}
	return out
}

// Div returns e/n, rounded down, for a positive n.
func (e Expr) Div(n int64) Expr {
	q, r := e.split(n)
	lo, hi := r.Range()
	if floor(lo, n) == floor(hi, n) {
		return q.Plus(floor(lo, n))
	}
	if a, ok := r.alone(DivAtom); ok { // (x/m)/n
		return q.Add(a.Arg.Div(a.By * n))
	}
	if x, _, g := r.coarse(n); g > 1 {
		return q.Add(x.Div(n / g))
	}
	return q.Add(of(quotient(r, n)))
}

// Mod returns e mod n, from 0 to n-1, for a positive n.
func (e Expr) Mod(n int64) Expr {
	_, r := e.split(n)
	lo, hi := r.Range()
	if q := floor(lo, n); q == floor(hi, n) {
		return r.Plus(-q * n)
	}
	if x, rest, g := r.coarse(n); g > 1 {
		return x.Mod(n / g).Times(g).Add(rest)
	}
	return of(&Atom{Kind: ModAtom, Arg: r, By: n, Hi: n - 1, key: fmt.Sprintf("m(%v)%d", r, n)})
}

func quotient(x Expr, n int64) *Atom {
	lo, hi := x.Range()
	return &Atom{Kind: DivAtom, Arg: x, By: n, Lo: floor(lo, n), Hi: floor(hi, n), key: fmt.Sprintf("d(%v)%d", x, n)}
}

// split gives q and r with e = n·q + r, where r has the terms that n does not divide and a constant from 0 to n-1.
func (e Expr) split(n int64) (q, r Expr) {
	q.Const = floor(e.Const, n)
	r.Const = e.Const - n*q.Const
	for _, t := range e.Terms {
		if t.Factor%n == 0 {
			q.Terms = append(q.Terms, Term{t.Factor / n, t.Atom})
		} else {
			r.Terms = append(r.Terms, t)
		}
	}
	return q, r
}

// coarse gives x, rest and the greatest g with e = g·x + rest, where g divides n and rest is from 0 to g-1; g is 1 if there is
// none. The quotient by n then depends on x alone.
func (e Expr) coarse(n int64) (x, rest Expr, g int64) {
	for _, t := range e.Terms {
		d := gcd(max(t.Factor, -t.Factor), n)
		if d <= g || d == 1 {
			continue
		}
		q, r := e.split(d)
		if lo, hi := r.Range(); lo >= 0 && hi < d {
			x, rest, g = q, r, d
		}
	}
	return x, rest, max(g, 1)
}

// Clamp returns e, but at least lo and at most hi.
func (e Expr) Clamp(lo, hi int64) Expr {
	from, to := e.Range()
	switch {
	case from >= lo && to <= hi:
		return e
	case to <= lo:
		return Constant(lo)
	case from >= hi:
		return Constant(hi)
	}
	return of(&Atom{Kind: ClampAtom, Arg: e, Lo: max(lo, from), Hi: min(hi, to), key: fmt.Sprintf("c(%v)%d,%d", e, lo, hi)})
}

// Range returns the least and the greatest number that e can be, as far as the ranges of its atoms tell.
func (e Expr) Range() (lo, hi int64) {
	lo, hi = e.Const, e.Const
	for _, t := range e.Terms {
		a, b := t.Factor*t.Atom.Lo, t.Factor*t.Atom.Hi
		lo, hi = lo+min(a, b), hi+max(a, b)
	}
	return lo, hi
}

// Equal reports whether two expressions are written in the same way.
func (e Expr) Equal(f Expr) bool {
	return e.Const == f.Const && slices.EqualFunc(e.Terms, f.Terms, func(a, b Term) bool {
		return a.Factor == b.Factor && a.Atom.key == b.Atom.key
	})
}

// String returns a text that tells expressions apart, such as 3*a0+a1+7.
func (e Expr) String() string { return e.Text(nil) }

// Text returns the text of the expression with values as text writes them; nil writes their keys.
func (e Expr) Text(text func(value any) string) string {
	var b strings.Builder
	for _, t := range e.Terms {
		if b.Len() > 0 && t.Factor >= 0 {
			b.WriteByte('+')
		}
		if t.Factor != 1 {
			fmt.Fprintf(&b, "%d*", t.Factor)
		}
		b.WriteString(t.Atom.text(text))
	}
	if e.Const != 0 || b.Len() == 0 {
		if b.Len() > 0 && e.Const > 0 {
			b.WriteByte('+')
		}
		fmt.Fprint(&b, e.Const)
	}
	return b.String()
}

// String returns the atom's text.
func (a *Atom) String() string { return a.text(nil) }

func (a *Atom) text(text func(value any) string) string {
	switch a.Kind {
	case AxisAtom:
		return fmt.Sprintf("a%d", a.Axis)
	case DivAtom:
		return fmt.Sprintf("(%s)/%d", a.Arg.Text(text), a.By)
	case ModAtom:
		return fmt.Sprintf("(%s)%%%d", a.Arg.Text(text), a.By)
	case ClampAtom:
		return fmt.Sprintf("clamp(%s, %d, %d)", a.Arg.Text(text), a.Lo, a.Hi)
	}
	if text == nil {
		return a.key
	}
	return fmt.Sprintf("clamp(%s, %d, %d)", text(a.Value), a.Lo, a.Hi)
}

func floor(a, n int64) int64 {
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
