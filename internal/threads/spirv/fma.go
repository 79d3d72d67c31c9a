package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// fused multiplies and adds f32 by way of f64. The product is exact there; it is added by Knuth's TwoSum, and the sum is rounded to odd, so
// that it can be rounded once more. f64 has nothing wider, see [Numeric].
func (w *writer) fused(_ *ir.Instr, x []spirv.ID) spirv.ID {
	b, f64 := w.b, w.b.Float(64)
	var wide [3]spirv.ID
	for i, v := range x {
		wide[i] = b.Op(spirv.OpFConvert, f64, w.float(vec.F32, v))
	}
	p, z := b.Binary(spirv.OpFMul, wide[0], wide[1]), wide[2]
	s := b.Binary(spirv.OpFAdd, p, z)
	v := b.Binary(spirv.OpFSub, s, p)
	rest := b.Binary(spirv.OpFAdd, b.Binary(spirv.OpFSub, p, b.Binary(spirv.OpFSub, s, v)), b.Binary(spirv.OpFSub, z, v))
	zero, n := b.ConstFloat(64, 0), w.bits(vec.F64, s)
	positive := func(f spirv.ID) spirv.ID { return b.Compare(spirv.OpFOrdGreaterThan, f, zero) }
	away := b.Binary(spirv.OpLogicalEqual, positive(rest), positive(s)) // the sum is greater in magnitude than s
	odd := b.Select(away, n, b.Binary(spirv.OpISub, n, w.num(vec.I64, 1)))
	odd = b.Binary(spirv.OpBitwiseOr, odd, w.num(vec.I64, 1))
	even := b.Compare(spirv.OpIEqual, b.Binary(spirv.OpBitwiseAnd, n, w.num(vec.I64, 1)), w.num(vec.I64, 0))
	off := b.Binary(spirv.OpLogicalAnd, even, b.Compare(spirv.OpFOrdNotEqual, rest, zero))
	sum := w.float(vec.F64, b.Select(off, odd, n))
	return w.bits(vec.F32, b.Op(spirv.OpFConvert, b.Float(32), sum))
}
