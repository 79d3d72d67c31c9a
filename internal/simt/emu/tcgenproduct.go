package emu

// run multiplies.
func (p *tensorProduct) run() {
	b := make([][]float64, 0, p.n)
	for _, blk := range p.blocks {
		half := p.shared(blk, p.pb, p.n/len(p.blocks)+p.shift, p.b, p.transB)
		b = append(b, half[p.shift:]...)
	}
	for n, zero := range p.zero {
		if zero {
			clear(b[n])
		}
	}
	for i, blk := range p.blocks {
		var a [][]float64
		if p.g.inTensor {
			a = p.fromTensor(blk)
		} else {
			a = p.shared(blk, p.pa, p.rows(), p.a, p.transA)
		}
		scaled := p.scale(blk, a, b)
		if p.w.event == failed {
			return
		}
		if p.negative {
			for _, row := range a {
				for k := range row {
					row[k] = -row[k]
				}
			}
		}
		p.write(i, a, scaled)
	}
}

// shared reads a matrix by rows out of the pieces of a block's shared memory.
func (p *tensorProduct) shared(b *block, pieces []uint32, rows int, e *tensorElement, trans bool) [][]float64 {
	out := make([][]float64, rows)
	for r := range out {
		out[r] = make([]float64, p.k)
	}
	per := (rows + e.per - 1) / e.per // pieces of a k, where it is transposed
	for i, off := range pieces {
		data := b.shared[off : off+16]
		for j := range e.per {
			v := e.value(bitsOf(data, j*e.bits, e.bits))
			switch r, k := i/2, i%2*e.per+j; {
			case !trans:
				out[r][k] = v
			case i%per*e.per+j < rows:
				out[i%per*e.per+j][i/per] = v
			}
		}
	}
	return out
}

// fromTensor reads a block's rows of A out of its tensor memory.
func (p *tensorProduct) fromTensor(b *block) [][]float64 {
	out := make([][]float64, p.rows())
	in := 32 / p.a.holds
	for r := range out {
		lane, _ := p.place(r, 0)
		for c := range 8 {
			word, ok := b.tensor.get(p.acol+c, p.arow+lane, bothHalves)
			if !ok {
				p.w.unwritten("A", p.acol+c, p.arow+lane, p.lane)
				return out
			}
			for j := range in {
				out[r] = append(out[r], p.a.value(cut(uint64(word)>>(j*p.a.holds), p.a.bits)))
			}
		}
	}
	return out
}

// write adds the products of a block's rows to the old results, or replaces them.
func (p *tensorProduct) write(index int, a, b [][]float64) {
	t, part := p.blocks[index].tensor, 1/float64(uint64(1)<<p.g.divide)
	for r, row := range a {
		for n, column := range b {
			lane, col := p.place(r, n)
			lane, col = lane+p.row, col+p.col
			if p.skip[index][lane/64]>>(lane%64)&1 == 1 {
				continue
			}
			var old float64
			if p.adds {
				word, ok := t.get(col, lane, map[bool]uint8{true: lowHalf, false: bothHalves}[p.d == "f16"])
				if !ok {
					p.w.unwritten("D", col, lane, p.lane)
					return
				}
				old = p.old(word) * part
			}
			p.put(t, col, lane, dotProduct(old, row, column))
		}
	}
}

// old reads an element of D.
func (p *tensorProduct) old(word uint32) float64 {
	switch p.d {
	case "f16":
		return float64(half32(uint64(word & 0xffff)))
	case "f32":
		return float64(f32(uint64(word)))
	}
	return float64(int32(word))
}

// put rounds an element of D.
func (p *tensorProduct) put(t *tensorMemory, col, lane int, sum float64) {
	switch {
	case p.d == "f16":
		t.put(col, lane, uint32(fmt16.round(sum, nearest, false)), lowHalf)
	case p.d == "f32":
		t.put(col, lane, uint32(bits32(float32(sum))), bothHalves)
	case p.finite:
		t.put(col, lane, uint32(saturate32(int64(sum))), bothHalves)
	default:
		t.put(col, lane, uint32(int64(sum)), bothHalves)
	}
}
