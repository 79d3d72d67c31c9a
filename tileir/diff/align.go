package diff

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// pair is an operation of A beside its counterpart in B; -1 stands for none.
type pair struct{ a, b int }

// maxCells limits the table of an alignment. Longer lists that differ from end to end are paired by their index.
const maxCells = 1 << 24

// feature is what an alignment looks at of an operation.
type feature struct {
	deep, shallow, results uint64
	info                   *tileir.Info
	operands               int
	plain                  bool // it has operands and results, and no regions
}

func (s *side) features(ops []*tileir.Op) []feature {
	out := make([]feature, len(ops))
	for i, o := range ops {
		out[i] = feature{s.deep[o], s.shallow[o], hashOf(typesText(o.Results)), o.Info, len(o.Operands),
			len(o.Results) > 0 && len(o.Operands) > 0 && len(o.Regions) == 0}
	}
	return out
}

// likeness says how similar two operations are; 0 for not at all.
func likeness(a, b *feature) int32 {
	switch {
	case a.deep == b.deep:
		return 8
	case a.shallow == b.shallow:
		return 5
	case a.info == b.info && a.results == b.results:
		return 3
	case a.info == b.info:
		return 2
	case a.plain && b.plain && a.operands == b.operands && a.results == b.results:
		return 1 // such as addf in place of subf
	}
	return 0
}

// align pairs the operations of two blocks in their order, so that the sum of likenesses is greatest. What both begin
// and end with is paired at once.
func (d *differ) align(a, b []*tileir.Op) []pair {
	x, y := d.a.features(a), d.b.features(b)
	same := func(i, j int) bool { return x[i].deep == y[j].deep }
	head, tail := 0, 0
	for head < min(len(a), len(b)) && same(head, head) {
		head++
	}
	for tail < min(len(a), len(b))-head && same(len(a)-1-tail, len(b)-1-tail) {
		tail++
	}
	var out []pair
	for i := range head {
		out = append(out, pair{i, i})
	}
	middle := alignMiddle
	if n, m := len(a)-head-tail, len(b)-head-tail; m > 0 && n > maxCells/m {
		middle = alignByIndex
	}
	for _, p := range middle(x[head:len(x)-tail], y[head:len(y)-tail]) {
		if p.a >= 0 {
			p.a += head
		}
		if p.b >= 0 {
			p.b += head
		}
		out = append(out, p)
	}
	for i := tail; i > 0; i-- {
		out = append(out, pair{len(a) - i, len(b) - i})
	}
	return out
}

// The steps of an alignment from its end.
const (
	stepPair uint8 = iota
	stepA          // A's operation has no counterpart
	stepB
)

// alignMiddle finds the best alignment by dynamic programming.
func alignMiddle(a, b []feature) []pair {
	width := len(b) + 1
	steps := make([]uint8, (len(a)+1)*width)
	last, row := make([]int32, width), make([]int32, width)
	for j := range width {
		steps[j] = stepB
	}
	for i := range a {
		row[0], steps[(i+1)*width] = 0, stepA
		for j := range b {
			best, step := row[j], stepB
			if last[j+1] >= best {
				best, step = last[j+1], stepA
			}
			if l := likeness(&a[i], &b[j]); l > 0 && last[j]+l > best {
				best, step = last[j]+l, stepPair
			}
			row[j+1], steps[(i+1)*width+j+1] = best, step
		}
		last, row = row, last
	}
	var out []pair
	for i, j := len(a), len(b); i > 0 || j > 0; {
		switch steps[i*width+j] {
		case stepPair:
			i, j = i-1, j-1
			out = append(out, pair{i, j})
		case stepA:
			i--
			out = append(out, pair{i, -1})
		default:
			j--
			out = append(out, pair{-1, j})
		}
	}
	slices.Reverse(out)
	return out
}

// alignByIndex pairs operations that stand at the same place and fit.
func alignByIndex(a, b []feature) []pair {
	var out []pair
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b) && likeness(&a[i], &b[i]) > 0:
			out = append(out, pair{i, i})
			continue
		case i < len(a):
			out = append(out, pair{i, -1})
		}
		if i < len(b) {
			out = append(out, pair{-1, i})
		}
	}
	return out
}
