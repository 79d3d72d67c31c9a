package gemm

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/host"
)

// squareLevel is how code with the matrix products of NEON is made: an instruction multiplies eight bytes of two rows of A by
// those of two columns of B, and adds them to the four sums of a register. That is twice what SDOT does. A row of B takes two
// registers where a row of C takes one.
var squareLevel = &levelRow{machine: newNEON, bytes: 16, wide: []shape{{2, 6}, {4, 4}, {8, 3}}, narrow: shape{12, 1}, unit: 2, first: 2,
	budget: 1 << 18, pack: host.LevelNEON, packBytes: 16}

// A squareEmitter writes what is done on registers that have the sums of two rows and two columns.
type squareEmitter struct{ *arm }

// squareSteps has the instruction of each step. USMMLA takes bytes without a sign first, so B comes first in one of them, which
// exchanges rows and columns of the sums.
var squareSteps = map[step]struct {
	op     arm64.Op
	bFirst bool
}{
	stepS8S8: {op: arm64.SMMLA},
	stepU8U8: {op: arm64.UMMLA},
	stepU8S8: {op: arm64.USMMLA},
	stepS8U8: {op: arm64.USMMLA, bFirst: true},
}

// A folding has the operations that make two squares of two vectors of neighbouring rows, and those that make vectors of
// squares.
type folding struct{ in, out foldOps }

// foldOps are two operations on the same two registers, whose lanes have so many bytes.
type foldOps struct {
	first, second arm64.Op
	lane          int
}

func (s step) folding() folding {
	if squareSteps[s].bFirst {
		return folding{foldOps{arm64.ZIP1, arm64.ZIP2, 4}, foldOps{arm64.UZP1, arm64.UZP2, 4}}
	}
	return folding{foldOps{arm64.ZIP1, arm64.ZIP2, 8}, foldOps{arm64.ZIP1, arm64.ZIP2, 8}}
}

// pairs gives the first row of each pair of rows. The last pair may have one row, and a register for another one, which is
// never stored.
func (b block) pairs() (list []int) {
	for i := 0; i < b.rows; i += 2 {
		list = append(list, i)
	}
	return list
}

// fold turns the sums of a block from vectors into squares, or back.
func (e *kernelEmitter) fold(b block, ops foldOps) {
	const spare = 0 // A's registers are not in use
	for _, i := range b.pairs() {
		for j := range b.vecs {
			x, y := e.first+i*b.vecs+j, e.first+(i+1)*b.vecs+j
			e.squares.three(ops.first, ops.lane, spare, x, y)
			e.squares.three(ops.second, ops.lane, y, x, y)
			e.squares.Emit(arm64.MOV, arm64.V(x, arm64.V16B), arm64.V(spare, arm64.V16B))
		}
	}
}

// square is one step of k: two columns of B after the other times two rows of A.
func (e *kernelEmitter) square(b block, ahead int) {
	row := e.rowB(b)
	for j := range 2 * b.vecs {
		e.load(row+j, regB, ahead*int(e.bStep)+j*e.vecBytes(), 0)
	}
	for n, i := range b.pairs() {
		a := n & 1
		e.load(a, regA, ahead*int(e.aStep)+i*int(e.aRow), 0)
		for j := range 2 * b.vecs {
			e.squares.multiplySquare(e.step, e.first+(i+j&1)*b.vecs+j/2, a, row+j)
		}
	}
}

func (m *squareEmitter) multiplySquare(s step, acc, a, b int) {
	in := squareSteps[s]
	if in.bFirst {
		a, b = b, a
	}
	m.Emit(in.op, arm64.V(acc, arm64.V4S), arm64.V(a, arm64.V16B), arm64.V(b, arm64.V16B))
}
