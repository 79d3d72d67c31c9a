package cute

import "math"

// fmaOdd is x*y+z of three float32, rounded to odd: the nearer float64 towards 0, with its last bit set where that is not
// exact. Rounding this to float32 rounds the exact sum. Rounding to nearest twice would not: a sum near the middle
// of two float32 would be rounded into the middle first. See Boldo and Melquiond, Emulation of FMA and Correctly Rounded
// Sums, IEEE Transactions on Computers 57(4), 2008.
func fmaOdd(x, y, z float64) float64 {
	p := x * y // exact: 48 bits
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) || math.IsInf(p, 0) {
		return s
	}
	zz := s - p
	rest := (p - (s - zz)) + (z - zz) // what s lacks, exact: TwoSum of Knuth
	b := math.Float64bits(s)
	switch {
	case rest == 0 || b&1 == 1:
		return s
	case rest > 0 == (s > 0):
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}
