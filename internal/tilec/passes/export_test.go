package passes

import "github.com/cutile-go/cutile/tileir"

// Ranges gives the range that a launch proves for each integer.
func Ranges(e *tileir.Entry, l Launch) func(v *tileir.Value) (lo, hi int64) {
	r := launched(e, l)
	return func(v *tileir.Value) (lo, hi int64) {
		s := r.span(v)
		return s.lo, s.hi
	}
}

// RangesOfAll gives the ranges that hold in every launch.
func RangesOfAll(e *tileir.Entry) func(v *tileir.Value) (lo, hi int64) {
	r := newRanges(e)
	return func(v *tileir.Value) (lo, hi int64) {
		s := r.span(v)
		return s.lo, s.hi
	}
}

// Stores reports whether an operation writes to memory.
func Stores(in *tileir.Info) bool { return stores[in.Opcode] }
