package device

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/dtype"
)

// Uniform makes a tensor of random numbers that are distributed evenly from low, included, to high, excluded. They are rounded to E,
// so that a narrow type may have high, too.
//
// Every element depends on the seed and its place in row-major order alone: it is the same on every device and machine, and
// in a larger tensor. The generator is Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random
// Numbers: As Easy as 1, 2, 3; 2011). From 0 to 1, tensors of float32 have the numbers that tile.Uniform makes of the seed and the
// places, multiples of 2⁻²⁴; those of float64 have further digits, 53 bits in all.
func Uniform[E dtype.Float](dev *Device, seed uint64, low, high float64, shape ...int) (*Tensor[E], error) {
	width := high - low
	if !(width >= 0) || math.IsInf(width, 0) {
		return nil, fmt.Errorf("cutile: Uniform: from %v to %v: expected finite numbers in this order, whose difference is finite", low, high)
	}
	fine := dtype.Of[E]() == dtype.F64
	return numbers[E](dev, shape, func(at int) float64 {
		r := random(seed, uint64(at))
		u := float64(r[0]>>8) * 0x1p-24
		if fine {
			u += float64(r[1]>>3) * 0x1p-53 // exact
		}
		return math.FMA(u, width, low)
	})
}

// Normal makes a tensor of random numbers that are distributed normally, with a mean and a standard deviation; the largest distance
// from the mean is 8.3 standard deviations. As those of [Uniform], they depend on the seed and their places alone.
// A random number p of 52 bits in (0, 1) becomes the number below which a normally distributed one is with probability p.
func Normal[E dtype.Float](dev *Device, seed uint64, mean, deviation float64, shape ...int) (*Tensor[E], error) {
	if !(deviation >= 0) || math.IsInf(deviation, 0) || mean != mean || math.IsInf(mean, 0) {
		return nil, fmt.Errorf("cutile: Normal: the mean is %v and the standard deviation %v: expected finite numbers, the second not negative", mean, deviation)
	}
	return numbers[E](dev, shape, func(at int) float64 {
		r := random(seed, uint64(at))
		p := (float64(uint64(r[0])<<20|uint64(r[1])>>12) + 0.5) * 0x1p-52 // exact
		return math.FMA(quantile(p), deviation, mean)
	})
}

// random gives the bits that belong to a seed and a place.
func random(seed, at uint64) [4]uint32 {
	return philox([4]uint32{uint32(at), uint32(at >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// philox is the generator Philox4x32 with ten rounds.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(0xD2511F53, c[0])
		high1, low1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0}
		k[0] += 0x9E3779B9 // the golden ratio
		k[1] += 0xBB67AE85 // √3-1
	}
	return c
}

// quantile gives the number below which a normally distributed one is with probability p: the rational functions of M. J. Wichura,
// Algorithm AS 241: The Percentage Points of the Normal Distribution (1988), which differ from it by about 1 part in 10^16.
func quantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return q * ratio(math.FMA(-q, q, 0.180625), &central)
	}
	tail := math.Sqrt(-logarithm(min(p, 1-p)))
	if tail <= 5 {
		tail = ratio(tail-1.6, &middle)
	} else {
		tail = ratio(tail-5, &far)
	}
	return math.Copysign(tail, q)
}

// The coefficients of the numerators and denominators, the highest power first.
var (
	central = [2][8]float64{
		{2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080},
		{5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867, 5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1},
	}
	middle = [2][8]float64{
		{7.74545014278341407640e-4, 0.0227238449892691845833, 0.241780725177450611770, 1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734},
		{1.05075007164441684324e-9, 5.47593808499534494600e-4, 0.0151986665636164571966, 0.148103976427480074590, 0.689767334985100004550, 1.67638483018380384940, 2.05319162663775882187, 1},
	}
	far = [2][8]float64{
		{2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.00124266094738807843860, 0.0265321895265761230930, 0.296560571828504891230, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720},
		{2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4, 0.0148753612908506148525, 0.136929880922735805310, 0.599832206555887937690, 1},
	}
)

// ratio computes a rational function, by fused multiplications and additions, which round in the same way on every machine.
func ratio(x float64, c *[2][8]float64) float64 {
	var y [2]float64
	for i := range y {
		for _, a := range c[i] {
			y[i] = math.FMA(y[i], x, a)
		}
	}
	return y[0] / y[1]
}

// logarithm is the natural logarithm of a positive number. That of package math differs between machines in its last bit.
func logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1) // ln m = 2 (s + s³/3 + s⁵/5 + ...), and |s| is at most 0.172
	square := s * s
	sum := 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = math.FMA(sum, square, 1/float64(k))
	}
	return math.FMA(float64(e), math.Ln2, 2*s*sum)
}
