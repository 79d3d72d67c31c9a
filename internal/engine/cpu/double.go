package cpu

import "math"

// double is a number as the sum of two float64, of which the second is at most half a unit in the last place of the
// first: about 106 bits. Products are converted where they are added to something, so that no machine fuses the two.
type double struct{ hi, lo float64 }

// fastSum adds exactly where a is the greater one.
func fastSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// exactSum adds exactly.
func exactSum(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

// exactProduct multiplies exactly, where nothing underflows.
func exactProduct(a, b float64) double {
	p := float64(a * b)
	return double{p, math.FMA(a, b, -p)}
}

func (x double) plus(y double) double {
	s, t := exactSum(x.hi, y.hi), exactSum(x.lo, y.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

func (x double) minus(y double) double { return x.plus(y.negated()) }

func (x double) times(y double) double {
	p := exactProduct(x.hi, y.hi)
	return fastSum(p.hi, p.lo+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// scaled multiplies by a float64.
func (x double) scaled(y float64) double {
	p := exactProduct(x.hi, y)
	return fastSum(p.hi, p.lo+float64(x.lo*y))
}

func (x double) over(y double) double {
	q := x.hi / y.hi
	return fastSum(q, (math.FMA(-q, y.hi, x.hi)+(x.lo-float64(q*y.lo)))/y.hi)
}

func (x double) negated() double { return double{-x.hi, -x.lo} }

// powerOf2 is 2^exp where that is a normal number.
func powerOf2(exp int) float64 { return math.Float64frombits(uint64(exp+1023) << 52) }

// rounded gives x times a power of two, rounded once.
func (x double) rounded(exp int) float64 {
	if exp > -900 && exp < 900 && math.Abs(x.hi) < 0x1p100 && math.Abs(x.hi) > 0x1p-100 {
		return x.hi * powerOf2(exp)
	}
	r := math.Ldexp(x.hi, exp)
	if math.Abs(r) >= 0x1p-1022 {
		return r
	}
	// A subnormal number: what x.hi has more is lost now, and where that is a tie, x.lo decides it.
	lost, half := x.hi-math.Ldexp(r, -exp), math.Ldexp(1, -1075-exp)
	switch {
	case lost == half && x.lo > 0:
		return math.Nextafter(r, math.Inf(1))
	case lost == -half && x.lo < 0:
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// The constants have more digits than two float64.
var (
	ln2    = double{ln2High, math.Ln2 - ln2High}
	log2e  = double{log2eHigh, math.Log2E - log2eHigh}
	halfPi = double{halfPiHigh, math.Pi/2 - halfPiHigh}
)

const (
	ln2High    = 0x1.62e42fefa39efp-1
	log2eHigh  = 0x1.71547652b82fep+0
	halfPiHigh = 0x1.921fb54442d18p+0
)
