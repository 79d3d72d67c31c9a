package threadtest_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestAssembles gives the PTX of random modules to ptxas, a module for each architecture in turn, and demands that PTX of a module is the
// same each time.
func TestAssembles(t *testing.T) {
	testenv.Tool(t, "ptxas")
	archs := threads.Targets()
	for seed := range uint64(number("THREADFUZZ_ASSEMBLED", 3*len(archs))) {
		arch := archs[seed%uint64(len(archs))]
		p := nativefuzz.Generate(seed)
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
}
