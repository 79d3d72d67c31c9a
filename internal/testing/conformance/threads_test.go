package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// unchecked are the cases that ask for what no GPU checks.
var unchecked = map[string]string{"promise/broken": "a promise that does not hold is undefined"}

// newThreads runs cases as PTX for an architecture, perhaps with tensor maps, that change, which may be nil, has changed.
func newThreads(t *testing.T, arch string, tensors bool, limits limit.Limits, change func(m *simt.Module)) *Runner {
	t.Helper()
	return newScheduled(t, arch, tensors, cpu.Options{Limits: limits}, change)
}

// newScheduled is [newThreads] with further options of the engine, such as the schedule.
func newScheduled(t *testing.T, arch string, tensors bool, o cpu.Options, change func(m *simt.Module)) *Runner {
	t.Helper()
	out := &Output{}
	o.Output, o.CheckAssumes = out, true
	eng := threadtest.NewDevice(arch, threads.Options{Tensors: tensors}, o)
	eng.Change = change
	d, err := device.Open(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &Runner{Device: d, Output: out}
}

// TestThreads runs every sixth case, or with -short every 24th, as PTX of our own compiler on the emulator, or with CUTILE_OWN=all every case, for some architectures; and
// those of large products where warp groups multiply, or tensor memory has the sums, and of products with factors of blocks where instructions have
// these, also by schedules that hold warps back, as are half of the others. With -v it prints how many ran, and how they ended.
func TestThreads(t *testing.T) {
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	every := 6
	switch {
	case threadtest.All():
		every = 1
	case testing.Short():
		every = 24
	}
	table := outcomesHead
	for shift, arch := range []string{"sm_80", "sm_90a", "sm_100a", "sm_120a", "sm_75"} {
		r, count := newThreads(t, arch, true, limit.Limits{}, nil), newOutcomes(arch)
		held := newScheduled(t, arch, true, cpu.Options{Schedule: uint64(shift + 1)}, nil)
		for i, c := range cases {
			large := (arch == "sm_90a" || arch == "sm_100a") && strings.HasPrefix(c.Name, "wide/") ||
				(arch == "sm_100a" || arch == "sm_120a") && strings.HasPrefix(c.Name, "dot/scaled/")
			switch why := unchecked[c.Name]; {
			case why != "":
				count.left[why]++
				continue
			case (i+shift*every/2)%every != 0 && !large:
				continue
			}
			t.Run(arch+"/"+c.Name, func(t *testing.T) {
				first := r
				if i/every%2 > 0 {
					first = held
				}
				if err := count.note(first.Run(t.Context(), &c, []Way{Direct}), never); err != nil {
					t.Error(err)
				}
				if large && first == r {
					if err := held.Run(t.Context(), &c, []Way{Direct}); err != nil {
						t.Errorf("by a schedule: %v", err)
					}
				}
			})
		}
		table += "\n" + count.row()
	}
	t.Log("cases as PTX:\n" + table)
}

// TestWithout leaves out, one after the other, the instructions that order the products of warp groups, and those in tensor memory, among
// copies: each time the emulator must notice. spare says how many of them another one stands in for.
func TestWithout(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred launches")
	}
	const after, before, initial = "tcgen05.fence::after_thread_sync", "tcgen05.fence::before_thread_sync", "fence.mbarrier_init.release.cluster"
	const stored = "tcgen05.wait::st.sync.aligned"
	const proxy, copies, arrive, begin = "fence.proxy.async.shared::cta", "cp.async.wait_group", "mbarrier.arrive.shared.b64", "mbarrier.init.shared.b64"
	for _, x := range []struct {
		arch, name string
		tensors    bool
		spare      map[string]int
	}{
		{"sm_90a", "wide/nn", false, map[string]int{}},
		// The loop's fence follows what was written before it, and the copies at its end are copies of nothing.
		{"sm_90a", "wide/chain", false, map[string]int{proxy: 1, copies: 1}},
		{"sm_90a", "wide/int8-nn", false, map[string]int{proxy: 1}},
		{"sm_90a", "wide/rows", false, map[string]int{proxy: 1}},
		{"sm_90a", "wide/nn", true, map[string]int{arrive: 1}}, // behind the last turn
		// Nothing was written before where the factor in front of the loop comes.
		{"sm_90a", "wide/chain", true, map[string]int{proxy: 1}},
		{"sm_90a", "wide/rows", true, map[string]int{proxy: 1}},
		// Nobody touches the sums before the first product, nor after the last load; no loop is without a turn, where zeros would be stored; and
		// the emulator does not look at what makes barriers known to the tensor cores.
		{"sm_100a", "wide/nn", false, map[string]int{after: 2, before: 2, stored: 1, initial: 1}},
		{"sm_100a", "wide/int8-nn", false, map[string]int{after: 1, before: 1, initial: 1, proxy: 1}},
		{"sm_100a", "wide/rows", false, map[string]int{after: 1, before: 1, stored: 1, initial: 1, proxy: 1}},
		{"sm_100a", "wide/chain", false, map[string]int{after: 3, before: 2, stored: 1, initial: 1, proxy: 2, copies: 1}},
		{"sm_100a", "wide/nn", true, map[string]int{after: 2, before: 2, stored: 1, initial: 1, begin: 1}}, // of a stage that is used once
		{"sm_100a", "wide/chain", true, map[string]int{after: 3, before: 2, stored: 1, initial: 1, proxy: 1}},
	} {
		cases := wideProducts()
		c := cases[slices.IndexFunc(cases, func(c Case) bool { return c.Name == x.name })]
		left, count, what := 0, 0, ""
		change := func(m *simt.Module) {
			if copiesAhead(m.Kernels[0]) && (len(m.Kernels[0].Tensors) > 0) == x.tensors { // there is also code for launches that prove less
				what, count = leaveOut(m.Kernels[0], left)
			}
		}
		short, long := newThreads(t, x.arch, x.tensors, limit.Limits{Run: time.Second}, change), newThreads(t, x.arch, x.tensors, limit.Limits{}, change)
		found := map[string]int{}
		for left = 0; left == 0 || left < count; left++ {
			err := short.Run(t.Context(), &c, []Way{Direct})
			if err != nil && strings.Contains(err.Error(), "longer than") && !strings.Contains(what, "expect_tx") && !strings.HasPrefix(what, "tcgen05.commit") { // for which threads wait for ever
				err = long.Run(t.Context(), &c, []Way{Direct})
			}
			if err == nil {
				found[what]++
			}
		}
		if err := newThreads(t, x.arch, x.tensors, limit.Limits{}, nil).Run(t.Context(), &c, []Way{Direct}); err != nil {
			t.Errorf("%s %s, with all instructions: %v", x.arch, x.name, err)
		}
		if count < 5 || !maps.Equal(found, x.spare) {
			t.Errorf("%s %s, tensor maps %t: of %d instructions, nobody misses %v; want %v", x.arch, x.name, x.tensors, count, found, x.spare)
		}
	}
}

// copiesAhead reports whether a kernel copies tiles ahead.
func copiesAhead(f *simt.Func) bool {
	return slices.ContainsFunc(f.Body, func(in simt.Instr) bool { return strings.HasPrefix(in.Op, "cp.async.") })
}

// leaveOut leaves out one of the instructions of TestWithout, with the loop around one that waits in a loop, and says which, and how many
// there are.
func leaveOut(f *simt.Func, which int) (what string, count int) {
	loop := false
	f.Body = slices.DeleteFunc(f.Body, func(in simt.Instr) bool {
		if loop {
			loop = false
			return true
		}
		if !slices.ContainsFunc(ordering, func(o string) bool { return strings.HasPrefix(in.Op, o) }) {
			return false
		}
		if count++; count-1 != which {
			return false
		}
		what, loop = in.Op, strings.HasPrefix(in.Op, "mbarrier.try_wait")
		return true
	})
	return what, count
}

// ordering are the beginnings of the instructions of TestWithout; TestBarriers of package threadtest leaves out barriers.
var ordering = []string{
	"wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "fence.proxy.async", "cp.async.wait_group",
	"tcgen05.alloc", "tcgen05.dealloc", "tcgen05.commit", "tcgen05.wait", "tcgen05.fence", "mbarrier.", "fence.mbarrier_init",
}
