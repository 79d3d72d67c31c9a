package emu

import (
	"math"
)

// format is a float of at most 32 bits.
type format struct {
	exp, man int    // bits of the exponent and of the fraction
	max      uint64 // the bits of the largest finite number
	inf      uint64 // the bits of infinity: those of NaN where there is none
	nan      uint64
	pad      int // bits below the fraction that are always 0
}

var (
	fmt32   = &format{exp: 8, man: 23, max: 0x7f7fffff, inf: 0x7f800000, nan: 0x7fffffff}
	fmtTF32 = &format{exp: 8, man: 10, max: 0x3fbff, inf: 0x3fc00, nan: 0x3ffff, pad: 13}
	fmt16   = &format{exp: 5, man: 10, max: 0x7bff, inf: 0x7c00, nan: 0x7fff}
	fmtBF16 = &format{exp: 8, man: 7, max: 0x7f7f, inf: 0x7f80, nan: 0x7fff}
	fmtE4M3 = &format{exp: 4, man: 3, max: 0x7e, inf: 0x7f, nan: 0x7f}
	fmtE5M2 = &format{exp: 5, man: 2, max: 0x7b, inf: 0x7c, nan: 0x7f}
)

// formats finds a format by the name of its type.
var formats = map[string]*format{"f32": fmt32, "tf32": fmtTF32, "f16": fmt16, "bf16": fmtBF16, "e4m3": fmtE4M3, "e5m2": fmtE5M2}

// rounding is a mode of rounding, by PTX's modifier without what follows the direction.
type rounding byte

const (
	nearest  rounding = iota // ties to even
	toZero                   // rz
	down                     // rm
	up                       // rp
	nearAway                 // rna
)

var roundings = map[string]rounding{
	"": nearest, "rn": nearest, "rz": toZero, "rm": down, "rp": up, "rna": nearAway,
	"rni": nearest, "rzi": toZero, "rmi": down, "rpi": up,
}

// round gives the bits of a number in the format. finite makes what is too large the largest number.
//
// A number that was itself rounded, to odd (see addOdd), is rounded as the exact one would be.
func (f *format) round(x float64, mode rounding, finite bool) uint64 {
	if x != x {
		return f.nan << f.pad
	}
	b := math.Float64bits(x)
	sign := b >> 63 << (f.exp + f.man)
	size := f.magnitude(b&^(1<<63), mode, b>>63 == 1)
	if size > f.max {
		toward := mode == toZero || mode == up && sign != 0 || mode == down && sign == 0
		size = f.inf
		if finite || toward && !math.IsInf(x, 0) {
			size = f.max
		}
	}
	return (sign | size) << f.pad
}

// magnitude rounds a number without its sign; the result may exceed the largest number.
func (f *format) magnitude(b uint64, mode rounding, negative bool) uint64 {
	bias := 1<<(f.exp-1) - 1
	e := int(b>>52) - 1023 // of the leading bit
	frac := b&(1<<52-1) | 1<<52
	switch {
	case b == 0:
		return 0
	case b>>52 == 0: // below the least number of any format: any value that is not 0 will do
		frac, e = 1<<52, -1022
	case b>>52 == 0x7ff:
		return f.max + 1
	}
	last := max(e, 1-bias) - f.man // the exponent of the last bit that is kept
	drop := uint(last - e + 52)
	var keep, rest, half uint64
	if drop > 54 {
		keep, rest, half = 0, 1, 2 // less than half
	} else {
		keep, rest, half = frac>>drop, frac&(1<<drop-1), 1<<drop>>1
	}
	grow := false
	switch mode {
	case nearest:
		grow = rest > half || rest == half && half != 0 && keep&1 == 1
	case nearAway:
		grow = half != 0 && rest >= half
	case up:
		grow = rest != 0 && !negative
	case down:
		grow = rest != 0 && negative
	}
	if grow {
		keep++
	}
	if e >= 1-bias {
		keep += uint64(e+bias-1) << f.man
	}
	return keep
}

// value gives the number that bits stand for.
func (f *format) value(b uint64) float64 {
	b >>= f.pad
	size := b & (1<<(f.exp+f.man) - 1)
	bias := 1<<(f.exp-1) - 1
	var v float64
	switch e := int(size >> f.man); {
	case size > f.max && size == f.inf && f.inf != f.nan:
		v = math.Inf(1)
	case size > f.max:
		return math.NaN()
	case e == 0:
		v = float64(size) * pow2(1-bias-f.man)
	default:
		v = float64(size&(1<<f.man-1)|1<<f.man) * pow2(e-bias-f.man)
	}
	if b>>(f.exp+f.man)&1 == 1 {
		return -v
	}
	return v
}

func pow2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// odd corrects a rounded sum or quotient so that its last bit tells whether it is exact: it becomes odd if not, on the side
// of the exact value. Rounding it once more to fewer bits is then right.
func odd(s, rest float64) float64 {
	b := math.Float64bits(s)
	if rest == 0 || rest != rest || math.IsInf(s, 0) || b&1 == 1 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// addOdd adds, rounding to odd.
func addOdd(x, y float64) float64 {
	s := x + y
	v := s - x
	return odd(s, (x-(s-v))+(y-v))
}

// fmaOdd is x*y+z, rounded to odd, of numbers whose product float64 holds.
func fmaOdd(x, y, z float64) float64 { return addOdd(float64(x*y), z) }

// divOdd divides, rounding to odd.
func divOdd(x, y float64) float64 {
	q := x / y
	rest := math.FMA(-q, y, x)
	if y < 0 {
		rest = -rest
	}
	if q == 0 || math.IsInf(y, 0) {
		return q
	}
	return odd(q, rest)
}

// sqrtOdd is the square root, rounded to odd.
func sqrtOdd(x float64) float64 {
	r := math.Sqrt(x)
	return odd(r, math.FMA(-r, r, x))
}

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// bits32 gives the bits of a result: NaN is always the same one.
func bits32(r float32) uint64 {
	if r != r {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(r))
}

func f64(x uint64) float64 { return math.Float64frombits(x) }

func bits64(r float64) uint64 { return math.Float64bits(r) }

// fma32 is x*y+z, rounded once: the product is exact in float64, and the sum is rounded to odd first.
func fma32(x, y, z float32) float32 { return float32(fmaOdd(float64(x), float64(y), float64(z))) }

// halfway says that a float64 may lie in the middle between two neighbouring float32, or is no number.
func halfway(s float64, r float32) bool { return math.Float64bits(s)&(1<<28-1) == 0 && float64(r) != s }

// half32 gives the number of 16 bits of f16 quickly.
func half32(h uint64) float32 {
	size := math.Float32frombits(uint32(h&0x7fff)<<13) * (1 << 112)
	if h&0x7c00 == 0x7c00 {
		size = math.Float32frombits(uint32(h&0x7fff)<<13 | 0x7f800000)
	}
	return math.Float32frombits(math.Float32bits(size) | uint32(h&0x8000)<<16)
}
