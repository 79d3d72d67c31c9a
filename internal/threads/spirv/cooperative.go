package spirv

import (
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// matrixElems make the types of cooperative matrices' elements. Shared memory has them as integers of the same width.
var matrixElems = map[tileir.Elem]func(b *code) spirv.ID{
	tileir.F16:  func(b *code) spirv.ID { return b.Float(16) },
	tileir.BF16: func(b *code) spirv.ID { return b.FloatOf(spirv.FPEncodingBFloat16KHR) },
	tileir.F32:  func(b *code) spirv.ID { return b.Float(32) },
	tileir.I8:   func(b *code) spirv.ID { return b.Uint(8) },
	tileir.I32:  func(b *code) spirv.ID { return b.Uint(32) },
}

// sums are the variables of matrices of sums.
func (w *writer) sums(s *ir.Sums) []spirv.ID {
	vars := w.matrices[s]
	if vars == nil {
		for range s.Count {
			vars = append(vars, w.b.Local(w.sumType(s.Unit)))
		}
		w.matrices[s] = vars
	}
	return vars
}

func (w *writer) sumType(u *ir.Unit) spirv.ID {
	return w.b.Matrix(matrixElems[u.Acc](w.b), u.M, u.N, spirv.CooperativeMatrixUseMatrixAccumulatorKHR)
}

func (w *writer) zeroSums(in *ir.Instr) {
	t := w.sumType(in.Sums.Unit)
	zero := w.b.ConstComposite(t, w.b.Const(matrixElems[in.Sums.Unit.Acc](w.b), 0))
	for _, v := range w.sums(in.Sums) {
		w.b.Store(v, zero)
	}
}

func (w *writer) loadSum(in *ir.Instr) {
	p, stride := w.matrixPlace(in.Mem, 0, in.Sums.Unit.N*in.Sums.Unit.Acc.Bytes())
	w.b.Store(w.sums(in.Sums)[in.Imm], w.b.MatrixLoad(w.sumType(in.Sums.Unit), p, spirv.CooperativeMatrixLayoutRowMajorKHR, stride, 0))
}

func (w *writer) storeSum(in *ir.Instr) {
	p, stride := w.matrixPlace(in.Mem, 0, in.Sums.Unit.N*in.Sums.Unit.Acc.Bytes())
	w.b.MatrixStore(p, w.b.Load(w.sums(in.Sums)[in.Imm]), spirv.CooperativeMatrixLayoutRowMajorKHR, stride, 0)
}

// matrixPlace gives a pointer to a matrix in shared memory, so many bytes behind the place of an access, and how many elements of the array
// lie between rows that are a number of bytes apart.
func (w *writer) matrixPlace(m *ir.Access, behind, row int) (p, stride spirv.ID) {
	at := *m
	at.Disp += int64(behind)
	unit := w.arrays[m.Buffer].unit
	w.elements(&at, unit, 1, func(_ int, q spirv.ID) { p = q })
	return p, w.b.ConstUint(uint32(row / unit.Bytes()))
}

// multiplySums adds products, for each part of a factor that is a matrix of its own.
func (w *writer) multiplySums(in *ir.Instr) {
	b, u := w.b, in.Sums.Unit
	sums := w.sums(in.Sums)
	var flags spirv.CooperativeMatrixOperands
	for i, flag := range []spirv.CooperativeMatrixOperands{spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHR, spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHR} {
		if u.Signed[i] {
			flags |= flag
		}
	}
	if u.Signed[0] || u.Signed[1] {
		flags |= spirv.CooperativeMatrixOperandsMatrixCSignedComponentsKHR | spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR
	}
	left := b.Matrix(matrixElems[u.A](b), u.M, u.K, spirv.CooperativeMatrixUseMatrixAKHR)
	right := b.Matrix(matrixElems[u.B](b), u.K, u.N, spirv.CooperativeMatrixUseMatrixBKHR)
	lefts, rights := map[int]spirv.ID{}, map[int]spirv.ID{}
	load := func(known map[int]spirv.ID, t spirv.ID, m *ir.Matrix, behind int, columnMajor bool) spirv.ID {
		x, ok := known[behind]
		if !ok {
			layout := spirv.CooperativeMatrixLayoutRowMajorKHR
			if columnMajor {
				layout = spirv.CooperativeMatrixLayoutColumnMajorKHR
			}
			p, stride := w.matrixPlace(&m.Access, behind, m.Width)
			x = b.MatrixLoad(t, p, layout, stride, 0)
			known[behind] = x
		}
		return x
	}
	acc := make([]spirv.ID, len(sums))
	for _, s := range in.Steps {
		if acc[s.Sums] == 0 {
			acc[s.Sums] = b.Load(sums[s.Sums])
		}
		x := load(lefts, left, in.Left, s.Left, in.Left.Across)
		y := load(rights, right, in.Right, s.Right, !in.Right.Across)
		acc[s.Sums] = b.MulAdd(x, y, acc[s.Sums], flags)
	}
	for i, x := range acc {
		if x != 0 {
			b.Store(sums[i], x)
		}
	}
}
