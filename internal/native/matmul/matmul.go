// Package matmul makes functions of package vec that multiply tiles.
//
// They are for products that package gemm has no machine code for: slower, since a function reads its factors where they
// lie, but the same at every level that has a back end. The results are those of package gemm: each element is what fused
// multiplications and additions give, one after the other in the order of k.
package matmul

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Spec describes the product of dense tiles in row-major order: M rows of K elements, and K rows of N.
type Spec struct {
	M, N, K int
	Elem    tileir.Elem // of the factors: f16, bf16, tf32, f32, f64 or i8
	Signed  [2]bool     // of i8: whether a factor has a sign
}

// The words of a function's frame.
const (
	A    = iota // the first factor
	B           // the second one
	From        // what the products are added to
	To          // where the sums go; it may be From
	Rows        // how many rows of A are multiplied
	Words
)

// Build makes the function: sums are f64 for f64, i32 for i8, and else f32.
func (s Spec) Build(name string) (*vec.Func, error) {
	b := &builder{Builder: vec.NewBuilder(name), Spec: s, in: tileir.Tile(s.Elem), acc: tileir.Tile(tileir.F32)}
	switch s.Elem {
	case tileir.F64:
		b.acc = tileir.Tile(tileir.F64)
	case tileir.I8:
		b.acc = tileir.Tile(tileir.I32)
	case tileir.F16, tileir.BF16, tileir.TF32, tileir.F32:
	default:
		return nil, fmt.Errorf("matmul: there is no product of %s", s.Elem)
	}
	b.product()
	if err := b.Verify(); err != nil {
		return nil, fmt.Errorf("BUG: matmul: %w", err)
	}
	return b.Finish().Tidy(), nil
}

// mostRows is how many rows are multiplied at a time: their sums are in registers, also where sixteen numbers take four.
const mostRows = 4

type builder struct {
	*vec.Builder
	Spec
	in, acc *tileir.TileType
	tail    vec.Reg // the mask of the columns, where there are less than sixteen
	zero    vec.Reg
}

// product is the loop over rows and columns.
func (b *builder) product() {
	a, at, from, to, rows := b.Arg(A), b.Arg(B), b.Arg(From), b.Arg(To), b.Arg(Rows)
	b.zero = b.Int(0)
	if b.N < vec.Lanes {
		b.tail = b.Do(vec.MFirst, vec.NoType, b.Int(int64(b.N)))
	}
	height := min(b.M, mostRows)
	if b.Elem == tileir.F64 {
		height = min(b.M, mostRows/2)
	}
	rowA, rowC := int64(b.K*b.in.Elem.Bytes()), int64(b.N*b.acc.Elem.Bytes())
	i := b.For(b.zero, rows, int64(height))
	offset := func(base vec.Reg, row int64) vec.Reg {
		return b.Do(vec.SAdd, vec.NoType, base, b.Do(vec.SMul, vec.NoType, i, b.Int(row)))
	}
	a, from, to = offset(a, rowA), offset(from, rowC), offset(to, rowC)
	j := b.For(b.zero, b.Int(int64(b.N)), vec.Lanes)
	b.block(a, at, from, to, j, height)
	b.End()
	b.End()
}

// block multiplies some rows by sixteen columns, from column j on.
func (b *builder) block(a, at, from, to, j vec.Reg, height int) {
	place := func(base vec.Reg, r int) vec.Mem {
		return vec.Mem{Base: base, Index: j, Scale: int8(b.acc.Elem.Bytes()), Disp: int32(r * b.N * b.acc.Elem.Bytes())}
	}
	sums := make([]vec.Reg, height)
	for r := range sums {
		x := lane.Load(b.Builder, b.acc, place(from, r), b.tail)
		sums[r] = b.New(b.Regs[x])
		b.Set(sums[r], x)
	}
	size := b.in.Elem.Bytes()
	row := b.New(vec.Scalar)
	b.Set(row, at)
	k := b.For(b.zero, b.Int(int64(b.K)), 1)
	y := b.wide(1, lane.Load(b.Builder, b.in, vec.Mem{Base: row, Index: j, Scale: int8(size)}, b.tail))
	for r := range sums {
		x := b.wide(0, lane.LoadFirst(b.Builder, b.in, vec.Mem{Base: a, Index: k, Scale: int8(size), Disp: int32(r * b.K * size)}))
		b.add(sums[r], x, y)
	}
	b.Emit(vec.Instr{Op: vec.SAddImm, Dst: row, Src: [3]vec.Reg{row}, Imm: int64(b.N * size)})
	b.End()
	for r := range sums {
		lane.Store(b.Builder, b.acc, place(to, r), sums[r], b.tail)
	}
}

// wide brings an element of a factor to the type of the sums.
func (b *builder) wide(factor int, x vec.Reg) vec.Reg {
	switch {
	case b.Elem == tileir.F16:
		return b.Convert(vec.FConvert, vec.F32, vec.F16, x)
	case b.Elem == tileir.I8 && b.Signed[factor]:
		return b.Convert(vec.SignExtend, vec.I32, vec.I8, x)
	case b.Elem == tileir.I8:
		return b.Convert(vec.ZeroExtend, vec.I32, vec.I8, x)
	}
	return x
}

// add adds a product to a sum.
func (b *builder) add(sum, x, y vec.Reg) {
	if b.Elem == tileir.I8 {
		b.Emit(vec.Instr{Op: vec.Add, Type: vec.I32, Dst: sum, Src: [3]vec.Reg{sum, b.Do(vec.Mul, vec.I32, x, y)}})
		return
	}
	form, _ := lane.Form(b.acc)
	b.Emit(vec.Instr{Op: vec.FMulAdd, Type: form, Dst: sum, Src: [3]vec.Reg{x, y, sum}})
}
