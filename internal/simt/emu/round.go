package emu

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// format is a float of at most 32 bits as it lies in a register. What is too large becomes an infinity, NaN where there is
// none; NaN is always the same one.
type format struct{ *elem.Format }

// formats finds a format by the name of its type.
var formats = func() map[string]*format {
	all := map[string]*format{
		"e2m3": {elem.NewFormat(elem.Format{Exp: 2, Man: 3})}, "e3m2": {elem.NewFormat(elem.Format{Exp: 3, Man: 2})},
		"e2m1": {elem.NewFormat(elem.Format{Exp: 2, Man: 1})}, "ue8m0": {elem.NewFormat(elem.Format{Exp: 8, Unsigned: true, NaN: true})},
		"ue4m3": {elem.NewFormat(elem.Format{Exp: 4, Man: 3, Unsigned: true, NaN: true})},
	}
	for _, row := range elem.Table {
		if row.PTX != "" && row.Kind == elem.Float && row.Size <= 4 {
			all[row.PTX] = &format{row.Format}
		}
	}
	return all
}()

var fmt16 = formats["f16"]

// rounding is a mode of rounding, by PTX's modifier without what follows the direction.
type rounding = elem.Rounding

const (
	nearest  = elem.Nearest
	toZero   = elem.Zero // rz
	down     = elem.Down // rm
	up       = elem.Up   // rp
	nearAway = elem.Away // rna
)

var roundings = map[string]rounding{
	"": nearest, "rn": nearest, "rz": toZero, "rm": down, "rp": up, "rna": nearAway,
	"rni": nearest, "rzi": toZero, "rmi": down, "rpi": up,
}

// round gives the bits of a number in the format. finite makes what is too large the largest number.
func (f *format) round(x float64, mode rounding, finite bool) uint64 {
	return f.Encode(x, mode, finite) << f.Pad
}

// value gives the number that bits stand for.
func (f *format) value(b uint64) float64 { return f.Decode(b >> f.Pad) }

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
