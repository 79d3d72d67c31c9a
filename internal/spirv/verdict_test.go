package spirv_test

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// explainedText has the disagreements with spirv-val that are known.
//
//go:embed testdata/explained.txt
var explainedText string

// TestMutations: the verdict on changed modules is spirv-val's, but for what testdata/explained.txt has.
func TestMutations(t *testing.T) {
	var names []string
	var modules []*spirv.Module
	for _, s := range samples() {
		names, modules = append(names, s.name), append(modules, s.build())
	}
	for seed := range uint64(20) {
		names, modules = append(names, fmt.Sprint("random ", seed)), append(modules, randomModule(seed))
	}
	verdicts(t, names, modules, mutations, 1500)
}

// TestForeignMutations: the same for compute kernels of another compiler, which have images and buffers with layouts.
func TestForeignMutations(t *testing.T) {
	var names []string
	var modules []*spirv.Module
	all := foreign(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasSuffix(name, ".comp") {
			names, modules = append(names, name), append(modules, read(t, all[name]))
		}
	}
	verdicts(t, names, modules, mutations, 500)
}

// TestFlowMutations: the same for random control flow whose branches, merges and phis are changed.
func TestFlowMutations(t *testing.T) {
	var names []string
	var modules []*spirv.Module
	for seed := uint64(0); len(modules) < 40; seed++ {
		if m := randomModule(seed); count(m, spirv.OpLabel) > 8 {
			names, modules = append(names, fmt.Sprint("random ", seed)), append(modules, m)
		}
	}
	verdicts(t, names, modules, []mutation{otherLabel, otherLabel, otherLabel, exchangeBlocks, withoutMerge}, 700)
}

// verdicts compares the verdict on n changed modules, or as many as CUTILE_SPIRV_MUTATIONS says.
func verdicts(t *testing.T, names []string, modules []*spirv.Module, ways []mutation, n int) {
	testenv.Elsewhere(t)
	tool := testenv.SpirvTool(t, "spirv-val")
	newEnough(t, tool, true)
	seed := uint64(1)
	if s := os.Getenv("CUTILE_SPIRV_MUTATIONS"); s != "" { // "20000@7": how many, and a seed
		count, other, _ := strings.Cut(s, "@")
		n, _ = strconv.Atoi(count)
		if v, err := strconv.ParseUint(other, 10, 64); err == nil {
			seed = v
		}
	}
	r := rand.New(rand.NewPCG(seed, 2))
	explained, used := explanations(t), map[string]int{}
	var table [2][2]int // by spirv-val's verdict and ours
	for range n {
		which := r.IntN(len(modules))
		words, what := changed(r, modules[which], ways)
		text, theirs := run(t, tool, spirv.Bytes(words), "--target-env", "vulkan1.3", "--scalar-block-layout", "-")
		m, err := spirv.ReadWords(words)
		if err == nil {
			err = spirv.Verify(m)
		}
		table[number(theirs)][number(err == nil)]++
		if theirs == (err == nil) {
			continue
		}
		verdict := "spirv-val accepts: " + fmt.Sprint(err)
		if !theirs {
			verdict = "spirv-val refuses: " + strings.SplitN(strings.TrimSpace(text), "\n", 2)[0]
		}
		if i := slices.IndexFunc(explained, func(e *regexp.Regexp) bool { return e.MatchString(verdict) }); i >= 0 {
			used[explained[i].String()]++
			continue
		}
		t.Errorf("%s: %s: %s", names[which], what, verdict)
	}
	t.Logf("%d changed modules: both accept %d, both refuse %d, only spirv-val refuses %d, only Verify refuses %d; explained: %v",
		n, table[1][1], table[0][0], table[0][1], table[1][0], used)
	if table[0][0] < n/3 || table[1][1] == 0 {
		t.Error("the changes are not such as to compare verdicts")
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// explanations reads testdata/explained.txt.
func explanations(t *testing.T) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, line := range strings.Split(explainedText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := regexp.Compile(line)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// FuzzVerify: modules that are changed several times make neither the verifier nor the printer panic.
func FuzzVerify(f *testing.F) {
	var modules []*spirv.Module
	for i, s := range samples() {
		modules = append(modules, s.build())
		f.Add(uint64(i), uint8(i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, which, changes uint8) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := modules[int(which)%len(modules)]
		for range changes%3 + 1 {
			words, what := changed(r, m, mutations)
			next, err := spirv.ReadWords(words)
			if err != nil || len(next.Instrs) < 2 {
				return
			}
			if m = next; what == "" || m.String() == "" {
				t.Fatal("nothing changed")
			}
			if err := spirv.Verify(m); err != nil && err.Error() == "" {
				t.Fatal("a mistake without a text")
			}
		}
	})
}
