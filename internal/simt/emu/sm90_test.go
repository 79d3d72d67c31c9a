package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// mov is a register with a number.
func mov(b *simt.Builder, n int64) simt.Operand { return b.Value(simt.B32, "mov.b32", simt.I(n)) }

func mov64(b *simt.Builder, n int64) simt.Operand { return b.Value(simt.B64, "mov.b64", simt.I(n)) }

var sink = simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}

// tryWait waits for the phase of a parity.
func tryWait(b *simt.Builder, bar simt.Operand, parity simt.Operand) {
	top := b.NewLabel()
	b.Place(top)
	p := b.Value(simt.Pred, "mbarrier.try_wait.parity.shared.b64", simt.At(bar.Reg, 0), parity)
	b.BranchIf(p.Reg, false, top)
}

// pipeline is a producer warp that hands rounds of 32 words to a consumer warp through two stages with full and empty
// barriers; the consumer adds them. With lazy, the consumer does not wait for the full barrier.
func pipeline(rounds int64, lazy bool) *simt.Builder {
	b := kernel(64, 1)
	b.Shared = 512
	i := tid(b)
	lane := b.Value(simt.B32, "and.b32", i, simt.I(31))
	only(b, i, 0, func() {
		for k := range int64(4) { // full 0, full 1, empty 0, empty 1
			b.Emit("mbarrier.init.shared.b64", nil, simt.At(mov(b, 256+8*k).Reg, 0), simt.I(32))
		}
	})
	b.Emit("bar.sync", nil, simt.I(0))
	n, sum := mov(b, 0), mov(b, 0)
	consumer, end := b.NewLabel(), b.NewLabel()
	stage := func() (full, empty, data, parity simt.Operand) {
		s := b.Value(simt.B32, "and.b32", n, simt.I(1))
		full = b.Value(simt.B32, "mad.lo.u32", s, simt.I(8), simt.I(256))
		empty = b.Value(simt.B32, "add.u32", full, simt.I(16))
		data = b.Value(simt.B32, "mad.lo.u32", s, simt.I(128), b.Value(simt.B32, "shl.b32", lane, simt.I(2)))
		parity = b.Value(simt.B32, "and.b32", b.Value(simt.B32, "shr.u32", n, simt.I(1)), simt.I(1))
		return full, empty, data, parity
	}
	next := func(top int) {
		b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
		b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(rounds)).Reg, true, top)
	}
	b.BranchIf(b.Value(simt.Pred, "setp.ge.u32", i, simt.I(32)).Reg, true, consumer)
	top := b.NewLabel()
	b.Place(top)
	full, empty, data, parity := stage()
	tryWait(b, empty, b.Value(simt.B32, "xor.b32", parity, simt.I(1)))
	line(b, 20)
	b.Emit("st.shared.b32", nil, simt.At(data.Reg, 0), b.Value(simt.B32, "mad.lo.u32", n, simt.I(100), lane))
	b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, simt.At(full.Reg, 0))
	next(top)
	b.Branch(end)
	b.Place(consumer)
	again := b.NewLabel()
	b.Place(again)
	full, empty, data, parity = stage()
	if !lazy {
		tryWait(b, full, parity)
	}
	line(b, 21)
	b.Emit("add.u32", []simt.Operand{sum}, sum, b.Value(simt.B32, "ld.shared.b32", simt.At(data.Reg, 0)))
	b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{simt.R(b.NewReg(simt.B64))}, simt.At(empty.Reg, 0))
	next(again)
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), lane, 4), 0), sum)
	b.Place(end)
	return b
}

func TestMbarrierPipeline(t *testing.T) {
	const rounds = 9
	for _, races := range []bool{false, true} {
		out := make([]byte, 128)
		must(t, launch(pipeline(rounds, false), emu.Launch{Shared: 512, Races: races}, out))
		for l := range 32 {
			if want := uint32(100*rounds*(rounds-1)/2 + rounds*l); word(out, l) != want {
				t.Fatalf("lane %d: %d, want %d", l, word(out, l), want)
			}
		}
	}
	wantError(t, launch(pipeline(rounds, true), emu.Launch{Shared: 512, Races: true}, make([]byte, 128)), 21, "data race",
		"this read, and the write by thread", "k.go:20:1")
}

func TestMbarrierMistakes(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *simt.Builder, bar simt.Operand)
		want  string
	}{
		{"no init", func(b *simt.Builder, bar simt.Operand) {
			b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 8))
		}, "there is no mbarrier at 0x8: mbarrier.init makes one"},
		{"too many arrivals", func(b *simt.Builder, bar simt.Operand) {
			b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 0), simt.I(3))
		}, "3 arrivals at an mbarrier whose phase expects only 2 more"},
		{"never complete", func(b *simt.Builder, bar simt.Operand) {
			b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 0), simt.I(16))
			tryWait(b, bar, simt.I(0))
		}, "deadlock: no thread can go on\n\twarp 0, lane 0: at k.go:5:1, mbarrier.try_wait.parity.shared.b64" +
			" waits for the mbarrier at 0x0, whose phase 0 still lacks 1 of 2 arrivals and 16 bytes"},
		{"misaligned", func(b *simt.Builder, bar simt.Operand) {
			b.Emit("mbarrier.init.shared.b64", nil, simt.At(bar.Reg, 4), simt.I(1))
		}, "the address 0x4 of an mbarrier is not a multiple of 8"},
	} {
		b := kernel(1, 0)
		bar := mov(b, 0)
		b.Emit("mbarrier.init.shared.b64", nil, simt.At(bar.Reg, 0), simt.I(2))
		line(b, 5)
		c.build(b, bar)
		wantError(t, launch(b, emu.Launch{Shared: 64}), 5, c.want)
	}
}

func TestMbarrierTokens(t *testing.T) {
	b := kernel(1, 1)
	bar := mov(b, 0)
	at := simt.At(bar.Reg, 0)
	b.Emit("mbarrier.init.shared.b64", nil, at, simt.I(2))
	var rs []simt.Operand
	test := func(token simt.Operand) {
		rs = append(rs, flagOf(b, b.Value(simt.Pred, "mbarrier.test_wait.shared.b64", at, token)))
	}
	one := b.Value(simt.B64, "mbarrier.arrive.shared.b64", at)
	rs = append(rs, b.Value(simt.B32, "mbarrier.pending_count.b64", one))
	test(one) // 0: one arrival is missing
	two := b.Value(simt.B64, "mbarrier.arrive_drop.shared.b64", at)
	test(one) // 1
	test(two) // 1
	three := b.Value(simt.B64, "mbarrier.arrive.shared.b64", at)
	test(three) // 1: the one that dropped out is no longer expected
	b.Emit("mbarrier.expect_tx.relaxed.cta.shared.b64", nil, at, simt.I(8))
	four := b.Value(simt.B64, "mbarrier.arrive.shared.b64", at)
	test(four) // 0: bytes are missing
	b.Emit("mbarrier.complete_tx.shared.b64", nil, at, simt.I(8))
	test(four) // 1
	for k, r := range rs {
		b.Emit("st.global.b32", nil, simt.At(param(b, 0), int64(4*k)), r)
	}
	out := make([]byte, 4*len(rs))
	must(t, launch(b, emu.Launch{Shared: 64}, out))
	for k, want := range []uint32{2, 0, 1, 1, 1, 0, 1} {
		if word(out, k) != want {
			t.Errorf("result %d: %d, want %d", k, word(out, k), want)
		}
	}
}

// Copies of a thread arrive at a barrier when they have landed; nobody waits for them otherwise.
func TestCopiesArrive(t *testing.T) {
	for _, noinc := range []string{"", ".noinc"} {
		b := kernel(64, 2)
		i := tid(b)
		bar := mov(b, 0)
		expected := int64(64)
		if noinc == "" {
			expected = 1 // each copy brings its own arrival; the one of below is left
		}
		only(b, i, 0, func() { b.Emit("mbarrier.init.shared.b64", nil, simt.At(bar.Reg, 0), simt.I(expected)) })
		b.Emit("bar.sync", nil, simt.I(0))
		mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), simt.I(256)).Reg
		b.Emit("cp.async.ca.shared.global", nil, simt.At(mine, 0), simt.At(slot(b, param(b, 0), i, 4), 0), simt.I(4))
		b.Emit("cp.async.mbarrier.arrive"+noinc+".shared.b64", nil, simt.At(bar.Reg, 0))
		if noinc == "" {
			b.Emit("bar.sync", nil, simt.I(0)) // all have raised the count
			only(b, i, 5, func() { b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 0)) })
		}
		tryWait(b, bar, simt.I(0))
		v := b.Value(simt.B32, "ld.shared.b32", simt.At(neighbour(b, mine, 16), 0))
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), i, 4), 0), v)
		in, out := words(64, func(i int) uint32 { return uint32(3 * i) }), make([]byte, 256)
		must(t, launch(b, emu.Launch{Shared: 512, Races: true}, in, out))
		for k := range 64 {
			if want := uint32(3 * (k ^ 16)); word(out, k) != want {
				t.Fatalf("%q, thread %d: %d, want %d", noinc, k, word(out, k), want)
			}
		}
	}
}
