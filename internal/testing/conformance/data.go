package conformance

import (
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// floatElem and intElem are the host types of numbers.
type floatElem interface {
	dtype.Float16 | dtype.BFloat16 | float32 | float64
}

type intElem interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// random gives floats in (-8, 8) and integers over the whole range.
func random[E dtype.Elem](r *rand.Rand, n int) []E {
	out := make([]E, n)
	for i := range out {
		switch p := any(&out[i]).(type) {
		case *int8:
			*p = int8(r.Uint64())
		case *int16:
			*p = int16(r.Uint64())
		case *int32:
			*p = int32(r.Uint64())
		case *int64:
			*p = int64(r.Uint64())
		case *uint8:
			*p = uint8(r.Uint64())
		case *uint16:
			*p = uint16(r.Uint64())
		case *uint32:
			*p = uint32(r.Uint64())
		case *uint64:
			*p = r.Uint64()
		case *bool:
			*p = r.Uint64()&1 == 1
		default:
			out[i] = fromF64[E](16*r.Float64() - 8)
		}
	}
	return out
}

// small gives whole numbers from lo to hi.
func small[E dtype.Elem](r *rand.Rand, n, lo, hi int) []E {
	out := make([]E, n)
	for i := range out {
		out[i] = fromF64[E](float64(lo + r.IntN(hi-lo+1)))
	}
	return out
}

// uniform gives floats between two bounds.
func uniform[E dtype.Elem](r *rand.Rand, n int, lo, hi float64) []E {
	out := make([]E, n)
	for i := range out {
		out[i] = fromF64[E](lo + (hi-lo)*r.Float64())
	}
	return out
}

// edges are the values of a type where arithmetic goes wrong first.
func edges[E dtype.Elem]() []E {
	t := dtype.Of[E]()
	if t.IsFloat() {
		f := formats[t]
		least := math.Ldexp(1, f.emin-f.prec+1)
		normal := math.Ldexp(1, f.emin)
		greatest := math.Ldexp(2-math.Ldexp(1, 1-f.prec), f.emax)
		vs := []float64{0, math.Copysign(0, -1), 1, -1, 1.5, -2.5, 3, math.Inf(1), math.Inf(-1), math.NaN(),
			least, -least, normal - least, normal, -normal, greatest, -greatest, 1 + math.Ldexp(1, 1-f.prec), 0.5, math.Ldexp(1, f.prec)}
		return mapped(fromF64[E], vs)
	}
	bits := 8 * t.Size()
	var out []E
	for _, v := range []uint64{0, 1, 2, 3, 7, 1<<(bits-1) - 1, 1 << (bits - 1), 1<<(bits-1) + 1, 1<<(bits-1)<<1 - 1, 1<<(bits-1)<<1 - 2, 0x55 & (1<<(bits-1)<<1 - 1), 100} {
		out = append(out, fromBits[E](v))
	}
	return out
}

// fromBits is the number with these low bits.
func fromBits[E dtype.Elem](v uint64) E {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return elemsOf[E](b[:dtype.Of[E]().Size()])[0]
}

// pairs gives every pair of edges and then n random pairs.
func pairs[E dtype.Elem](r *rand.Rand, n int) (x, y []E) {
	es := edges[E]()
	for _, a := range es {
		for _, b := range es {
			x, y = append(x, a), append(y, b)
		}
	}
	return append(x, random[E](r, n)...), append(y, random[E](r, n)...)
}

// edged gives the edges and then n random numbers.
func edged[E dtype.Elem](r *rand.Rand, n int) []E { return append(edges[E](), random[E](r, n)...) }
