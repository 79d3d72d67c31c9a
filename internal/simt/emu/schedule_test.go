package emu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// scheduled is how many seeds tests of schedules take.
const scheduled = 12

// TestOvertaken: the first thread fetches tile after tile, and all wait for each by the parity of one mbarrier. If nothing keeps the first
// warp from going on, it may be two phases ahead of a warp that has not looked yet, which then waits for a parity that never comes. Only a
// schedule that holds that warp back shows it.
func TestOvertaken(t *testing.T) {
	const turns = 6
	run := func(barrier bool, schedule uint64) error {
		b, i, bar := bulkKernel(1, 16)
		b.Emit("bar.sync", nil, simt.I(0))
		// The expectation of the first phase is there already.
		n, top := mov(b, 0), b.NewLabel()
		b.Place(top)
		only(b, i, 0, func() {
			skip := b.NewLabel()
			b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", n, simt.I(0)).Reg, true, skip)
			b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 0), simt.I(16))
			b.Place(skip)
			b.Emit(bulkLoad, nil, simt.At(bar.Reg, 16), simt.At(param(b, 0), 0), simt.I(16), simt.At(bar.Reg, 0))
		})
		tryWait(b, bar, b.Value(simt.B32, "and.b32", n, simt.I(1)))
		if barrier {
			b.Emit("bar.sync", nil, simt.I(0))
		}
		b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
		b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(turns)).Reg, true, top)
		b.Block[0] = 128
		return launch(b, emu.Launch{Shared: 256, Schedule: schedule, Races: true}, words(4, func(i int) uint32 { return 7 }))
	}
	must(t, run(true, 0))
	must(t, run(false, 0))
	found := 0
	for seed := uint64(1); seed <= scheduled; seed++ {
		must(t, run(true, seed))
		if err := run(false, seed); err != nil {
			found++
			if !strings.Contains(err.Error(), "deadlock: no thread can go on") || !strings.Contains(err.Error(), "waits for the mbarrier at") {
				t.Errorf("seed %d: %v", seed, err)
			}
			if again := run(false, seed); fmt.Sprint(again) != err.Error() {
				t.Errorf("seed %d: %v, and then %v", seed, err, again)
			}
		}
	}
	if found < scheduled/3 {
		t.Errorf("%d of %d schedules show that a barrier is missing", found, scheduled)
	}
}

// TestScheduledLooks: whoever looks again and again does not keep others from what it looks for, in memory or at an mbarrier.
func TestScheduledLooks(t *testing.T) {
	for seed := uint64(1); seed <= scheduled; seed++ {
		b := kernel(128, 1)
		b.Shared = 16
		i, smem := tid(b), b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
		only(b, i, 0, func() { b.Emit("st.volatile.shared.b32", nil, simt.At(smem.Reg, 0), simt.I(0)) })
		b.Emit("bar.sync", nil, simt.I(0))
		// Warp n works, waits until the word is n, and makes it n+1.
		warp := b.Value(simt.B32, "shr.u32", i, simt.I(5))
		n, work := mov(b, 0), b.NewLabel()
		b.Place(work)
		b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
		b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(3000)).Reg, true, work)
		again := b.NewLabel()
		b.Place(again)
		seen := b.Value(simt.B32, "ld.volatile.shared.b32", simt.At(smem.Reg, 0))
		b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", seen, warp).Reg, true, again)
		b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
		only(b, b.Value(simt.B32, "and.b32", i, simt.I(31)), 0, func() {
			next := b.Value(simt.B32, "add.u32", warp, simt.I(1))
			b.Emit("st.volatile.shared.b32", nil, simt.At(smem.Reg, 0), next)
			b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), warp, 4), 0), next)
		})
		out := make([]byte, 16)
		must(t, launch(b, emu.Launch{Shared: 16, Schedule: seed}, out))
		for k := range 4 {
			if word(out, k) != uint32(k+1) {
				t.Errorf("seed %d: warp %d has %d", seed, k, word(out, k))
			}
		}
	}
}
