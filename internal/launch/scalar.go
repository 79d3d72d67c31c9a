package launch

import (
	"fmt"
	"math"
	"reflect"

	"github.com/cutile-go/cutile/dtype"
)

// goTypes are the types whose values a scalar parameter takes as they are. A type that is defined on one of them is
// taken, too, the 16-bit floats aside, which are defined on an integer.
var goTypes = map[dtype.Type]reflect.Type{
	dtype.Bool: reflect.TypeFor[bool](),
	dtype.I8:   reflect.TypeFor[int8](), dtype.I16: reflect.TypeFor[int16](), dtype.I32: reflect.TypeFor[int32](), dtype.I64: reflect.TypeFor[int64](),
	dtype.U8: reflect.TypeFor[uint8](), dtype.U16: reflect.TypeFor[uint16](), dtype.U32: reflect.TypeFor[uint32](), dtype.U64: reflect.TypeFor[uint64](),
	dtype.F16: reflect.TypeFor[dtype.Float16](), dtype.BF16: reflect.TypeFor[dtype.BFloat16](),
	dtype.F32: reflect.TypeFor[float32](), dtype.F64: reflect.TypeFor[float64](),
}

// accepts reports whether a parameter takes values of a type: its own, and what Go makes of a constant: an int for any
// number, a float64 for any float. Whether a value fits is for encode to say.
func accepts(want dtype.Type, t reflect.Type) bool {
	own := goTypes[want]
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

func half(t reflect.Type) bool { return t == goTypes[dtype.F16] || t == goTypes[dtype.BF16] }

// encode gives the bits of a value that the parameter accepts, zero-extended, or says why the value does not fit.
func encode(want dtype.Type, v reflect.Value) (bits uint64, problem string) {
	switch {
	case v.Kind() == reflect.Bool:
		return uint64(when(v.Bool())), ""
	case v.CanInt() && want.IsInt():
		return encodeInt(want, v.Int())
	case v.CanInt():
		bits, back := round(want, float64(v.Int()))
		if int64(back) != v.Int() || back == 1<<63 {
			return 0, fmt.Sprintf("%d, which does not fit", v.Int())
		}
		return bits, ""
	case v.CanFloat():
		bits, back := round(want, v.Float())
		if math.IsInf(back, 0) && !math.IsInf(v.Float(), 0) {
			return 0, fmt.Sprintf("%v, which does not fit", v.Float())
		}
		return bits, ""
	}
	return v.Uint(), "" // unsigned integers, and 16-bit floats as their bits
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

// round gives the bits of the nearest number of a float type, and that number.
func round(want dtype.Type, f float64) (bits uint64, back float64) {
	switch want {
	case dtype.F16:
		h := dtype.Float16FromFloat64(f)
		return uint64(h), h.Float64()
	case dtype.BF16:
		h := dtype.BFloat16FromFloat64(f)
		return uint64(h), h.Float64()
	case dtype.F32:
		return uint64(math.Float32bits(float32(f))), float64(float32(f))
	}
	return math.Float64bits(f), f
}
