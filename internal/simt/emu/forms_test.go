package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Every instruction of the table is known.
func TestForms(t *testing.T) {
	failures := map[string]int{}
	for form := range simt.Forms() {
		for i := range form.Sigs {
			f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Params: []simt.Param{{Name: "p", Type: "u64"}}}
			b := &simt.Builder{Func: f}
			label := b.NewLabel()
			var dst, src []simt.Operand
			for _, s := range form.Sigs[i].Dst {
				dst = append(dst, example(b, s, label))
			}
			for _, s := range form.Sigs[i].Src {
				src = append(src, example(b, s, label))
			}
			if form.Op != simt.OpLabel {
				b.Emit(form.Op, dst, src...)
			}
			b.Place(label)
			if _, err := emu.Load(&simt.Module{Kernels: []*simt.Func{f}}); err != nil {
				failures[err.Error()]++
				if len(failures) < 60 {
					t.Errorf("%s, %s: %v", form.Op, form.Sigs[i], err)
				}
			}
		}
	}
}

// example is an operand that fits a slot.
func example(b *simt.Builder, s simt.Slot, label int) simt.Operand {
	switch {
	case s.Kinds.Has(simt.Vector):
		var elems []simt.Operand
		for range s.Len {
			elems = append(elems, simt.R(b.NewReg(simt.ClassOf(s.Type))))
		}
		return simt.V(elems...)
	case s.Kinds.Has(simt.Address) && s.Space == "param":
		return simt.AtName("p", 0)
	case s.Kinds.Has(simt.Address) && (s.Space == "" || s.Space == "global"):
		return simt.At(b.NewReg(simt.B64), 0)
	case s.Kinds.Has(simt.Address):
		return simt.At(b.NewReg(simt.B32), 0)
	case s.Kinds.Has(simt.Target):
		return simt.L(label)
	case s.Kinds.Has(simt.Special):
		return simt.S("%tid.x")
	case s.Kinds.Has(simt.Symbol):
		return simt.Sym("smem")
	case s.Kinds.Has(simt.Register):
		return simt.R(b.NewReg(simt.ClassOf(s.Type)))
	case s.Kinds.Has(simt.Sink):
		return simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}
	case len(s.Imm) > 0:
		return simt.I(s.Imm[0].Low)
	}
	return simt.I(0)
}
