package gemm

import (
	"encoding/binary"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
)

// A tile register has up to 16 rows of up to 64 bytes: the sums of 16 columns of C, sixteen lanes of k of a row of A, or a row
// of a panel of B.
const (
	tileRows  = 16
	tileBytes = 64
	tileLanes = tileBytes / 4
)

// tileLevel is how code with tile registers is made: level AVX512 with AMX. The sums of a block, a row of its tiles of B and a
// column of its tiles of A fill the eight registers. One instruction adds 4096 lanes of products in 16 cycles, and the first
// ones in 52.
var tileLevel = &levelRow{machine: newAVX512, bytes: tileBytes, wide: []shape{{16, 3}, {32, 2}}, narrow: shape{48, 1}, unit: tileRows,
	budget: 1 << 22, pack: host.LevelAVX2, packBytes: 32}

// fullTiles is the least product of bytes that fills the registers once: otherwise most of what they do would be in vain.
var fullTiles = size{tileRows, tileLanes, tileBytes}

// A form says how the lanes of an operand lie in its panels.
type form uint8

const (
	inLanes form = iota // in rows, one for each lane of k
	inFull              // so, and with zeros up to a multiple of sixteen lanes of k
	inTiles             // so many lanes of k of a row of A follow each other, then those of the next row
)

// lanes is how many lanes of k a panel has for those of the operand.
func (f form) lanes(k int) int {
	if f == inLanes {
		return k
	}
	return ceil(k, tileLanes) * tileLanes
}

func (s *scheme) formA() form {
	if s.tiles {
		return inTiles
	}
	return inLanes
}

func (s *scheme) formB() form {
	if s.tiles {
		return inFull
	}
	return inLanes
}

// lanes is how many lanes of k so many elements take.
func (s *scheme) lanes(k int) int { return s.formA().lanes(ceil(k, loaders[s.a].group)) }

// readsA says whether a kernel can read A where it lies.
func (s *scheme) readsA(k int, a Layout) bool {
	l := &loaders[s.a]
	if s.tiles {
		return k%(tileLanes*l.group) == 0 && a.Col == l.elem && reach(a.Row)
	}
	return l.direct() && reach(a.Row, a.Col)
}

// nearRows says whether the rows of A are as good where they lie as in panels: their elements follow each other, they are short, and
// not so far apart that those of a block compete for few sets of the nearest cache.
func (s *scheme) nearRows(k int, a Layout) bool {
	const period = 2 << 10 // bytes; half of what the sets of the cache hold once
	return !s.tiles && a.Col == loaders[s.a].elem && k <= 2*kChunk && a.Row%period != 0
}

// A tileEmitter writes what is done on tile registers. The sums of a block come first, row by row; then a row of B's tiles and a
// column of A's.
type tileEmitter struct{ *x86 }

// Registers that tiles need for distances, and what they do without.
const (
	regStrideA = regRowC
	regStrideB = regNextB
)

// requestAMX asks the system to permit tile registers.
var requestAMX = host.RequestAMX

// interpreter gives what tests call in place of a kernel with tiles, on machines that do not run its code.
var interpreter func(kernel []amd64.Line) func(frame) frame

// release leaves the registers to other code: the system saves them for each thread until then.
func (t *tileEmitter) release() { t.Emit(amd64.TILERELEASE) }

// tilesOf cuts a number of rows, or of lanes, into those of tiles.
func tilesOf(n int) (list []int) {
	for ; n > 0; n -= tileRows {
		list = append(list, min(n, tileRows))
	}
	return list
}

// columns gives the lanes of each tile of a row of a block.
func (b block) columns() []int {
	n := b.vecs * tileLanes
	if b.tail > 0 {
		n += b.tail - tileLanes
	}
	return tilesOf(n)
}

// configure sets the sizes of the tiles, which clears them. LDTILECFG takes the bytes of a row of each register as 16 bits from
// byte 16 on, and the rows from byte 48 on; the first byte is the palette.
func (t *tileEmitter) configure(b block) {
	config := make([]byte, 64)
	config[0] = 1
	set := func(tile, rows, lanes int) {
		binary.LittleEndian.PutUint16(config[16+2*tile:], uint16(lanes*4))
		config[48+tile] = byte(rows)
	}
	for i, rows := range tilesOf(b.rows) {
		for j, lanes := range b.columns() {
			set(b.sum(i, j), rows, lanes)
			set(b.tileB(j), tileRows, lanes)
		}
		set(b.tileA(i), rows, tileLanes)
	}
	t.Emit(amd64.LDTILECFG, amd64.AtLabel(t.Const(config, 64), 0))
}

func (b block) sum(i, j int) int { return i*b.vecs + j }
func (b block) tileB(j int) int  { return len(tilesOf(b.rows))*b.vecs + j }
func (b block) tileA(i int) int  { return b.tileB(b.vecs) + i }

// tileBlock computes a block and moves on to the next in A and C.
func (e *kernelEmitter) tileBlock(b block) {
	zeros, ready, again, done := e.label(), e.label(), e.label(), e.label()
	e.unless(unsafe.Offsetof(frame{}.keep), zeros)
	e.field(regSpare, offsetFrom+unsafe.Offsetof(part{}.row))
	e.tiles.walk(b, regReadC, func(tile int, at amd64.Operand) { e.tiles.Emit(amd64.TILELOADD, amd64.T(tile), at) })
	e.jump(ready)
	e.bind(zeros)
	for i := range len(tilesOf(b.rows)) * b.vecs {
		e.tiles.Emit(amd64.TILEZERO, amd64.T(i))
	}
	e.bind(ready)
	e.mov(regA, regBlockA)
	e.mov(regB, regPanelB)
	e.set(regStrideA, int(e.aRow))
	e.set(regStrideB, int(e.bStep))
	e.field(regK, unsafe.Offsetof(frame{}.k))
	e.count(regK, -1, negative, done)
	e.alignLoop()
	e.bind(again)
	e.tileStep(b)
	e.count(regK, -tileLanes, notNegative, again)
	e.bind(done)
	e.field(regSpare, offsetTo+unsafe.Offsetof(part{}.row))
	e.tiles.walk(b, regWriteC, func(tile int, at amd64.Operand) { e.tiles.Emit(amd64.TILESTORED, at, amd64.T(tile)) })
	e.addReg(regBlockA, regNextA)
}

// walk does something with each tile of a block of C, whose rows are as far apart as the spare register says, and moves the
// address to the next block.
func (t *tileEmitter) walk(b block, at reg, do func(tile int, at amd64.Operand)) {
	for i := range tilesOf(b.rows) {
		for j := range b.vecs {
			do(b.sum(i, j), amd64.AtIndex(x86Regs[at], x86Regs[regSpare], 1, int32(j*tileBytes)))
		}
		for range tileRows / 8 {
			t.index(at, at, regSpare, 8)
		}
	}
}

// tileSteps has the instruction of each step, the tile of A first.
var tileSteps = map[step]amd64.Op{
	stepS8S8: amd64.TDPBSSD,
	stepS8U8: amd64.TDPBSUD,
	stepU8S8: amd64.TDPBUSD,
	stepU8U8: amd64.TDPBUUD,

	stepPairs: amd64.TDPBF16PS,
}

// tileStep multiplies a row of B's tiles by a column of A's.
func (e *kernelEmitter) tileStep(b block) {
	load := func(tile int, base, stride reg, disp int) {
		e.tiles.Emit(amd64.TILELOADD, amd64.T(tile), amd64.AtIndex(x86Regs[base], x86Regs[stride], 1, int32(disp)))
	}
	for j := range b.vecs {
		load(b.tileB(j), regB, regStrideB, j*tileBytes)
	}
	for i := range tilesOf(b.rows) {
		load(b.tileA(i), regA, regStrideA, i*tileRows*int(e.aRow))
		for j := range b.vecs {
			e.tiles.Emit(tileSteps[e.step], amd64.T(b.sum(i, j)), amd64.T(b.tileA(i)), amd64.T(b.tileB(j)))
		}
	}
	e.add(regA, tileLanes*int(e.aStep))
	e.add(regB, tileLanes*int(e.bStep))
}
