package dtype

import (
	"math"
	"sync"
)

// Float lists the Go types of floating-point elements of tensors.
type Float interface {
	Float16 | BFloat16 | float32 | float64 | Float8E4M3FN | Float8E5M2 | Float8E8M0FNU | Float8E5M3FNU | TensorFloat32
}

// Floats returns numbers as elements of a float type, each rounded once to the nearest element, ties to even, as the conversions
// of single numbers do (see the package's documentation for large numbers, signs and NaN). Programs use it to fill tensors:
//
//	x, err := cutile.FromSlice(dev, dtype.Floats[dtype.Float16]([]float32{1, 2.5}))
func Floats[E Float, N float32 | float64](numbers []N) []E {
	out := make([]E, len(numbers))
	switch src := any(numbers).(type) {
	case []float32:
		fromFloat32s(out, src)
	case []float64:
		fromFloat64s(out, src)
	}
	return out
}

// Float32s returns elements of a float type as numbers: exactly, but for those of float64, which are rounded to the nearest.
func Float32s[E Float](elements []E) []float32 {
	out := make([]float32, len(elements))
	switch src := any(elements).(type) {
	case []float32:
		copy(out, src)
	case []float64:
		for i, x := range src {
			out[i] = float32(x)
		}
	case []Float16:
		Float16sToFloat32s(out, src)
	case []BFloat16:
		BFloat16sToFloat32s(out, src)
	case []TensorFloat32:
		for i, x := range src {
			out[i] = x.Float32()
		}
	case []Float8E4M3FN:
		fromBytes(out, src, F8E4M3FN)
	case []Float8E5M2:
		fromBytes(out, src, F8E5M2)
	case []Float8E8M0FNU:
		fromBytes(out, src, F8E8M0FNU)
	case []Float8E5M3FNU:
		fromBytes(out, src, F8E5M3FNU)
	}
	return out
}

// Float64s returns elements of a float type as numbers, exactly.
func Float64s[E Float](elements []E) []float64 {
	out := make([]float64, len(elements))
	if src, ok := any(elements).([]float64); ok {
		copy(out, src)
		return out
	}
	for i, x := range Float32s(elements) { // exact for every other type
		out[i] = float64(x)
	}
	return out
}

// fromFloat32s rounds numbers to elements.
func fromFloat32s[E Float](out []E, src []float32) {
	switch dst := any(out).(type) {
	case []float32:
		copy(dst, src)
	case []float64:
		for i, f := range src {
			dst[i] = float64(f)
		}
	case []Float16:
		Float16sFromFloat32s(dst, src)
	case []BFloat16:
		BFloat16sFromFloat32s(dst, src)
	case []TensorFloat32:
		for i, f := range src {
			dst[i] = TensorFloat32FromFloat32(f)
		}
	case []Float8E4M3FN:
		toBytes(dst, src, F8E4M3FN)
	case []Float8E5M2:
		toBytes(dst, src, F8E5M2)
	case []Float8E8M0FNU:
		toBytes(dst, src, F8E8M0FNU)
	case []Float8E5M3FNU:
		toBytes(dst, src, F8E5M3FNU)
	}
}

// fromFloat64s rounds numbers to elements: to odd first, so that the second rounding gives what one would.
func fromFloat64s[E Float](out []E, src []float64) {
	switch dst := any(out).(type) {
	case []float64:
		copy(dst, src)
		return
	case []float32:
		for i, f := range src {
			dst[i] = float32(f)
		}
		return
	}
	var part [1024]float32
	for len(src) > 0 {
		n := min(len(src), len(part))
		for i, f := range src[:n] {
			part[i] = oddFloat32(f)
		}
		fromFloat32s(out[:n], part[:n])
		out, src = out[n:], src[n:]
	}
}

// fromBytes converts elements of one byte.
func fromBytes[E ~uint8](dst []float32, src []E, t Type) {
	values := t.row().Format.Values()
	for i, x := range src {
		dst[i] = float32(values[x])
	}
}

// halves32 hold, for an element type of one byte, what each upper half of a float32 is rounded to with the least lower half
// above 0: a look-up beats the arithmetic of the codec in long loops. Formats of one byte have so few digits that the lower
// half matters only by being 0 or not, so there are two tables.
type halves32 struct{ exact, above [1 << 16]uint8 }

var halves = func() (all [numTypes]func() *halves32) {
	for t := range all {
		all[t] = sync.OnceValue(func() *halves32 {
			h := new(halves32)
			for i := range 1 << 16 {
				h.exact[i] = uint8(Type(t).FloatBits(float64(math.Float32frombits(uint32(i) << 16))))
				h.above[i] = uint8(Type(t).FloatBits(float64(math.Float32frombits(uint32(i)<<16 | 1))))
			}
			return h
		})
	}
	return all
}()

// toBytes rounds numbers to elements of one byte.
func toBytes[E ~uint8](dst []E, src []float32, t Type) {
	h := halves[t]()
	dst = dst[:len(src)]
	for i, f := range src {
		bits := math.Float32bits(f)
		if bits&0xffff == 0 {
			dst[i] = E(h.exact[bits>>16])
		} else {
			dst[i] = E(h.above[bits>>16])
		}
	}
}
