package threadtest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestBarriers leaves out one barrier after the other, where parameters have memory of their own, and counts how many of them are missed by
// the emulator. Those that are not lie between threads of one warp, which go together there.
func TestBarriers(t *testing.T) {
	left, count := 0, 0
	change := func(m *simt.Module) {
		n := 0
		f := m.Kernels[0]
		f.Body = slices.DeleteFunc(f.Body, func(in simt.Instr) bool {
			if in.Op != "bar.sync" {
				return false
			}
			n++
			return n-1 == left
		})
		count = n
	}
	r, err := nativefuzz.NewEngineRunner(10*time.Second, threadtest.Changed("sm_80", threads.Options{Exact: true, Apart: true}, change))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, noticed := 0, 0
	for seed := range uint64(number("THREADFUZZ_BARRIERS", 60)) {
		p := nativefuzz.Generate(seed)
		for left = 0; ; left++ {
			count = 0
			rep, err := r.Run(p)
			if err != nil {
				t.Fatal(seed, err)
			}
			if left >= count {
				break
			}
			all++
			if rep.Diff != "" {
				noticed++
			}
		}
	}
	t.Logf("%d of %d barriers are missed", noticed, all)
	if noticed*3 < all {
		t.Errorf("only %d of %d barriers are missed", noticed, all)
	}
}
