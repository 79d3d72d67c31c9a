package tile

import "github.com/cutile-go/cutile/tile/op"

// Dot returns the matrix product a·b + acc. acc is f32 for f16, bf16, tf32 and f32, f64 for f64, and f32 or f16 for floats of 8
// bits; f16 may have f16, too.
func Dot[E, A FloatElem, M, N, K Dim](a FloatTile2[E, M, K], b FloatTile2[E, K, N], acc FloatTile2[A, M, N]) FloatTile2[A, M, N] {
	checkAcc[FloatTile0[E], FloatTile0[A]]()
	return op.MMAF(a, b, acc, false)
}

// DotBatch returns the matrix product for each leading index.
func DotBatch[E, A FloatElem, L, M, N, K Dim](a FloatTile3[E, L, M, K], b FloatTile3[E, L, K, N], acc FloatTile3[A, L, M, N]) FloatTile3[A, L, M, N] {
	checkAcc[FloatTile0[E], FloatTile0[A]]()
	return op.MMAF(a, b, acc, false)
}

// DotFast is [Dot] for floats of 8 bits; the hardware may keep fewer bits of the sums.
func DotFast[E, A FloatElem, M, N, K Dim](a FloatTile2[E, M, K], b FloatTile2[E, K, N], acc FloatTile2[A, M, N]) FloatTile2[A, M, N] {
	checkAcc[FloatTile0[E], FloatTile0[A]]()
	return op.MMAF(a, b, acc, true)
}

// checkAcc checks that products of E can be accumulated in A.
func checkAcc[E, A any]() {
	ok, want := op.SameElem[A, F32](), "float32"
	switch op.Bits[E]() {
	case 64:
		ok, want = op.SameElem[A, F64](), "float64"
	case 8:
		ok, want = ok || op.SameElem[A, F16](), "float32 or float16"
	}
	if op.SameElem[E, F16]() {
		ok, want = ok || op.SameElem[A, F16](), "float32 or float16"
	}
	op.Require(ok, "products of %s are accumulated in %s, not in %s", op.ElemName[E](), want, op.ElemName[A]())
}

// DotInt returns the matrix product of 8-bit integers, accumulated in 32 bits.
func DotInt[M, N, K Dim](a I8T2[M, K], b I8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// DotUint returns the matrix product of unsigned 8-bit integers, accumulated in 32 bits.
func DotUint[M, N, K Dim](a U8T2[M, K], b U8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// DotIntUint returns the matrix product of signed and unsigned 8-bit integers, accumulated in 32 bits.
func DotIntUint[M, N, K Dim](a I8T2[M, K], b U8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// DotUintInt returns the matrix product of unsigned and signed 8-bit integers, accumulated in 32 bits.
func DotUintInt[M, N, K Dim](a U8T2[M, K], b I8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// DotIntBatch is [DotInt] for each leading index.
func DotIntBatch[L, M, N, K Dim](a I8T3[L, M, K], b I8T3[L, K, N], acc I32T3[L, M, N]) I32T3[L, M, N] {
	return op.MMAI(a, b, acc)
}

// DotScaled returns the matrix product a·b + acc where each block of K/B elements along K has a factor: sa for those of a, sb
// for those of b. Floats of 8 bits have f8e8m0 factors for 32 elements each; f4e2m1 has f8e8m0 or f8e5m3 factors for 16 or 32,
// or f8e4m3 factors for 16.
func DotScaled[E, S FloatElem, M, N, K, B Dim](a FloatTile2[E, M, K], sa FloatTile2[S, M, B], b FloatTile2[E, K, N], sb FloatTile2[S, B, N], acc F32T2[M, N]) F32T2[M, N] {
	checkBlocks[FloatTile0[E], FloatTile0[S]](Extent[K](), Extent[B]())
	return op.MMAFScaled(a, b, acc, sa, sb)
}

// DotScaledBatch is [DotScaled] for each leading index.
func DotScaledBatch[E, S FloatElem, L, M, N, K, B Dim](a FloatTile3[E, L, M, K], sa FloatTile3[S, L, M, B], b FloatTile3[E, L, K, N], sb FloatTile3[S, L, B, N], acc F32T3[L, M, N]) F32T3[L, M, N] {
	checkBlocks[FloatTile0[E], FloatTile0[S]](Extent[K](), Extent[B]())
	return op.MMAFScaled(a, b, acc, sa, sb)
}

// checkBlocks checks that S is a valid type of factors for blocks of elements of E.
func checkBlocks[E, S any](k, blocks int) {
	half, exact := op.Bits[E]() == 4, op.SameElem[S, F8E4M3]()
	op.Require(op.SameElem[S, F8E8M0]() || half && (exact || op.SameElem[S, F8E5M3]()), "factors of %s do not scale %s: float8_e8m0fnu does, and float8_e4m3fn and float8_e5m3fnu scale float4_e2m1fn", op.ElemName[S](), op.ElemName[E]())
	ok, want := k == 32*blocks, "32"
	if half {
		ok, want = ok || k == 16*blocks, "16 or 32"
	}
	if exact {
		ok, want = k == 16*blocks, "16"
	}
	op.Require(ok, "a factor of %s applies to %s elements of %s along K, but there are %d for %d", op.ElemName[S](), want, op.ElemName[E](), blocks, k)
}
