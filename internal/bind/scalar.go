package bind

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/dtype"
)

// accepts reports whether a parameter takes values of a type: its own, and what Go makes of a constant: an int for any
// number, a float64 for any float. A type that is defined on the parameter's own is taken, too, the floats that Go lacks
// aside, which are defined on integers. Whether a value fits is for encode to say.
func accepts(want dtype.Type, t reflect.Type) bool {
	own := want.GoType()
	if t == own {
		return true
	}
	switch t.Kind() {
	case reflect.Int:
		return want != dtype.Bool
	case reflect.Uint:
		return want == dtype.U64
	case reflect.Float64:
		return want.IsFloat()
	}
	return t.Kind() == own.Kind() && !half(t) && !half(own)
}

// half reports whether a type is a float that Go lacks.
func half(t reflect.Type) bool { return t.PkgPath() == dtype.F16.GoType().PkgPath() }

// encode gives the bits of a value that the parameter accepts, zero-extended, or says why the value does not fit.
func encode(want dtype.Type, v reflect.Value) (bits uint64, problem string) {
	switch {
	case v.Kind() == reflect.Bool:
		return uint64(when(v.Bool())), ""
	case v.CanInt() && want.IsInt():
		return encodeInt(want, v.Int())
	case v.CanInt():
		bits := want.FloatBits(float64(v.Int()))
		back := want.FloatFromBits(bits)
		if int64(back) != v.Int() || back == 1<<63 {
			return 0, fmt.Sprintf("%d, which does not fit", v.Int())
		}
		return bits, ""
	case v.CanFloat():
		if !want.Holds(v.Float()) {
			return 0, fmt.Sprintf("%v, which does not fit", v.Float())
		}
		return want.FloatBits(v.Float()), ""
	}
	return v.Uint(), "" // unsigned integers, and the floats that Go lacks as their bits
}

func encodeInt(want dtype.Type, n int64) (uint64, string) {
	free := 64 - 8*want.Size()
	bits := uint64(n) << free >> free
	back := int64(bits)
	if want.IsSigned() {
		back = int64(bits) << free >> free
	}
	if back != n || !want.IsSigned() && n < 0 {
		return 0, fmt.Sprintf("%d, which does not fit", n)
	}
	return bits, ""
}
