package cpu

import "math"

// exp32 is within 0.51 ulp: it reduces the argument in float64, where the reduction is exact enough, evaluates a
// polynomial there and rounds once. Subnormal results are rounded once too.
func exp32(d, a []float32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = float32(pow2(float64(a[i]) * math.Log2E))
	}
}

func exp2of32(d, a []float32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = float32(pow2(float64(a[i])))
	}
}

// pow2 gives 2^x within 1e-10 for what fits a float32, and zero or infinity far outside of it.
func pow2(x float64) float64 {
	if !(x < 160) { // also NaN
		return x * math.Inf(1)
	}
	if x < -160 {
		return 0
	}
	const shift = 3 << 51 // adding it rounds to an integer, which then stands in the low bits
	t := x + shift
	n := math.Float64bits(t)
	r := (x - (t - shift)) * math.Ln2
	p := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720+r*(1./5040+r*(1./40320))))))))
	return p * math.Float64frombits((n+1023)<<52)
}
