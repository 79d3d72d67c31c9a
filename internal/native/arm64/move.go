package arm64

import "math"

// start is an instruction that sets a whole register to a constant. A MOVK for each half that differs completes the value;
// a half is 16 bits here.
type start struct {
	op    Op
	view  View // W clears the upper 32 bits
	imm   int64
	shift int // of MOVZ and MOVN
	value uint64
}

// MovImm64 sets a general register to a constant. It emits the shortest sequence of MOVZ, MOVN or ORR with a repeated
// pattern, and MOVK. W gets the low 32 bits.
func (a *Assembler) MovImm64(r Reg, v uint64) {
	if r.View() == ViewW {
		r, v = r.As(ViewX), v&math.MaxUint32
	}
	s := bestStart(v)
	dst := r.As(s.view)
	if s.op == ORR {
		a.Emit(ORR, dst.Op(), XZR.As(s.view).Op(), Imm(s.imm))
	} else {
		a.Emit(s.op, dst.Op(), Imm(s.imm), LSLBy.By(s.shift))
	}
	for i := range 4 {
		if half(v, i) != half(s.value, i) {
			a.Emit(MOVK, r.Op(), Imm(half(v, i)), LSLBy.By(16*i))
		}
	}
}

// bestStart gives the start that differs from v in the fewest halves.
func bestStart(v uint64) start {
	best := bestMove(v)
	for _, pattern := range [...]uint64{v, v<<32 | v&math.MaxUint32} {
		best = better(v, best, pattern)
	}
	if differing(v^best.value) < 2 {
		return best
	}
	for i := range 4 {
		best = better(v, best, repeat(uint64(half(v, i)), 16))
	}
	for i := range 16 {
		low, high := alternatives(v, 0, 2)[i%4], alternatives(v, 1, 3)[i/4]
		best = better(v, best, repeat(high<<16|low, 32))
	}
	for i := range 81 { // a half is that of v, zero or all ones
		pattern := uint64(0)
		for j, n := 0, i; j < 4; j, n = j+1, n/3 {
			pattern |= [...]uint64{uint64(half(v, j)), 0, math.MaxUint16}[n%3] << (16 * j)
		}
		best = better(v, best, pattern)
	}
	return best
}

// alternatives gives what a half of a pattern of 32 bits may be: one of two halves of v, or where neither is kept, zero or
// all ones. These suffice: if a row of ones ends inside a half that is not kept, it may as well end at its edge.
func alternatives(v uint64, i, j int) [4]uint64 {
	return [4]uint64{uint64(half(v, i)), uint64(half(v, j)), 0, math.MaxUint16}
}

// bestMove gives the best of MOVZ and MOVN, which sets the upper bits to ones, or to zeros with W.
func bestMove(v uint64) start {
	best := start{op: MOVZ, view: ViewW, imm: half(v, 0), value: uint64(half(v, 0))}
	for i := range 4 {
		at := 16 * i
		one, other := uint64(half(v, i))<<at, half(^v, i)
		starts := []start{{MOVZ, ViewX, half(v, i), at, one}, {MOVN, ViewX, other, at, ^(uint64(other) << at)}}
		if i < 2 {
			starts = append(starts, start{MOVN, ViewW, other, at, ^(uint64(other) << at) & math.MaxUint32})
		}
		for _, s := range starts {
			if differing(v^s.value) < differing(v^best.value) {
				best = s
			}
		}
	}
	return best
}

// better gives ORR with a pattern, if there is such an instruction and it is better than best. Where both halves of 32 bits
// are the same, ORR of W is another choice.
func better(v uint64, best start, pattern uint64) start {
	have := differing(v ^ best.value)
	low := pattern & math.MaxUint32
	whole := differing(v^pattern) < have
	narrow := pattern>>32 == low && differing(v^low) < have
	if !whole && !narrow {
		return best
	}
	if _, ok := bitmask(pattern); !ok {
		return best
	}
	if narrow && differing(v^low) < differing(v^pattern) {
		return start{op: ORR, view: ViewW, imm: int64(low), value: low}
	}
	return start{op: ORR, view: ViewX, imm: int64(pattern), value: pattern}
}

// repeat fills 64 bits with an element of size bits.
func repeat(elem uint64, size int) uint64 {
	for ; size < 64; size *= 2 {
		elem |= elem << size
	}
	return elem
}

// half gives 16 bits of v.
func half(v uint64, i int) int64 { return int64(v >> (16 * i) & math.MaxUint16) }

// differing counts the halves that are not zero.
func differing(v uint64) int {
	n := 0
	for i := range 4 {
		if half(v, i) != 0 {
			n++
		}
	}
	return n
}
