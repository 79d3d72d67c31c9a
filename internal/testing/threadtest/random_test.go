package threadtest_test

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir"
)

// TestRandom runs random modules as PTX on the emulator and on the CPU engine's interpreter. THREADFUZZ_MODULES says how many, for each of the
// architectures that THREADFUZZ_ARCHS lists, and THREADFUZZ_SEED where to begin.
func TestRandom(t *testing.T) {
	archs := []string{"sm_75", "sm_80", "sm_90a"}
	if list := os.Getenv("THREADFUZZ_ARCHS"); list != "" {
		archs = strings.Split(list, ",")
	}
	count := 1000 // fewer do not notice all of TestMutants
	if testing.Short() {
		count = 100
	}
	for i, arch := range archs {
		t.Run(arch, func(t *testing.T) {
			random(t, threadtest.Emulator(arch, threads.Options{Exact: true, Tensors: true}), count, i, len(archs))
		})
	}
}

// TestRandomVulkan runs random modules as SPIR-V on the Vulkan device THREADFUZZ_DEVICE: as it is, as one that promises nothing of
// subgroups and has the memory model of GLSL, as one that has no floats but f32 and gets these wrong, and as those that lack integers of 64
// bits.
func TestRandomVulkan(t *testing.T) {
	in, _ := vulkantest.Instance(t)
	for i, as := range []struct {
		name     string
		adjust   func(i *driver.Info)
		integers bool
	}{
		{"itself", func(i *driver.Info) { i.Features.CooperativeMatrix = false }, false}, // which add in another order: see TestProductsVulkan
		{"plain", func(i *driver.Info) { i.Subgroup.CanAsk, i.Features.MemoryModel = false, false }, false},
		{"integers", func(i *driver.Info) { i.Features.Float16, i.Features.Float64 = false, false }, true},
		{"pairs", func(i *driver.Info) { i.Features.Int64, i.Features.AtomicInt64 = false, false }, false},
		{"integers in pairs", func(i *driver.Info) {
			i.Features.Float16, i.Features.Float64, i.Features.Int64, i.Features.AtomicInt64 = false, false, false, false
		}, true},
	} {
		t.Run(as.name, func(t *testing.T) {
			d, err := vulkan.Open(number("THREADFUZZ_DEVICE", 0), vulkan.Options{Instance: in, Compiler: threadtest.Checked, Adjust: as.adjust, Integers: as.integers})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			random(t, threadtest.Vulkan(d), 4, i, 5)
		})
	}
}

// random runs every n-th module from the i-th one on.
func random(t *testing.T, e nativefuzz.Engine, count, i, n int) {
	r, err := nativefuzz.NewEngineRunner(10*time.Second, e)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := number("THREADFUZZ_SEED", 0)
	count = number("THREADFUZZ_MODULES", count)
	why, equal, faults := map[string]int{}, 0, 0
	for k := range count {
		if enough(t) {
			return
		}
		seed := uint64(first + k*n + i)
		begin := time.Now()
		p := nativefuzz.Generate(seed)
		rep, err := r.Run(p)
		if d := time.Since(begin); d > 10*time.Second {
			t.Logf("seed %d took %v", seed, d)
		}
		switch {
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		case rep.Diff != "" && meets(p):
			why["threads change one element in any order"]++
		case rep.Diff != "":
			t.Errorf("seed %d: %s", seed, rep.Diff)
		case rep.Why != "":
			why[kind(rep.Why)]++
		case rep.Refused || rep.Fault:
			faults++
		default:
			equal++
		}
	}
	t.Logf("%d modules, %d equal, %d that the interpreter refuses or ends with a fault", count, equal, faults)
	for _, w := range slices.SortedFunc(maps.Keys(why), func(a, b string) int { return why[b] - why[a] }) {
		t.Logf("%d refused: %s", why[w], w)
	}
	if equal < count/2 {
		t.Errorf("only %d of %d modules ran", equal, count)
	}
}

// kind leaves numbers out of a reason.
func kind(why string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, why)
}

// number is that of an environment variable.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// meets reports whether an atomic operation of a program changes one element several times: nothing says in which order, and so what
// each finds there.
func meets(p *nativefuzz.Program) bool {
	for op := range p.Module.All() {
		if op.Info.Opcode != tileir.OpAtomicRMWTko && op.Info.Opcode != tileir.OpAtomicCASTko {
			continue
		}
		to := op.Operand("pointers").Def
		if to == nil || to.Info.Opcode != tileir.OpOffset || to.Operands[1].Def == nil {
			continue
		}
		if to.Operands[1].Def.Info.Opcode != tileir.OpConstant {
			continue
		}
		c := to.Operands[1].Def.Attr("value").(*tileir.Constant)
		seen := map[uint64]bool{}
		for i := range c.Type.Size() {
			if seen[c.Element(i)] {
				return true
			}
			seen[c.Element(i)] = true
		}
	}
	return false
}
