package tileir

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// parseElem gives the bits of a numeral as an element type; false where it is none, or does not fit. Digits after 0x
// are the bits of a float, and the value of an integer.
func parseElem(e Elem, text string) (uint64, bool) {
	if e.IsInt() {
		return parseInt(e, text)
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		x, err := strconv.ParseUint(digits, 16, 64)
		return x, err == nil && x>>(e.Bits()-1)>>1 == 0
	}
	switch e {
	case F64:
		x, ok := parseFloat(text, 64)
		return math.Float64bits(x), ok
	case F32:
		x, ok := parseFloat(text, 32)
		return uint64(math.Float32bits(float32(x))), ok
	}
	x, ok := parseFloat(text, 64)
	if !ok {
		return 0, false
	}
	bits, ok := nearestFloat(e, x)
	if !ok && floatFormats[e].inf {
		return bits + 1, true // infinity follows the greatest value
	}
	return bits, ok
}

// parseFloat is strconv's, but that what is too large is infinite, as MLIR reads it.
func parseFloat(text string, bits int) (float64, bool) {
	x, err := strconv.ParseFloat(text, bits)
	return x, err == nil || errors.Is(err, strconv.ErrRange) && math.IsInf(x, 0)
}

// parseInt takes what is in the signed or the unsigned range.
func parseInt(e Elem, text string) (uint64, bool) {
	b := e.Bits()
	if e == I1 && text == "1" {
		return 1, true
	}
	if x, err := strconv.ParseInt(text, 0, b); err == nil {
		return uint64(x) << (64 - b) >> (64 - b), true
	}
	x, err := strconv.ParseUint(text, 0, b)
	return x, err == nil
}

// nearestFloat rounds x to the nearest value of a type, ties to even; false where that lies beyond its finite values.
func nearestFloat(e Elem, x float64) (uint64, bool) {
	f := floatFormats[e]
	var sign uint64
	if math.Signbit(x) {
		if x = -x; f.unsigned && x > 0 {
			return 0, false
		}
		if !f.unsigned {
			sign = 1 << (f.exp + f.man)
		}
	}
	low, high := uint64(0), f.greatest()
	for low < high { // the greatest code whose value is at most x, or 0
		if mid := (low + high + 1) / 2; floatOf(e, mid) <= x {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == f.greatest() {
		half := (floatOf(e, low) - floatOf(e, low-1)) / 2
		if f.man == 0 { // the next power of two would be as far away as this one is from 0
			half = floatOf(e, low) / 2
		}
		beyond := x - floatOf(e, low)
		return sign | low, beyond < half || beyond == half && !f.odd(low) || half == 0
	}
	below, above := x-floatOf(e, low), floatOf(e, low+1)-x
	if above < below || above == below && f.odd(low) {
		low++
	}
	return sign | low, true
}

// odd reports whether the last digit of a number is: a tie goes to the other one. The only digit of a power of two is odd.
func (f floatFormat) odd(code uint64) bool { return code&1 != 0 || f.man == 0 }

// greatest is the code of the greatest finite value.
func (f floatFormat) greatest() uint64 {
	all := uint64(1)<<(f.exp+f.man) - 1
	switch {
	case f.inf:
		return all - 1<<f.man
	case f.nan:
		return all - 1
	}
	return all
}
