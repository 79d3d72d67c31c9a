package gemm

import "github.com/cutile-go/cutile/internal/native/host"

// A machine writes a function in one instruction set. Kernels and pack functions are made of its methods. General registers
// are named by what they hold; vector registers have numbers from 0 on.
type machine interface {
	flow
	general
	vector
	sums
	packing
}

// A flow has labels and jumps.
type flow interface {
	label() label
	bind(label)
	jump(to label)
	// unless jumps if a field of the frame is 0.
	unless(offset uintptr, to label)
	// count adds a number to a register and jumps if the result is as the condition says.
	count(r reg, n int, when condition, to label)
	// alignLoop is for the label of a loop that follows.
	alignLoop()
	ret()
	// finish gives the code and where it must begin: at a multiple of how many bytes.
	finish() ([]byte, error)
}

// A label is a place in the code.
type label int32

// A reg is a general register.
type reg uint8

// numRegs is how many there are, besides the one that has the address of the frame.
const numRegs = 13

// A condition is what a number may be.
type condition uint8

const (
	zero condition = iota
	notZero
	negative
	notNegative
)

// A general writes instructions on general registers.
type general interface {
	set(r reg, n int)
	mov(dst, src reg)
	add(r reg, n int)
	addReg(r, other reg)
	// index sets a register to the sum of another one and a number of times a third one.
	index(dst, base, index reg, times int)
	// field loads a field of the frame, addField adds it to a register, and raise adds a register to it.
	field(dst reg, offset uintptr)
	addField(r reg, offset uintptr)
	raise(offset uintptr, r reg)
	// prefetch asks for the memory at a register plus a number. It never faults.
	prefetch(base reg, disp int, c cache)
	// prefetchIndex does so for the sum of two registers and a number.
	prefetchIndex(base, index reg, disp int, c cache)
}

// A cache is one of those of the CPU.
type cache uint8

const (
	nearest cache = iota
	second
)

// A vector writes instructions on whole vector registers.
type vector interface {
	zero(r int)
	// load and store move so many lanes, 0 for all, whose number prepareEdge and mask have announced.
	load(r int, base reg, disp, lanes int)
	store(r int, base reg, disp, lanes int)
	// prepareEdge prepares for a panel, and mask for the next loads and stores, of which the last in a row moves so many lanes.
	prepareEdge(lanes int)
	mask(lanes int)
}

// A sums writes what a kernel does for each step of k.
type sums interface {
	// startA prepares for a block: the elements of A lie so many bytes apart from row to row, and from step to step, at the
	// register. factor brings the element of a row, some steps ahead, to a vector register from r on, and nextA goes on.
	startA(at reg, rows int, row, step int, ahead int)
	factor(r int, row, ahead int) factor
	nextA(steps int)
	// multiply adds the product of a factor and the lanes of b to acc.
	multiply(s step, acc int, a factor, b int)
	// subtract subtracts integers of 32 bits.
	subtract(acc, b int)
}

// A factor is an element of A in a vector register: in all lanes, or in one of them.
type factor struct{ reg, lane int }

// A packing writes what pack functions do. They have registers of a size of their own.
type packing interface {
	// bytes loads so many bytes, at most those of a register. It touches no byte behind them and zeroes the rest of at least
	// 16 bytes.
	bytes(r int, base reg, disp, n int)
	// put stores so many bytes, a multiple of 4. It may change the register spare.
	put(base reg, disp, n, r, spare int)
	// widen turns the elements in the low bytes of a register into lanes, and part each into its part of a lane.
	widen(loader uint8, r int)
	part(loader uint8, r int)
	// zip makes lanes of some bytes in a register of so many parts, which lie in as many registers from this one on.
	zip(lane, parts, r int)
	// transpose transposes a square of lanes in the first registers, and says where the result begins.
	transpose(lane int) int
}

// A levelRow says how code of a level is made.
type levelRow struct {
	machine func(lane int) machine // for lanes of so many bytes
	bytes   int                    // of a vector register
	// wide has the shapes of blocks by their rows, and narrow is for matrices that are so narrow that a row is one register.
	// Some eight registers must change independently, or the CPU waits for each sum.
	wide   []shape
	narrow shape
	triple bool // the last shape is three registers wide where a matrix has just as many columns
	unit   int  // a block of full size has a multiple of so many rows
	first  int  // the first vector register of a block; those before it, if there are any, are for elements of A
	budget int  // lanes of products that a call may add: the slowest CPU of a level takes about 100 µs
	// pack is the level of pack functions, and packBytes the bytes of their registers: memory limits their speed.
	pack      host.Level
	packBytes int
}

// levels has a row for each level that there is code for.
var levels = map[host.Level]*levelRow{
	host.LevelAVX2: {machine: newAVX2, bytes: 32, wide: []shape{{1, 7}, {2, 4}, {3, 3}, {6, 2}}, narrow: shape{12, 1}, unit: 1,
		budget: 1 << 20, pack: host.LevelAVX2, packBytes: 32},
	host.LevelAVX512: {machine: newAVX512, bytes: 64, wide: []shape{{1, 8}, {2, 6}, {4, 4}, {8, 2}}, narrow: shape{16, 1}, triple: true, unit: 1,
		budget: 1 << 21, pack: host.LevelAVX2, packBytes: 32},
	host.LevelNEON: {machine: newNEON, bytes: 16, wide: []shape{{1, 8}, {2, 8}, {4, 6}, {8, 3}}, narrow: shape{12, 1}, unit: 1, first: 2,
		budget: 1 << 18, pack: host.LevelNEON, packBytes: 16},
}

// times repeats a body as often as a register says, which the body does not change; not at all for 0.
func times(m machine, count reg, body func()) {
	again, done := m.label(), m.label()
	m.count(count, 0, zero, done)
	m.alignLoop()
	m.bind(again)
	body()
	m.count(count, -1, notZero, again)
	m.bind(done)
}

// mapped maps the function that was written. A mistake in it is ours.
func mapped(m machine) (*function, error) {
	code, err := m.finish()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	at, err := host.Map(code)
	if err != nil {
		return nil, err
	}
	return newFunction(at), nil
}
