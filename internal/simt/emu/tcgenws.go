package emu

// zeroColumns reads the descriptor of columns of B that count as zeros, which only mma.ws has.
//
// By part of the columns (M is 128, 64 or 32: one, two or four) a mask begins with a span of columns that are used, or, where
// the bit of "first span" is set, of columns that are zeros; the two spans alternate, and the first one lacks as many columns
// as "start count" says. All columns may begin further behind in B.
func (p *tensorProduct) zeroColumns() bool {
	if p.g.zeros < 0 {
		return true
	}
	desc, n := p.w.v[p.g.zeros][p.lane], p.n
	field := func(at, bits int) int { return int(desc >> at & (1<<bits - 1)) }
	p.shift = field(56, 6)
	limit := [4]int{0, 8, 16, 32}[uint32(p.w.v[p.g.idesc][p.lane])>>30]
	if p.m == 32 {
		limit = min(limit, 16)
	}
	if p.shift > limit {
		p.w.fault(p.lane, "%s: columns are shifted by %d, and the instruction descriptor allows %d", p.w.op(), p.shift, limit)
		return false
	}
	p.zero = make([]bool, n)
	if field(39, 1) == 0 {
		return true
	}
	zeros, used := field(40, 8)+1, field(48, 8)+1
	parts := 128 / p.m
	for i := range parts {
		at := field(8*i, 8)
		if field(32+i, 1) == 0 { // columns that are used come first
			at += zeros
		}
		for j := range n / parts {
			p.zero[i*n/parts+j] = (at+j)%(zeros+used) < zeros
		}
	}
	return true
}
