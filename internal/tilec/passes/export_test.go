package passes

import (
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Ranges gives the range that a launch proves for each integer.
func Ranges(e *tileir.Entry, l Launch) func(v *tileir.Value) (lo, hi int64) {
	r := launched(e, l)
	return func(v *tileir.Value) (lo, hi int64) {
		return ends(r.span(v))
	}
}

// RangesOfAll gives the ranges that hold in every launch.
func RangesOfAll(e *tileir.Entry) func(v *tileir.Value) (lo, hi int64) {
	r := newRanges(e)
	return func(v *tileir.Value) (lo, hi int64) {
		return ends(r.span(v))
	}
}

func ends(s interval.Range) (lo, hi int64) {
	lo, _ = s.Lo.Int64()
	hi, _ = s.Hi.Int64()
	return lo, hi
}
