package atom_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
)

// TestTensorMmas holds the instructions of tensor memory against the table of forms and against descriptors in machine code that
// NVIDIA's compiler makes.
func TestTensorMmas(t *testing.T) {
	found := map[string]int{}
	for m := range atom.TensorMmas() {
		found[fmt.Sprintf("%v.%v.%v", m.Elem[2], m.Elem[0], m.Elem[1])]++
		form, ok := simt.FormOf(m.PTX)
		if !ok {
			t.Fatalf("there is no instruction %s", m.PTX)
		}
		for sm, target := range map[int]string{100: "sm_100a", 103: "sm_103a", 90: "sm_90a", 120: "sm_120a"} {
			arch, _ := simt.TargetOf(target)
			if form.First().In(arch) != m.Target.Has(sm) {
				t.Errorf("%s on %s: %v", m.Name, target, m.Target.Has(sm))
			}
		}
		if m.Shape[2]*m.Elem[0].Bits() != 256 || m.Shape[0] != 128 || !m.Tensor || m.Regs(atom.A)+m.Regs(atom.B)+m.Regs(atom.C) != 0 {
			t.Errorf("%s: %v", m.Name, m.Shape)
		}
	}
	for types, n := range map[string]int{"f32.f16.f16": 16, "f16.f16.f16": 16, "f32.bf16.bf16": 16, "f32.tf32.tf32": 16, "f16.e4m3.e5m2": 16, "s32.s8.u8": 16} {
		if found[types] != n {
			t.Errorf("%d instructions with %s, want %d", found[types], types, n)
		}
	}
	for want, m := range map[string]atom.TensorMma{
		"SM100_128x128x16_F32F16F16_SS 0x08210010":  {N: 128, A: atom.F16, B: atom.F16, C: atom.F32, BMajor: atom.MajorMN},
		"SM100_128x128x8_F32TF32TF32_SS 0x08200910": {N: 128, A: atom.TF32, B: atom.TF32, C: atom.F32},
		"SM100_128x64x32_F32E5M2E5M2_SS 0x08100490": {N: 64, A: atom.E5M2, B: atom.E5M2, C: atom.F32},
		"SM100_128x128x32_S32S8S8_SS 0x082004a0":    {N: 128, A: atom.S8, B: atom.S8, C: atom.S32},
	} {
		if got := must(atom.Tcgen05(m)); fmt.Sprintf("%s 0x%08x", got.Name, got.Descriptor) != want {
			t.Errorf("%s 0x%08x, want %s", got.Name, got.Descriptor, want)
		}
	}
	for want, m := range map[string]atom.TensorMma{
		"tcgen05 of 8 and f16 and f16 and f32: N must be one of [16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256]": {N: 8, A: atom.F16, B: atom.F16, C: atom.F32},
		"tcgen05 of 16 and f16 and bf16 and f32: there is no instruction that multiplies f16 by bf16 and accumulates in f32": {N: 16, A: atom.F16, B: atom.BF16, C: atom.F32},
		"tcgen05 of 16 and s8 and s8 and s32: operands in shared memory are K-major unless their elements have 16 bits":      {N: 16, A: atom.S8, B: atom.S8, C: atom.S32, AMajor: atom.MajorMN},
	} {
		if _, err := atom.Tcgen05(m); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
