package gemm

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// A pack describes a function that copies a part of an operand into a panel. A panel has a row for each lane of k, with the
// lanes of width columns of B (or rows of A) next to each other; those from valid on are zero.
type pack struct {
	level      host.Level // that of the products
	loader     uint8
	transposed bool // the elements that follow each other in memory differ in k
	tiles      bool // for tile registers: sixteen lanes of k of a row of A follow each other, then those of the next row
	valid      int
	width      int
	// panels says that a row of memory goes to as many panels of width lanes, panel bytes apart. valid then counts the columns
	// of all.
	panels, panel int
	// last is the number of elements of k in the last row of the panel (of each block of rows where transposed), where it is
	// less than a whole one; then the function makes only this.
	last int
}

// packFrame is the frame of a pack function. The caller keeps alive what the addresses refer to.
type packFrame struct {
	src, dst  uintptr
	srcStride int // bytes from row to row of memory
	dstStride int // bytes from row to row of the panel
	srcStep   int // bytes from what makes a row of the panel, or a block of rows, to the next
	count     int // rows, or blocks of rows
}

// The registers of a pack function.
const (
	regSrc       reg = iota // walks through memory
	regDst                  // walks through the panel
	regRow1                 // rows of memory, or places in the panel, that belong together
	regRow2                 //
	regRow3                 //
	regSrcStride            //
	regSrcStep              //
	regDstStride            //
	regRows                 //
	regSoon                 // is some rows ahead, since the CPU does not foresee where the next rows begin
	regRow4                 // more rows
	regRow5
	regRow6
)

var packs functions[pack]

// function gives the function. Those of levels with the same pack functions are the same.
func (p pack) function() (*function, error) {
	p.level = levels[p.level].pack
	return packs.get(p, emitPack)
}

// block is the number of lanes that the function handles at once: those of a register.
func (p *pack) block() int { return levels[p.level].packBytes / loaders[p.loader].lane }

// A packEmitter writes a pack function.
type packEmitter struct {
	machine
	pack
	*loader
}

func emitPack(p pack) (*function, error) {
	l := &loaders[p.loader]
	e := packEmitter{levels[p.level].machine(l.lane), p, l}
	for _, f := range []struct {
		reg    reg
		offset uintptr
	}{
		{regSrc, unsafe.Offsetof(packFrame{}.src)},
		{regDst, unsafe.Offsetof(packFrame{}.dst)},
		{regSrcStride, unsafe.Offsetof(packFrame{}.srcStride)},
		{regSrcStep, unsafe.Offsetof(packFrame{}.srcStep)},
		{regDstStride, unsafe.Offsetof(packFrame{}.dstStride)},
		{regRows, unsafe.Offsetof(packFrame{}.count)},
	} {
		e.field(f.reg, f.offset)
	}
	body := e.packRow
	switch {
	case p.tiles && p.transposed:
		body = e.packTile
	case p.tiles:
		body = e.packTileAcross
	case p.transposed:
		body = e.packBlock
	}
	times(e, regRows, body)
	e.ret()
	return mapped(e)
}

// packRow makes one row of the panel from group rows of memory.
func (e *packEmitter) packRow() {
	e.index(regSoon, regSrc, regSrcStep, 4)
	for at := 0; at < e.valid*e.elem; at += line {
		e.prefetch(regSoon, at, nearest)
	}
	rows := []reg{regSrc, regRow1, regRow2, regRow3, regRow4, regRow5, regRow6, regSoon}[:e.group]
	if e.last > 0 {
		rows = rows[:e.last]
	}
	for i := 1; i < len(rows); i++ {
		e.index(rows[i], rows[i-1], regSrcStride, 1)
	}
	for j := range e.panels {
		for at := 0; at < e.width; at += e.block() {
			column := j*e.width + at
			if n := min(e.valid-column, e.width-at, e.block()); n > 0 {
				e.interleave(0, rows, column*e.elem, n)
			} else {
				e.zero(0)
			}
			e.put(regDst, j*e.panel+at*e.lane, min(e.width-at, e.block())*e.lane, 0, 1)
		}
	}
	e.addReg(regSrc, regSrcStep)
	e.addReg(regDst, regDstStride)
}

// packBlock makes a block of rows of the panel: as many as a register has lanes.
func (e *packEmitter) packBlock() {
	elements := e.block() * e.group
	if e.last > 0 {
		elements = e.last
	}
	const from, to = regRow1, regRow2
	e.mov(from, regSrc)
	e.index(regSoon, regSrc, regSrcStride, 8)
	for at := 0; at < e.width; at += e.block() {
		for i := range e.block() {
			if at+i >= e.valid {
				e.zero(i)
				continue
			}
			e.bytes(i, from, 0, elements*e.elem)
			e.widen(e.pack.loader, i)
			e.prefetch(regSoon, 0, nearest)
			e.addReg(regSoon, regSrcStride)
			e.addReg(from, regSrcStride)
		}
		first := e.transpose(e.lane)
		e.mov(to, regDst)
		for i := range ceil(elements, e.group) {
			e.put(to, at*e.lane, min(e.width-at, e.block())*e.lane, first+i, 0)
			e.addReg(to, regDstStride)
		}
	}
	e.addReg(regSrc, regSrcStep)
	e.mov(regDst, to)
}

// packTile makes sixteen lanes of each row of A from a part of a row of memory.
func (e *packEmitter) packTile() {
	given := tileBytes
	if e.last > 0 {
		given = e.last * e.elem
	}
	step := levels[e.level].packBytes
	e.mov(regRow1, regSrc)
	for i := range e.valid {
		for at := 0; at < tileBytes; at += step {
			if n := min(given-at, step); n > 0 {
				e.bytes(0, regRow1, at, n)
			} else {
				e.zero(0)
			}
			e.put(regDst, i*tileBytes+at, step, 0, 1)
		}
		e.addReg(regRow1, regSrcStride)
	}
	e.addReg(regSrc, regSrcStep)
	e.add(regDst, e.width*tileBytes)
}

// packTileAcross does so from rows of memory that have neighbouring rows of A: it transposes a square of lanes at a time.
func (e *packEmitter) packTileAcross() {
	elements := tileLanes * e.group
	if e.last > 0 {
		elements = e.last
	}
	for at := 0; at < e.valid; at += e.block() {
		e.mov(regRow1, regSrc)
		for first := 0; first < tileLanes; first += e.block() {
			for i := range e.block() {
				given := min(elements-(first+i)*e.group, e.group)
				e.lanesAcross(i, given, at*e.elem, min(e.valid-at, e.block()))
			}
			rows := e.transpose(e.lane)
			for i := range min(e.valid-at, e.block()) {
				e.put(regDst, (at+i)*tileBytes+first*e.lane, e.block()*e.lane, rows+i, 0)
			}
		}
	}
	e.addReg(regSrc, regSrcStep)
	e.add(regDst, e.width*tileBytes)
}

// lanesAcross makes n lanes in a register of the next rows of memory, of which so many are given, and moves on.
func (e *packEmitter) lanesAcross(r, given, disp, n int) {
	if given <= 0 {
		e.zero(r)
		return
	}
	rows := []reg{regRow1, regRow2, regRow3, regSoon}[:given]
	for i := 1; i < given; i++ {
		e.index(rows[i], rows[i-1], regSrcStride, 1)
	}
	e.interleave(r, rows, disp, n)
	e.index(regRow1, rows[given-1], regSrcStride, 1)
}

// interleave loads n lanes whose group elements lie in as many rows: the registers that rows names. A row that is missing
// counts as zeros. The lanes come to register r, for which those of the group behind it are changed, too.
func (e *packEmitter) interleave(r int, rows []reg, disp, n int) {
	if e.group == 1 {
		e.bytes(r, rows[0], disp, n*e.elem)
		e.widen(e.pack.loader, r)
		return
	}
	for i := range e.group {
		if i >= len(rows) {
			e.zero(r + i)
			continue
		}
		e.bytes(r+i, rows[i], disp, n*e.elem)
		e.part(e.pack.loader, r+i)
	}
	e.zip(e.lane, e.group, r)
}
