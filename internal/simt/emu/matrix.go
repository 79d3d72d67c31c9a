package emu

import "slices"

// ldmatrix loads matrices of 8 by 8 elements of 16 bits. Lane i says where row i begins; each lane receives two
// neighbours of one row, or of one column.
func ldmatrix(d *decoder) exec {
	if d.peek("m8n16") {
		return ldmatrixShort(d)
	}
	n, trans, s, ok := d.matrixMods()
	dst, a := d.dsts(0), d.addr(1)
	if !ok || len(dst) != n {
		return nil
	}
	return func(w *warp, m uint32) {
		rows, ok := w.matrixRows(m, n, func(l int) []byte { return w.memory(s, a.at(w, l), 16, l, reads) })
		if !ok {
			return
		}
		for k, r := range dst {
			for l := range lanes {
				var x uint64
				for e := range 2 {
					row, col := place8(l, e, trans)
					x |= little(rows[8*k+row][2*col:2*col+2]) << (16 * e)
				}
				w.v[r][l] = x
			}
		}
	}
}

// ldmatrixShort loads matrices of 8 by 16 elements of 4 or 6 bits, whose rows begin at multiples of 16 bytes and leave bytes
// unused. Each element becomes a byte; each lane receives four neighbours of a row.
func ldmatrixShort(d *decoder) exec {
	ok := d.has("sync") && d.has("aligned") && d.has("m8n16") && d.has("b8x16")
	n := map[string]int{"x1": 1, "x2": 2, "x4": 4}[d.oneOf("x1", "x2", "x4")]
	bits := map[string]int{"b4x16_p64": 4, "b6x16_p32": 6}[d.oneOf("b4x16_p64", "b6x16_p32")]
	s := d.space()
	dst, a := d.dsts(0), d.addr(1)
	if !ok || bits == 0 || n == 0 || len(dst) != n {
		return nil
	}
	row := func(w *warp, l int) []byte {
		addr := a.at(w, l)
		if addr%16 != 0 {
			w.fault(l, "%s at the address 0x%x, which is not a multiple of 16", w.op(), addr)
			return nil
		}
		data := w.memory(s, addr, 8, l, reads)
		if bits == 6 && data != nil {
			rest := w.memory(s, addr+8, 4, l, reads)
			if rest == nil {
				return nil
			}
			data = append(slices.Clone(data), rest...)
		}
		return spreadBits(data, bits)
	}
	return func(w *warp, m uint32) {
		rows, ok := w.matrixRows(m, n, func(l int) []byte { return row(w, l) })
		if !ok {
			return
		}
		for k, r := range dst {
			for l := range lanes {
				w.v[r][l] = little(rows[8*k+l/4][l%4*4:][:4])
			}
		}
	}
}

// spreadBits gives each element of a few bits a byte.
func spreadBits(data []byte, bits int) (all []byte) {
	for i := range len(data) * 8 / bits {
		at := i * bits
		word := uint64(data[at/8])
		if at/8+1 < len(data) {
			word |= uint64(data[at/8+1]) << 8
		}
		all = append(all, byte(cut(word>>(at%8), bits)))
	}
	return all
}

// matrixRows finds the rows of n matrices, which the first lanes name, when all lanes of the warp are there.
func (w *warp) matrixRows(m uint32, n int, row func(l int) []byte) (rows [lanes][]byte, ok bool) {
	if m, ok = w.gather(m, full); !ok {
		return rows, false
	}
	w.each(m&(1<<(8*n)-1), func(l int) { rows[l] = row(l) })
	return rows, w.event != failed
}

// stmatrix is the way back.
func stmatrix(d *decoder) exec {
	n, trans, s, ok := d.matrixMods()
	a, src := d.addr(0), d.srcs(1, 32)
	if !ok || len(src) != n {
		return nil
	}
	return func(w *warp, m uint32) {
		rows, ok := w.matrixRows(m, n, func(l int) []byte { return w.memory(s, a.at(w, l), 16, l, writes) })
		if !ok {
			return
		}
		for k, r := range src {
			for l := range lanes {
				for e := range 2 {
					row, col := place8(l, e, trans)
					putLittle(rows[8*k+row][2*col:2*col+2], w.v[r][l]>>(16*e))
				}
			}
		}
	}
}

// movmatrix transposes a matrix that is spread over the lanes.
func movmatrix(d *decoder) exec {
	n := 0
	for _, mod := range []string{"sync", "aligned", "m8n8", "trans", "b16"} {
		n += int(b2u(d.has(mod)))
	}
	dst, a := d.dst(0), d.src(1, 32)
	if n != 5 {
		return nil
	}
	return func(w *warp, m uint32) {
		if _, ok := w.gather(m, full); !ok || w.event == failed {
			return
		}
		from := w.v[a]
		for l := range lanes {
			var x uint64
			for e := range 2 {
				row, col := place8(l, e, true)
				x |= cut(from[4*row+col/2]>>(16*(col%2)), 16) << (16 * e)
			}
			w.v[dst][l] = x
		}
	}
}

func (d *decoder) matrixMods() (n int, trans bool, s space, ok bool) {
	ok = d.has("sync") && d.has("aligned") && d.has("m8n8") && d.has("b16")
	n = map[string]int{"x1": 1, "x2": 2, "x4": 4}[d.oneOf("x1", "x2", "x4")]
	trans, s = d.has("trans"), d.space()
	return n, trans, s, ok
}

// place8 gives the place in a matrix of 8 by 8 of one of the two elements of a lane.
func place8(lane, element int, trans bool) (row, col int) {
	row, col = lane/4, lane%4*2+element
	if trans {
		return col, row
	}
	return row, col
}
