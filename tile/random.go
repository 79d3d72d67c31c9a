package tile

import "github.com/cutile-go/cutile/tile/op"

// Philox is the generator Philox4x32-10: it returns four numbers of 32 random bits for each counter c and key k, the same bits
// on every engine. (J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3; 2011.)
func Philox[T IntTile](c0, c1, c2, c3, k0, k1 T) (r0, r1, r2, r3 T) {
	op.Require(op.Bits[T]() == 32 && !op.IsSigned[T](), "Philox takes tiles of uint32")
	for i := range [10]int{} {
		if i > 0 {
			k0, k1 = k0+op.Constant[T](0x9E3779B9), k1+op.Constant[T](0xBB67AE85)
		}
		m0, m1 := op.Constant[T](0xD2511F53), op.Constant[T](0xCD9E8D57)
		c0, c1, c2, c3 = op.MulHiI(c2, m1)^c1^k0, c2*m1, op.MulHiI(c0, m0)^c3^k1, c0*m0
	}
	return c0, c1, c2, c3
}

// RandomBits returns 32 random bits for each position in a stream; at is a tile of uint32. Different seeds select unrelated
// streams.
func RandomBits[T IntTile](seed int, at T) T {
	r, _, _, _ := stream(seed, at)
	return r
}

func stream[T IntTile](seed int, at T) (a, b, c, d T) {
	zero := op.Constant[T](0)
	low := spread[T](U32(seed))
	high := spread[T](U32(seed >> 32))
	return Philox(at, zero, zero, zero, low, high)
}

// Uniform returns a random number for each position in a stream, a multiple of 2^-24 in [0, 1). R has the shape of at, a tile
// of uint32.
func Uniform[R FloatTile, T IntTile](seed int, at T) R {
	checkRandom[R, T]()
	return spread[R](op.IToF[op.As[R, T]](op.ShrI(RandomBits(seed, at), op.Constant[T](8)), op.NearestEven)) * op.Constant[R](0x1p-24)
}

// Normal returns a normally distributed random number of mean 0 and standard deviation 1 for each position in a stream. R has
// the shape of at, a tile of uint32.
func Normal[R FloatTile, T IntTile](seed int, at T) R {
	checkRandom[R, T]()
	a, b, _, _ := stream(seed, at)
	eight := op.Constant[T](8)
	scale := op.Constant[R](0x1p-24)
	u := (spread[R](op.IToF[op.As[R, T]](op.ShrI(a, eight), op.NearestEven)) + op.Constant[R](1)) * scale // in (0, 1]
	v := spread[R](op.IToF[op.As[R, T]](op.ShrI(b, eight), op.NearestEven)) * scale
	return Sqrt(op.Constant[R](-2)*Log(u)) * Cos(op.Constant[R](6.283185307179586)*v)
}

func checkRandom[R, T any]() {
	op.Require(op.Bits[R]() >= 32, "random numbers are float32 or float64: convert afterwards")
	op.Require(op.ShapeName[R]() == op.ShapeName[T](), "positions of shape %s do not fit numbers of shape %s", op.ShapeName[T](), op.ShapeName[R]())
}
