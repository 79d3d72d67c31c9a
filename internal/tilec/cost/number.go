package cost

import (
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/tileir"
)

// number is what is known of an integer, or of the integers of a tile: all lie from lo to hi. Truth values are 0 and 1,
// others are sign-extended.
type number struct {
	known  bool    // it follows from arguments, blocks and counters
	lo, hi int64   // both included
	deps   uint64  // the ranges that it varies with: three bits for the grid's axes, one for each loop
	elems  []int64 // of a tile, in row-major order; nil where they are all alike or not at hand
}

// maxElems is the size up to which a tile's integers are evaluated one by one.
const maxElems = 1 << 16

func exactly(v int64) number { return number{known: true, lo: v, hi: v} }

func (n number) exact() bool { return n.known && n.lo == n.hi }

// listed reports whether each element is known.
func (n number) listed() bool { return n.exact() || n.elems != nil }

// at is the i-th element of a number that is listed.
func (n number) at(i int) int64 {
	if n.elems != nil {
		return n.elems[i]
	}
	return n.lo
}

// anything is a number of which only the ranges that it varies with are known: when those are single values, it may
// turn out to be exact.
func anything(deps uint64) number {
	if deps == 0 {
		return number{}
	}
	return number{known: true, lo: math.MinInt64, hi: math.MaxInt64, deps: deps}
}

// list makes a number from elements.
func list(elems []int64) number {
	n := number{known: true, lo: math.MaxInt64, hi: math.MinInt64, elems: elems}
	for _, v := range elems {
		n.lo, n.hi = min(n.lo, v), max(n.hi, v)
	}
	if n.lo == n.hi {
		n.elems = nil
	}
	return n
}

// hull holds two numbers.
func hull(a, b number) number {
	if !a.known || !b.known {
		return number{}
	}
	return number{known: true, lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), deps: a.deps | b.deps}
}

// binary is an operation on two integers of the given width. It reports false where the result does not exist or does
// not fit 64 bits.
type binary func(a, b int64, in operand) (int64, bool)

// operand is how an operation reads its operands.
type operand struct {
	bits     int
	unsigned bool
	mode     int64 // rounding of divi, predicate of cmpi
}

// wrap brings a result into the range of its width.
func wrap(v int64, width int) int64 {
	if width == 1 {
		return v & 1
	}
	return v << (64 - width) >> (64 - width)
}

// combine does a binary operation. Corners say that it is monotone in each operand, so that the extremes of a range come
// from those of the operands.
func combine(a, b number, f binary, in operand, corners bool, size int) number {
	switch {
	case !a.known || !b.known:
		return number{}
	case a.exact() && b.exact():
		if v, ok := f(a.lo, b.lo, in); ok {
			return exactly(wrap(v, in.bits))
		}
		return number{}
	case a.listed() && b.listed() && size <= maxElems:
		elems := make([]int64, size)
		for i := range elems {
			v, ok := f(a.at(i), b.at(i), in)
			if !ok {
				return number{}
			}
			elems[i] = wrap(v, in.bits)
		}
		return list(elems)
	}
	deps := a.deps | b.deps
	if !corners || in.unsigned && (a.lo < 0 || b.lo < 0) {
		return anything(deps)
	}
	out := number{known: true, lo: math.MaxInt64, hi: math.MinInt64, deps: deps}
	for _, x := range [2]int64{a.lo, a.hi} {
		for _, y := range [2]int64{b.lo, b.hi} {
			v, ok := f(x, y, in)
			if !ok || wrap(v, in.bits) != v {
				return anything(deps)
			}
			out.lo, out.hi = min(out.lo, v), max(out.hi, v)
		}
	}
	return out
}

func addInts(a, b int64, _ operand) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func subInts(a, b int64, _ operand) (int64, bool) {
	d := a - b
	return d, (d < a) == (b > 0)
}

func mulInts(a, b int64, _ operand) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 { // from unsigned to signed
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return int64(lo), int64(hi) == int64(lo)>>63
}

// raw is a number as an unsigned operation reads it.
func (in operand) raw(v int64) uint64 { return uint64(v) << (64 - in.bits) >> (64 - in.bits) }

func divInts(a, b int64, in operand) (int64, bool) {
	switch {
	case b == 0 || a == math.MinInt64 && b == -1:
		return 0, false
	case in.unsigned:
		q, r := in.raw(a)/in.raw(b), in.raw(a)%in.raw(b)
		if tileir.Int(in.mode) == tileir.RoundingPositiveInf && r != 0 {
			q++
		}
		return int64(q), true
	}
	q, r := a/b, a%b
	switch negative := (a < 0) != (b < 0); {
	case r != 0 && negative && tileir.Int(in.mode) == tileir.RoundingNegativeInf:
		q--
	case r != 0 && !negative && tileir.Int(in.mode) == tileir.RoundingPositiveInf:
		q++
	}
	return q, true
}

func remInts(a, b int64, in operand) (int64, bool) {
	switch {
	case b == 0:
		return 0, false
	case in.unsigned:
		return int64(in.raw(a) % in.raw(b)), true
	case b == -1:
		return 0, true
	}
	return a % b, true
}

// less compares as the operation reads its operands.
func (in operand) less(a, b int64) bool {
	if in.unsigned {
		return in.raw(a) < in.raw(b)
	}
	return a < b
}

func minInts(a, b int64, in operand) (int64, bool) {
	if in.less(b, a) {
		return b, true
	}
	return a, true
}

func maxInts(a, b int64, in operand) (int64, bool) {
	if in.less(a, b) {
		return b, true
	}
	return a, true
}

func shiftLeft(a, b int64, in operand) (int64, bool) {
	if b < 0 || b >= 62 {
		return 0, false
	}
	return mulInts(a, 1<<b, in)
}

func shiftRight(a, b int64, in operand) (int64, bool) {
	switch {
	case b < 0 || b >= int64(in.bits):
		return 0, false
	case in.unsigned:
		return int64(in.raw(a) >> b), true
	}
	return a >> b, true
}

func andInts(a, b int64, _ operand) (int64, bool) { return a & b, true }
func orInts(a, b int64, _ operand) (int64, bool)  { return a | b, true }
func xorInts(a, b int64, _ operand) (int64, bool) { return a ^ b, true }

// predicates say whether a comparison holds for operands that are less, equal or greater.
var predicates = map[tileir.Int][3]bool{
	tileir.CompareEqual: {false, true, false}, tileir.CompareNotEqual: {true, false, true},
	tileir.CompareLessThan: {true, false, false}, tileir.CompareLessThanOrEqual: {true, true, false},
	tileir.CompareGreaterThan: {false, false, true}, tileir.CompareGreaterThanOrEqual: {false, true, true},
}

// compareInts gives the truth of a comparison.
func compareInts(a, b int64, in operand) (int64, bool) {
	order := 1
	switch {
	case in.less(a, b):
		order = 0
	case in.less(b, a):
		order = 2
	}
	return truth(predicates[tileir.Int(in.mode)][order]), true
}

// compareRanges is the comparison of ranges: it holds for all, for none, or that depends.
func compareRanges(a, b number, in operand) number {
	if !a.known || !b.known {
		return number{}
	}
	deps := a.deps | b.deps
	either := number{known: deps != 0, lo: 0, hi: 1, deps: deps}
	if in.unsigned && (a.lo < 0 || b.lo < 0) {
		return either
	}
	holds, fails := false, false
	for i, possible := range [3]bool{a.lo < b.hi, a.lo <= b.hi && b.lo <= a.hi, a.hi > b.lo} {
		if possible && predicates[tileir.Int(in.mode)][i] {
			holds = true
		} else if possible {
			fails = true
		}
	}
	if holds && fails {
		return either
	}
	return exactly(truth(holds))
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
