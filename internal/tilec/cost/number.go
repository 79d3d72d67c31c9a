package cost

import (
	"math"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// number is what is known of an integer, or of the integers of a tile: all lie from lo to hi. Truth values are 0 and 1,
// others are sign-extended.
type number struct {
	known  bool    // it follows from arguments, blocks and counters
	lo, hi int64   // both included
	deps   uint64  // the ranges that it varies with: three bits for the grid's axes, one for each loop
	elems  []int64 // of a tile, in row-major order; nil if they are all alike or not at hand
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

// numbers is the type of a tile's integers as they are kept here.
func numbers(t *tileir.TileType) interval.Type {
	return interval.Type{Bits: t.Elem.Bits(), Signed: t.Elem != tileir.I1}
}

// held is a result as a type holds it.
func held(t interval.Type, v interval.Int) int64 {
	n, _ := t.Wrap(v).Int64()
	return n
}

// in is the range of a number: of one that is not known, all of a type.
func (n number) in(t interval.Type) interval.Range {
	if !n.known {
		return t.Range()
	}
	return interval.Ints(n.lo, n.hi)
}

// within is a number in a range.
func within(r interval.Range, t interval.Type, deps uint64) number {
	n := number{known: true, deps: deps}
	n.lo, _ = r.Lo.Int64()
	n.hi, _ = r.Hi.Int64()
	switch {
	case r.Single():
		n.deps = 0
	case r == t.Range() && deps == 0:
		return number{}
	}
	return n
}

// combine applies an operation to two integers, whose result is of type t: element by element where these are known.
func combine(how ranges.Arithmetic, a, b number, t interval.Type, size int) number {
	if a.listed() && b.listed() && size <= maxElems && !(a.exact() && b.exact()) {
		elems := make([]int64, size)
		for i := range elems {
			v, ok := how.Of(interval.Of(a.at(i)), interval.Of(b.at(i)))
			if !ok {
				return number{}
			}
			elems[i] = held(t, v)
		}
		return list(elems)
	}
	r, defined := how.Range(a.in(how.Type), b.in(how.Type))
	r, _ = interval.Convert(t, r)
	known, deps := a.known && b.known, a.deps|b.deps
	switch {
	case known && !defined && !(a.exact() && b.exact()):
		return anything(deps)
	case defined && (known || r.Single()): // a single result is the same whatever is not known
		return within(r, t, deps)
	}
	return number{}
}

// compute applies an operation to 64-bit integers.
func compute(op interval.Op, a, b number) number {
	t := interval.Type{Bits: 64, Signed: true}
	return combine(ranges.Arithmetic{Op: op, Type: t}, a, b, t, 1)
}

// converted is a number that is read as one of a type, and becomes one of another.
func converted(n number, from, to interval.Type) number {
	read, same := interval.Convert(from, n.in(from))
	r, fits := interval.Convert(to, read)
	switch {
	case !n.known || same && fits:
		return n
	case n.elems != nil:
		elems := make([]int64, len(n.elems))
		for i, v := range n.elems {
			elems[i] = held(to, from.Wrap(interval.Of(v)))
		}
		return list(elems)
	}
	return within(r, to, n.deps)
}

// compared is the comparison of numbers: it holds for all, for none, or that depends.
func compared(c ranges.Comparison, a, b number, size int) number {
	if a.listed() && b.listed() && size <= maxElems && !(a.exact() && b.exact()) {
		elems := make([]int64, size)
		for i := range elems {
			holds, _ := c.Of(interval.Ints(a.at(i), a.at(i)), interval.Ints(b.at(i), b.at(i)))
			elems[i] = truth(holds)
		}
		return list(elems)
	}
	deps := a.deps | b.deps
	if !a.known || !b.known {
		return number{}
	}
	if holds, known := c.Of(interval.Ints(a.lo, a.hi), interval.Ints(b.lo, b.hi)); known {
		return exactly(truth(holds))
	}
	return number{known: deps != 0, lo: 0, hi: 1, deps: deps}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
