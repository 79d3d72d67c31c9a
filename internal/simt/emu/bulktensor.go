package emu

import "slices"

// bulkTensor decodes the copies of boxes of tensors.
func bulkTensor(d *decoder, prefetch, reduce, multicast bool) exec {
	rank := int(d.prefixedDigit())
	op := ""
	if reduce {
		op = d.oneOf("add", "min", "max", "inc", "dec", "and", "or", "xor")
	}
	to := global
	if !prefetch {
		to = d.spaceInOrder()
	}
	d.spaceInOrder()
	if prefetch {
		return func(*warp, uint32) {}
	}
	if to == global {
		return tensorOut(d, rank, op)
	}
	return tensorIn(d, rank, to, multicast)
}

// prefixedDigit takes the rank, "2d".
func (d *decoder) prefixedDigit() byte {
	if s := d.oneOf("1d", "2d", "3d", "4d", "5d"); s != "" {
		return s[0] - '0'
	}
	d.fail("the rank is missing")
	return 1
}

// box is a box of a tensor, and where it lies in shared memory.
type box struct {
	*TensorMap
	at  [5]int64 // the tensor's element that the box begins with
	p   *mapping
	off uint32 // in shared memory

	shared  []byte // shared memory, or a part of it from first on
	first   uint32
	written []func() // are called when all of it has been written
}

// newBox reads the tensor map and the coordinates of a lane, and makes sure that the box's elements exist.
func (w *warp) newBox(tmap uint64, coords []int, rank, lane int, how access) *box {
	var raw []byte
	for half := range uint64(2) {
		data := w.memory(generic, tmap+64*half, 64, lane, reads)
		if data == nil {
			return nil
		}
		raw = append(raw, data...)
	}
	t, err := DecodeTensorMap(raw)
	if err != nil {
		w.fault(lane, "%s: %v", w.op(), err)
		return nil
	}
	if t.Rank != rank || len(coords) != rank {
		w.fault(lane, "%s: the tensor map has rank %d", w.op(), t.Rank)
		return nil
	}
	x := &box{TensorMap: t}
	for i, c := range coords {
		x.at[i] = int64(int32(w.v[c][lane]))
	}
	lo, hi, any := x.span()
	if any {
		data := w.global(lo, int(hi-lo), lane, how|unseen) // more than the box: rows lie apart
		if data == nil {
			return nil
		}
		x.p = w.near
		if how&unseen == 0 && w.block.cluster.races != nil {
			x.rows(func(addr uint64, n int64) {
				if w.global(addr, int(n), lane, how) != nil && how&writes != 0 {
					x.written = append(x.written, w.writingAsync(addr, int(n), lane))
				}
			})
		}
	}
	return x
}

// span gives the addresses of the box's elements that lie in the tensor: false if none do.
func (x *box) span() (lo, hi uint64, any bool) {
	lo = x.Addr
	hi = x.Addr + uint64(x.size())
	for i := range x.Rank {
		first, last := int64(-1), int64(-1)
		for k := range x.count(i) {
			if c := x.at[i] + int64(k*x.step(i)); c >= 0 && uint64(c) < x.Dims[i] {
				if first < 0 {
					first = c
				}
				last = c
			}
		}
		if first < 0 {
			return 0, 0, false
		}
		lo += uint64(first) * x.stride(i)
		hi += uint64(last) * x.stride(i)
	}
	return lo, hi, true
}

func (x *box) stride(i int) uint64 {
	if i == 0 {
		return uint64(x.size())
	}
	return x.Strides[i]
}

// each goes through the elements of the box: their bytes in shared memory, and in the tensor, nil for those outside.
func (x *box) each(do func(shared, global []byte)) {
	size := x.size()
	var n [5]int
	for i := range n {
		n[i] = 1
		if i < x.Rank {
			n[i] = x.count(i)
		}
	}
	var k [5]int
	off := x.off
	for k[4] = 0; k[4] < n[4]; k[4]++ {
		for k[3] = 0; k[3] < n[3]; k[3]++ {
			for k[2] = 0; k[2] < n[2]; k[2]++ {
				for k[1] = 0; k[1] < n[1]; k[1]++ {
					row, in := x.row(k)
					for k0 := range n[0] {
						c := x.at[0] + int64(k0*x.step(0))
						var g []byte
						if in && c >= 0 && uint64(c) < x.Dims[0] {
							at := row + uint64(c)*uint64(size) - x.p.addr
							g = x.p.data[at : at+uint64(size)]
						}
						s := swizzle(off, x.Swizzle) - x.first
						do(x.shared[s:s+uint32(size)], g)
						off += uint32(size)
					}
				}
			}
		}
	}
}

// row gives the address of a row's element 0, and whether the row lies in the tensor.
func (x *box) row(k [5]int) (addr uint64, in bool) {
	addr = x.Addr
	for i := 1; i < x.Rank; i++ {
		c := x.at[i] + int64(k[i]*x.step(i))
		if c < 0 || uint64(c) >= x.Dims[i] {
			return 0, false
		}
		addr += uint64(c) * x.Strides[i]
	}
	return addr, true
}

// rows goes through the rows of the box that lie in the tensor: their first address there, and bytes.
func (x *box) rows(do func(addr uint64, n int64)) {
	var n, k [5]int
	for i := range n {
		n[i] = 1
		if i < x.Rank {
			n[i] = x.count(i)
		}
	}
	size, first, last := uint64(x.size()), int64(-1), int64(-1)
	for i := range n[0] {
		if c := x.at[0] + int64(i*x.step(0)); c >= 0 && uint64(c) < x.Dims[0] {
			if first < 0 {
				first = c
			}
			last = c
		}
	}
	for r := 0; first >= 0 && r < n[1]*n[2]*n[3]*n[4]; r++ {
		k[1], k[2], k[3], k[4] = r%n[1], r/n[1]%n[2], r/n[1]/n[2]%n[3], r/n[1]/n[2]/n[3]
		if row, ok := x.row(k); ok {
			do(row+uint64(first)*size, (last-first+1)*int64(size))
		}
	}
}

// swizzle moves pieces of 16 bytes within rows of the given number of bytes: by the row's number in groups of 8 rows of 128
// bytes.
func swizzle(off uint32, width int) uint32 {
	if width == 0 {
		return off
	}
	return off ^ off>>7&uint32(width/16-1)<<4
}

// tensorIn copies a box to shared memory. Elements outside of the tensor become 0.
func tensorIn(d *decoder, rank int, to space, multicast bool) exec {
	dst, tmap, coords, bar, mask := d.addr(0), d.addr(1), d.srcs(2, 32), d.addr(3), d.sink
	if multicast {
		mask = d.src(4, 16)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			x := w.newBox(tmap.at(w, l), coords, rank, l, reads|proxied)
			if x == nil || !w.aligned128(dst.at(w, l), l) {
				return
			}
			n := x.bytes()
			for _, t := range w.targets(to, dst.at(w, l), bar.at(w, l), n, l, multicast, w.v[mask][l]) {
				piece := *x
				piece.shared, piece.off = t.b.shared, t.off
				landed := w.bulkLanding(&t, n, l)
				w.block.cluster.later(func() {
					piece.each(func(shared, global []byte) { clear(shared[copy(shared, global):]) })
					landed()
				})
			}
		})
	}
}

func (w *warp) aligned128(addr uint64, lane int) bool {
	if addr%128 != 0 {
		w.fault(lane, "%s: the shared address 0x%x is not a multiple of 128", w.op(), addr)
		return false
	}
	return true
}

// tensorOut copies a box from shared memory, or reduces with it. Elements outside of the tensor are left out.
func tensorOut(d *decoder, rank int, op string) exec {
	how := writes
	if op != "" {
		how = d.strong(reads | writes | shares | later) // each element is a relaxed operation of the GPU
	}
	tmap, coords, src := d.addr(0), d.srcs(1, 32), d.addr(2)
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			x := w.newBox(tmap.at(w, l), coords, rank, l, how|proxied)
			if x == nil || !w.aligned128(src.at(w, l), l) {
				return
			}
			ty, _ := parseType(x.Type)
			f := atomicFunc(op, ty)
			if op != "" && f == nil {
				w.fault(l, "%s: elements of type %s have no such operation", w.op(), x.Type)
				return
			}
			n := x.bytes()
			data, done := w.asyncSource(sharedSpace, src.at(w, l), n, l)
			if data == nil {
				return
			}
			b, off := w.sharedBlock(sharedSpace, src.at(w, l), n, l)
			x.off, x.first = off, off
			lines := b.shared[off:min(len(b.shared), (int(off)+n+127)&^127)] // within which swizzles move
			w.send(l, func() {
				x.shared = slices.Clone(lines)
				done()
			}, func() {
				x.each(func(shared, global []byte) { reduceInto(global, shared, f) })
				for _, do := range x.written {
					do()
				}
			})
		})
	}
}

// reduceInto writes an element, or what an operation makes of the old one and it.
func reduceInto(global, shared []byte, f fn3) {
	if global == nil {
		return
	}
	if f == nil {
		copy(global, shared)
		return
	}
	putLittle(global, f(little(global), little(shared), 0))
}
