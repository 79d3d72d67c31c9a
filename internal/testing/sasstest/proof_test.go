package sasstest_test

import (
	"slices"
	"testing"

	. "github.com/cutile-go/cutile/tile"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// TestProofs: code that relies on what a launch of whole tiles proves is shorter where the loads and stores are masked
// otherwise, and nowhere longer or with other units.
func TestProofs(t *testing.T) {
	matrix := []uint64{0, 1024, 1024, 1024, 1}
	cases := []struct {
		name    string
		kernel  any
		launch  ranges.Launch
		shorter []string // targets
	}{
		{"vector addition", vectorAdd[D1024], ranges.Launch{Grid: [3]uint32{4, 1, 1}, Bits: []uint64{0, 4096, 1, 0, 4096, 1, 0, 4096, 1}}, []string{"sm_80", "sm_90", "sm_100", "sm_120"}},
		{"GEMM", gemm[D64, D64, D64], ranges.Launch{Grid: [3]uint32{8, 8, 1}, Bits: slices.Concat(matrix, matrix, matrix)}, []string{"sm_80"}},
	}
	var entries []*tileir.Entry // masked and proved, of each case
	for _, c := range cases {
		masked := assemble.Case{Kernel: c.kernel}.Code(t, true).Module.Entries[0]
		proved := assemble.Case{Kernel: c.kernel}.Code(t, true).Module.Entries[0]
		proof := passes.Prove(proved, c.launch)
		if !proof.All() {
			t.Fatalf("%s: the proof is %s", c.name, proof)
		}
		passes.Promise(proved, proof)
		entries = append(entries, masked, proved)
	}
	for _, target := range []string{"sm_80", "sm_90", "sm_100", "sm_120"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			texts := disassembledEntries(t, entries, target)
			for i, c := range cases {
				before, after := sasstest.Count(texts[2*i]), sasstest.Count(texts[2*i+1])
				t.Logf("%s, masked %v", c.name, before)
				t.Logf("%s, proved %v", c.name, after)
				for _, w := range sasstest.Worse(after, before) {
					t.Errorf("%s: %s", c.name, w)
				}
				if slices.Contains(c.shorter, target) && after.Instructions >= before.Instructions {
					t.Errorf("%s: %d instructions, masked %d", c.name, after.Instructions, before.Instructions)
				}
			}
		})
	}
}
