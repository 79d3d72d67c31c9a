package text

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// parseElem gives the bits of a numeral as an element type; false if it is none, or does not fit. Digits after 0x
// are the bits of a float, and the value of an integer.
func parseElem(e tileir.Elem, text string) (uint64, bool) {
	if e.IsInt() {
		return parseInt(e, text)
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		x, err := strconv.ParseUint(digits, 16, 64)
		return x, err == nil && x>>(e.Bits()-1)>>1 == 0
	}
	switch e {
	case tileir.F64:
		x, ok := parseFloat(text, 64)
		return math.Float64bits(x), ok
	case tileir.F32:
		x, ok := parseFloat(text, 32)
		return uint64(math.Float32bits(float32(x))), ok
	}
	x, ok := parseFloat(text, 64)
	if !ok {
		return 0, false
	}
	bits, ok := tileir.NearestFloat(e, x)
	if !ok && format(e).Inf {
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
func parseInt(e tileir.Elem, text string) (uint64, bool) {
	b := e.Bits()
	if e == tileir.I1 && text == "1" {
		return 1, true
	}
	if x, err := strconv.ParseInt(text, 0, b); err == nil {
		return uint64(x) << (64 - b) >> (64 - b), true
	}
	x, err := strconv.ParseUint(text, 0, b)
	return x, err == nil
}
