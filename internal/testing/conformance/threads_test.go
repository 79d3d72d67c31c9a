package conformance

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// unchecked are the cases that ask for what no GPU checks.
var unchecked = map[string]string{"promise/broken": "a promise that does not hold is undefined"}

// newThreads runs cases as PTX for an architecture that change, which may be nil, has changed.
func newThreads(t *testing.T, arch string, change func(m *simt.Module)) *Runner {
	t.Helper()
	out := &Output{}
	eng := threadtest.NewDevice(arch, threads.Options{}, cpu.Options{Output: out, CheckAssumes: true})
	eng.Change = change
	d, err := device.Open(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &Runner{Device: d, Output: out}
}

// TestThreads runs every sixth case as PTX of our own compiler on the emulator, or with CUTILE_OWN=all every case, for two architectures; and
// those of large products where warp groups multiply.
func TestThreads(t *testing.T) {
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	every := 6
	if os.Getenv("CUTILE_OWN") == "all" {
		every = 1
	}
	for shift, arch := range []string{"sm_80", "sm_90a"} {
		r := newThreads(t, arch, nil)
		for i, c := range cases {
			large := arch == "sm_90a" && strings.HasPrefix(c.Name, "wide/")
			if unchecked[c.Name] != "" || (i+shift*every/2)%every != 0 && !large {
				continue
			}
			t.Run(arch+"/"+c.Name, func(t *testing.T) {
				if err := r.Run(t.Context(), &c, []Way{Direct}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestWithout leaves out, one after the other, the instructions that order the products of warp groups among copies: each time the emulator
// must notice. spare says how many of them another one stands in for.
func TestWithout(t *testing.T) {
	for name, spare := range map[string]map[string]int{
		"wide/nn": {},
		// The loop's fence follows what was written before it, and the copies at its end are copies of nothing. The emulator looks for one
		// wgmma.fence only.
		"wide/chain":   {"fence.proxy.async.shared::cta": 1, "wgmma.fence.sync.aligned": 1, "cp.async.wait_group": 1},
		"wide/int8 nn": {"fence.proxy.async.shared::cta": 1},
		"wide/rows":    {"fence.proxy.async.shared::cta": 1},
	} {
		cases := wideProducts()
		c := cases[slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })]
		left, count, what := 0, 0, ""
		r := newThreads(t, "sm_90a", func(m *simt.Module) { what, count = leaveOut(m.Kernels[0], left) })
		found := map[string]int{}
		for left = 0; left <= count; left++ {
			err := r.Run(t.Context(), &c, []Way{Direct})
			switch {
			case what == "" && err != nil:
				t.Errorf("%s, with all instructions: %v", name, err)
			case what != "" && err == nil:
				found[what]++
			}
		}
		if count < 5 || !maps.Equal(found, spare) {
			t.Errorf("%s: of %d instructions, nobody misses %v; want %v", name, count, found, spare)
		}
	}
}

// leaveOut leaves out one of the instructions of TestWithout, and says which, and how many there are.
func leaveOut(f *simt.Func, which int) (what string, count int) {
	f.Body = slices.DeleteFunc(f.Body, func(in simt.Instr) bool {
		if !slices.ContainsFunc(ordering, func(o string) bool { return strings.HasPrefix(in.Op, o) }) {
			return false
		}
		count++
		if count-1 == which {
			what = in.Op
		}
		return count-1 == which
	})
	return what, count
}

// ordering are the beginnings of the instructions of TestWithout; TestBarriers of package threadtest leaves out barriers.
var ordering = []string{"wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "fence.proxy.async", "cp.async.wait_group"}
