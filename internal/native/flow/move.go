package flow

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// move is a tile that becomes another value's.
type move struct {
	to, from Place
	value    *tileir.Value // what is moved
}

// moves copies values to others at the same time: registers to registers, tiles from place to place. Those that are there
// already stay.
func (b *builder) moves(to, from []*tileir.Value) {
	var dst, src []vec.Reg
	var tiles []move
	for i, v := range to {
		if lane.TileOf(v) == nil {
			continue
		}
		if b.inRegisters(v) {
			d, s := b.variable(v, from[i])
			dst, src = append(dst, d), append(src, s)
			continue
		}
		p, ok := b.Place(v)
		q, _ := b.Place(from[i])
		if ok && (p.Offset != q.Offset || q.Splat && !p.Splat || b.uniform(from[i])) {
			tiles = append(tiles, move{p, q, from[i]})
		}
	}
	b.moveTiles(tiles)
	b.moveRegs(dst, src)
}

// moveRegs assigns registers. One that is read later than it is written is copied before.
func (b *builder) moveRegs(dst, src []vec.Reg) {
	for i, s := range src {
		if k := slices.Index(dst, s); k >= 0 && k < i {
			src[i] = b.New(b.Regs[s])
			b.Set(src[i], s)
		}
	}
	for i, d := range dst {
		if d != src[i] {
			b.Set(d, src[i])
		}
	}
}

// moveTiles copies tiles, by way of scratch where one lies in the place of another.
func (b *builder) moveTiles(tiles []move) {
	through := false
	for _, m := range tiles {
		for _, o := range tiles {
			through = through || o != m && m.from.Offset < o.to.Offset+o.to.Bytes && o.to.Offset < m.from.Offset+m.from.Bytes
		}
	}
	room := 0
	for i := range tiles {
		if m := &tiles[i]; through && !b.uniform(m.value) {
			b.copy(vec.Mem{Base: b.scratch, Disp: int32(room)}, b.at(m.from.Offset), m.from.Bytes)
			room += alignUp(m.to.Bytes)
		}
	}
	b.room = max(b.room, room)
	room = 0
	for i := range tiles {
		m := &tiles[i]
		if b.uniform(m.value) {
			b.fill(b.at(m.to.Offset), lane.TileOf(m.value), b.reg(m.value), m.to.Bytes)
			continue
		}
		from := b.at(m.from.Offset)
		if through {
			from = vec.Mem{Base: b.scratch, Disp: int32(room)}
			room += alignUp(m.to.Bytes)
		}
		if m.from.Bytes < m.to.Bytes {
			b.repeat(b.at(m.to.Offset), from, m.from.Bytes, m.to.Bytes)
		} else {
			b.copy(b.at(m.to.Offset), from, m.to.Bytes)
		}
	}
}

// alignUp rounds up to a multiple of 64.
func alignUp(n int) int { return (n + 63) &^ 63 }

// copy copies bytes.
func (b *builder) copy(to, from vec.Mem, bytes int) {
	b.parts(vec.I64, bytes, func(t vec.Type, i, mask vec.Reg) {
		to, from := to, from
		to.Index, to.Scale, from.Index, from.Scale = i, 1, i, 1
		b.Store(t, to, b.Load(t, from, mask), mask)
	})
}

// fill writes one element many times.
func (b *builder) fill(to vec.Mem, t *tileir.TileType, x vec.Reg, bytes int) {
	size := 8
	if !t.Pointer {
		size = t.Elem.Bytes()
	}
	b.each(size, bytes, func(i, mask vec.Reg) {
		to.Index, to.Scale = i, int8(size)
		lane.Store(b.Builder, t, to, x, mask)
	})
}

// repeat writes an element of memory many times, which may have no form in registers.
func (b *builder) repeat(to, from vec.Mem, size, bytes int) {
	t := vec.IntOf(size)
	x := b.Emit(vec.Instr{Op: vec.LoadFirst, Type: t, Mem: from})
	b.each(size, bytes, func(i, mask vec.Reg) {
		to.Index, to.Scale = i, int8(size)
		b.Store(t, to, x, mask)
	})
}

// each calls do in a loop over elements of a size, with the number of the first one and a mask.
func (b *builder) each(size, bytes int, do func(i, mask vec.Reg)) {
	n := int64(bytes / size)
	i := b.For(b.Int(0), b.Int(n), vec.Lanes)
	do(i, b.Do(vec.MFirst, vec.NoType, b.sub(b.Int(n), i)))
	b.End()
}

// parts calls do in a loop for whole vectors of a type, and then for what is left as bytes, with the offset and a mask, which is 0
// for all lanes.
func (b *builder) parts(t vec.Type, bytes int, do func(t vec.Type, i, mask vec.Reg)) {
	each := vec.Lanes * t.Bytes()
	whole := bytes / each * each
	if whole > 0 {
		do(t, b.For(b.Int(0), b.Int(int64(whole)), int64(each)), 0)
		b.End()
	}
	for at := whole; at < bytes; at += vec.Lanes {
		mask := vec.Reg(0)
		if n := bytes - at; n < vec.Lanes {
			mask = b.Do(vec.MFirst, vec.NoType, b.Int(int64(n)))
		}
		do(vec.I8, b.Int(int64(at)), mask)
	}
}
