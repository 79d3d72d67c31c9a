package cformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Append writes a number, an int64, uint64 or float64. One of another kind than the conversion is for is converted.
func (p *Piece) Append(out []byte, v any) []byte {
	switch p.Verb {
	case 'd', 'i':
		n := integer(v)
		digits := strconv.FormatUint(magnitude(n), 10)
		return p.pad(out, p.sign(n < 0), p.digits(digits), p.Prec < 0)
	case 'u', 'o', 'x', 'X', 'p':
		prefix, digits := p.unsigned(uint64(integer(v)))
		return p.pad(out, prefix, digits, p.Prec < 0)
	case 'c':
		return p.pad(out, "", string([]byte{byte(integer(v))}), false)
	case 's':
		return p.pad(out, "", fmt.Sprint(v), false)
	}
	x := float(v)
	prefix, digits := p.float(math.Abs(x))
	switch {
	case x != x: // whose sign says how a processor made it: GPUs set none
		return p.pad(out, p.sign(false), digits, false)
	case math.IsInf(x, 0):
		return p.pad(out, p.sign(x < 0), digits, false)
	}
	return p.pad(out, p.sign(math.Signbit(x))+prefix, digits, true)
}

func integer(v any) int64 {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case uint64:
		return int64(v)
	}
	return v.(int64)
}

func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v.(float64)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// sign is the sign, or what stands for it, before a signed number.
func (p *Piece) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case p.has('+'):
		return "+"
	case p.has(' '):
		return " "
	}
	return ""
}

// digits brings an integer to the precision; zero with the precision 0 has no digit.
func (p *Piece) digits(s string) string {
	if s == "0" && p.Prec == 0 {
		return ""
	}
	return strings.Repeat("0", max(0, p.Prec-len(s))) + s
}

func (p *Piece) unsigned(n uint64) (prefix, digits string) {
	switch p.Verb {
	case 'u':
		return "", p.digits(strconv.FormatUint(n, 10))
	case 'o':
		digits = p.digits(strconv.FormatUint(n, 8))
		if p.has('#') && !strings.HasPrefix(digits, "0") {
			digits = "0" + digits
		}
		return "", digits
	}
	digits = p.digits(strconv.FormatUint(n, 16))
	if p.Verb == 'p' || p.has('#') && n != 0 {
		prefix = "0x"
	}
	if p.Verb == 'X' {
		return strings.ToUpper(prefix), strings.ToUpper(digits)
	}
	return prefix, digits
}

// float gives the digits of a float that is not negative, and what stands between the sign and the zeros of a width.
func (p *Piece) float(x float64) (prefix, digits string) {
	prec := p.Prec
	if prec < 0 {
		prec = 6
	}
	switch verb := p.Verb | 0x20; {
	case math.IsInf(x, 0):
		digits = "inf"
	case x != x:
		digits = "nan"
	case verb == 'a':
		prefix, digits = "0x", p.hexadecimal(x)
	case verb == 'g':
		digits = p.general(x, max(1, prec))
	default:
		digits = p.point(strconv.FormatFloat(x, verb, prec, 64))
	}
	if p.Verb < 'a' {
		return strings.ToUpper(prefix), strings.ToUpper(digits)
	}
	return prefix, digits
}

// hexadecimal is a float of base 16 without 0x. C writes no zero in front of the exponent.
func (p *Piece) hexadecimal(x float64) string {
	s := strconv.FormatFloat(x, 'x', p.Prec, 64)[2:]
	mantissa, exponent, _ := strings.Cut(s, "p")
	if len(exponent) == 3 && exponent[1] == '0' {
		exponent = exponent[:1] + exponent[2:]
	}
	return p.point(mantissa + "p" + exponent)
}

// general is the shorter of the forms with and without an exponent, without the zeros at the end.
func (p *Piece) general(x float64, prec int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', prec-1, 64), "e")
	if n, _ := strconv.Atoi(exponent); n >= -4 && n < prec {
		mantissa, exponent = strconv.FormatFloat(x, 'f', prec-1-n, 64), ""
	} else {
		exponent = "e" + exponent
	}
	if p.has('#') {
		return p.point(mantissa + exponent)
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + exponent
}

// point adds the point that # asks for after a float's digits if they have none.
func (p *Piece) point(s string) string {
	if !p.has('#') || strings.Contains(s, ".") {
		return s
	}
	if i := strings.IndexAny(s, "ep"); i >= 0 {
		return s[:i] + "." + s[i:]
	}
	return s + "."
}

// pad brings prefix and digits to the width; zeros may fill it where the conversion knows the flag 0.
func (p *Piece) pad(out []byte, prefix, digits string, zeros bool) []byte {
	n := max(0, p.Width-len(prefix)-len(digits))
	switch {
	case p.has('-'):
		return append(append(append(out, prefix...), digits...), strings.Repeat(" ", n)...)
	case zeros && p.has('0'):
		return append(append(append(out, prefix...), strings.Repeat("0", n)...), digits...)
	}
	return append(append(append(out, strings.Repeat(" ", n)...), prefix...), digits...)
}
