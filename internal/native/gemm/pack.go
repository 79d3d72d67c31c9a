package gemm

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
)

// A pack describes a function that copies a part of an operand into a panel. A panel has a row for each lane of k, with the
// lanes of width columns of B (or rows of A) next to each other; those from valid on are zero.
type pack struct {
	loader     uint8
	transposed bool // the elements that follow each other in memory differ in k
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

var packs functions[pack]

func (p pack) function() (*function, error) { return packs.get(p, emitPack) }

// emitPack writes the function. It uses only ymm registers, at every level: memory limits its speed.
//
// Registers: RAX source, RBX panel, R8 stride of the source, R9 its step, R10 stride of the panel, R11 count; R12 is some rows
// ahead, since the CPU does not foresee where the next rows begin. A prefetch behind the end does nothing.
func emitPack(p pack) (*function, error) {
	e := newEmitter(host.LevelAVX2)
	for _, f := range []struct {
		reg    amd64.Reg
		offset uintptr
	}{
		{amd64.RAX, unsafe.Offsetof(packFrame{}.src)},
		{amd64.RBX, unsafe.Offsetof(packFrame{}.dst)},
		{amd64.R8, unsafe.Offsetof(packFrame{}.srcStride)},
		{amd64.R9, unsafe.Offsetof(packFrame{}.srcStep)},
		{amd64.R10, unsafe.Offsetof(packFrame{}.dstStride)},
		{amd64.R11, unsafe.Offsetof(packFrame{}.count)},
	} {
		e.field(f.reg, f.offset)
	}
	body := e.packRow
	if p.transposed {
		body = e.packBlock
	}
	l := &loaders[p.loader]
	e.times(amd64.R11, func() { body(p, l) })
	e.ret()
	return e.finish()
}

// packRow makes one row of the panel from group rows of memory.
func (e *emitter) packRow(p pack, l *loader) {
	rows := []amd64.Reg{amd64.RAX, amd64.RCX, amd64.RDX, amd64.RSI}[:l.group]
	if p.last > 0 {
		rows = rows[:p.last]
	}
	for i := 1; i < len(rows); i++ {
		e.Emit(amd64.LEA, amd64.R64(rows[i]), amd64.AtIndex(rows[i-1], amd64.R8, 1, 0))
	}
	e.Emit(amd64.LEA, amd64.R64(amd64.R12), amd64.AtIndex(amd64.RAX, amd64.R9, 4, 0))
	for at := 0; at < p.valid*l.elem; at += line {
		e.Emit(amd64.PREFETCHT0, amd64.At(amd64.R12, int32(at)))
	}
	for j := range p.panels {
		for at := 0; at < p.width; at += l.block() {
			column := j*p.width + at
			if n := min(p.valid-column, p.width-at, l.block()); n > 0 {
				e.interleave(l, 0, rows, column*l.elem, n)
			} else {
				e.Emit(amd64.VXORPS, amd64.Y(0), amd64.Y(0), amd64.Y(0))
			}
			e.store(amd64.RBX, j*p.panel+at*l.lane, min(p.width-at, l.block())*l.lane, 0, 1)
		}
	}
	e.Emit(amd64.ADD, amd64.R64(amd64.RAX), amd64.R64(amd64.R9))
	e.Emit(amd64.ADD, amd64.R64(amd64.RBX), amd64.R64(amd64.R10))
}

// packBlock makes a block of rows of the panel: as many as a ymm register has lanes.
func (e *emitter) packBlock(p pack, l *loader) {
	elements := l.block() * l.group
	if p.last > 0 {
		elements = p.last
	}
	rows := (elements + l.group - 1) / l.group
	e.mov(amd64.RCX, amd64.RAX)
	e.Emit(amd64.LEA, amd64.R64(amd64.R12), amd64.AtIndex(amd64.RAX, amd64.R8, 8, 0))
	for at := 0; at < p.width; at += l.block() {
		for i := range l.block() {
			if at+i >= p.valid {
				e.Emit(amd64.VXORPS, amd64.Y(i), amd64.Y(i), amd64.Y(i))
				continue
			}
			e.load(l, i, amd64.RCX, 0, elements)
			e.Emit(amd64.PREFETCHT0, amd64.At(amd64.R12, 0))
			e.Emit(amd64.ADD, amd64.R64(amd64.R12), amd64.R64(amd64.R8))
			e.Emit(amd64.ADD, amd64.R64(amd64.RCX), amd64.R64(amd64.R8))
		}
		first := e.transpose(l.lane)
		e.mov(amd64.RDX, amd64.RBX)
		for i := range rows {
			e.store(amd64.RDX, at*l.lane, min(p.width-at, l.block())*l.lane, first+i, 0)
			e.Emit(amd64.ADD, amd64.R64(amd64.RDX), amd64.R64(amd64.R10))
		}
	}
	e.Emit(amd64.ADD, amd64.R64(amd64.RAX), amd64.R64(amd64.R9))
	e.mov(amd64.RBX, amd64.RDX)
}

// transpose transposes a square of lanes in ymm0 and up, and gives the register where the result begins.
func (e *emitter) transpose(lane int) int {
	if lane == 8 {
		e.transpose4()
	} else {
		e.transpose8()
	}
	return 8
}

// three emits an operation of three ymm registers, and perhaps an immediate.
func (e *emitter) three(op amd64.Op, d, x, y int, imm ...int64) {
	args := []amd64.Operand{amd64.Y(d), amd64.Y(x), amd64.Y(y)}
	for _, i := range imm {
		args = append(args, amd64.Imm(i))
	}
	e.Emit(op, args...)
}

const (
	lowHalves  = 0x20 // of VPERM2F128
	highHalves = 0x31
	lowPairs   = 0x44 // of VSHUFPS
	highPairs  = 0xEE
)

// transpose8 transposes 8 times 8 lanes of 4 bytes from ymm0-7 to ymm8-15.
func (e *emitter) transpose8() {
	for i := 0; i < 8; i += 2 {
		e.three(amd64.VUNPCKLPS, 8+i, i, i+1)
		e.three(amd64.VUNPCKHPS, 9+i, i, i+1)
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			e.three(amd64.VSHUFPS, i+2*j, 8+i+j, 10+i+j, lowPairs)
			e.three(amd64.VSHUFPS, i+2*j+1, 8+i+j, 10+i+j, highPairs)
		}
	}
	for i := range 4 {
		e.three(amd64.VPERM2F128, 8+i, i, i+4, lowHalves)
		e.three(amd64.VPERM2F128, 12+i, i, i+4, highHalves)
	}
}

// transpose4 transposes 4 times 4 lanes of 8 bytes from ymm0-3 to ymm8-11.
func (e *emitter) transpose4() {
	for i := 0; i < 4; i += 2 {
		e.three(amd64.VUNPCKLPD, 4+i, i, i+1)
		e.three(amd64.VUNPCKHPD, 5+i, i, i+1)
	}
	for i := range 2 {
		e.three(amd64.VPERM2F128, 8+i, 4+i, 6+i, lowHalves)
		e.three(amd64.VPERM2F128, 10+i, 4+i, 6+i, highHalves)
	}
}
