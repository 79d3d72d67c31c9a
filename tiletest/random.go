package tiletest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
)

// Values returns n random elements that depend on the seed alone: floats from a normal distribution of mean 0 and standard
// deviation 1 (of types without a sign, their magnitudes), integers of every magnitude, and booleans.
func Values[E dtype.Elem](seed uint64, n int) []E {
	return values(rand.New(rand.NewPCG(seed, 0)), make([]E, n))
}

func values[E dtype.Elem](r *rand.Rand, out []E) []E {
	t := dtype.Of[E]()
	for i := range out {
		var bits uint64
		switch {
		case t == dtype.Bool:
			bits = r.Uint64() & 1
		case t.IsFloat():
			bits = t.FloatBits(r.NormFloat64())
		default:
			bits = uint64(int64(r.Uint64()) >> r.IntN(64)) // of signed types, of either sign
		}
		out[i] = elementOf[E](bits)
	}
	return out
}

// Mixed returns n random elements as [Values] does, of which about one in eight is one of [Specials].
func Mixed[E dtype.Elem](seed uint64, n int) []E {
	r := rand.New(rand.NewPCG(seed, 1))
	out, special := values(r, make([]E, n)), Specials[E]()
	for i := range out {
		if r.IntN(8) == 0 {
			out[i] = special[r.IntN(len(special))]
		}
	}
	return out
}

// Specials returns the elements with which kernels go wrong most often: of floats, zeros, ones, the least and the greatest
// numbers, normal and not, with both signs, infinities and NaN, as far as the type has them; of integers, the least and the greatest,
// their neighbours, and those around 0; and both booleans.
func Specials[E dtype.Elem]() []E {
	t := dtype.Of[E]()
	var bits []uint64
	switch {
	case t == dtype.Bool:
		bits = []uint64{0, 1}
	case t.IsFloat():
		bits = specialFloats(t)
	default:
		top := uint64(1) << (8*t.Size() - 1)
		bits = []uint64{0, 1, 2, ^uint64(0), ^uint64(1), top, top - 1, top + 1, top - 2}
	}
	out := make([]E, len(bits))
	for i, b := range bits {
		out[i] = elementOf[E](b)
	}
	return out
}

// specialFloats gives the bits of the special numbers of a type: of those that it has.
func specialFloats(t dtype.Type) (bits []uint64) {
	least, normal, largest := rangeOf(t)
	for _, f := range []float64{0, 1, 2, 0.5, 3, least, 2 * least, normal, normal - least, largest / 2, largest, math.Inf(1), math.NaN()} {
		for _, f := range [2]float64{f, -f} {
			if math.Signbit(f) && !t.IsSigned() {
				continue
			}
			b := t.FloatBits(f)
			if back := t.FloatFromBits(b); back == f || back != back && f != f {
				bits = append(bits, b)
			}
		}
	}
	return bits
}

// rangeOf gives the least number above 0 of a type, the least normal one, and the greatest finite one.
func rangeOf(t dtype.Type) (least, normal, largest float64) {
	f := elem.Table[t].Format
	if least = t.FloatFromBits(0); least == 0 {
		least = t.FloatFromBits(1 << f.Pad)
	}
	low, _ := f.Exponents()
	return least, math.Ldexp(1, low), t.FloatFromBits(f.Largest() << f.Pad)
}

// New makes a tensor of elements, as cutile.FromSlice does, that is closed when the test ends; an error ends the test.
func New[E dtype.Elem](t testing.TB, dev *cutile.Device, data []E, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.FromSlice(dev, data, shape...)
	return owned(t, x, err)
}

// Zeros makes a tensor of zeros that is closed when the test ends; an error ends the test.
func Zeros[E dtype.Elem](t testing.TB, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	return owned(t, x, err)
}

// owned is a tensor that belongs to a test.
func owned[E dtype.Elem](t testing.TB, x *cutile.Tensor[E], err error) *cutile.Tensor[E] {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
