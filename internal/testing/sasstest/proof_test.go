package sasstest_test

import (
	"testing"

	. "github.com/cutile-go/cutile/tile"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/tilec/passes"
)

// TestProofs: code that relies on what a launch of whole tiles proves is shorter where the loads and stores are masked
// otherwise, and nowhere longer or with other units.
func TestProofs(t *testing.T) {
	matrix := []uint64{0, 1024, 1024, 1024, 1}
	for _, c := range []struct {
		name    string
		kernel  any
		launch  ranges.Launch
		shorter []string // targets
	}{
		{"vector addition", vectorAdd[D1024], ranges.Launch{Grid: [3]uint32{4, 1, 1}, Bits: []uint64{0, 4096, 1, 0, 4096, 1, 0, 4096, 1}}, []string{"sm_80", "sm_90", "sm_100", "sm_120"}},
		{"GEMM", gemm[D64, D64, D64], ranges.Launch{Grid: [3]uint32{8, 8, 1}, Bits: append(append(append([]uint64{}, matrix...), matrix...), matrix...)}, []string{"sm_80"}},
	} {
		for _, target := range []string{"sm_80", "sm_90", "sm_100", "sm_120"} {
			t.Run(c.name+" "+target, func(t *testing.T) {
				masked := assemble.Case{Kernel: c.kernel}.Code(t, true).Module
				proved := assemble.Case{Kernel: c.kernel}.Code(t, true).Module
				entry := proved.Entries[0]
				proof := passes.Prove(entry, c.launch)
				if !proof.All() {
					t.Fatalf("the proof is %s", proof)
				}
				passes.Promise(entry, proof)
				before := sasstest.Measure(t, assemble.Bytecode(t, masked), target)
				after := sasstest.Measure(t, assemble.Bytecode(t, proved), target)
				t.Logf("masked %v", before)
				t.Logf("proved %v", after)
				for _, w := range sasstest.Worse(after, before) {
					t.Error(w)
				}
				for _, s := range c.shorter {
					if s == target && after.Instructions >= before.Instructions {
						t.Errorf("%d instructions, masked %d", after.Instructions, before.Instructions)
					}
				}
			})
		}
	}
}
