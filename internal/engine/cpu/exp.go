package cpu

import "math"

// exp32 is within 0.51 ulp: it reduces the argument in float64, where that is exact enough, evaluates a polynomial
// there and rounds once. Subnormal results are rounded once too.
func exp32(d, a []float32) { exp2scaled(d, a, math.Log2E) }

func exp2of32(d, a []float32) { exp2scaled(d, a, 1) }

// exp2scaled gives 2 to the power of scale times each element.
func exp2scaled(d, a []float32, scale float64) {
	a = a[:len(d)]
	for i := range d {
		x := float64(a[i]) * scale
		if !(math.Abs(x) < 160) {
			d[i] = far(x)
			continue
		}
		const shift = 3 << 51 // adding it rounds to an integer, which then stands in the low bits
		t := x + shift
		r := (x - (t - shift)) * math.Ln2
		r2 := r * r
		low := (1 + r) + r2*(1./2+r*(1./6))
		high := (1./24 + r*(1./120)) + r2*((1./720+r*(1./5040))+r2*(1./40320))
		d[i] = float32((low + r2*r2*high) * math.Float64frombits((math.Float64bits(t)+1023)<<52))
	}
}

// far is 2^x where that is no float32, or x is NaN.
func far(x float64) float32 {
	switch {
	case x > 0:
		return float32(math.Inf(1))
	case x < 0:
		return 0
	}
	return float32(x)
}
