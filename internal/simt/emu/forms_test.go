package emu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// gaps are the instructions that the emulator refuses, by the text before the first dot, with its words.
var gaps = map[string]string{
	"tex": "no textures", "tld4": "no textures", "txq": "no textures", "istypep": "no textures and surfaces",
	"suld": "no surfaces", "sust": "no surfaces", "sured": "no surfaces", "suq": "no surfaces",
}

// Every instruction of the table is known, or refused in words.
func TestForms(t *testing.T) {
	failures := map[string]int{}
	refused := map[string]bool{}
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
			_, err := emu.Load(&simt.Module{Kernels: []*simt.Func{f}})
			head, _, _ := strings.Cut(form.Op, ".")
			if gap := gaps[head]; gap != "" && err != nil && strings.Contains(err.Error(), form.Op+": the emulator has "+gap) {
				refused[head] = true
				continue
			}
			if err != nil || gaps[head] != "" {
				err = errors.Join(err, errors.New("only what gaps has is refused"))
				failures[err.Error()]++
				if len(failures) < 60 {
					t.Errorf("%s, %s: %v", form.Op, form.Sigs[i], err)
				}
			}
		}
	}
	if len(refused) != len(gaps) {
		t.Errorf("of %d gaps only %d have instructions", len(gaps), len(refused))
	}
}

// example is an operand that fits a slot.
func example(b *simt.Builder, s simt.Slot, label int) simt.Operand {
	switch {
	case s.Kinds.Has(simt.Vector):
		var elems []simt.Operand
		for i := range s.Len {
			elems = append(elems, example(b, s.Elem(i), label))
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
