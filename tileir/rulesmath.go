package tileir

import (
	"slices"

	"github.com/cutile-go/cutile/internal/names"
)

func checkDivI(c *checker, o *Op) {
	if Int(o.Int("rounding")) == RoundingNegativeInf && Int(o.Int("signedness")) == Unsigned {
		c.fail("attribute rounding: negative_inf needs signed operands")
	}
}

func checkNegI(c *checker, o *Op) {
	if Int(o.Int("overflow")) == OverflowNoUnsignedWrap {
		c.fail("attribute overflow: no_unsigned_wrap means nothing for a negation")
	}
}

// checkMatmul checks the extents of a matrix product: MxK by KxN gives MxN, with an equal batch before each or none.
func checkMatmul(c *checker, o *Op) {
	a, b, acc := tileOf(o, "lhs").Shape, tileOf(o, "rhs").Shape, tileOf(o, "acc").Shape
	r := len(a)
	if r != 2 && r != 3 {
		c.fail("expected tiles of rank 2 or 3, but found rank %d", r)
		return
	}
	if r == 3 && (a[0] != b[0] || a[0] != acc[0]) {
		c.fail("expected one batch extent, but found %d, %d and %d", a[0], b[0], acc[0])
	}
	if a[r-1] != b[r-2] {
		c.fail("operand rhs: expected extent %d along K, as lhs has, but found %d", a[r-1], b[r-2])
	}
	if acc[r-2] != a[r-2] || acc[r-1] != b[r-1] {
		c.fail("operand acc: expected a %dx%d matrix, but found %dx%d", a[r-2], b[r-1], acc[r-2], acc[r-1])
	}
}

// accumulators has the elements that a float product may be accumulated in.
var accumulators = [numElems][]Elem{
	F16: {F16, F32}, BF16: {F32}, TF32: {F32}, F32: {F32}, F64: {F64}, F8E4M3FN: {F16, F32}, F8E5M2: {F16, F32},
}

func checkMmaF(c *checker, o *Op) {
	in, acc := tileOf(o, "lhs").Elem, tileOf(o, "acc").Elem
	if allowed := accumulators[in]; !slices.Contains(allowed, acc) {
		words := make([]string, len(allowed))
		for i, e := range allowed {
			words[i] = e.String()
		}
		c.fail("operand acc: a product of %v accumulates in %s, but found %v", in, names.Either(words), acc)
	}
}

// checkScales checks the factors of a scaled product: one for each block along K.
func checkScales(c *checker, o *Op) {
	a, b := tileOf(o, "lhs"), tileOf(o, "rhs")
	sa, sb := tileOf(o, "lhs_scale"), tileOf(o, "rhs_scale")
	r := a.Rank()
	if r != 2 && r != 3 {
		return // reported by checkMatmul
	}
	k, blocks := a.Shape[r-1], sa.Shape[r-1]
	if sa.Shape[r-2] != a.Shape[r-2] || sb.Shape[r-1] != b.Shape[r-1] || sb.Shape[r-2] != blocks ||
		r == 3 && (sa.Shape[0] != a.Shape[0] || sb.Shape[0] != a.Shape[0]) {
		c.fail("scales of %v and %v do not fit operands of %v and %v: expected MxS and SxN", sa, sb, a, b)
		return
	}
	if blocks > k {
		c.fail("operand lhs_scale: %d scales along K, which has extent %d", blocks, k)
		return
	}
	var sizes []int
	switch {
	case a.Elem != F4E2M1FN && sa.Elem != F8E8M0FNU:
		c.fail("operand lhs_scale: scales of %v need operands of %v, but found %v", sa.Elem, F4E2M1FN, a.Elem)
		return
	case a.Elem != F4E2M1FN:
		sizes = []int{32}
	case sa.Elem == F8E4M3FN:
		sizes = []int{16}
	default:
		sizes = []int{16, 32}
	}
	if !slices.Contains(sizes, k/blocks) {
		c.fail("blocks of %d elements along K: expected one of %v for %v with scales of %v", k/blocks, sizes, a.Elem, sa.Elem)
	}
}
