package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// multiplyGroup writes the instructions of a product by a warp group. They work on the registers of variables, since a copy of them would
// be made before the sums are there.
func (w *writer) multiplyGroup(in *ir.Instr) {
	u := in.Unit
	name := fmt.Sprintf("wgmma.mma_async.sync.aligned.m%dn%dk%d.%s.%s.%s", u.M, u.N, u.K, sumName(u.Acc), factorName(u.A, u.Signed[0]), factorName(u.B, u.Signed[1]))
	left, right := w.descriptor(in.Left, u.Kind), w.descriptor(in.Right, u.Kind)
	w.emit("wgmma.fence.sync.aligned", nil)
	for _, s := range in.Steps {
		var sums []simt.Operand
		for _, v := range in.Vars[s.Sums : s.Sums+u.N/2] {
			sums = append(sums, simt.R(w.vars[v]))
		}
		src := []simt.Operand{right.at(s.Right), w.always()}
		if in.Left != nil {
			src = append([]simt.Operand{left.at(s.Left)}, src...)
		} else {
			var regs []simt.Operand
			for _, v := range in.Src[s.Left : s.Left+4] {
				regs = append(regs, w.reg(v))
			}
			src = append([]simt.Operand{simt.V(regs...)}, src...)
		}
		if u.Acc.IsFloat() { // neither factor is negated
			src = append(src, simt.I(1), simt.I(1))
		}
		if u.A.Bits() == 16 {
			if in.Left != nil {
				src = append(src, across(in.Left))
			}
			src = append(src, across(in.Right))
		}
		w.emit(name, []simt.Operand{simt.V(sums...)}, src...)
	}
	w.emit("wgmma.commit_group.sync.aligned", nil)
}

func across(m *ir.Matrix) simt.Operand {
	if m.Across {
		return simt.I(1)
	}
	return simt.I(0)
}

// always is a predicate that holds: sums are added to.
func (w *writer) always() simt.Operand {
	if w.true == nil {
		p := w.temp(simt.Pred)
		w.head = append(w.head, simt.Instr{Op: "mov.pred", Dst: []simt.Operand{p}, Src: []simt.Operand{simt.B(1)}, Guard: simt.NoReg})
		w.true = &p
	}
	return *w.true
}

// descriptor describes a factor in shared memory to wgmma (PTX ISA, section "Matrix Descriptor Format") or tcgen05.mma ("Shared memory
// descriptor"): in units of 16 bytes, where it begins, the distance of rows that a step goes on along, and that of blocks of eight rows; and the
// width of a row.
type descriptor struct {
	w         *writer
	low, high simt.Operand
	known     map[int]simt.Operand
}

// widths has what the upper halves of descriptors say by the width of rows.
var widths = map[ir.UnitKind]map[int]uint64{
	ir.WarpGroup: {128: 1 << 30, 64: 2 << 30, 32: 3 << 30},
	ir.TensorMem: {128: 1<<14 | 2<<29, 64: 1<<14 | 4<<29, 32: 1<<14 | 6<<29},
}

func (w *writer) descriptor(m *ir.Matrix, kind ir.UnitKind) *descriptor {
	if m == nil {
		return nil
	}
	at := w.make(simt.B32, "mov.u32", simt.Sym("smem"))
	if m.At != 0 {
		at = w.make(simt.B32, "add.s32", at, w.use(m.At))
	}
	if n := m.Disp + int64(m.Buffer.Offset); n != 0 {
		at = w.make(simt.B32, "add.s32", at, simt.I(n))
	}
	at = w.make(simt.B32, "bfe.u32", at, simt.I(4), simt.I(14))
	return &descriptor{w: w, known: map[int]simt.Operand{},
		low:  w.make(simt.B32, "or.b32", at, simt.I(int64(max(1, m.Lead/16))<<16)),
		high: w.make(simt.B32, "mov.b32", simt.B(uint64(8*m.Width/16)|widths[kind][m.Width]))}
}

// at is the descriptor of what begins so many bytes behind.
func (d *descriptor) at(offset int) simt.Operand {
	if x, ok := d.known[offset]; ok {
		return x
	}
	low := d.low
	if offset != 0 {
		low = d.w.make(simt.B32, "add.s32", low, simt.I(int64(offset/16)))
	}
	x := d.w.make(simt.B64, "mov.b64", simt.V(low, d.high))
	d.known[offset] = x
	return x
}
