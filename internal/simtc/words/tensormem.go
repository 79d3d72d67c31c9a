package words

import (
	"fmt"
	"go/constant"

	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// tensorMemWords lists the words for tensor memory.
var tensorMemWords = map[string]intrinsic{
	"tensorcore": func(c *call) []emit.Value {
		a, err := atom.Tcgen05(atom.TensorMma{
			N: c.static(0, "N of an instruction"), A: c.atomElem(0), B: c.atomElem(1), C: c.atomElem(2),
			AMajor: majors[c.flag(1)], BMajor: majors[c.flag(2)],
		})
		c.Refused(err)
		return give(&mmaAtom{a})
	},
	"tensorgemm":    (*call).tensorGemm,
	"tensormemmove": (*call).tensorMemMove,
}

// tensorAddress gives an address in tensor memory, in a register.
func (c *call) tensorAddress(v emit.Value) simt.Reg {
	at := c.u32(v)
	if at.Kind != simt.Register {
		at = c.B.Value(simt.B32, "mov.b32", at)
	}
	return at.Reg
}

// tensorGemm repeats an instruction along the modes N and K of the fragments. Along K each repetition
// adds to the result of the one before.
func (c *call) tensorGemm() []emit.Value {
	a := arg[*tiledMma](c, 0).Atom()
	c.Must(a.Tensor, c.pos, "%s accumulates in registers: call Gemm", a.Name)
	d, ta, tb := c.tensorAddress(c.arg(1)), c.tensor(2), c.tensor(3)
	sa, sb := c.fragmentSize(ta, a, atom.A), c.fragmentSize(tb, a, atom.B)
	c.Must(sa[1] == 1 && sa[2] == sb[2], c.pos, "these fragments cannot be multiplied: A %s, B %s; A has 128 rows, and both have as many repetitions along K",
		ta.Layout.Shape(), tb.Layout.Shape())
	add := c.InReg(c.arg(4), emit.Bool)
	always := c.InReg(constant.MakeBool(true), emit.Bool)
	for k := range sa[2] {
		for n := range sb[1] {
			src := []simt.Operand{
				simt.At(d, int64(n*a.Shape[1])),
				c.tensorMatrix(a, atom.A, fragmentAt{ta, sa[0] * k, sa[0]}), c.tensorMatrix(a, atom.B, fragmentAt{tb, sb[0] * (n + sb[1]*k), sb[0]}),
				simt.I(int64(a.Descriptor)), add,
			}
			c.B.Emit(a.PTX, nil, src...)
		}
		add = always
	}
	return nil
}

// tensorMatrix gives the descriptor of a matrix in shared memory. It is that of wgmma with a version: the numbers for swizzles
// have one bit more, which is zero.
func (c *call) tensorMatrix(a atom.Mma, o atom.Operand, f fragmentAt) simt.Operand {
	return c.B.Value(simt.B64, "or.b64", c.matrix(a, o, f), c.B.Value(simt.B64, "mov.b64", simt.I(1<<46)))
}

// tensorMemMove loads or stores registers, as many at once as instructions have.
func (c *call) tensorMemMove() []emit.Value {
	op, t := c.text(0), c.tensor(1)
	at := c.tensorAddress(c.arg(2))
	n := c.staticSize(t.Layout)
	c.Must(t.Space == emit.Rmem && (t.Elem.Bits == 16 || t.Elem.Bits == 32), c.pos, "%s takes registers of elements of 16 or 32 bits, not %s", c.called(), t.Describe())
	c.Must(c.inOrder(t, 0, n), c.pos, "%s takes elements that fill registers in order, not those of layout %s", c.called(), t.Layout.Text())
	regs := c.registers(t, 0, n)
	packing := ""
	if t.Elem.Bits == 16 {
		packing = map[string]string{"ld": ".pack::16b", "st": ".unpack::16b"}[op]
	}
	for first, size := 0, 128; first < len(regs); {
		if first+size > len(regs) {
			size /= 2
			continue
		}
		name := fmt.Sprintf("tcgen05.%s.sync.aligned.32x32b.x%d%s.b32", op, size, packing)
		from, vector := simt.At(at, int64(first*32/t.Elem.Bits)), simt.V(regs[first:first+size]...)
		if op == "ld" {
			c.B.Emit(name, []simt.Operand{vector}, from)
		} else {
			c.B.Emit(name, nil, from, vector)
		}
		first += size
	}
	return nil
}
