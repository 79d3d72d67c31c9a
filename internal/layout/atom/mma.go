package atom

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// Operand is A, B or C of a multiplication. D has the type, layout and registers of C.
type Operand int

// The operands, which index the arrays of [Mma].
const (
	A Operand = iota
	B
	C
)

// axes gives the two of M, N and K (0, 1 and 2) that the operand's tile spans.
func (o Operand) axes() [2]int { return [...][2]int{{0, 2}, {1, 2}, {0, 1}}[o] }

// String is the operand's letter.
func (o Operand) String() string { return "ABC"[o : o+1] }

// Major is the mode of an operand in shared memory whose elements lie side by side.
type Major int

// An operand of wgmma or tcgen05 is K-major, as all operands in registers, or has M or N side by side.
const (
	MajorK Major = iota
	MajorMN
)

// String is CuTe's name.
func (m Major) String() string { return [...]string{"K", "MN"}[m] }

// Mma is an instruction that computes D = A B + C.
type Mma struct {
	Name    string // CuTe's: SM80_16x8x16_F32F16F16F32_TN
	PTX     string // the opcode with all that belongs to it
	Shape   [3]int // M, N, K
	Elem    [3]Elem
	Threads layout.Layout    // of the threads that take part (ThrID)
	TV      [3]layout.Layout // (thread, value) to the place in the operand's tile
	Shared  [3]bool          // the operand is read from shared memory by all threads together, through a descriptor
	Major   [2]Major         // of A and B in shared memory
	Target  Target

	Tensor     bool   // one thread executes it, and C is in tensor memory
	Descriptor uint32 // of such an instruction
}

// Tile is the shape of an operand's tile: (M,K), (N,K) or (M,N).
func (m Mma) Tile(o Operand) layout.Tuple {
	a := o.axes()
	return layout.Of(m.Shape[a[0]], m.Shape[a[1]])
}

// Regs is how many registers of 32 bits hold a thread's part of an operand, 0 where it is in shared or tensor memory. An f64 takes
// two, whose PTX register is one of 64 bits; what is smaller than a register is alone in one.
func (m Mma) Regs(o Operand) int {
	if m.Shared[o] || m.Tensor {
		return 0
	}
	values, _ := m.TV[o].Modes()[1].Size().Static()
	return (values*m.Elem[o].Bits() + 31) / 32
}

// String is what CuTe prints of an atom.
func (m Mma) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "MMA Atom\n  ThrID:           %v\n  Shape MNK:       %v", m.Threads, layout.Of(m.Shape[:]...))
	for o := A; o <= C; o++ {
		fmt.Fprintf(&b, "\n  TV Layout %v:     %v", o, m.TV[o])
	}
	return b.String()
}
