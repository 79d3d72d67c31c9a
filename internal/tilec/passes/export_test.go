package passes

import (
	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Ranges gives the range that a launch proves for each integer.
func Ranges(e *tileir.Entry, l ranges.Launch) func(v *tileir.Value) (lo, hi int64) {
	r := ranges.Of(e, l)
	return func(v *tileir.Value) (lo, hi int64) {
		return ends(r.Span(v))
	}
}

// RangesOfAll gives the ranges that hold in every launch.
func RangesOfAll(e *tileir.Entry) func(v *tileir.Value) (lo, hi int64) {
	r := ranges.New(e)
	return func(v *tileir.Value) (lo, hi int64) {
		return ends(r.Span(v))
	}
}

func ends(s interval.Range) (lo, hi int64) {
	lo, _ = s.Lo.Int64()
	hi, _ = s.Hi.Int64()
	return lo, hi
}
