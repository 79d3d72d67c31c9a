package gemm

import (
	"encoding/binary"
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/arm64"
)

// arm is the machine of arm64, with vector registers of 16 bytes. It multiplies by one lane of a register.
type arm struct {
	arm64.Assembler
	lane int // bytes
	a    armColumns
}

// armColumns says how a kernel reads A.
type armColumns struct {
	at        arm64.Reg
	rows      int
	row, step int  // bytes from row to row, and from step to step
	pointers  bool // each row but the first has a register with its address, since the rows are far apart
	pieces    []piece
}

// A piece is some rows whose elements are loaded together: as many bytes as they have, which are a power of two.
type piece struct{ first, rows int }

func newNEON(lane int) machine { return &arm{lane: lane} }

// armRegs are the general registers; X0 has the address of the frame, X16 is for addresses, and X30 is where to return to.
var armRegs = [numRegs]arm64.Reg{arm64.X1, arm64.X2, arm64.X3, arm64.X4, arm64.X5, arm64.X6, arm64.X7, arm64.X8, arm64.X9, arm64.X10,
	arm64.X11, arm64.X12, arm64.X13}

// armRows have the addresses of rows of A, from the second on.
var armRows = [...]arm64.Reg{arm64.X14, arm64.X15, arm64.X17, arm64.X19, arm64.X20, arm64.X21, arm64.X22, arm64.X23, arm64.X24,
	arm64.X25, arm64.X26, arm64.X27}

const armSpare = arm64.X16

// at is memory at a register plus a number, for accesses of so many bytes. It may change the spare register.
func (m *arm) at(base arm64.Reg, disp, size int) arm64.Operand {
	if disp >= -256 && disp < 256 || disp >= 0 && disp%size == 0 && disp < size<<12 {
		return arm64.At(base, int32(disp))
	}
	m.sum(armSpare, base, disp)
	return arm64.At(armSpare, 0)
}

// sum sets a register to another one plus a number. It may change the spare register.
func (m *arm) sum(dst, base arm64.Reg, n int) {
	op, size := arm64.ADD, n
	if n < 0 {
		op, size = arm64.SUB, -n
	}
	switch {
	case n == 0 && dst == base:
	case size < 1<<12 || size < 1<<24 && size%(1<<12) == 0:
		m.Emit(op, dst.Op(), base.Op(), arm64.Imm(int64(size)))
	default:
		m.MovImm64(armSpare, uint64(size))
		m.Emit(op, dst.Op(), base.Op(), armSpare.Op())
	}
}

func armField(offset uintptr) arm64.Operand { return arm64.At(arm64.X0, int32(offset)) }

func (m *arm) label() label  { return label(m.Label()) }
func (m *arm) bind(l label)  { m.Bind(arm64.Label(l)) }
func (m *arm) jump(to label) { m.Emit(arm64.BRANCH, arm64.To(arm64.Label(to))) }
func (m *arm) alignLoop()    { m.Align(16) }

func (m *arm) finish() ([]byte, error) { return m.Finish() }

func (m *arm) ret() {
	m.Emit(arm64.MOV, arm64.X0.Op(), arm64.XZR.Op())
	m.Emit(arm64.RET)
}

func (m *arm) unless(offset uintptr, to label) {
	m.Emit(arm64.LDR, armSpare.Op(), armField(offset))
	m.Emit(arm64.CBZ, armSpare.Op(), arm64.To(arm64.Label(to)))
}

var armConditions = [...]arm64.Cond{zero: arm64.EQ, notZero: arm64.NE, negative: arm64.LT, notNegative: arm64.GE}

func (m *arm) count(r reg, n int, when condition, to label) {
	x := armRegs[r].Op()
	if n < 0 {
		m.Emit(arm64.SUBS, x, x, arm64.Imm(int64(-n)))
	} else {
		m.Emit(arm64.ADDS, x, x, arm64.Imm(int64(n)))
	}
	m.Emit(arm64.BCOND, armConditions[when].Op(), arm64.To(arm64.Label(to)))
}

func (m *arm) set(r reg, n int) { m.MovImm64(armRegs[r], uint64(n)) }
func (m *arm) mov(dst, src reg) { m.Emit(arm64.MOV, armRegs[dst].Op(), armRegs[src].Op()) }
func (m *arm) add(r reg, n int) { m.sum(armRegs[r], armRegs[r], n) }

func (m *arm) addReg(r, other reg) {
	m.Emit(arm64.ADD, armRegs[r].Op(), armRegs[r].Op(), armRegs[other].Op())
}

func (m *arm) index(dst, base, index reg, times int) {
	shift := arm64.LSLBy.By(bits.TrailingZeros(uint(times)))
	m.Emit(arm64.ADD, armRegs[dst].Op(), armRegs[base].Op(), armRegs[index].Op(), shift)
}

func (m *arm) field(dst reg, offset uintptr) { m.Emit(arm64.LDR, armRegs[dst].Op(), armField(offset)) }

func (m *arm) addField(r reg, offset uintptr) {
	m.Emit(arm64.LDR, armSpare.Op(), armField(offset))
	m.Emit(arm64.ADD, armRegs[r].Op(), armRegs[r].Op(), armSpare.Op())
}

func (m *arm) raise(offset uintptr, r reg) {
	m.Emit(arm64.LDR, armSpare.Op(), armField(offset))
	m.Emit(arm64.ADD, armSpare.Op(), armSpare.Op(), armRegs[r].Op())
	m.Emit(arm64.STR, armSpare.Op(), armField(offset))
}

var armPrefetches = [...]arm64.Sym{nearest: arm64.PLDL1KEEP, second: arm64.PLDL2KEEP}

func (m *arm) prefetch(base reg, disp int, c cache) {
	m.Emit(arm64.PRFM, armPrefetches[c].Op(), arm64.At(armRegs[base], int32(disp)))
}

func (m *arm) prefetchIndex(base, index reg, disp int, c cache) {
	m.Emit(arm64.ADD, armSpare.Op(), armRegs[base].Op(), armRegs[index].Op())
	m.Emit(arm64.PRFM, armPrefetches[c].Op(), arm64.At(armSpare, int32(disp)))
}

// armViews has views by their bytes: of a part of a vector register, and of one with lanes of so many bytes.
var armViews = map[int]struct{ part, lanes arm64.View }{
	1:  {arm64.ViewB, arm64.V16B},
	2:  {arm64.ViewH, arm64.V8H},
	4:  {arm64.ViewS, arm64.V4S},
	8:  {arm64.ViewD, arm64.V2D},
	16: {part: arm64.ViewQ},
}

// part is the lowest bytes of a vector register.
func armPart(r, bytes int) arm64.Operand { return arm64.V(r, armViews[bytes].part) }

func (m *arm) zero(r int) { m.Emit(arm64.MOVI, arm64.V(r, arm64.V2D), arm64.Imm(0)) }

func (m *arm) load(r int, base reg, disp, lanes int) {
	if lanes == 0 {
		lanes = 16 / m.lane
	}
	m.bytes(r, base, disp, lanes*m.lane)
}

func (m *arm) store(r int, base reg, disp, lanes int) {
	if lanes == 0 {
		lanes = 16 / m.lane
	}
	m.put(base, disp, lanes*m.lane, r, 0)
}

// Lanes are moved one by one, without a mask.
func (m *arm) prepareEdge(int) {}
func (m *arm) mask(int)        {}

// startA chooses how A is read: elements of neighbouring rows together where they lie together, and otherwise one by one, from
// the address of the first row if the distances fit in instructions.
func (m *arm) startA(at reg, rows, row, step, ahead int) {
	m.a = armColumns{at: armRegs[at], rows: rows, row: row, step: step, pieces: piecesOf(rows, 1)}
	if row == m.lane {
		m.a.pieces = piecesOf(rows, 16/m.lane)
		return
	}
	last := (rows-1)*row + (ahead-1)*step
	m.a.pointers = row < 0 || step < 0 || row%m.lane != 0 || step%m.lane != 0 || last >= m.lane<<12
	if !m.a.pointers {
		return
	}
	from := m.a.at
	for _, r := range armRows[:rows-1] {
		m.sum(r, from, row)
		from = r
	}
}

// piecesOf cuts rows into pieces of at most so many, whose numbers are powers of two.
func piecesOf(rows, most int) (list []piece) {
	for first := 0; first < rows; {
		for most > rows-first {
			most /= 2
		}
		list = append(list, piece{first, most})
		first += most
	}
	return list
}

// factor takes two registers in turn. They are v0 and v1, since BFMLALB takes an element of the first sixteen only.
func (m *arm) factor(r int, row, ahead int) factor {
	i := 0
	for m.a.pieces[i].first+m.a.pieces[i].rows <= row {
		i++
	}
	p := m.a.pieces[i]
	r += i & 1
	if p.first == row {
		from, disp := m.a.at, row*m.a.row+ahead*m.a.step
		if m.a.pointers && row > 0 {
			from, disp = armRows[row-1], ahead*m.a.step
		}
		size := p.rows * m.lane
		m.Emit(arm64.LDR, armPart(r, size), m.at(from, disp, size))
	}
	return factor{r, row - p.first}
}

func (m *arm) nextA(steps int) {
	m.sum(m.a.at, m.a.at, steps*m.a.step)
	if m.a.pointers {
		for _, r := range armRows[:m.a.rows-1] {
			m.sum(r, r, steps*m.a.step)
		}
	}
}

// armSteps has the instruction of each step, and the views of the sums, of B and of an element of A.
var armSteps = map[step]struct {
	op              arm64.Op
	acc, b, element arm64.View
}{
	stepF32: {arm64.FMLA, arm64.V4S, arm64.V4S, arm64.ViewS},
	stepF64: {arm64.FMLA, arm64.V2D, arm64.V2D, arm64.ViewD},
	stepI32: {arm64.MLA, arm64.V4S, arm64.V4S, arm64.ViewS},
	// The first word of a name is the type of B.
	stepS8S8: {arm64.SDOT, arm64.V4S, arm64.V16B, arm64.V4B},
	stepU8U8: {arm64.UDOT, arm64.V4S, arm64.V16B, arm64.V4B},
	stepU8S8: {arm64.SUDOT, arm64.V4S, arm64.V16B, arm64.V4B},
	stepS8U8: {arm64.USDOT, arm64.V4S, arm64.V16B, arm64.V4B},
}

func (m *arm) multiply(s step, acc int, a factor, b int) {
	if s == stepInOrder {
		for i, op := range [...]arm64.Op{arm64.BFMLALB, arm64.BFMLALT} {
			m.Emit(op, arm64.V(acc, arm64.V4S), arm64.V(b, arm64.V8H), arm64.H(a.reg).Lane(2*a.lane+i))
		}
		return
	}
	row := armSteps[s]
	m.Emit(row.op, arm64.V(acc, row.acc), arm64.V(b, row.b), arm64.V(a.reg, row.element).Lane(a.lane))
}

func (m *arm) subtract(acc, b int) {
	m.Emit(arm64.SUB, arm64.V(acc, arm64.V4S), arm64.V(acc, arm64.V4S), arm64.V(b, arm64.V4S))
}

// lanes32 loads a constant that repeats 32 bits into a vector register.
func (m *arm) lanes32(r int, x uint32) {
	var b []byte
	for range 4 {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	m.Emit(arm64.LDR, arm64.Q(r), arm64.To(m.Const(b, 16)))
}
