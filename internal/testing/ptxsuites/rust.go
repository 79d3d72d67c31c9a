package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// rustValues are the values of an array in Rust.
type rustValues struct {
	kind byte // 'u', 'i' or 'f'
	bits int
	all  []uint64 // in their bits
}

// bytes gives the array as memory has it.
func (v rustValues) bytes() []byte {
	var b []byte
	for _, x := range v.all {
		b = append(b, binary.LittleEndian.AppendUint64(nil, x)[:v.bits/8]...)
	}
	return b
}

// equal compares memory with the array: floats as numbers.
func (v rustValues) equal(got []byte) bool {
	want, n := v.bytes(), v.bits/8
	for i := range v.all {
		a, b := got[i*n:i*n+n], want[i*n:i*n+n]
		switch {
		case string(a) == string(b):
		case v.kind == 'f' && v.bits == 32 && math.Float32frombits(binary.LittleEndian.Uint32(a)) == math.Float32frombits(binary.LittleEndian.Uint32(b)):
		case v.kind == 'f' && v.bits == 64 && math.Float64frombits(binary.LittleEndian.Uint64(a)) == math.Float64frombits(binary.LittleEndian.Uint64(b)):
		default:
			return false
		}
	}
	return true
}

var (
	rustType  = regexp.MustCompile(`(?:^|[^a-z])([uif])(8|16|32|64)\b|[0-9_.]([uif])(8|16|32|64)\b`)
	rustBits  = regexp.MustCompile(`^(?:half::)?f(16|32|64)::from_bits\((.*)\)$`)
	rustFrom  = regexp.MustCompile(`^half::f16::from_f(?:32|64)\((.*)\)$`)
	rustConst = regexp.MustCompile(`^(?:std::)?(?:half::)?([uif])(8|16|32|64)::(?:consts::)?(\w+)(?:\(\))?$`)
)

// rustArrayOf reads the elements of an array. The first that says its type gives that of all.
func rustArrayOf(text string) (rustValues, error) {
	v := rustValues{kind: 'i', bits: 32}
	var words []string
	for w := range strings.SplitSeq(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			words = append(words, w)
		}
	}
	for _, w := range words {
		if strings.HasSuffix(w, ".to_bits()") {
			v.kind = 'u'
			v.bits = 16
			break
		}
		if m := rustType.FindStringSubmatch(w); m != nil {
			v.kind = (m[1] + m[3])[0]
			v.bits, _ = strconv.Atoi(m[2] + m[4])
			break
		}
		if strings.Contains(w, ".") {
			v.kind, v.bits = 'f', 64
		}
	}
	for _, w := range words {
		x, err := v.value(w)
		if err != nil {
			return v, fmt.Errorf("%q is no value that the judge knows: %w", w, err)
		}
		v.all = append(v.all, x)
	}
	return v, nil
}

// value reads one element.
func (v rustValues) value(w string) (uint64, error) {
	if raw, ok := strings.CutSuffix(w, ".to_bits()"); ok {
		return rustValues{kind: 'f', bits: 16}.value(raw)
	}
	if m := rustBits.FindStringSubmatch(w); m != nil {
		return rustValues{kind: 'u', bits: 64}.value(m[2])
	}
	if m := rustFrom.FindStringSubmatch(w); m != nil {
		x, err := rustFloat(m[1])
		return uint64(halfOf(x)), err
	}
	if v.kind == 'f' {
		x, err := rustFloat(w)
		switch v.bits {
		case 16:
			return uint64(halfOf(x)), err
		case 32:
			return uint64(math.Float32bits(float32(x))), err
		}
		return math.Float64bits(x), err
	}
	if m := rustConst.FindStringSubmatch(w); m != nil {
		bits, _ := strconv.Atoi(m[2])
		switch name := m[3]; {
		case m[1] == "i" && strings.HasPrefix(strings.ToLower(name), "min"):
			return uint64(int64(-1) << (bits - 1)), nil
		case m[1] == "i" && strings.HasPrefix(strings.ToLower(name), "max"):
			return 1<<(bits-1) - 1, nil
		case strings.HasPrefix(strings.ToLower(name), "max"):
			return math.MaxUint64 >> (64 - bits), nil
		}
	}
	w = regexp.MustCompile(`[ui](8|16|32|64)$`).ReplaceAllString(strings.ReplaceAll(w, "_", ""), "")
	if negative, ok := strings.CutPrefix(w, "-"); ok {
		x, err := strconv.ParseUint(negative, 0, 64)
		return -x, err
	}
	return strconv.ParseUint(w, 0, 64)
}

// rustFloat reads a float: a number, a constant, or a quotient of two.
func rustFloat(w string) (float64, error) {
	if a, b, ok := strings.Cut(w, " / "); ok {
		x, err := rustFloat(a)
		if err != nil {
			return 0, err
		}
		y, err := rustFloat(b)
		return float64(float32(x) / float32(y)), err
	}
	if m := rustConst.FindStringSubmatch(w); m != nil {
		known := map[string]float64{"NAN": math.NaN(), "INFINITY": math.Inf(1), "NEG_INFINITY": math.Inf(-1), "PI": float64(float32(math.Pi))}
		if x, ok := known[m[3]]; ok {
			return x, nil
		}
	}
	if m := rustBits.FindStringSubmatch(w); m != nil && m[1] == "32" {
		n, err := strconv.ParseUint(m[2], 0, 32)
		return float64(math.Float32frombits(uint32(n))), err
	}
	w = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(w, "f32"), "f64"), "_", "")
	if n, err := strconv.ParseInt(w, 0, 64); err == nil {
		return float64(n), nil
	}
	return strconv.ParseFloat(w, 64)
}

// halfOf gives the bits of the values that the tables have in 16 bits: all are normal, or exact.
func halfOf(x float64) uint16 {
	f := math.Float32bits(float32(x))
	sign := uint16(f >> 16 & 0x8000)
	switch {
	case math.IsNaN(x):
		return 0x7e00
	case math.IsInf(x, 0):
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	mantissa := f&0x7fffff | 0x800000
	exponent := int(f>>23&0xff) - 127 + 15
	rounded := (mantissa + 0xfff + mantissa>>13&1) >> 13
	return sign | uint16(uint32(exponent-1)<<10+rounded)
}
