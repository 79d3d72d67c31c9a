package sourcefuzz_test

import (
	"math/rand/v2"
	"slices"
)

// mutant changes a program by one to four edits that do not touch each other: nil where none is possible.
func mutant(rng *rand.Rand, p *program, o *outcome) *program {
	t := treeOf(rng, p, o)
	if t == nil {
		return nil
	}
	var all []edit
	for n := 1 + rng.IntN(4)*rng.IntN(2); n > 0; n-- {
		es := weighted(rng).make(t)
		if len(es) > 0 && apart(append(slices.Clone(all), es...)) {
			all = append(all, es...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	q := *p
	q.text = apply(p.text, all)
	if rng.IntN(10) == 0 {
		q.facts = rng.Uint64()
	}
	return &q
}

func weighted(rng *rand.Rand) kind {
	sum := 0
	for _, k := range kinds {
		sum += k.weight
	}
	n := rng.IntN(sum)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	panic("no kinds")
}

// apart reports whether edits do not touch each other.
func apart(es []edit) bool {
	slices.SortFunc(es, func(a, b edit) int { return a.from - b.from })
	for i := 1; i < len(es); i++ {
		if es[i].from <= es[i-1].to {
			return false
		}
	}
	return true
}

// apply makes edits.
func apply(text string, es []edit) string {
	slices.SortFunc(es, func(a, b edit) int { return b.from - a.from })
	for _, e := range es {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text
}
