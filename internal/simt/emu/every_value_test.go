package emu_test

import (
	"math"
	"math/big"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// encoding says which numbers the bits of a float stand for.
type encoding struct {
	exp, man int
	pad      int    // bits below, always 0
	top      uint64 // the bits of the largest number
	nan      uint64 // the bits of the NaN that results have: 0 where any may be
	noInf    bool
}

var encodings = map[string]encoding{
	"f16": {5, 10, 0, 0x7bff, 0x7fff, false}, "bf16": {8, 7, 0, 0x7f7f, 0x7fff, false}, "f32": {8, 23, 0, 0x7f7fffff, 0x7fffffff, false},
	"f64": {11, 52, 0, 0x7fefffffffffffff, 0, false}, "tf32": {8, 10, 13, 0x3fbff, 0x7fffe000, false},
	"e4m3": {4, 3, 0, 0x7e, 0x7f, true}, "e5m2": {5, 2, 0, 0x7b, 0x7f, false},
	"e2m1": {2, 1, 0, 0x7, 0x7, true}, "e2m3": {2, 3, 0, 0x1f, 0x1f, true}, "e3m2": {3, 2, 0, 0x1f, 0x1f, true}, // NaN becomes the largest number
}

// isFloat reports whether numbers of a type, or of its halves, have fractions.
func isFloat(typ string) bool { return encodings[strings.TrimSuffix(typ, "x2")].exp > 0 }

func (l encoding) width() int { return 1 + l.exp + l.man + l.pad }

func (l encoding) sign() uint64 { return 1 << (l.width() - 1) }

// decode gives the number that bits stand for. All encodings' numbers are float64s.
func (l encoding) decode(x uint64) float64 {
	sign := 1.0
	if x&l.sign() != 0 {
		sign = -1
	}
	size := x &^ l.sign() >> l.pad
	switch {
	case size > l.top+1 || size > l.top && l.noInf:
		return math.NaN()
	case size > l.top:
		return math.Inf(int(sign))
	}
	field, digits := int(size>>l.man), size&(1<<l.man-1)
	if field > 0 {
		digits |= 1 << l.man
	}
	return math.Copysign(math.Ldexp(float64(digits), max(field, 1)-l.bias()-l.man), sign)
}

func (l encoding) bias() int { return 1<<(l.exp-1) - 1 }

// subnormal reports whether bits stand for a number with fewer digits than others, not zero.
func (l encoding) subnormal(x uint64) bool {
	x &^= l.sign()
	return x != 0 && x < 1<<(l.man+l.pad)
}

// flush makes subnormal numbers zeros of the same sign.
func (l encoding) flush(x uint64) uint64 {
	if l.subnormal(x) {
		return x & l.sign()
	}
	return x
}

// real is an exact result: a number, or an infinity or NaN.
type real struct {
	x        *big.Float // nil: not finite
	negative bool       // the sign of a zero
	other    float64    // infinity or NaN
}

// exactly is a float64 as an exact result.
func exactly(v float64) real {
	if v-v != 0 {
		return real{other: v}
	}
	return real{x: exactFloat(v), negative: math.Signbit(v)}
}

// put rounds a result; modes are PTX's, and "" is to the nearest. finite makes what is too large the largest number.
func (l encoding) put(r real, mode string, finite bool) uint64 {
	switch {
	case r.x == nil && r.other != r.other:
		return l.nan | l.anyNaN()
	case r.x == nil:
		return l.beyond(r.other < 0, finite)
	case r.x.Sign() == 0 && r.negative:
		return l.sign()
	case r.x.Sign() == 0:
		return 0
	}
	negative := r.x.Sign() < 0
	e := r.x.MantExp(nil) - 1
	unit := max(e, 1-l.bias()) - l.man // the exponent of the last digit that there is
	scaled := new(big.Float).SetPrec(5000).SetMantExp(r.x, -unit)
	scaled.Abs(scaled)
	whole, _ := scaled.Int(nil)
	half := scaled.Sub(scaled, new(big.Float).SetInt(whole)).Cmp(big.NewFloat(0.5))
	size := whole.Uint64()
	if grows(mode, negative, scaled.Sign() != 0, half, size&1 == 1) {
		size++
	}
	if e >= 1-l.bias() { // the leading digit is not written, and adds one to the exponent
		size += uint64(e+l.bias()-1) << l.man
	}
	if size > l.top {
		toward := mode == "rz" || mode == "rm" && !negative || mode == "rp" && negative
		return l.beyond(negative, finite || toward)
	}
	size <<= l.pad
	if negative {
		size |= l.sign()
	}
	return size
}

// grows says whether a size that was cut off becomes the next one. half compares the rest with one half.
func grows(mode string, negative, rest bool, half int, odd bool) bool {
	switch mode {
	case "rz":
		return false
	case "rm":
		return rest && negative
	case "rp":
		return rest && !negative
	case "rna":
		return half >= 0
	}
	return half > 0 || half == 0 && odd
}

// beyond is what a number becomes that is too large.
func (l encoding) beyond(negative, largest bool) uint64 {
	size := l.top
	if !largest {
		size++
	}
	if size <<= l.pad; negative {
		size |= l.sign()
	}
	return size
}

// anyNaN is a NaN for encodings that name none.
func (l encoding) anyNaN() uint64 {
	if l.nan != 0 {
		return 0
	}
	return (l.top + 1) | 1<<(l.man-1)
}

// sameNaN compares results, of which NaNs may differ.
func sameNaN(typ string) func(got, want uint64) bool {
	element, pair := strings.CutSuffix(typ, "x2")
	l := encodings[element]
	one := func(got, want uint64) bool {
		a, b := l.decode(got), l.decode(want)
		return got == want || a != a && b != b
	}
	if n := simt.TypeBits(typ) / 2; pair {
		return func(got, want uint64) bool { return one(got&(1<<n-1), want&(1<<n-1)) && one(got>>n, want>>n) }
	}
	return one
}

// inHalves does a function on operands, or on both halves of each.
func inHalves(typ string, f func(v []uint64) uint64) func(v []uint64) uint64 {
	if !strings.HasSuffix(typ, "x2") {
		return f
	}
	n := simt.TypeBits(typ) / 2
	mask := uint64(1)<<n - 1
	return func(v []uint64) uint64 {
		var low, high []uint64
		for _, x := range v {
			low, high = append(low, x&mask), append(high, x>>n&mask)
		}
		return f(low) | f(high)<<n
	}
}
