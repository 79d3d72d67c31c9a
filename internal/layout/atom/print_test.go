package atom_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

// printed is what the CuTe DSL 4.2.1 prints of the operations below, one after the other.
const printed = `Tiled MMA
  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)
  Permutation MNK: (32:1,32:1,16:1)
MMA Atom
  ThrID:           32:1
  Shape MNK:       (16,8,16)
  TV Layout A:     ((4,8),(2,2,2)):((32,1),(16,8,128))
  TV Layout B:     ((4,8),(2,2)):((16,1),(8,64))
  TV Layout C:     ((4,8),(2,2)):((32,1),(16,8))
A ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))
B ((4,8,2,2),((2,2),(2,1))):((64,1,0,8),((32,256),(16,0)))
C ((4,8,2,2),((2,2),(1,2))):((64,1,16,256),((32,8),(0,512)))
Copy Atom
  ThrID:         32:1
  TV Layout Src: (32,8):(8,1)
  TV Layout Dst: (32,(2,4)):(2,(1,64))
  Value type:    f16
Tiled Copy
  Tiler MN:        (32:1,16:1)
  TV Layout tiled: ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))
Copy Atom
  ThrID:           32:1
  TV Layout Src:   (32,8):(8,1)
  TV Layout Dst:   (32,(2,4)):(2,(1,64))
  Value type:      f16
Tiled MMA
  Thr Layout VMNK: (128,1,1,1):(1,0,0,0)
  Permutation MNK: (_,_,_)
MMA Atom
  ThrID:           128:1
  Shape MNK:       (64,128,16)
  TV Layout A:     (128,(64,16)):(0,(1,64))
  TV Layout B:     (128,(128,16)):(0,(1,128))
  TV Layout C:     ((4,8,4),(2,2,16)):((128,1,16),(64,8,512))
`

func TestPrint(t *testing.T) {
	m := must(atom.NewTiledMma(must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)), compact("(2,2,1)"), layout.TileOf(32, 32, 16)))
	load := must(atom.NewCopy("ldmatrix.x4", atom.F16))
	group := must(atom.Wgmma(atom.WarpGroupMma{N: 128, A: atom.F16, B: atom.F16, C: atom.F32}))
	var b strings.Builder
	fmt.Fprintln(&b, m)
	for o := atom.A; o <= atom.C; o++ {
		fmt.Fprintln(&b, o, must(m.TV(o)))
	}
	fmt.Fprintf(&b, "%v\n%v\n%v\n", load, must(atom.NewTiledCopyMma(load, m, atom.A)), must(atom.NewTiledMma(group, compact("(1,1,1)"), nil)))
	if b.String() != printed {
		t.Errorf("printed is\n%s\nwant\n%s", b.String(), printed)
	}
}

// Registers of A follow the order of memory behind the values of one instruction, those of C that of the shape.
func TestFragment(t *testing.T) {
	m := must(atom.NewTiledMma(must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)), compact("(2,2,1)"), nil))
	for o, want := range map[atom.Operand][2]string{
		atom.A: {"((2,2,2),2,4):((1,512,8),2048,16)", "((2,2,2),2,4):((1,2,4),32,8)"},
		atom.C: {"((2,2),2,4):((1,512),2048,16)", "((2,2),2,4):((1,2),4,8)"},
	} {
		part, _ := partition(t, m.Partition, o, 5, lay("(64,64):(64,1)"))
		if got := must(m.Fragment(o, part)); part.String() != want[0] || got.String() != want[1] {
			t.Errorf("the registers for %v of %v are %v, want %s for %s", part, o, got, want[1], want[0])
		}
	}
}

func TestNames(t *testing.T) {
	for want, m := range map[string]atom.Mma{
		"SM80_16x8x16_F32F16F16F32_TN mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": must(
			atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)),
		"SM75_16x8x8_F16F16F16F16_TN mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16": must(
			atom.MmaSync(16, 8, 8, atom.F16, atom.F16, atom.F16)),
		"SM80_16x8x32_S32U8S8S32_TN mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32": must(
			atom.MmaSync(16, 8, 32, atom.U8, atom.S8, atom.S32)),
		"SM80_8x8x4_F64F64F64F64_TN mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": must(
			atom.MmaSync(8, 8, 4, atom.F64, atom.F64, atom.F64)),
		"SM90_64x24x32_F16E4M3E5M2_RS_TN wgmma.mma_async.sync.aligned.m64n24k32.f16.e4m3.e5m2": must(
			atom.Wgmma(atom.WarpGroupMma{N: 24, A: atom.E4M3, B: atom.E5M2, C: atom.F16, ARegs: true})),
	} {
		if got := m.Name + " " + m.PTX; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	seen := map[string]bool{}
	for m := range atom.Mmas() {
		if seen[m.Name+m.PTX] {
			t.Errorf("there are two %s", m.Name)
		}
		seen[m.Name+m.PTX] = true
	}
}
