package nativefuzz

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/cutile-go/cutile/tileir"
)

// mood says what numbers memory holds.
type mood int

const (
	ordinary mood = iota
	special       // and special ones
	few           // zeros, ones, infinities, NaN and the like only, so that operands meet that are equal or differ in their sign
	edge          // the least and the greatest normal numbers, and what is near them
	anything      // any bits
)

// moodOf gives that of a parameter's memory.
func moodOf(r *rand.Rand) mood {
	return []mood{ordinary, ordinary, ordinary, ordinary, special, special, special, few, few, edge, anything}[r.IntN(11)]
}

// specials are floats that rules make exceptions for; others come from bits.
var specials = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32,
	math.MaxFloat64, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 0x1p-126, 0x1p-127, -0x1p-130, 0x1p-1022, 0x1p-14, 0x1p-24, 65504, 65520, 448, 464,
	127.5, 128, 255.5, 256, -128.5, -129, 32767.5, 32768, 65535.5, 0x1p31, -0x1p31, 0x1p31 - 0.5, 0x1p32, 0x1p63, -0x1p63, 0x1p64, 88.7, -87.4, 89, 104, 709.8, -745.2, math.Pi, math.Pi / 2, 1e22, 6, 448, 57344}

// scales are powers of two that numbers are multiplied by: a table is faster than [math.Exp2].
var scales = [...]float64{0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1, 1, 2, 4, 8}

// content gives the bits of an element.
func content(r *rand.Rand, e tileir.Elem, m mood) uint64 {
	if e == tileir.I1 {
		return r.Uint64() & 1
	}
	mask := uint64(1)<<e.Bits() - 1
	if e.Bits() == 64 {
		mask = math.MaxUint64
	}
	switch {
	case m == few && e.IsFloat():
		return tileir.FloatBits(e, specials[r.IntN(11)])
	case m == few:
		return uint64(r.IntN(5)-2) & mask
	case m == edge && e.IsFloat():
		return nearEdge(r, e)
	case m == anything:
		return r.Uint64() & mask
	case m == special && r.IntN(5) == 0:
		if e.IsFloat() && r.IntN(2) == 0 {
			return tileir.FloatBits(e, specials[r.IntN(len(specials))])
		}
		top := uint64(1) << (e.Bits() - 1) // near what all zeros, all ones and the sign bit mean
		return ([]uint64{0, top, mask, top >> 1}[r.IntN(4)] + uint64(r.IntN(5)) - 2) & mask
	case !e.IsFloat():
		if r.IntN(4) > 0 {
			return uint64(r.IntN(41)-20) & mask
		}
		return uint64(int64(r.Uint64())>>r.IntN(64)) & mask
	case r.IntN(4) == 0:
		return tileir.FloatBits(e, math.Copysign(float64(r.IntN(9)), float64(r.IntN(2))-0.5))
	}
	return tileir.FloatBits(e, r.NormFloat64()*scales[r.IntN(9)])
}

// nearEdge gives a float near the least or the greatest normal number.
func nearEdge(r *rand.Rand, e tileir.Elem) uint64 {
	n, way := r.NormFloat64()*scales[3+r.IntN(6)], r.IntN(2)
	return tileir.FloatBits(e, n*edgesOf(e)[way])
}

// edgesOf gives the powers of two near the least and the greatest normal number of an element type.
func edgesOf(e tileir.Elem) [2]float64 {
	if x, ok := edges.Load(e); ok {
		return x.([2]float64)
	}
	var x [2]float64
	for way, by := range []float64{0.5, 2} {
		x[way] = 1
		for next := by; tileir.FloatOf(e, tileir.FloatBits(e, next*1.25)) == next*1.25 && math.Abs(math.Log2(next)) < 1022; next *= by {
			x[way] = next
		}
	}
	edges.Store(e, x)
	return x
}

var edges sync.Map // of edgesOf, by element type

// fill writes elements to memory, in which elements may share a byte.
func fill(data []byte, p Param, r *rand.Rand) {
	m := moodOf(r)
	if p.Elem == tileir.F4E2M1FN {
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		return
	}
	size := p.Elem.Bytes()
	for i := range p.Elems {
		bits := content(r, p.Elem, m)
		if p.Elem == tileir.TF32 {
			bits <<= 13
		}
		for k := range size {
			data[i*size+k] = byte(bits >> (8 * k))
		}
	}
}

// bytes is the size of memory.
func (p *Param) bytes() int {
	if p.Elem == tileir.F4E2M1FN {
		return (p.Elems + 1) / 2
	}
	return p.Elems * p.Elem.Bytes()
}

// nan reports whether the bits of an element in memory are no number.
func nan(e tileir.Elem, bits uint64) bool {
	if e == tileir.TF32 {
		e = tileir.F32
	}
	return e.IsFloat() && math.IsNaN(tileir.FloatOf(e, bits))
}
