package emu

// tensorCopyShape is a shape of cp: rows, and pieces of 16 bytes of each; and the lanes that a row goes to, the first being
// that of the address.
type tensorCopyShape struct {
	rows, pieces int
	lanes        func(row int) []int
}

var tensorCopies = map[string]*tensorCopyShape{
	"128x256b": {128, 2, func(r int) []int { return []int{r} }},
	"128x128b": {128, 1, func(r int) []int { return []int{r} }},
	"4x256b":   {4, 2, func(r int) []int { return []int{32 * r} }},
	"32x128b":  {32, 1, func(r int) []int { return []int{r, r + 32, r + 64, r + 96} }}, // warpx4
	"02_13":    {64, 1, func(r int) []int { return []int{r, r + 64} }},                 // of 64x128b.warpx2
	"01_23":    {64, 1, func(r int) []int { return []int{r/32*64 + r%32, r/32*64 + r%32 + 32} }},
}

// tensorCopy decodes cp, which copies rows from shared memory, as they lie there along k.
func tensorCopy(d *decoder) exec {
	pair := d.pair()
	name := d.oneOf("128x256b", "128x128b", "4x256b", "32x128b", "64x128b")
	kind := "cp"
	switch name {
	case "4x256b":
		kind = "cp.4x256b"
	case "32x128b":
		d.has("warpx4")
	case "64x128b":
		name = map[string]string{"warpx2::02_13": "02_13", "warpx2::01_23": "01_23"}[d.oneOf("warpx2::02_13", "warpx2::01_23")]
	}
	s := tensorCopies[name]
	d.has("b8x16")
	packed := d.oneOf("b6x16_p32", "b4x16_p64")
	addr, desc := d.addr(0), d.src(1, 64)
	if s == nil {
		return nil
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			if packed == "b4x16_p64" {
				w.fault(l, "%s: into which bits of bytes 4-bit numbers go is not known here: run the kernel on a GPU", w.op())
				return
			}
			o, err := newSharedMatrix(w.v[desc][l])
			if err == nil && o.wide {
				err = errWide
			}
			if err != nil {
				w.fault(l, "%s: %v", w.op(), err)
				return
			}
			w.copyTensor(s, kind, &o, addr.at(w, l), l, w.peers(pair, l), packed != "")
		})
	}
}

// copyTensor begins a copy in each of some blocks, from its own shared memory.
func (w *warp) copyTensor(s *tensorCopyShape, kind string, o *sharedMatrix, addr uint64, lane int, blocks []*block, six bool) {
	row, col := tensorAddress(addr)
	var set laneSet
	last := 0
	for r := range s.rows {
		for _, at := range s.lanes(r) {
			set = set.or(lanesFrom(at, 1))
			last = max(last, at)
		}
	}
	set, ok := w.lanesAt(set, row, last, lane)
	if !ok || w.event == failed {
		return
	}
	op := &tensorOp{kind: kind, lane: lane}
	var offs []uint32
	for r := range s.rows {
		for p := range s.pieces {
			offs = append(offs, o.alongK(r, p))
		}
	}
	for _, b := range blocks {
		op.regions = append(op.regions, tensorRegion{b, set, col, 4 * s.pieces, true})
		op.shared = append(op.shared, inPieces(b, offs)...)
	}
	op.run = func() {
		for _, b := range blocks {
			for i, off := range offs {
				piece := b.shared[off : off+16]
				if six {
					piece = widen(piece)
				}
				for _, at := range s.lanes(i / s.pieces) {
					for c := range 4 {
						b.tensor.put(col+i%s.pieces*4+c, row+at, uint32(little(piece[4*c:4*c+4])), bothHalves)
					}
				}
			}
		}
	}
	w.issue(op)
}

// widen puts 16 numbers of 6 bits, which have 12 bytes, into bytes.
func widen(piece []byte) []byte {
	out := make([]byte, 16)
	for i := range out {
		out[i] = byte(bitsOf(piece, 6*i, 6))
	}
	return out
}

// bitsOf gives some bits of bytes.
func bitsOf(b []byte, at, n int) (x uint64) {
	for i := at / 8; i < (at+n+7)/8; i++ {
		x |= uint64(b[i]) << (8 * (i - at/8))
	}
	return cut(x>>(at%8), n)
}

// tensorShift decodes shift.down: of 32 lanes, each but the last receives eight columns of the next one. A copy of the shape
// 4x256b then fills the last ones.
func tensorShift(d *decoder) exec {
	pair, addr := d.pair(), d.addr(0)
	if !d.has("down") {
		return nil
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			row, col := tensorAddress(addr.at(w, l))
			if row%32 != 0 || row >= tensorLanes {
				w.fault(l, "%s at lane %d of tensor memory: expected 0, 32, 64 or 96", w.op(), row)
				return
			}
			op := &tensorOp{kind: "shift", lane: l}
			blocks := w.peers(pair, l)
			for _, b := range blocks {
				op.regions = append(op.regions, tensorRegion{b, lanesFrom(row, 32), col, 8, true})
			}
			op.run = func() {
				for _, b := range blocks {
					for c := col; c < col+8; c++ {
						copy(b.tensor.words[c][row:row+31], b.tensor.words[c][row+1:row+32])
						copy(b.tensor.known[c][row:row+31], b.tensor.known[c][row+1:row+32])
					}
				}
			}
			if w.event != failed {
				w.issue(op)
			}
		})
	}
}
