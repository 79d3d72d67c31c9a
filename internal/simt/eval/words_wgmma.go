package eval

import (
	"go/constant"
	"math/bits"

	"github.com/cutile-go/cutile/internal/atom"
	"github.com/cutile-go/cutile/internal/simt"
)

// wgmmaWords are the words for multiplications of four warps.
var wgmmaWords = map[string]intrinsic{
	"wgmma": func(c *ctx) []value {
		k, ok := c.arg(1).(constant.Value)
		c.must(ok, c.pos, "where A is must be known when the function is compiled")
		a, err := atom.Wgmma(atom.WarpGroupMma{N: c.static(0, "N of an instruction"), A: c.atomElem(0), B: c.atomElem(1), C: c.atomElem(2), ARegs: constant.BoolVal(k)})
		c.refused(err)
		return give(&mmaAtom{a})
	},
}

// mmaWarpGroup is an instruction of four warps. It adds to its result, so D is C.
func (c *ctx) mmaWarpGroup(a atom.Mma, f [4]fragmentAt) {
	d := f[0]
	c.must(d.regs == f[3].regs && d.off.Equal(f[3].off), c.pos, "%s adds to its result: give D and C the same fragment", a.Name)
	c.must(c.inOrder(d.tensor, d.at, d.n), c.pos, "%s takes accumulators that fill registers in order: make them with MakeAccumulators", a.Name)
	ops := []simt.Operand{c.inReg(constant.MakeBool(true), boolElem), simt.I(1), simt.I(1)}
	add := f[1].space == shared
	if f[1].space == shared {
		ops = append([]simt.Operand{c.matrix(a, f[1]), c.matrix(a, f[2])}, ops...)
	} else {
		t, at, _ := c.packed(f[1].tensor, f[1].at, f[1].n, true)
		ops = append([]simt.Operand{simt.V(c.registers(t, at, f[1].n)...), c.matrix(a, f[2])}, ops...)
	}
	switch a.Elem[atom.A].Bits() {
	case 16: // neither is transposed
		ops = append(ops, simt.I(0))
		if add {
			ops = append(ops, simt.I(0))
		}
	case 8:
		if a.Elem[atom.C] == atom.S32 { // integers have no signs to choose
			ops = ops[:3]
		}
	}
	c.b.Emit(a.PTX, []simt.Operand{simt.V(c.registers(d.tensor, d.at, d.n)...)}, ops...)
}

// matrix is the descriptor of an operand in shared memory: where it begins, the distances between its blocks, its swizzle.
func (c *ctx) matrix(a atom.Mma, f fragmentAt) simt.Operand {
	t, size := f.tensor, f.elem.Bits/8
	mode := t.lay.Layout.Modes()[0]
	at := func(row, k int) int { // in bytes from the first element, before the swizzle
		rows, _ := mode.Modes()[0].Size().Static()
		off, err := mode.Index(place(row + rows*k))
		c.refused(err)
		n, _ := off.IsLeaf()
		s, ok := n.Static()
		c.must(ok, c.pos, "%s takes operands in shared memory with static layouts, not %s", a.Name, t.lay.text())
		return s * size
	}
	piece, width, code := 16/size, 16, uint64(0)
	lead := at(0, piece)
	if t.lay.comp != nil {
		s := t.lay.comp.Swizzle
		c.must(s.Shift == 3 && s.Base+bits.TrailingZeros(uint(size)) == 4 && s.Bits >= 1 && s.Bits <= 3, c.pos, "%s takes the swizzles of 32, 64 and 128 bytes, not that of %s", a.Name, t.lay.text())
		width, code = 16<<s.Bits, uint64(4-s.Bits)
		c.must(lead == 16, c.pos, "%s takes operands with K side by side, not %s", a.Name, t.lay.text())
	}
	c.must(at(0, 1) == size && at(1, 0) == width, c.pos, "%s takes operands with K side by side and rows of %d bytes one behind the other, not %s: see cute.KMajor", a.Name, width, t.lay.text())
	c.must(t.align%(8*width) == 0, c.pos, "%s takes operands whose memory begins at a multiple of %d bytes, not %d", a.Name, 8*width, t.align)
	fixed := uint64(lead>>4&0x3fff)<<16 | uint64(at(8, 0)>>4&0x3fff)<<32 | code<<62
	return c.descriptor(c.begin(t, f.at), fixed)
}

// begin is the address of an element as if its memory were not swizzled.
func (c *ctx) begin(t *tensor, i int) simt.Operand {
	plain := *t
	plain.lay, plain.at = &layoutVal{Layout: t.lay.Layout}, nil
	if t.lay.comp != nil {
		plain.off = t.off.Add(t.lay.comp.Offset)
	}
	at := c.element(&plain, place(i))
	return c.b.Value(simt.B32, "add.s32", simt.R(at.Reg), simt.I(int64(at.Bits)))
}

// descriptor joins an address to what is known of a matrix.
func (c *ctx) descriptor(at simt.Operand, fixed uint64) simt.Operand {
	field := c.b.Value(simt.B32, "bfe.u32", at, simt.I(4), simt.I(14))
	low := c.b.Value(simt.B32, "or.b32", field, simt.I(int64(fixed&0xffffffff)))
	return c.b.Value(simt.B64, "mov.b64", simt.V(low, c.b.Value(simt.B32, "mov.b32", simt.B(fixed>>32))))
}
