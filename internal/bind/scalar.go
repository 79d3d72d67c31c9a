package bind

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/dtype"
)

// Accepts reports whether an element type takes values of a Go type: its own, and what Go makes of a constant: an int for any
// number, a float64 for any float; with convert any integer for a number and any float for a float. A type that is defined on
// its own is taken, too, the floats that Go lacks aside, which are defined on integers. Whether a value fits is for [Number]
// to say.
func Accepts(want dtype.Type, t reflect.Type, convert bool) bool {
	own := want.GoType()
	switch k := t.Kind(); {
	case t == own:
		return true
	case half(t):
		return false
	case k == reflect.Int, convert && k >= reflect.Int && k <= reflect.Uintptr:
		return want != dtype.Bool
	case k == reflect.Float64, convert && k == reflect.Float32:
		return want.IsFloat()
	case k == reflect.Uint:
		return want == dtype.U64
	default:
		return k == own.Kind() && !half(own)
	}
}

// half reports whether a type is a float that Go lacks.
func half(t reflect.Type) bool { return t.PkgPath() == dtype.F16.GoType().PkgPath() }

// Number gives the bits that a value has as an element of a type that accepts it, zero-extended, or says why it does not fit. A
// float is rounded, an integer is not.
func Number(want dtype.Type, v reflect.Value) (bits uint64, problem string) {
	fits, verb := true, "%d"
	switch {
	case v.Kind() == reflect.Bool:
		bits = uint64(when(v.Bool()))
	case v.CanFloat():
		bits, fits, verb = want.FloatBits(v.Float()), want.Holds(v.Float()), "%g"
	case v.CanInt():
		n := v.Int()
		bits, fits = integer(want, uint64(max(n, -n)), n < 0)
	case v.Type() == want.GoType(): // also the floats that Go lacks, as their bits
		bits = v.Uint()
	default:
		bits, fits = integer(want, v.Uint(), false)
	}
	if !fits {
		return 0, fmt.Sprintf(verb+", which does not fit", v)
	}
	return bits, ""
}

// integer gives the bits of an integer by its absolute value and sign, and whether the element type holds just this number.
func integer(want dtype.Type, size uint64, negative bool) (bits uint64, exact bool) {
	if want.IsFloat() {
		f := float64(size)
		exact = f < 1<<64 && uint64(f) == size
		if negative {
			f = -f
		}
		bits = want.FloatBits(f)
		return bits, exact && want.FloatFromBits(bits) == f
	}
	n := size
	if negative {
		n = -n
	}
	free := 64 - 8*want.Size()
	bits = n << free >> free
	back := bits
	if want.IsSigned() {
		back = uint64(int64(n<<free) >> free)
	}
	return bits, back == n && (want.IsSigned() && int64(back) < 0) == negative
}
