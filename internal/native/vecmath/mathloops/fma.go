// Package mathloops has the functions of package vecmath as loops over slices, which compute the same bits as machine code
// that is made of them. It is generated. Operands must be at least as long as the result, and may be the result itself.
package mathloops

import (
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// fma32 is a*b + c, rounded once; the loops call it where a sum of float64 is not certain to give it.
func fma32(a, b, c float32) float64 { return float64(vec.FMA32(a, b, c)) }

// scale32 is x * 2^n, rounded once, for what [vec.FScale] takes.
func scale32(x float32, n uint32) float32 {
	return float32(float64(x) * math.Float64frombits(uint64(int64(int32(n))+1023)<<52))
}

// scale64 is x * 2^n, rounded once, for what [vec.FScale] takes.
func scale64(x float64, n uint64) float64 {
	if n+900 < 1800 {
		return x * math.Float64frombits((n+1023)<<52)
	}
	return math.Ldexp(x, int(n))
}

// mulHigh is the upper half of a product.
func mulHigh(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}
