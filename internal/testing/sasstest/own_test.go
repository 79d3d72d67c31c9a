package sasstest_test

import (
	"fmt"
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
func own(t *testing.T, m *tileir.Module, target string) (sass string, err error) {
	t.Helper()
	code, err := threads.PTX(m, m.Entries[0].Name, target, threads.Options{Tensors: true})
	if err != nil {
		return "", err
	}
	text, err := ptx.Write(code, target)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("OWN_PTX"); dir != "" {
		os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "_")+".ptx", text, 0o666)
	}
	sass = assemble.Run(t, toolchain.Cuobjdump, assemble.PTX(t, text, target), "-sass")
	if dir := os.Getenv("OWN_PTX"); dir != "" {
		os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "_")+".sass", []byte(sass), 0o666)
	}
	return sass, nil
}

// longer has the kernels whose loops may be longer than 1.3 times those of tileiras, with the reason.
var longer = map[string]string{
	"decode_split": "its sums of rows, through shared memory, have the CPU engine's order, and its exponential functions the bits",
}

// lacking has what tileiras makes no code for, with the reason.
var lacking = map[string]string{"gemm_e4m3 sm_80": "it knows no floats of 8 bits there"}

// straight is why kernels that only work on rows do without tensor maps.
const straight = "threads load their parts of rows, and store them, without waiting for each other; by way of shared memory that takes 10 to 45 instructions more"

// without has the kinds of instructions that tileiras has in code for a kernel and that our own compiler does without, with the reason.
var without = map[string]struct {
	classes []sasstest.Class
	why     string
}{
	"decode_merge":   {[]sasstest.Class{sasstest.TMALoad, sasstest.TMAStore}, straight},
	"layernorm_bwd":  {[]sasstest.Class{sasstest.TMALoad, sasstest.TMAStore}, straight},
	"rmsnorm":        {[]sasstest.Class{sasstest.TMALoad, sasstest.TMAStore}, straight},
	"softmax":        {[]sasstest.Class{sasstest.TMAStore}, straight},
	"softmax_online": {[]sasstest.Class{sasstest.TMALoad, sasstest.TMAStore}, straight},
}

// kinds are the classes of instructions that multiply and copy: both compilers should have the same in their code for a kernel.
var kinds = []sasstest.Class{sasstest.HGMMA, sasstest.UTCMMA, sasstest.HMMA, sasstest.TMALoad, sasstest.TMAStore, sasstest.AsyncCopy}

// lacks gives the kinds of instructions that a reference has and our code does without.
func lacks(ours, reference sasstest.Profile) (out []sasstest.Class) {
	for _, c := range kinds {
		if reference.Classes[c] > 0 && ours.Classes[c] == 0 {
			out = append(out, c)
		}
	}
	return out
}

// bounds are the greatest medians of ratios of a target.
var bounds = map[string]float64{"kernels": 0.70, "loops": 1.00}

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
	ratios, loops := map[string][]float64{}, map[string][]float64{}
	missing := map[string]bool{}
	var table []string
	t.Run("kernels", func(t *testing.T) {
		for _, c := range ready {
			for _, target := range ownTargets {
				t.Run(c.file+" "+target.ptx, func(t *testing.T) {
					t.Parallel()
					m := c.ours.Code(t, c.promises).Module
					sass, err := own(t, m, target.ptx)
					if err != nil {
						t.Fatalf("refused: %v", err)
					}
					if why, ok := lacking[c.file+" "+target.ptx]; ok {
						t.Logf("own %v; tileiras: %s", sasstest.Count(sass), why)
						return
					}
					reference := sasstest.Disassemble(t, assemble.Bytecode(t, m), target.tileiras)
					ours, theirs := sasstest.Count(sass), sasstest.Count(reference)
					if ours.Instructions == 0 || theirs.Instructions == 0 {
						t.Fatal("no instruction in what cuobjdump printed")
					}
					ratio := float64(ours.Instructions) / float64(theirs.Instructions)
					t.Logf("%.2f  own %v; tileiras %v", ratio, ours, theirs)
					ourLoop, theirLoop := sasstest.HotLoop(sass), sasstest.HotLoop(reference)
					loop, ok := sasstest.PerWork(ourLoop, theirLoop)
					if ok {
						t.Logf("%.2f  loops: own %v; tileiras %v", loop, ourLoop, theirLoop)
					}
					if ok && loop > 1.3 && longer[c.file] == "" {
						t.Errorf("the loop takes %.2f times as many instructions for the same work: %v; %v", loop, ourLoop, theirLoop)
					}
					if got := lacks(ours, theirs); len(got) > 0 {
						if want := without[c.file]; !slices.Equal(got, want.classes) {
							t.Errorf("tileiras has %v, which our code does without, expected is %v", got, want.classes)
						}
						t.Logf("without %v: %s", got, without[c.file].why)
					}
					if ours.Spills() > theirs.Spills() {
						t.Errorf("%d spills, tileiras has %d", ours.Spills(), theirs.Spills())
					}
					mu.Lock()
					defer mu.Unlock()
					missing[c.file] = missing[c.file] || len(lacks(ours, theirs)) > 0
					ratios[target.ptx] = append(ratios[target.ptx], ratio)
					row := fmt.Sprintf("%-16s %-8s %5d / %5d  %.2f  spills %d / %d", c.file, target.ptx, ours.Instructions, theirs.Instructions, ratio, ours.Spills(), theirs.Spills())
					if ok {
						loops[target.ptx] = append(loops[target.ptx], loop)
						row += fmt.Sprintf("  loop %4d / %4d  %.2f for the same work", ourLoop.Instructions, theirLoop.Instructions, loop)
						if loop > 1.3 {
							row += ": " + longer[c.file]
						}
					}
					table = append(table, row)
				})
			}
		}
	})
	for name := range without {
		if lacks, ran := missing[name]; ran && len(ownTargets) > 1 && !lacks {
			t.Errorf("%s has all that tileiras has: without need not say otherwise", name)
		}
	}
	slices.Sort(table)
	t.Logf("own and tileiras, instructions:\n%s", strings.Join(table, "\n"))
	for what, all := range map[string]map[string][]float64{"kernels": ratios, "loops": loops} {
		for name, r := range all {
			slices.Sort(r)
			t.Logf("%s, %s: median %.2f of %d, most %.2f", name, what, r[len(r)/2], len(r), r[len(r)-1])
			bound := bounds[what]
			if len(ownTargets) > 1 && r[len(r)/2] > bound {
				t.Errorf("%s, %s: the median should be at most %.2f", name, what, bound)
			}
		}
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
