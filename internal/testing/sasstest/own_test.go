package sasstest_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// ownTargets are the architectures of the comparison with our own compiler: what it writes PTX for, and what tileiras calls it.
var ownTargets = []struct{ ptx, tileiras string }{{"sm_80", "sm_80"}, {"sm_90a", "sm_90"}, {"sm_100a", "sm_100"}, {"sm_120", "sm_120"}}

// own compiles a module by our own compiler and ptxas.
func own(t *testing.T, m *tileir.Module, target string) (sasstest.Profile, error) {
	t.Helper()
	code, err := threads.PTX(m, m.Entries[0].Name, target, threads.Options{Tensors: true})
	if err != nil {
		return sasstest.Profile{}, err
	}
	text, err := ptx.Write(code, target)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("OWN_PTX"); dir != "" {
		os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "_")+".ptx", text, 0o666)
	}
	sass := assemble.Run(t, toolchain.Cuobjdump, assemble.PTX(t, text, target), "-sass")
	if dir := os.Getenv("OWN_PTX"); dir != "" {
		os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "_")+".sass", []byte(sass), 0o666)
	}
	return sasstest.Count(sass), nil
}

// TestOwn compares machine code of our own compiler with that of tileiras, for some ready kernels and sm_80, or with CUTILE_OWN=all for all
// of them and more architectures.
func TestOwn(t *testing.T) {
	ready, ownTargets := ready, ownTargets
	if os.Getenv("CUTILE_OWN") != "all" {
		ownTargets = ownTargets[:1]
		ready = slices.DeleteFunc(slices.Clone(ready), func(c readyCase) bool {
			return !slices.Contains([]string{"vadd", "softmax", "gemm_f16", "gemm_splitk", "transpose"}, c.file)
		})
	}
	var mu sync.Mutex
	ratios := map[string][]float64{}
	t.Run("kernels", func(t *testing.T) {
		for _, c := range ready {
			for _, target := range ownTargets {
				t.Run(c.file+" "+target.ptx, func(t *testing.T) {
					t.Parallel()
					m := c.ours.Code(t, c.promises).Module
					ours, err := own(t, m, target.ptx)
					if err != nil {
						t.Fatalf("refused: %v", err)
					}
					theirs := sasstest.Measure(t, assemble.Bytecode(t, m), target.tileiras)
					ratio := float64(ours.Instructions) / float64(theirs.Instructions)
					t.Logf("%.2f  own %v; tileiras %v", ratio, ours, theirs)
					if ours.Spills() > theirs.Spills() {
						t.Errorf("%d spills, tileiras has %d", ours.Spills(), theirs.Spills())
					}
					mu.Lock()
					defer mu.Unlock()
					ratios[target.ptx] = append(ratios[target.ptx], ratio)
				})
			}
		}
	})
	for name, r := range ratios {
		slices.Sort(r)
		t.Logf("%s: median %.2f of %d, most %.2f", name, r[len(r)/2], len(r), r[len(r)-1])
	}
}

// BenchmarkOwn measures how long our own compiler takes from Tile IR to PTX.
func BenchmarkOwn(b *testing.B) {
	for _, c := range ready {
		if !slices.Contains([]string{"vadd", "softmax", "gemm_f16"}, c.file) {
			continue
		}
		b.Run(c.file, func(b *testing.B) {
			m := c.ours.Code(b, c.promises).Module
			bytes := 0
			for b.Loop() {
				code, err := threads.PTX(m, m.Entries[0].Name, "sm_80", threads.Options{})
				if err != nil {
					b.Fatal(err)
				}
				text, err := ptx.Write(code, "sm_80")
				if err != nil {
					b.Fatal(err)
				}
				bytes = len(text)
			}
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}
