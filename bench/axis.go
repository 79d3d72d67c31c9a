package bench

import "math"

// axis maps values to places in a plot.
type axis struct {
	lo, hi   float64 // values at its ends
	from, to float64 // places of the ends
	log      bool
}

// newAxis spans values, with some room at the ends, and with 0 if it is not logarithmic and zero says so. Values that have no place on it do not
// matter.
func newAxis(values []float64, log, zero bool) axis {
	a := axis{lo: math.Inf(1), hi: math.Inf(-1), log: log}
	for _, v := range values {
		if a.has(v) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	switch {
	case a.lo > a.hi && log:
		a.lo, a.hi = 1, 10
	case a.lo > a.hi:
		a.lo, a.hi = 0, 1
	}
	if zero && !log {
		a.lo, a.hi = min(0, a.lo), max(0, a.hi)
	}
	a.widen()
	return a
}

// has reports whether a value has a place on the axis.
func (a *axis) has(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.log || v > 0)
}

// widen makes room beyond the values, but none below 0.
func (a *axis) widen() {
	const room = 0.04
	if a.log {
		l, h := math.Log(a.lo), math.Log(a.hi)
		more := max((h-l)*room, 0.1)
		a.lo, a.hi = max(math.Exp(l-more), math.SmallestNonzeroFloat64), min(math.Exp(h+more), math.MaxFloat64)
		return
	}
	more := (a.hi - a.lo) * room
	if a.hi == a.lo {
		more = max(math.Abs(a.hi)/10, 1e-12)
	}
	if a.lo != 0 {
		a.lo = max(a.lo-more, -math.MaxFloat64)
	}
	a.hi = min(a.hi+more, math.MaxFloat64)
}

// at is the place of a value, and whether it has one.
func (a *axis) at(v float64) (float64, bool) {
	if !a.has(v) {
		return 0, false
	}
	part := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		part = (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	}
	return a.from + part*(a.to-a.from), true
}

// ticks are round values on the axis, about n of them.
func (a *axis) ticks(n int) (list []float64) {
	if a.log {
		return a.powers(n)
	}
	step := math.Pow(10, math.Floor(math.Log10((a.hi-a.lo)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (a.hi-a.lo)/(f*step) <= float64(n) {
			step *= f
			break
		}
	}
	first := math.Ceil(a.lo / step)
	for i := range 4 * n { // of numbers that are too close for floats, there is no end
		v := (first+float64(i))*step + 0 // 0, and not -0
		if !(v <= a.hi) {
			break
		}
		if v >= a.lo && (len(list) == 0 || v > list[len(list)-1]) {
			list = append(list, v)
		}
	}
	return list
}

// powers are ticks of a logarithmic axis: powers of ten, as many decades apart as is needed, or 1, 2 and 5 times them.
func (a *axis) powers(n int) (list []float64) {
	lo, hi := int(math.Floor(math.Log10(a.lo))), int(math.Ceil(math.Log10(a.hi)))
	apart := max(1, (hi-lo+n-1)/n)
	factors := []float64{1}
	switch decades := math.Log10(a.hi / a.lo); {
	case 3*decades <= float64(n) && decades >= 0.5:
		factors = []float64{1, 2, 5}
	case decades < 0.5:
		lin := axis{lo: a.lo, hi: a.hi}
		return lin.ticks(n)
	}
	for e := lo; e <= hi; e += apart {
		for _, f := range factors {
			if v := f * math.Pow(10, float64(e)); v >= a.lo && v <= a.hi {
				list = append(list, v)
			}
		}
	}
	return list
}
