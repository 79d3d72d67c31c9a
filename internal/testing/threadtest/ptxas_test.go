package threadtest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestAssembles gives the PTX of random modules and products to ptxas, one for each architecture in turn, and products with factors of blocks for
// those that have instructions for them. It demands that PTX of a module is the same each time.
func TestAssembles(t *testing.T) {
	testenv.Tool(t, "ptxas")
	product := func(p *matrices) *nativefuzz.Program {
		prog, err := p.program()
		if err != nil {
			t.Fatal(err)
		}
		return prog
	}
	for _, part := range []struct {
		archs []string
		each  int // by default
		make  func(seed uint64) *nativefuzz.Program
	}{
		{threads.Targets(), 3, nativefuzz.Generate},
		{threads.Targets(), 3, func(seed uint64) *nativefuzz.Program { return product(newProduct(seed)) }},
		{[]string{"sm_100a", "sm_103a", "sm_120a", "sm_121a"}, 4, func(seed uint64) *nativefuzz.Program { return product(newScaled(seed)) }},
	} {
		for seed := range uint64(number("THREADFUZZ_ASSEMBLED", part.each*len(part.archs))) {
			assembles(t, part.make(seed), seed, part.archs[seed%uint64(len(part.archs))])
		}
	}
}

// assembles gives the PTX of a module to ptxas, unless the module is refused.
func assembles(t *testing.T, p *nativefuzz.Program, seed uint64, arch string) {
	var texts [2]string
	for i := range texts {
		m, err := threads.PTX(p.Module, p.Module.Entries[0].Name, arch, threads.Options{Tensors: true})
		var no *threads.Error
		if errors.As(err, &no) {
			continue
		} else if err != nil {
			t.Fatal(seed, err)
		}
		text, err := ptx.Write(m, arch)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, arch, err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("seed %d, %s: the PTX differs from time to time", seed, arch)
	}
	if texts[0] != "" {
		assemble.PTX(t, []byte(texts[0]), arch)
	}
}

// TestCalls: ptxas says that it completes products of a warp group one by one where the plan does, and only there.
func TestCalls(t *testing.T) {
	testenv.Tool(t, toolchain.Ptxas)
	tool, err := toolchain.Find(toolchain.Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	for _, changes := range [][]string{nil, undone[slices.IndexFunc(undone, func(c undoneCase) bool { return c.name == "call" })].changes} {
		m, err := text.Parse(changed(t, changes), text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := threads.Explain(m, "sm_90a", threads.Options{Tensors: true})
		if err != nil {
			t.Fatal(err)
		}
		src, err := ptx.Write(e.Code, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		_, words, err := toolchain.Assembly{Tool: tool, Input: src, Target: "sm_90a"}.Run(t.Context())
		plan, says := strings.Contains(e.Plan.String(), "does not overlap"), strings.Contains(words, "serialized")
		if err != nil || plan != says || says != (changes != nil) {
			t.Errorf("the plan says so: %t; ptxas says %q, %v", plan, words, err)
		}
	}
}
