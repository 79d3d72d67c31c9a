package sasstest_test

import (
	"os"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	readygemm "github.com/cutile-go/cutile/kernels/gemm"
	. "github.com/cutile-go/cutile/tile"
)

// TestOwnSingle compares products that no matrix instruction computes, of f32 and f64, with those of tileiras: how many instructions of the loop
// that does most of the work there are for each that multiplies.
func TestOwnSingle(t *testing.T) {
	targets := ownTargets
	if os.Getenv("CUTILE_OWN") != "all" {
		targets = targets[:1]
	}
	small, large := []any{readygemm.Identity[F32T2[D64, D64]]}, []any{readygemm.Identity[F32T2[D128, D128]]}
	for name, c := range map[string]assemble.Case{
		"f32":       {Kernel: readygemm.Tiled[float32, float32, float32, D1, D1, D1], Extents: []int{64, 64, 16}, Funcs: small},
		"f32 large": {Kernel: readygemm.Tiled[float32, float32, float32, D1, D1, D1], Extents: []int{128, 128, 16}, Funcs: large},
		"f64":       {Kernel: readygemm.Tiled[float64, float64, float64, D1, D1, D1], Extents: []int{64, 64, 16}, Funcs: []any{readygemm.Identity[F64T2[D64, D64]]}},
	} {
		for _, target := range targets {
			t.Run(name+" "+target.ptx, func(t *testing.T) {
				m := c.Code(t, true).Module
				sass, err := own(t, m, target.ptx)
				if err != nil {
					t.Fatal(err)
				}
				reference := sasstest.Disassemble(t, assemble.Bytecode(t, m), target.tileiras)
				ours, theirs := sasstest.HotLoop(sass), sasstest.HotLoop(reference)
				per := func(l sasstest.Loop) float64 { return float64(l.Instructions) / float64(max(1, l.Fused)) }
				t.Logf("own %.2f: %v, %d fused; tileiras %.2f: %v, %d fused", per(ours), ours, ours.Fused, per(theirs), theirs, theirs.Fused)
				if ours.Fused == 0 || theirs.Fused > 0 && per(ours) > per(theirs) {
					t.Error("more instructions for a product")
				}
				if a, b := sasstest.Count(sass), sasstest.Count(reference); len(lacks(a, b)) > 0 || a.Spills() > b.Spills() {
					t.Errorf("own %v; tileiras %v", a, b)
				}
			})
		}
	}
}
