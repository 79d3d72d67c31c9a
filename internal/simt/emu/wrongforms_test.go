package emu_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestWrongForms loads what no table has: instructions with a word of another one in the place of each of theirs, without it,
// or with other operands. Each is known all the same or refused with its name, and none ends the program.
func TestWrongForms(t *testing.T) {
	words := map[string]bool{"": true}
	for form := range simt.Forms() {
		for _, w := range strings.Split(form.Op, ".")[1:] {
			words[w] = true
		}
	}
	all := slices.Sorted(maps.Keys(words))
	types := []string{"f16", "f16x2", "f32", "f32x2", "f64", "s16x2", "u16x2", "s32", "u64", "b8", "b16", "b32", "b64", "b128", "pred", "e4m3", "e4m3x2", "bf16", "tf32", "s4", ""}
	rng := rand.New(rand.NewPCG(1, 2))
	known, refused := 0, 0
	for form := range simt.Forms() {
		if form.Op == simt.OpLabel {
			continue
		}
		parts := strings.Split(form.Op, ".")
		for i := 1; i <= len(parts); i++ {
			for _, w := range []string{types[rng.IntN(len(types))], all[rng.IntN(len(all))]} {
				changed := slices.Clone(parts)
				if i < len(parts) {
					changed = slices.Delete(changed, i, i+1)
				}
				if w != "" {
					changed = slices.Insert(changed, i, w)
				}
				if tryForm(t, strings.Join(changed, "."), &form.Sigs[rng.IntN(len(form.Sigs))], rng) {
					known++
				} else {
					refused++
				}
			}
		}
	}
	if refused < 3000 || known < 1000 {
		t.Errorf("%d are known, %d refused", known, refused)
	}
}

// tryForm loads a kernel of one instruction, with one operand in three left out, doubled or of another kind.
func tryForm(t *testing.T, op string, s *simt.Sig, rng *rand.Rand) (known bool) {
	t.Helper()
	f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Params: []simt.Param{{Name: "p", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	label := b.NewLabel()
	operands := func(slots []simt.Slot) (list []simt.Operand) {
		for _, s := range slots {
			o := example(b, s, label)
			switch rng.IntN(24) {
			case 0:
				continue
			case 1:
				list = append(list, o)
			case 2:
				o = simt.I(1)
			case 3:
				o = simt.R(b.NewReg(simt.Class(rng.IntN(4))))
			case 4:
				o = simt.V(simt.R(b.NewReg(simt.B32)), simt.R(b.NewReg(simt.B32)))
			case 5:
				o = simt.At(b.NewReg(simt.B64), 4)
			case 6:
				o = simt.Sym("q")
			case 7:
				o = simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}
			}
			list = append(list, o)
		}
		return list
	}
	b.Emit(op, operands(s.Dst), operands(s.Src)...)
	b.Place(label)
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%v: %v", f.Body[0], p)
		}
	}()
	_, err := emu.Load(&simt.Module{Kernels: []*simt.Func{f}})
	if err != nil && !strings.Contains(err.Error(), op+": ") {
		t.Errorf("%s: %v", op, err)
	}
	return err == nil
}
