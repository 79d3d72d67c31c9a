package spirv

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// numberText writes a number of a type.
func numberText(value uint64, l literal) string {
	switch l.form {
	case unsignedForm:
		return strconv.FormatUint(value, 10)
	case signedForm:
		// Numbers of less than 32 bits are extended with their sign.
		if l.width <= 32 {
			return strconv.FormatInt(int64(int32(value)), 10)
		}
		return strconv.FormatInt(int64(value), 10)
	}
	return floatText(value, l)
}

// floatLayouts are the bits of the exponent and the fraction of the forms of floats.
var floatLayouts = map[literal]struct{ exponent, fraction uint }{
	{16, floatForm}: {5, 10}, {32, floatForm}: {8, 23}, {64, floatForm}: {11, 52},
	{16, bfloatForm}: {8, 7}, {8, e4m3Form}: {4, 3}, {8, e5m2Form}: {5, 2},
}

// floatText writes a float: zeros and normal numbers of 32 and 64 bits in decimal with as many digits as tell them apart, and
// everything else in hexadecimal.
func floatText(value uint64, l literal) string {
	switch {
	case l.form == floatForm && l.width == 32:
		if f := float64(math.Float32frombits(uint32(value))); f == 0 || math.Abs(f) >= 0x1p-126 && math.Abs(f) <= math.MaxFloat32 {
			return decimal(f, 9)
		}
	case l.form == floatForm && l.width == 64:
		if f := math.Float64frombits(value); f == 0 || math.Abs(f) >= 0x1p-1022 && math.Abs(f) <= math.MaxFloat64 {
			return decimal(f, 17)
		}
	}
	return hexadecimal(value, l)
}

// decimal writes a float as C's %g does.
func decimal(f float64, digits int) string {
	s := strconv.FormatFloat(f, 'e', digits-1, 64)
	at := strings.IndexByte(s, 'e')
	exponent, _ := strconv.Atoi(s[at+1:])
	if exponent < -4 || exponent >= digits {
		return trimZeros(s[:at]) + fmt.Sprintf("e%+03d", exponent)
	}
	return trimZeros(strconv.FormatFloat(f, 'f', digits-1-exponent, 64))
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// hexadecimal writes the bits of a float as "-0x1.8p+3". Infinities and NaNs have the exponent after the largest, and a denormal
// number is written as a normal one.
func hexadecimal(value uint64, l literal) string {
	form, ok := floatLayouts[l]
	if !ok {
		return strconv.FormatUint(value, 10)
	}
	sign := ""
	if value>>(form.exponent+form.fraction)&1 != 0 {
		sign = "-"
	}
	bias := 1<<(form.exponent-1) - 1
	exponent := int(value>>form.fraction) & (1<<form.exponent - 1)
	fraction := value & (1<<form.fraction - 1)
	lead := "1"
	switch {
	case exponent == 0 && fraction == 0:
		lead, exponent = "0", 0
	case exponent == 0:
		shift := int(form.fraction) + 1 - bits.Len64(fraction)
		fraction = fraction << shift & (1<<form.fraction - 1)
		exponent = 1 - bias - shift
	default:
		exponent -= bias
	}
	text := ""
	if fraction != 0 {
		digits := (form.fraction + 3) / 4
		text = "." + strings.TrimRight(fmt.Sprintf("%0*x", int(digits), fraction<<(4*digits-form.fraction)), "0")
	}
	return fmt.Sprintf("%s0x%s%sp%+d", sign, lead, text, exponent)
}
