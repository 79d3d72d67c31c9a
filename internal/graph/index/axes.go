package index

// Affine returns the factor of each axis, if e is a constant and multiples of axes alone.
func (e Expr) Affine() (factors map[int]int64, ok bool) {
	factors = map[int]int64{}
	for _, t := range e.Terms {
		if t.Atom.Kind != AxisAtom {
			return nil, false
		}
		factors[t.Atom.Axis] = t.Factor
	}
	return factors, true
}

// Joins reports whether the positions i along one axis and j along another, of extent n, occur in e only as i·n + j.
func (e Expr) Joins(i, j int, n int64) bool {
	var fi, fj int64
	inside := false
	for _, t := range e.Terms {
		switch {
		case t.Atom.Kind != AxisAtom:
			inside = inside || !t.Atom.Arg.Joins(i, j, n)
		case t.Atom.Axis == i:
			fi = t.Factor
		case t.Atom.Axis == j:
			fj = t.Factor
		}
	}
	return !inside && fi == fj*n
}

// Atoms calls f for every atom of e, those inside of other atoms first.
func (e Expr) Atoms(f func(*Atom)) {
	for _, t := range e.Terms {
		t.Atom.Arg.Atoms(f)
		f(t.Atom)
	}
}

// Replace returns e with other expressions in place of axes and values. An atom that replace does not want to change stays if
// replace returns false.
func (e Expr) Replace(replace func(*Atom) (Expr, bool)) Expr {
	out := Constant(e.Const)
	for _, t := range e.Terms {
		out = out.plus(t.Atom.replaced(replace), t.Factor)
	}
	return out
}

func (a *Atom) replaced(replace func(*Atom) (Expr, bool)) Expr {
	switch a.Kind {
	case DivAtom:
		return a.Arg.Replace(replace).Div(a.By)
	case ModAtom:
		return a.Arg.Replace(replace).Mod(a.By)
	case ClampAtom:
		return a.Arg.Replace(replace).Clamp(a.Lo, a.Hi)
	}
	if e, ok := replace(a); ok {
		return e
	}
	return of(a)
}

// A Cond says that an expression is at least 0 and less than N.
type Cond struct {
	Index Expr
	N     int64
}

// Always reports whether the condition holds everywhere.
func (c Cond) Always() bool {
	lo, hi := c.Index.Range()
	return lo >= 0 && hi < c.N
}

// Never reports whether it holds nowhere.
func (c Cond) Never() bool {
	lo, hi := c.Index.Range()
	return hi < 0 || lo >= c.N || c.N <= 0
}
