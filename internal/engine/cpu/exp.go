package cpu

import "math"

// exp32 is within 0.501 ulp: it reduces the argument in float64, where that is exact enough, multiplies a polynomial
// with a table's entry there and rounds once. Subnormal results are rounded once too.
func exp32(d, a []float32) { exp2scaled(d, a, math.Log2E) }

func exp2of32(d, a []float32) { exp2scaled(d, a, 1) }

// fractions are the powers of two for the exponents i/64.
var fractions = func() (t [64]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i) / 64))
	}
	return t
}()

// exp2scaled gives 2 to the power of scale times each element. Products are converted so that no machine fuses them with
// the additions.
func exp2scaled(d, a []float32, scale float64) {
	const shift = 3 << 51    // adding it rounds to an integer, which then stands in the low bits
	const limit = 0x43200000 // the bits of 160; where elements reach it, results are zero or infinite
	scale *= 64
	a = a[:len(d)]
	for i := range d {
		if math.Float32bits(a[i])&^(1<<31) >= limit {
			d[i] = far(a[i])
			continue
		}
		x := float64(a[i]) * scale
		t := x + shift
		r := (x - (t - shift)) * (math.Ln2 / 64) // at most 0.0055, so that r^4/24 is below 4e-11
		p := 1 + float64(r*(1+float64(r*(1./2+float64(r*(1./6))))))
		k := math.Float64bits(t)
		d[i] = float32(p * math.Float64frombits(fractions[k&63]+k>>6<<52))
	}
}

// far is e^x and 2^x where that is no float32, or x is NaN.
func far(x float32) float32 {
	switch {
	case x > 0:
		return float32(math.Inf(1))
	case x < 0:
		return 0
	}
	return x
}
