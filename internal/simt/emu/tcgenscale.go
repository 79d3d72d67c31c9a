package emu

// Scale factors lie in tensor memory: those of rows 0 to 31 in the first column, one row a lane, those of the next 32 rows in
// the next column and so on, the factors of a row side by side in bytes. All four quarters of the lanes have the same, as
// copies of the shape 32x128b.warpx4 leave them; but of B, where two blocks multiply 128 rows, the lower half of the lanes has
// the factors of the first half of the columns, and the upper half those of the second. The byte where the factors of a row
// begin is in the instruction descriptor; NVIDIA's compilers have it in bits 30 and 31 of the address as well.

// scaleFactors finds the places of the scale factors.
func (p *tensorProduct) scaleFactors() bool {
	if p.vec == 0 {
		return true
	}
	for _, s := range []struct {
		name string
		addr address
		rows int
		id   int
		col  *int
	}{{"A", p.g.sfa, p.rows(), p.idA, &p.sa}, {"B", p.g.sfb, p.scaledRows(), p.idB, &p.sb}} {
		addr := s.addr.at(p.w, p.lane)
		if at := int(addr >> 30 & 3); at == s.id { // may stand in the address, too
			addr &^= 3 << 30
		}
		row, col := tensorAddress(addr)
		if row != 0 {
			p.w.fault(p.lane, "%s: the scale factors of %s begin at lane %d of tensor memory: expected 0", p.w.op(), s.name, row)
			return false
		}
		*s.col = col
		for _, b := range p.blocks {
			p.op.regions = append(p.op.regions, tensorRegion{b, lanesFrom(0, tensorLanes), col, (s.rows + 31) / 32, false})
		}
	}
	return true
}

// splitScales reports whether halves of the lanes have the scale factors of halves of the columns.
func (p *tensorProduct) splitScales() bool { return p.pair && p.m == 128 }

// scaledRows is the columns of B whose scale factors one half of the lanes has.
func (p *tensorProduct) scaledRows() int {
	if p.splitScales() {
		return p.n / 2
	}
	return p.n
}

// scale multiplies A by its scale factors, and gives B times its own. The numbers are exact: they have few bits.
func (p *tensorProduct) scale(b *block, ma, mb [][]float64) [][]float64 {
	if p.vec == 0 {
		return mb
	}
	quarters := []int{0, 32, 64, 96}
	for r, row := range ma {
		p.times(b, row, p.sa+r/32, r%32, p.idA, quarters, "A")
	}
	out := make([][]float64, len(mb))
	for n, column := range mb {
		at, in := n, quarters
		if per := p.scaledRows(); per < len(mb) {
			at, in = n%per, quarters[n/per*2:n/per*2+2]
		}
		out[n] = append([]float64(nil), column...)
		p.times(b, out[n], p.sb+at/32, at%32, p.idB, in, "B")
	}
	return out
}

// times multiplies a row by its scale factors, which several lanes have.
func (p *tensorProduct) times(b *block, row []float64, col, lane, id int, quarters []int, name string) {
	n := p.vec
	for i := range n {
		var code uint64
		for j, q := range quarters {
			word, ok := b.tensor.get(col, q+lane, bothHalves)
			if !ok {
				p.w.unwritten("a scale factor of "+name, col, q+lane, p.lane)
				return
			}
			c := uint64(word >> (8 * (id + i)) & 0xff)
			if j > 0 && c != code {
				p.w.fault(p.lane, "%s: a scale factor of %s is 0x%02x at lane %d and 0x%02x at lane %d, column %d: expected the same in these quarters of the lanes",
					p.op.name(), name, code, quarters[0]+lane, c, q+lane, col)
				return
			}
			code = c
		}
		factor := formats["e4m3"].value(code & 0x7f)
		if p.exponents {
			factor = e8m0.Decode(code)
		}
		per := len(row) / n
		for k := range per {
			row[i*per+k] *= factor
		}
	}
}
