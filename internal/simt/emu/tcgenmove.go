package emu

import (
	"strconv"
	"strings"
)

// tensorShape is a shape of loads and stores: the lanes, the columns and the registers of x1, and which word is which register.
type tensorShape struct {
	lanes, cols, regs int
	at                func(lane, reg int) (row, col int)
}

// The shapes as the figures of the PTX ISA have them. Of 16x32bx2 the upper lanes have the second half, which lies elsewhere.
var tensorShapes = map[string]*tensorShape{
	"32x32b":   {32, 1, 1, func(l, r int) (int, int) { return l, r }},
	"16x64b":   {16, 2, 1, func(l, r int) (int, int) { return l/4 + l%2*8, r*2 + l/2%2 }},
	"16x128b":  {16, 4, 2, func(l, r int) (int, int) { return l/4 + r%2*8, r/2*4 + l%4 }},
	"16x256b":  {16, 8, 4, func(l, r int) (int, int) { return l/4 + r/2%2*8, r/4*8 + l%4*2 + r%2 }},
	"16x32bx2": {16, 1, 1, func(l, r int) (int, int) { return l % 16, r }},
}

// tensorMove is a form of ld or st.
type tensorMove struct {
	*tensorShape
	kind   string
	packed bool // a register has the lower halves of two columns
	halves bool // 16x32bx2
	split  int  // and the columns between its halves
	addr   address
	vector []int
}

func tensorLoad(d *decoder) exec {
	t := d.tensorMove("ld", "pack::16b")
	t.addr = d.addr(1)
	if t.halves {
		t.split = int(int32(d.op(2).Bits))
	}
	return d.tensorMoved(t, d.dsts(0), t.load)
}

func tensorStore(d *decoder) exec {
	t := d.tensorMove("st", "unpack::16b")
	t.addr = d.addr(0)
	if t.halves {
		t.split = int(int32(d.op(1).Bits))
	}
	return d.tensorMoved(t, d.srcs(max(len(d.ops)-1, 1), 32), t.store)
}

func (d *decoder) tensorMove(kind, packing string) *tensorMove {
	t := &tensorMove{kind: kind}
	for name, s := range tensorShapes {
		if d.has(name) {
			t.tensorShape, t.halves = s, name == "16x32bx2"
		}
	}
	t.packed = d.has(packing)
	d.has("b32")
	return t
}

func (d *decoder) tensorMoved(t *tensorMove, regs []int, do exec) exec {
	n, err := strconv.Atoi(strings.TrimPrefix(d.prefixed("x"), "x"))
	t.vector = regs
	if t.tensorShape == nil || err != nil || len(regs) != n*t.regs {
		return nil
	}
	return d.whole(do)
}

// begin makes the operation, where the warp may reach what it wants.
func (t *tensorMove) begin(w *warp) (op *tensorOp, row, col int) {
	addr := w.same("addresses", func(l int) uint64 { return t.addr.at(w, l) })
	row, col = tensorAddress(addr)
	quarter := w.index % 4 * 32
	if row != quarter && !(t.lanes == 16 && row == quarter+16) {
		w.fault(0, "%s at lane %d of tensor memory: warp %d reaches lanes %d to %d; expected the first lane %d%s",
			w.op(), row, w.index, quarter, quarter+31, quarter, map[bool]string{true: " or the one 16 further"}[t.lanes == 16])
	}
	if w.event == failed {
		return nil, 0, 0
	}
	cols := len(t.vector) / t.regs * t.cols
	if t.packed {
		cols *= 2
	}
	op = &tensorOp{kind: t.kind, run: func() {}}
	at := tensorRegion{w.block, lanesFrom(row, t.lanes), col, cols, t.kind == "st"}
	op.regions = append(op.regions, at)
	if t.halves {
		at.col += t.split
		op.regions = append(op.regions, at)
	}
	if !w.beginTensor(op) {
		return nil, 0, 0
	}
	return op, row, col
}

// each goes through the registers of all lanes, with the place of the first word of each.
func (t *tensorMove) each(row, col int, do func(lane, reg, row, col int)) {
	for l := range lanes {
		for r := range t.vector {
			y, x := t.at(l, r)
			if t.packed {
				x *= 2
			}
			if t.halves {
				x += l / 16 * t.split
			}
			do(l, r, row+y, col+x)
		}
	}
}

func (t *tensorMove) load(w *warp, _ uint32) {
	op, row, col := t.begin(w)
	if op == nil {
		return
	}
	mem := w.block.tensor
	t.each(row, col, func(l, r, y, x int) {
		v, ok := mem.get(x, y, lowHalf)
		if t.packed && ok {
			var high uint32
			high, ok = mem.get(x+1, y, lowHalf)
			v = v&0xffff | high<<16
			x += map[bool]int{false: 1}[ok]
		}
		if !ok {
			w.unwritten("a word", x, y, l)
		}
		w.v[t.vector[r]][l] = uint64(v)
	})
	w.tensor.loads = append(w.tensor.loads, op)
}

func (t *tensorMove) store(w *warp, _ uint32) {
	op, row, col := t.begin(w)
	if op == nil {
		return
	}
	var values [lanes][]uint32
	for l := range values {
		for _, reg := range t.vector {
			values[l] = append(values[l], uint32(w.v[reg][l]))
		}
	}
	mem := w.block.tensor
	op.run = func() {
		t.each(row, col, func(l, r, y, x int) {
			v := values[l][r]
			if t.packed {
				mem.put(x, y, v&0xffff, lowHalf)
				mem.put(x+1, y, v>>16, lowHalf)
			} else {
				mem.put(x, y, v, bothHalves)
			}
		})
	}
	w.tensor.stores = append(w.tensor.stores, op)
}
