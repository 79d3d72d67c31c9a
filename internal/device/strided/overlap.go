package strided

import "slices"

// Overlap reports whether two views over one memory may share an element. It is exact for views that were cut out of
// one row-major tensor by narrowing, selecting and permuting axes; otherwise it may report an overlap of interleaved
// elements that is none, never the reverse.
func Overlap(a, b View) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	aFrom, aTo := a.Range()
	bFrom, bTo := b.Range()
	if aTo <= bFrom || bTo <= aFrom {
		return false
	}
	return !apart(a, b)
}

// apart reports whether the views are boxes of one grid that do not overlap. The strides of both, from the greatest on, are
// the places of a number system in which an offset has exactly one spelling as long as no digit overflows into the next
// place; boxes are apart where they are in one digit.
func apart(a, b View) bool {
	places := strideSet(a, b)
	da, oka := digits(a, places)
	db, okb := digits(b, places)
	if !oka || !okb {
		return false
	}
	for i := range places {
		if da[i].to <= db[i].from || db[i].to <= da[i].from {
			return true
		}
	}
	return false
}

// strideSet lists the strides that move in either view, greatest first, and 1.
func strideSet(views ...View) []int {
	set := []int{1}
	for _, v := range views {
		for axis, n := range v.Shape {
			if n > 1 {
				set = append(set, v.Strides[axis])
			}
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	slices.Reverse(set)
	return set
}

// span is the digits of one place that a view covers.
type span struct{ from, to int }

// digits spells the offsets of a view; ok is false if a digit overflows, or a place is no multiple of the next.
func digits(v View, places []int) (spans []span, ok bool) {
	rest := v.Offset
	spans = make([]span, len(places))
	for i, place := range places {
		if place == 0 {
			return nil, false
		}
		spans[i] = span{rest / place, rest/place + 1}
		rest %= place
	}
	for axis, n := range v.Shape {
		if n > 1 {
			spans[slices.Index(places, v.Strides[axis])].to += n - 1
		}
	}
	for i := 1; i < len(places); i++ {
		if places[i-1]%places[i] != 0 || spans[i].to > places[i-1]/places[i] {
			return nil, false
		}
	}
	return spans, true
}
