package arm64

import (
	"math"
	"math/bits"
)

// MovImm64 sets a general register, X or W, to a constant. It emits the shortest sequence of MOVZ, MOVN, ORR with a repeated
// pattern, and MOVK. W takes the low 32 bits;
// writing W clears the high 32 bits of X.
func (a *Assembler) MovImm64(r Reg, v uint64) {
	halves := 4
	if r.View() == ViewW || v>>32 == 0 {
		r, halves, v = r.As(ViewW), 2, v&math.MaxUint32
	}
	zeros, ones := 0, 0
	for i := range halves {
		zeros += btoi(half(v, i) == 0)
		ones += btoi(half(v, i) == math.MaxUint16)
	}
	plain := max(1, halves-max(zeros, ones))
	if pattern, steps := nearestPattern(v, halves, plain); steps < plain {
		a.Emit(ORR, r.Op(), XZR.As(r.View()).Op(), Imm(int64(pattern)))
		a.movk(r, v, pattern, halves, -1)
		return
	}
	if ones > zeros {
		a.movePlain(MOVN, r, v, math.MaxUint64, halves)
	} else {
		a.movePlain(MOVZ, r, v, 0, halves)
	}
}

// movePlain emits a move of one half, which sets all others to those of fill, and moves of the halves that differ.
func (a *Assembler) movePlain(op Op, r Reg, v, fill uint64, halves int) {
	first := 0
	for first < halves-1 && half(v, first) == half(fill, first) {
		first++
	}
	a.Emit(op, r.Op(), Imm(half(v^fill, first)), LSLBy.By(16*first))
	a.movk(r, v, fill, halves, first)
}

// movk emits moves of the halves of v that differ from those of have, other than half done.
func (a *Assembler) movk(r Reg, v, have uint64, halves, done int) {
	for i := range halves {
		if i != done && half(v, i) != half(have, i) {
			a.Emit(MOVK, r.Op(), Imm(half(v, i)), LSLBy.By(16*i))
		}
	}
}

// half gives 16 bits of v.
func half(v uint64, i int) int64 { return int64(v >> (16 * i) & math.MaxUint16) }

// nearestPattern finds a repeated pattern, as ORR takes it, that gives v with fewer than limit instructions, and how many:
// one and one for each half that differs. It gives limit where there is none. Only a constant whose halves differ in kind
// gets to the search through all patterns.
func nearestPattern(v uint64, halves, limit int) (uint64, int) {
	if limit == 1 {
		return 0, limit
	}
	if halves == 2 {
		v |= v << 32
		if _, ok := bitmask(v); ok {
			return v & math.MaxUint32, 1
		}
		return 0, limit
	}
	if _, ok := bitmask(v); ok || limit == 2 {
		return v, limit - btoi(ok)*(limit-1)
	}
	best, steps := uint64(0), limit
	for size := 2; size <= 64; size *= 2 {
		for ones := 1; ones < size; ones++ {
			elem := repeat(1<<ones-1, size)
			for turn := range size {
				pattern := bits.RotateLeft64(elem, turn)
				if n := 1 + differing(v^pattern); n < steps {
					best, steps = pattern, n
				}
			}
		}
	}
	return best, steps
}

// repeat fills 64 bits with an element of size bits.
func repeat(elem uint64, size int) uint64 {
	for ; size < 64; size *= 2 {
		elem |= elem << size
	}
	return elem
}

// differing counts the halves that are not zero.
func differing(v uint64) int {
	return btoi(half(v, 0) != 0) + btoi(half(v, 1) != 0) + btoi(half(v, 2) != 0) + btoi(half(v, 3) != 0)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
