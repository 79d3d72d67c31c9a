package words

import (
	"go/constant"
	"math/bits"

	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// wgmmaWords lists the words for matrix multiplications of four warps.
var wgmmaWords = map[string]intrinsic{
	"wgmma": func(c *call) []emit.Value {
		a, err := atom.Wgmma(atom.WarpGroupMma{
			N: c.static(0, "N of an instruction"), A: c.atomElem(0), B: c.atomElem(1), C: c.atomElem(2),
			ARegs: c.flag(1), AMajor: majors[c.flag(2)], BMajor: majors[c.flag(3)],
		})
		c.Refused(err)
		return give(&mmaAtom{a})
	},
}

// majors maps whether an operand is contiguous along M or N to its major mode; otherwise it is K.
var majors = map[bool]atom.Major{true: atom.MajorMN}

// flag gives an argument that must be a known truth value.
func (c *call) flag(i int) bool {
	k, ok := c.arg(i).(constant.Value)
	c.Must(ok, c.pos, "%s takes truth values that are known when the function is compiled", c.called())
	return constant.BoolVal(k)
}

// mmaWarpGroup writes an instruction that four warps execute together. It adds to its result, so D
// and C must be the same fragment. The hardware reads the registers while the instruction runs, so
// a copy of the accumulators would be written back too early.
func (c *call) mmaWarpGroup(a atom.Mma, f [4]fragmentAt) {
	d := f[0]
	c.Must(d.Regs == f[3].Regs && d.Off.Equal(f[3].Off), c.pos, "%s adds to its result: give D and C the same fragment", a.Name)
	c.Must(c.inOrder(d.Tensor, d.at, d.n), c.pos, "%s takes accumulators that fill registers in order: make them with MakeAccumulators", a.Name)
	// The predicate tells the instruction to add to D rather than to overwrite it.
	ops := []simt.Operand{c.matrix(a, atom.B, f[2]), c.InReg(constant.MakeBool(true), emit.Bool)}
	if a.Shared[atom.A] {
		ops = append([]simt.Operand{c.matrix(a, atom.A, f[1])}, ops...)
	} else {
		t, at, _ := c.packed(f[1].Tensor, f[1].at, f[1].n, true)
		ops = append([]simt.Operand{simt.V(c.registers(t, at, f[1].n)...)}, ops...)
	}
	// The instruction can negate A and B, if they are floats: 1 leaves them as they are.
	if a.Elem[atom.C] != atom.S32 {
		ops = append(ops, simt.I(1), simt.I(1))
	}
	// Only operands of 16 bits may be transposed.
	for o := range a.Major {
		if a.Elem[o].Bits() == 16 && a.Shared[o] {
			ops = append(ops, simt.I(int64(a.Major[o])))
		}
	}
	c.B.Emit(a.PTX, []simt.Operand{simt.V(c.registers(d.Tensor, d.at, d.n)...)}, ops...)
}

// matrix gives the descriptor of an operand in shared memory: where it begins, the distances
// between its blocks, and its swizzle. Along the major mode the elements are contiguous; along the
// other mode follow rows of 16 bytes, or of as many bytes as the swizzle covers.
//
// The distances are measured in the tensor's layout. The hardware knows only a few layouts, so one
// that does not have the same distances everywhere is refused.
func (c *call) matrix(a atom.Mma, o atom.Operand, f fragmentAt) simt.Operand {
	t, size := f.Tensor, f.Elem.Bits/8
	// The tile of A has M rows, that of B has N.
	rows := a.Shape[0]
	if o == atom.B {
		rows = a.Shape[1]
	}
	mn := a.Major[o] == atom.MajorMN
	at := func(row, k int) int { return size * c.distance(a, t, row+rows*k) }
	// Without a swizzle a row has 16 bytes, which is the unit of the hardware's memory layouts.
	width, swizzled := 16, t.Layout.Composed != nil
	code := uint64(0)
	if swizzled {
		s := t.Layout.Composed.Swizzle
		// The hardware permutes units of 16 bytes within rows of 32, 64 or 128 bytes.
		c.Must(s.Shift == 3 && s.Base+bits.TrailingZeros(uint(size)) == 4 && s.Bits >= 1 && s.Bits <= 3, c.pos,
			"%s takes the swizzles of 32, 64 and 128 bytes, not that of %s", a.Name, t.Layout.Text())
		width, code = 16<<s.Bits, uint64(4-s.Bits)
	}
	// along is the step within a row, and across that from row to row.
	along, across := at(0, 1), at(1, 0)
	// These are the steps between the blocks of eight rows and 16 bytes that the hardware reads.
	lead, stride := at(0, 16/size), at(8, 0)
	// The operand is contiguous along M or N, so that the roles of the two steps change.
	if mn {
		along, across = across, along
		lead, stride = at(0, 8), at(8, 0)
		if swizzled {
			lead, stride = 16, at(0, 8)
			if width < rows*size {
				lead = at(width/size, 0)
			}
		}
	}
	c.Must(along == size && across == width && (mn || !swizzled || lead == 16), c.pos,
		"%s takes %v with a contiguous %v mode and consecutive rows of %d bytes, not %s: see cute.KMajor and cute.MNMajor", a.Name, o, a.Major[o], width, t.Layout.Text())
	// The swizzle takes bits of the address, so a block of eight rows must begin at a multiple of
	// its size.
	c.Must(t.Align%(8*width) == 0, c.pos, "%s takes operands whose memory begins at a multiple of %d bytes, not %d", a.Name, 8*width, t.Align)
	// The fields of the descriptor hold units of 16 bytes in 14 bits each.
	fixed := uint64(lead>>4&0x3fff)<<16 | uint64(stride>>4&0x3fff)<<32 | code<<62
	return c.descriptor(c.begin(t, f.at), fixed)
}

// distance gives the offset of the i-th element of an instruction's tile from the first one, before
// the swizzle.
func (c *call) distance(a atom.Mma, t *emit.Tensor, i int) int {
	off, err := t.Layout.Layout.Modes()[0].Index(place(i))
	c.Refused(err)
	n, _ := off.IsLeaf()
	s, ok := n.Static()
	c.Must(ok, c.pos, "%s takes operands in shared memory with static layouts, not %s", a.Name, t.Layout.Text())
	return s
}

// begin gives the address that an element would have if its memory were not swizzled. The hardware
// swizzles addresses itself.
func (c *call) begin(t *emit.Tensor, i int) simt.Operand {
	plain := *t
	plain.Layout, plain.At = &emit.Layout{Layout: t.Layout.Layout}, nil
	if t.Layout.Composed != nil {
		// The offset of the swizzled layout counts without the swizzle, too.
		plain.Off = t.Off.Add(t.Layout.Composed.Offset)
	}
	at := c.Element(&plain, place(i))
	return c.B.Value(simt.B32, "add.s32", simt.R(at.Reg), simt.I(int64(at.Bits)))
}

// descriptor joins an address to the bits of a descriptor that are known. The address is in units
// of 16 bytes.
func (c *call) descriptor(at simt.Operand, fixed uint64) simt.Operand {
	field := c.B.Value(simt.B32, "bfe.u32", at, simt.I(4), simt.I(14))
	low := c.B.Value(simt.B32, "or.b32", field, simt.I(int64(fixed&0xffffffff)))
	return c.B.Value(simt.B64, "mov.b64", simt.V(low, c.B.Value(simt.B32, "mov.b32", simt.B(fixed>>32))))
}
