package layout

import "errors"

// Checker is an [Expr] of a program that may look, when it runs, whether what an operation demands of symbolic integers
// holds. Without it they are trusted, as in CuTe.
type Checker interface {
	Expr
	// Checking reports whether the program looks.
	Checking() bool
	// Check writes down that n must not be above 0; why is what is wrong where it is.
	Check(n Int, why string)
}

// Demand ensures that one of some integers is 0 or below. Where that is known not to be, it gives why as an error; where it
// is known at run time only, a [Checker] among the integers of checks it. Nothing is computed where there is none.
func Demand(why string, of []Int, anyZero func() []Int) error {
	var c Checker
	known := true
	for _, n := range of {
		known = known && n.isStatic()
		if found, ok := n.expr.(Checker); ok && found.Checking() {
			c = found
		}
	}
	if c == nil && !known {
		return nil
	}
	least := N(1)
	for _, n := range anyZero() {
		least = least.Min(n)
	}
	switch {
	case least.bad():
		return least.Err()
	case !least.isStatic():
		c.Check(least, why)
	case least.n > 0:
		return errors.New(why)
	}
	return nil
}

// atLeast1 is n, or 1 where n is less: a divisor also where a mode is empty.
func (a Int) atLeast1() Int { return a.Mul(N(-1)).Min(N(-1)).Mul(N(-1)) }

// RecastsWhole ensures that a layout of elements of oldBits reaches whole elements of newBits only, so that [Recast] of it,
// which demands the same of symbolic strides, is the same memory.
func RecastsWhole(newBits, oldBits int, l Layout) error {
	up := newBits / int(gcd(int64(newBits), int64(oldBits)))
	if up == 1 {
		return nil
	}
	for _, m := range l.leafModes() {
		s, d := m.shape.n, m.stride.n
		if s.isStatic() && s.n <= 1 || d.isStatic() && (d.n == 0 || d.n%int64(up) == 0) {
			continue
		}
		if d.isStatic() && int64(up)%d.n == 0 { // that many elements in a row become one
			k := N(int(magnitude(int64(up) / d.n)))
			if err := Demand("the elements in a row are not a whole number of the wider ones", []Int{s}, func() []Int { return []Int{s.Mod(k)} }); err != nil {
				return err
			}
			continue
		}
		if d.isStatic() {
			return errors.New("a stride is not a whole number of the wider elements")
		}
	}
	return nil
}
