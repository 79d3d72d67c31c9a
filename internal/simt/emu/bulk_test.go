package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// bulkKernel is one warp; its first thread makes a barrier at 0 that waits for so many bytes.
func bulkKernel(params int, expect int64) (b *simt.Builder, i, bar simt.Operand) {
	b = kernel(32, params)
	i = tid(b)
	bar = b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	only(b, i, 0, func() {
		b.Emit("mbarrier.init.shared.b64", nil, simt.At(bar.Reg, 0), simt.I(1))
		b.Emit("fence.mbarrier_init.release.cluster", nil)
		b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(bar.Reg, 0), simt.I(expect))
	})
	b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
	return b, i, bar
}

const (
	bulkLoad  = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
	bulkStore = "cp.async.bulk.global.shared::cta.bulk_group"
)

// There and back: global to shared memory, each word plus one, and to the result.
func bulkRound(fence, barrier, waitRead bool) *simt.Builder {
	b, i, bar := bulkKernel(2, 128)
	data := b.Value(simt.B32, "add.u32", bar, simt.I(128))
	only(b, i, 0, func() {
		b.Emit(bulkLoad, nil, simt.At(data.Reg, 0), simt.At(param(b, 0), 0), simt.I(128), simt.At(bar.Reg, 0))
	})
	tryWait(b, bar, simt.I(0))
	mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), data).Reg
	v := b.Value(simt.B32, "add.u32", b.Value(simt.B32, "ld.shared.b32", simt.At(mine, 0)), simt.I(1))
	line(b, 20)
	b.Emit("st.shared.b32", nil, simt.At(mine, 0), v)
	if fence {
		b.Emit("fence.proxy.async.shared::cta", nil)
	}
	if barrier {
		b.Emit("bar.sync", nil, simt.I(0))
	}
	only(b, i, 0, func() {
		line(b, 21)
		b.Emit(bulkStore, nil, simt.At(param(b, 1), 0), simt.At(data.Reg, 0), simt.I(128))
		b.Emit("cp.async.bulk.commit_group", nil)
		if waitRead {
			b.Emit("cp.async.bulk.wait_group.read", nil, simt.I(0))
		}
	})
	line(b, 22)
	b.Emit("bar.sync", nil, simt.I(0))
	b.Emit("st.shared.b32", nil, simt.At(mine, 0), simt.I(0))
	line(b, 23)
	b.Emit("cp.async.bulk.wait_group", nil, simt.I(0))
	return b
}

func TestBulkCopies(t *testing.T) {
	in := words(32, func(i int) uint32 { return uint32(7 * i) })
	for _, races := range []bool{false, true} {
		out := make([]byte, 128)
		must(t, launch(bulkRound(true, true, true), emu.Launch{Shared: 256, Races: races}, in, out))
		for i := range 32 {
			if word(out, i) != uint32(7*i+1) {
				t.Fatalf("word %d is %d", i, word(out, i))
			}
		}
	}
	l := emu.Launch{Shared: 256, Races: true}
	wantError(t, launch(bulkRound(false, true, true), l, in, make([]byte, 128)), 21, "there is no fence.proxy.async between them",
		"the write by thread", "k.go:20:1")
	wantError(t, launch(bulkRound(true, false, true), l, in, make([]byte, 128)), 21, "nothing orders them", "the write by thread (1,0,0) at k.go:20:1")
	wantError(t, launch(bulkRound(true, true, false), l, in, make([]byte, 128)), 22, "the asynchronous read by thread (0,0,0) at k.go:21:1")
	late := make([]byte, 128)
	must(t, launch(bulkRound(true, true, false), emu.Launch{Shared: 256}, in, late))
	if word(late, 1) != 0 {
		t.Error("the copy has read shared memory before anybody waited")
	}
}

// What a copy has read it writes to memory later, unless somebody waits for that.
func TestBulkWritten(t *testing.T) {
	round := func(wait string) *simt.Builder {
		b, i, bar := bulkKernel(2, 0)
		data := b.Value(simt.B32, "add.u32", bar, simt.I(128))
		b.Emit("st.shared.b32", nil, simt.At(b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), data).Reg, 0), i)
		b.Emit("fence.proxy.async.shared::cta", nil)
		b.Emit("bar.sync", nil, simt.I(0))
		only(b, i, 0, func() {
			line(b, 31)
			b.Emit(bulkStore, nil, simt.At(param(b, 0), 0), simt.At(data.Reg, 0), simt.I(128))
			b.Emit("cp.async.bulk.commit_group", nil)
			b.Emit(wait, nil, simt.I(0))
		})
		b.Emit("bar.sync", nil, simt.I(0))
		line(b, 32)
		v := b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), i, 4), 0))
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), i, 4), 0), v)
		return b
	}
	const whole, read = "cp.async.bulk.wait_group", "cp.async.bulk.wait_group.read"
	for _, races := range []bool{false, true} {
		first, out := make([]byte, 128), make([]byte, 128)
		must(t, launch(round(whole), emu.Launch{Shared: 256, Races: races}, first, out))
		if word(out, 5) != 5 {
			t.Errorf("read %d behind the wait for the copy", word(out, 5))
		}
	}
	first, out := make([]byte, 128), make([]byte, 128)
	must(t, launch(round(read), emu.Launch{Shared: 256}, first, out))
	if word(out, 5) != 0 || word(first, 5) != 5 {
		t.Errorf("read %d where nobody waited, and %d in the end", word(out, 5), word(first, 5))
	}
	wantError(t, launch(round(read), emu.Launch{Shared: 256, Races: true}, make([]byte, 128), make([]byte, 128)), 32,
		"the asynchronous write by thread (0,0,0) at k.go:31:1", "nothing orders them")
}

func TestBulkMistakes(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *simt.Builder, bar simt.Operand)
	}{
		{"not multiples of 16", func(b *simt.Builder, bar simt.Operand) {
			b.Emit(bulkLoad, nil, simt.At(bar.Reg, 128), simt.At(param(b, 0), 8), simt.I(16), simt.At(bar.Reg, 0))
		}},
		{"outside of every buffer", func(b *simt.Builder, bar simt.Operand) {
			b.Emit(bulkLoad, nil, simt.At(bar.Reg, 128), simt.At(param(b, 0), 96), simt.I(48), simt.At(bar.Reg, 0))
		}},
		{"there is no mbarrier at 0x10", func(b *simt.Builder, bar simt.Operand) {
			b.Emit(bulkLoad, nil, simt.At(bar.Reg, 128), simt.At(param(b, 0), 0), simt.I(16), simt.At(bar.Reg, 16))
		}},
		{"outside of shared memory, which has 256 bytes", func(b *simt.Builder, bar simt.Operand) {
			b.Emit(bulkLoad, nil, simt.At(bar.Reg, 192), simt.At(param(b, 0), 0), simt.I(128), simt.At(bar.Reg, 0))
		}},
		{"the thread ends while copies that it began still read shared memory", func(b *simt.Builder, bar simt.Operand) {
			b.Emit("st.shared.v4.b32", nil, simt.At(bar.Reg, 128), simt.V(bar, bar, bar, bar))
			b.Emit(bulkStore, nil, simt.At(param(b, 0), 0), simt.At(bar.Reg, 128), simt.I(16))
			b.Emit("exit", nil)
		}},
	} {
		b, i, bar := bulkKernel(1, 16)
		only(b, i, 0, func() {
			line(b, 9)
			c.build(b, bar)
		})
		wantError(t, launch(b, emu.Launch{Shared: 256}, make([]byte, 128)), 9, c.want)
	}
}

// One copy reaches two blocks of a cluster of four, each of which counts its bytes.
func TestMulticast(t *testing.T) {
	b, i, bar := bulkKernel(2, 64)
	b.Cluster = [3]int{4, 1, 1}
	data := b.Value(simt.B32, "add.u32", bar, simt.I(128))
	rank := b.Value(simt.B32, "mov.u32", simt.S("%cluster_ctarank"))
	both := func() {
		b.Emit("barrier.cluster.arrive", nil)
		b.Emit("barrier.cluster.wait", nil)
	}
	both()
	only(b, b.Value(simt.B32, "mad.lo.u32", rank, simt.I(32), i), 0, func() {
		b.Emit(bulkLoad+".multicast::cluster", nil, simt.At(data.Reg, 0), simt.At(param(b, 0), 0), simt.I(64), simt.At(bar.Reg, 0),
			b.Value(simt.B16, "mov.b16", simt.I(0b1010)))
	})
	skip := b.NewLabel()
	odd := b.Value(simt.B32, "and.b32", rank, simt.I(1))
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", odd, simt.I(0)).Reg, true, skip)
	tryWait(b, bar, simt.I(0))
	half := b.Value(simt.B32, "and.b32", i, simt.I(15))
	v := b.Value(simt.B32, "ld.shared.b32", simt.At(b.Value(simt.B32, "mad.lo.u32", half, simt.I(4), data).Reg, 0))
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), b.Value(simt.B32, "mad.lo.u32", rank, simt.I(32), i), 4), 0), v)
	b.Place(skip)
	both()
	in, out := words(16, func(i int) uint32 { return uint32(i + 1) }), make([]byte, 4*128)
	must(t, launch(b, emu.Launch{Grid: [3]int{4, 1, 1}, Shared: 256, Races: true}, in, out))
	for k := range 128 {
		want := uint32(0)
		if k/32%2 == 1 {
			want = uint32(k%16 + 1)
		}
		if word(out, k) != want {
			t.Fatalf("thread %d of block %d: %d, want %d", k%32, k/32, word(out, k), want)
		}
	}
}

// A thread that only looks, and does not wait, sees the copy in the end.
func TestTestWait(t *testing.T) {
	b, i, bar := bulkKernel(2, 16)
	only(b, i, 0, func() {
		b.Emit(bulkLoad, nil, simt.At(bar.Reg, 16), simt.At(param(b, 0), 0), simt.I(16), simt.At(bar.Reg, 0))
	})
	looks, top := mov(b, 0), b.NewLabel()
	b.Place(top)
	b.Emit("add.u32", []simt.Operand{looks}, looks, simt.I(1))
	p := b.Value(simt.Pred, "mbarrier.test_wait.parity.shared.b64", simt.At(bar.Reg, 0), simt.I(0))
	b.BranchIf(p.Reg, false, top)
	b.Emit("st.global.b32", nil, simt.At(param(b, 1), 0), b.Value(simt.B32, "ld.shared.b32", simt.At(bar.Reg, 20)))
	b.Emit("st.global.b32", nil, simt.At(param(b, 1), 4), looks)
	out := make([]byte, 8)
	must(t, launch(b, emu.Launch{Shared: 256, Races: true}, words(4, func(i int) uint32 { return uint32(40 + i) }), out))
	if word(out, 0) != 41 || word(out, 1) < 2 {
		t.Errorf("%d after %d looks", word(out, 0), word(out, 1))
	}
}
