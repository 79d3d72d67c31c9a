package text

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// floatText prints a float as MLIR does: six digits after the point where those name the value, else enough digits, and
// in hexadecimal what decimal digits cannot name.
func floatText(e tileir.Elem, bits uint64) string {
	x := tileir.FloatOf(e, bits)
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		if s := decimalText(x, e, 6, 0); namesFloat(s, x, e, bits) {
			return s
		}
		if s := decimalText(x, e, 0, 3); strings.Contains(s, ".") {
			return s
		}
	}
	return "0x" + strings.ToUpper(strconv.FormatUint(bits, 16))
}

// namesFloat reports whether a decimal text reads back as the same bits: it must be nearer to x than x's neighbours.
func namesFloat(s string, x float64, e tileir.Elem, bits uint64) bool {
	if e == tileir.F64 || e == tileir.F32 {
		y, err := strconv.ParseFloat(s, e.Bits())
		return err == nil && y == x
	}
	y, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return false
	}
	d := math.Abs(y - x)
	if d == 0 {
		return true
	}
	magnitude := bits &^ (1 << (format(e).Exp + format(e).Man))
	for _, step := range []uint64{1, math.MaxUint64} {
		if magnitude == 0 && step != 1 {
			continue
		}
		z := math.Abs(tileir.FloatOf(e, magnitude+step))
		if math.IsNaN(z) || math.IsInf(z, 0) {
			continue
		}
		other := math.Abs(math.Abs(y) - z)
		if other < d || other == d && magnitude&1 != 0 {
			return false
		}
	}
	return true
}

// decimalText prints x with the digits that LLVM's APFloat finds: digits is how many are significant (0 for enough to
// tell neighbours apart), padding how many zeros may stand in for an exponent (0 for always an exponent, with at least
// two digits and zeros up to the precision).
func decimalText(x float64, e tileir.Elem, digits, padding int) string {
	sign := ""
	if math.Signbit(x) {
		sign, x = "-", -x
	}
	if x == 0 {
		if padding == 0 {
			return sign + "0." + strings.Repeat("0", digits) + "e+00"
		}
		return sign + "0"
	}
	if digits == 0 {
		digits = 2 + (format(e).Man+1)*59/196
	}
	ds, exp := decimalDigits(x, digits)
	n := len(ds)
	if scientific(n, exp, digits, padding) {
		return sign + scientificText(ds, exp+n-1, digits, padding)
	}
	switch whole := n + exp; {
	case exp >= 0:
		return sign + ds + strings.Repeat("0", exp)
	case whole > 0:
		return sign + ds[:whole] + "." + ds[whole:]
	default:
		return sign + "0." + strings.Repeat("0", -whole) + ds
	}
}

// scientific decides between 765000 and 7.65E+5, and between 0.00765 and 7.65E-3.
func scientific(n, exp, digits, padding int) bool {
	switch top := exp + n - 1; {
	case padding == 0:
		return true
	case exp >= 0:
		return exp > padding || n+exp > digits
	default:
		return top < 0 && -top > padding
	}
}

func scientificText(ds string, exp, digits, padding int) string {
	mantissa, mark := ds[:1]+"."+ds[1:], "E"
	power := strconv.Itoa(max(exp, -exp))
	if padding == 0 {
		mark = "e"
		mantissa += strings.Repeat("0", max(0, digits-len(ds)+1))
		if len(power) < 2 {
			power = "0" + power
		}
	} else if len(ds) == 1 {
		mantissa += "0"
	}
	if exp < 0 {
		return mantissa + mark + "-" + power
	}
	return mantissa + mark + "+" + power
}

// decimalDigits gives at most n digits d and an exponent such that x is about d times ten to it, without zeros at the
// end. It cuts first and rounds half up after that, as LLVM does; other ways differ in the last digit now and then.
func decimalDigits(x float64, n int) (string, int) {
	frac, exp2 := math.Frexp(x)
	sig := new(big.Int).SetUint64(uint64(math.Ldexp(frac, 53)))
	exp2 -= 53
	zeros := int(sig.TrailingZeroBits())
	sig.Rsh(sig, uint(zeros))
	exp2 += zeros
	exp := 0
	if exp2 >= 0 {
		sig.Lsh(sig, uint(exp2))
	} else {
		sig.Mul(sig, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-exp2)), nil))
		exp = exp2
	}
	if tens := (sig.BitLen() - (n*196+58)/59) * 59 / 196; tens > 0 {
		sig.Quo(sig, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(tens)), nil))
		exp += tens
	}
	all := sig.String()
	ds := strings.TrimRight(all, "0")
	exp += len(all) - len(ds)
	if len(ds) <= n {
		return ds, exp
	}
	exp += len(ds) - n
	up := ds[n] >= '5'
	ds = ds[:n]
	if up {
		head := strings.TrimRight(ds, "9")
		exp += len(ds) - len(head)
		if head == "" {
			return "1", exp
		}
		return head[:len(head)-1] + string(head[len(head)-1]+1), exp
	}
	cut := strings.TrimRight(ds, "0")
	return cut, exp + len(ds) - len(cut)
}

// format says what the bits of a float mean.
func format(e tileir.Elem) *elem.Format { return elem.ByIR(e.String()).Format }
