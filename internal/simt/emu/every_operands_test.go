package emu_test

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// tuples are the operands of all threads: every pair of the special values where there are two, and others drawn from the
// same pools. near is a type that a conversion's operands should nearly fit.
func tuples(rng *rand.Rand, slots []simt.Slot, near string) [][]uint64 {
	const special = 18 // of each pool, at its beginning
	var pools [][]uint64
	for _, s := range slots {
		pools = append(pools, pool(rng, s.Type, near))
	}
	all := make([][]uint64, everyThreads)
	for i := range all {
		for k, p := range pools {
			at := rng.IntN(len(p))
			switch {
			case len(pools) == 1:
				at = i % len(p)
			case len(pools) == 2 && i < special*special:
				at = []int{i % special, i / special}[k] % len(p)
			}
			all[i] = append(all[i], p[at])
		}
	}
	return all
}

// pool are values of a type, the special ones first.
func pool(rng *rand.Rand, typ, near string) []uint64 {
	if element, pair := strings.CutSuffix(typ, "x2"); pair {
		return pairsOf(rng, element, near)
	}
	n := simt.TypeBits(typ)
	switch {
	case typ == "pred":
		return []uint64{0, 1}
	case n == 8: // only the lowest bits of the register count
		p := edges(rng, 8, 200)
		for i := range p {
			p[i] |= rng.Uint64() & 0xff << 8
		}
		return p
	case !isFloat(typ):
		p := edges(rng, n, 100)
		if isFloat(near) {
			p = append(p, halfways(rng, n, encodings[near].man+2)...)
		}
		return p
	}
	p := floats(rng, precisions[typ], 150)
	for i := range p {
		p[i] &= ^uint64(0) >> (64 - n) // of 16 bits, some begin beyond
	}
	switch {
	case near == "":
	case isFloat(near):
		p = append(p, between(rng, encodings[typ], encodings[near])...)
	default:
		p = append(p, aroundLimits(rng, encodings[typ])...)
	}
	return p
}

// pairsOf has two values of a type in each: the special ones side by side with themselves and with others.
func pairsOf(rng *rand.Rand, element, near string) []uint64 {
	near = strings.TrimSuffix(near, "x2")
	bits := simt.TypeBits(element+"x2") / 2
	var p []uint64
	if bits <= 8 {
		codes := uint64(1) << bits
		if l := encodings[element]; l.exp > 0 { // those of six bits have zeros above
			codes = 1 << l.width()
		}
		for i := range codes {
			p = append(p, i)
		}
	} else {
		p = pool(rng, element, near)
	}
	both := make([]uint64, 0, 2*len(p))
	for _, x := range p {
		both = append(both, x|p[rng.IntN(len(p))]<<bits)
	}
	for _, x := range p {
		both = append(both, p[rng.IntN(len(p))]|x<<bits)
	}
	return both
}

// halfways are integers that lie in the middle between two floats with one digit less, or beside it.
func halfways(rng *rand.Rand, bits, digits int) (all []uint64) {
	mask := ^uint64(0) >> (64 - bits)
	for range 200 {
		x := rng.Uint64()>>(64-digits) | 1 | 1<<(digits-1)
		x = x<<rng.IntN(max(1, bits-digits)) + uint64(rng.IntN(3)) - 1
		if rng.IntN(2) == 0 {
			x = -x
		}
		all = append(all, x&mask)
	}
	return all
}

// between are numbers of one encoding that are numbers of another, or in the middle between two, or next to these.
func between(rng *rand.Rand, from, to encoding) (all []uint64) {
	for i := range 250 {
		size := rng.Uint64() % (to.top + 1)
		switch i % 8 { // the ends
		case 0:
			size = to.top - uint64(rng.IntN(2))
		case 1:
			size = uint64(rng.IntN(1 << (to.man + 1)))
		}
		x := exactFloat(to.decode(size << to.pad))
		if size > 0 && rng.IntN(4) > 0 { // half of the way to what comes next, even where that is infinity
			before := exactFloat(to.decode((size - 1) << to.pad))
			x.Add(x, before.Sub(x, before).Quo(before, exactFloat(2)))
		}
		bits := from.put(real{x: x}, "rn", true)
		if step := uint64(rng.IntN(3)); bits > 0 && bits < from.top {
			bits += step - 1
		}
		all = append(all, bits|uint64(rng.IntN(2))<<(from.width()-1))
	}
	return all
}

// aroundLimits are floats near the ends of the integers' ranges, and between small integers.
func aroundLimits(rng *rand.Rand, l encoding) (all []uint64) {
	for _, k := range []int{0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64} {
		for _, d := range []float64{-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5} {
			x := l.put(exactly(math.Ldexp(1, k)+d), "rn", true)
			all = append(all, x, x|1<<(l.width()-1))
		}
		x := l.put(exactly(math.Ldexp(1, k)), "rn", true)
		all = append(all, x-1, x+1, (x-1)|1<<(l.width()-1), (x+1)|1<<(l.width()-1))
	}
	for range 60 {
		x := l.put(exactly(math.Ldexp(float64(rng.IntN(1<<12)), -rng.IntN(8))), "rn", true)
		all = append(all, x|uint64(rng.IntN(2))<<(l.width()-1))
	}
	return all
}
