package conformance

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

func convertName[A, B dtype.Elem](what string) string {
	return fmt.Sprintf("%s/%v/%v", what, dtype.Of[A](), dtype.Of[B]())
}

func converted[A, B dtype.Elem](what, kernel string, data func(r *rand.Rand) []A, want func(A) B) Case {
	return Case{Name: convertName[A, B](what), Kernel: inst(kernel, line[A](), line[B]()), Setup: func(r *rand.Rand) Setup {
		x := data(r)
		z := blank[B](len(x))
		return Setup{Args: []any{arr(x), z}, Want: []Want{exactly(z, mapped(want, x))}}
	}}
}

// toFloat rounds once to the nearest, ties to even: the reference does it with exact arithmetic.
func toFloat[A, B dtype.Elem]() Case {
	return converted("convert", "convert", func(r *rand.Rand) []A {
		x := append(edged[A](r, 120), ties[A, B]()...)
		if !dtype.Of[A]().IsFloat() { // numbers of every length
			for i := range x[len(x)/2:] {
				x[i] = fromBits[A](bits(x[i]) >> r.IntN(64))
			}
		}
		return x
	}, func(v A) B {
		if f := toF64(v); f-f != 0 || f == 0 {
			return fromF64[B](f) // NaN, infinities and zeros of either sign
		}
		return roundBig[B](toBig(v))
	})
}

// ties are numbers of A halfway between numbers of B, and beside those, where A has them.
func ties[A, B dtype.Elem]() []A {
	f := formats[dtype.Of[B]()]
	var out []A
	for _, base := range []float64{1, 3, 5, 7, 100} {
		for _, by := range []float64{0.5, 1.5, 2.5} {
			v := base + by*f.ulp(base)
			if !dtype.Of[A]().IsFloat() {
				v = math.Ldexp(v, f.prec)
			}
			for _, w := range []float64{v, math.Nextafter(v, 0), math.Nextafter(v, 1e9)} {
				if g := toF64(fromF64[A](w)); g == w {
					out = append(out, fromF64[A](w))
				}
			}
		}
	}
	return out
}

// limits are the least and the greatest number of an integer type.
func limits[E dtype.Elem]() (lo, hi *big.Int) {
	n := uint(8 * dtype.Of[E]().Size())
	one := big.NewInt(1)
	if !dtype.Of[E]().IsSigned() {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
	}
	hi = new(big.Int).Lsh(one, n-1)
	return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
}

// truncated drops the fraction of floats that the integer type can hold.
func truncated[A, B dtype.Elem]() Case {
	whole := func(v A) *big.Int {
		n, _ := new(big.Float).SetFloat64(math.Trunc(toF64(v))).Int(nil)
		return n
	}
	return converted("convert", "convert", func(r *rand.Rand) (x []A) {
		lo, hi := limits[B]()
		tries := append(edges[A](), random[A](r, 60)...)
		for range 120 {
			tries = append(tries, fromF64[A](math.Ldexp(2*r.Float64()-1, r.IntN(64))))
		}
		for _, v := range tries {
			if f := toF64(v); f-f == 0 && whole(v).Cmp(lo) >= 0 && whole(v).Cmp(hi) <= 0 {
				x = append(x, v)
			}
		}
		return x
	}, func(v A) B {
		n := whole(v)
		if n.Sign() < 0 {
			return fromBits[B](uint64(n.Int64()))
		}
		return fromBits[B](n.Uint64())
	})
}

// wrappedCase converts integers: widened by the sign of the source, or cut.
func wrappedCase[A, B dtype.Elem]() Case {
	return converted("convert", "convert", func(r *rand.Rand) []A { return edged[A](r, 45) }, func(v A) B {
		n := bits(v)
		if size := 8 * dtype.Of[A]().Size(); dtype.Of[A]().IsSigned() && n>>(size-1) == 1 {
			n |= math.MaxUint64 << (size - 1)
		}
		return fromBits[B](n)
	})
}

// recastCase keeps the bits. NaNs are left out, as engines may change their payload on the way.
func recastCase[A, B dtype.Elem]() Case {
	return converted("bitcast", "recast", func(r *rand.Rand) []A {
		return slices.DeleteFunc(edged[A](r, 45), func(v A) bool { return isNaN(toF64(v)) })
	}, func(v A) B { return fromBits[B](bits(v)) })
}

func scalarConversion() Case {
	return Case{Name: "convert/scalar", Kernel: convertScalar, Setup: func(*rand.Rand) Setup {
		n, f := 100_001, float32(1.7)
		z, w := blank[int64](8), blank[float64](8)
		return Setup{Args: []any{n, f, z, w}, Want: []Want{
			exactly(z, slices.Repeat([]int64{int64(int8(n&0xff)) + int64(n)/2 + int64(uint16(n&0xffff))}, 8)),
			exactly(w, slices.Repeat([]float64{float64(f) + float64(float32(n)) + float64(f)*3}, 8)),
		}}
	}}
}

func spreadConversion() Case {
	return Case{Name: "convert/spread", Kernel: inst("convertSpread", "D4", "D8"), Setup: func(r *rand.Rand) Setup {
		const m, n = 7, 13
		row, col := random[float64](r, n), random[int8](r, m)
		z, w := blank[dtype.Float16](m, n), blank[int32](m, n)
		var wantZ []dtype.Float16
		var wantW []int32
		for i := range m {
			for j := range n {
				wantZ = append(wantZ, roundBig[dtype.Float16](big.NewFloat(row[j])))
				wantW = append(wantW, int32(col[i]))
			}
		}
		return Setup{Args: []any{arr(row), arr(col, m, 1), z, w}, Want: []Want{exactly(z, wantZ), exactly(w, wantW)}}
	}}
}
