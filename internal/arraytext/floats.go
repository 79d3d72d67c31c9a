package arraytext

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/dtype"
)

// Float is a number of an array: its value, and the number with the fewest decimal digits that means the same in the
// array's element type.
type Float struct {
	Value, Short float64
}

// Precision is how many digits behind the point [Floats] writes at most, unless it is asked for another number.
const Precision = 8

// Floats writes numbers in columns whose points are aligned: with as few digits as each needs and at most precision behind
// the point; or all with exponents, where the largest number is at least large, the least is below 1e-4, or the largest is
// more than 1000 times the least, of those that are neither 0 nor infinite.
func Floats(xs []Float, precision int, large float64) []string {
	form := positional
	if extreme(xs, large) {
		form = scientific
	}
	texts, before, behind := form(xs, precision)
	for i, x := range xs {
		if special(x.Value) {
			texts[i] = specialText(x.Value)
			before = max(before, len(texts[i])-behind)
		}
	}
	for i, x := range xs {
		if special(x.Value) {
			texts[i] = strings.Repeat(" ", before+behind-len(texts[i])) + texts[i]
			continue
		}
		point := strings.IndexByte(texts[i], '.')
		texts[i] = strings.Repeat(" ", before-point) + texts[i]
		texts[i] += strings.Repeat(" ", before+behind-len(texts[i]))
	}
	return texts
}

// extreme reports whether numbers are so far from 1, or from each other, that they are written with exponents.
func extreme(xs []Float, large float64) bool {
	least, most := math.Inf(1), 0.0
	for _, x := range xs {
		if a := math.Abs(x.Short); a > 0 && !special(x.Value) {
			least, most = min(least, a), max(most, a)
		}
	}
	return most > 0 && (most >= large || least < 1e-4 || most/least > 1000)
}

// positional writes numbers without exponents, and gives the greatest number of characters before the point, and from the
// point on.
func positional(xs []Float, precision int) (texts []string, before, behind int) {
	texts = make([]string, len(xs))
	for i, x := range xs {
		if special(x.Value) {
			continue
		}
		text := digits(x, 'f', precision)
		texts[i] = text
		point := strings.IndexByte(text, '.')
		before, behind = max(before, point), max(behind, len(text)-point)
	}
	return texts, before, max(behind, 1)
}

// scientific writes numbers with exponents: all have as many digits as the one that needs most.
func scientific(xs []Float, precision int) (texts []string, before, behind int) {
	texts = make([]string, len(xs))
	longest, exponent := 0, 0
	for _, x := range xs {
		if !special(x.Value) {
			longest = max(longest, fraction(digits(x, 'e', precision)))
		}
	}
	for i, x := range xs {
		if special(x.Value) {
			continue
		}
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(x.Value, 'e', longest, 64), "e")
		if longest == 0 {
			mantissa += "."
		}
		texts[i] = mantissa + "e" + power
		before, exponent = max(before, strings.IndexByte(mantissa, '.')), max(exponent, len(power)-1)
	}
	for i, text := range texts {
		if mantissa, power, ok := strings.Cut(text, "e"); ok {
			texts[i] = mantissa + "e" + power[:1] + strings.Repeat("0", exponent+1-len(power)) + power[1:]
		}
	}
	return texts, before, longest + exponent + 3
}

// digits writes a number with a point, the fewest digits that mean the same, and at most precision digits behind the point.
func digits(x Float, form byte, precision int) string {
	text := strconv.FormatFloat(x.Short, form, -1, 64)
	if fraction(text) > precision {
		text = strconv.FormatFloat(x.Value, form, precision, 64)
	}
	mantissa, power, scaled := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	mantissa = strings.TrimRight(mantissa, "0")
	if scaled {
		return mantissa + "e" + power
	}
	return mantissa
}

// fraction is the number of digits behind the point.
func fraction(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	return len(behind)
}

func special(x float64) bool { return x != x || math.IsInf(x, 0) }

// specialText is NaN, Inf or -Inf.
func specialText(x float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
}

// Aligned pads texts to the width of the longest, or to width if that is more: on the left, or on the right.
func Aligned(texts []string, width int, right bool) []string {
	for _, text := range texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(text))
		if right {
			out[i] = text + pad
		} else {
			out[i] = pad + text
		}
	}
	return out
}

// FloatOf is a number of a float type, with its shortest decimal number: the one that rounds to it in that type.
func FloatOf(t dtype.Type, value float64) Float {
	if t == dtype.F64 || special(value) {
		return Float{value, value}
	}
	bits := t.FloatBits(value)
	for digits := 0; digits < 17; digits++ { // of the types beside float64, float32 needs most: 9
		short, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', digits, 64), 64)
		if err == nil && t.FloatBits(short) == bits {
			return Float{value, short}
		}
	}
	return Float{value, value}
}

// Large is from which number on NumPy prints arrays of a type with exponents: numbers with more digits than the type has.
// Types that NumPy lacks have the bound of float32.
func Large(t dtype.Type) float64 {
	switch t {
	case dtype.F64:
		return 1e8
	case dtype.F16:
		return 1e3
	}
	return 1e6
}
