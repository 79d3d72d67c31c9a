package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// ballot has threads reduce "I am not thread odd" at a barrier, each of the three ways: what each stores is the number that
// say yes, whether all do and whether any does. More threads, whole warps, only arrive at the barrier.
func ballot(t *testing.T, name, aligned string, threads, arrive, odd int) [3]uint32 {
	t.Helper()
	b := kernel(threads+arrive, 1)
	i := tid(b)
	out := slot(b, param(b, 0), i, 12)
	only, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.ge.u32", i, simt.I(int64(threads))).Reg, true, only)
	at := func(barrier int) []simt.Operand { // each way has its own: an arrival may come early
		if arrive > 0 {
			return []simt.Operand{simt.I(int64(barrier)), simt.I(int64(threads + arrive))}
		}
		return []simt.Operand{simt.I(int64(barrier))}
	}
	yes := b.Value(simt.Pred, "setp.ne.u32", i, simt.I(int64(odd)))
	count := b.Value(simt.B32, name+".red.popc"+aligned+".u32", append(at(1), yes)...)
	b.Emit("st.global.b32", nil, simt.At(out, 0), count)
	for k, way := range []string{".red.and", ".red.or"} {
		p := b.Value(simt.Pred, name+way+aligned+".pred", append(at(k+2), yes)...)
		b.Emit("st.global.b32", nil, simt.At(out, int64(4*k+4)), b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), p))
	}
	b.Branch(end)
	b.Place(only)
	if arrive > 0 {
		for k := range 3 {
			b.Emit("bar.arrive", nil, at(k+1)...)
		}
	}
	b.Place(end)
	data := make([]byte, 12*(threads+arrive))
	if err := launch(b, emu.Launch{}, data); err != nil {
		t.Fatal(err)
	}
	for j := range 3 * threads {
		if word(data, j) != word(data, j%3) {
			t.Errorf("thread %d has %d in place %d, thread 0 %d", j/3, word(data, j), j%3, word(data, j%3))
		}
	}
	return [3]uint32{word(data, 0), word(data, 1), word(data, 2)}
}

// TestBarrierVotes: bar.red counts and joins the predicates of the threads that give one. The lanes that a last warp lacks
// and the threads that only arrive give none (PTX ISA, bar).
func TestBarrierVotes(t *testing.T) {
	for _, form := range [][2]string{{"bar"}, {"bar.cta"}, {"barrier"}, {"barrier", ".aligned"}, {"barrier.cta"}, {"barrier.cta", ".aligned"}} {
		for _, c := range [][2]int{{32, 0}, {64, 0}, {1, 0}, {33, 0}, {40, 0}, {63, 0}, {32, 32}, {32, 64}, {96, 32}} {
			threads, arrive := c[0], c[1]
			for odd, no := range map[int]uint32{threads: 0, threads - 1: 1, 0: 1} {
				n := uint32(threads) - no
				want := [3]uint32{n, 1 - no, min(n, 1)}
				if got := ballot(t, form[0], form[1], threads, arrive, odd); got != want {
					t.Errorf("%s.red%s: %d threads, of which thread %d says no, and %d that arrive: %d, want %d", form[0], form[1], threads, odd, arrive, got, want)
				}
			}
		}
	}
}

// TestBarrierApart: the lanes of a warp may come to barrier.sync one after the other; the other spellings take all at once.
func TestBarrierApart(t *testing.T) {
	for form, apart := range map[string]bool{
		"barrier.sync": true, "barrier.cta.sync": true,
		"bar.sync": false, "bar.cta.sync": false, "barrier.sync.aligned": false, "barrier.cta.sync.aligned": false,
	} {
		b := kernel(64, 1)
		i := tid(b)
		mine := slot(b, param(b, 0), i, 4)
		other := slot(b, param(b, 0), b.Value(simt.B32, "xor.b32", i, simt.I(33)), 4)
		b.Emit("st.global.b32", nil, simt.At(mine, 0), i)
		even, after := b.NewLabel(), b.NewLabel()
		if apart {
			low := b.Value(simt.B32, "and.b32", i, simt.I(1))
			b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", low, simt.I(0)).Reg, true, even)
			b.Emit(form, nil, simt.I(3))
			b.Branch(after)
			b.Place(even)
		}
		b.Emit(form, nil, simt.I(3))
		b.Place(after)
		v := b.Value(simt.B32, "ld.global.b32", simt.At(other, 0))
		b.Emit("bar.sync", nil, simt.I(0))
		b.Emit("st.global.b32", nil, simt.At(mine, 0), v)
		data := make([]byte, 4*64)
		if err := launch(b, emu.Launch{}, data); err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		for j := range 64 {
			if word(data, j) != uint32(j^33) {
				t.Fatalf("%s: thread %d read %d, want %d", form, j, word(data, j), j^33)
			}
		}
	}
}
