package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

func TestClusterMistakes(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *simt.Builder, i, mine simt.Operand)
		want  string
	}{
		{"read before the barrier", func(b *simt.Builder, i, mine simt.Operand) {
			at := b.Value(simt.B32, "mapa.shared::cluster.u32", mine, simt.I(1))
			b.Value(simt.B32, "ld.shared::cluster.b32", simt.At(at.Reg, 0))
		}, "has not been written"},
		{"another block's memory as one's own", func(b *simt.Builder, i, mine simt.Operand) {
			at := b.Value(simt.B32, "mapa.shared::cluster.u32", mine, simt.I(1))
			b.Emit("st.shared.b32", nil, simt.At(at.Reg, 0), i)
		}, "the shared memory of block 1 of the cluster, in block 0"},
		{"no such block", func(b *simt.Builder, i, mine simt.Operand) {
			b.Value(simt.B32, "mapa.shared::cluster.u32", mine, simt.I(2))
		}, "there is no block 2 in a cluster of 2"},
		{"wait without arrival", func(b *simt.Builder, i, mine simt.Operand) {
			b.Emit("barrier.cluster.wait", nil)
		}, "the thread has not arrived"},
		{"no wait between arrivals", func(b *simt.Builder, i, mine simt.Operand) {
			b.Emit("barrier.cluster.arrive", nil)
			b.Emit("barrier.cluster.arrive", nil)
		}, "the thread has already arrived"},
	} {
		b := kernel(32, 0)
		b.Cluster = [3]int{2, 1, 1}
		i := tid(b)
		mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), b.Value(simt.B32, "mov.u32", simt.Sym("smem")))
		line(b, 8)
		c.build(b, i, mine)
		err := launch(b, emu.Launch{Grid: [3]int{2, 1, 1}, Shared: 512})
		wantError(t, err, 8, c.want)
	}
}

func TestClusterMemory(t *testing.T) {
	b := kernel(32, 2)
	b.Cluster = [3]int{2, 2, 1}
	i := tid(b)
	rank := b.Value(simt.B32, "mov.u32", simt.S("%cluster_ctarank"))
	smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), smem)
	b.Emit("st.shared.b32", nil, simt.At(mine.Reg, 0), b.Value(simt.B32, "mad.lo.u32", rank, simt.I(100), i))
	b.Emit("barrier.cluster.arrive", nil)
	b.Emit("barrier.cluster.wait", nil)
	next := b.Value(simt.B32, "and.b32", b.Value(simt.B32, "add.u32", rank, simt.I(1)), simt.I(3))
	at := b.Value(simt.B32, "mapa.shared::cluster.u32", mine, next)
	v := b.Value(simt.B32, "ld.shared::cluster.b32", simt.At(at.Reg, 0))
	v = b.Value(simt.B32, "add.u32", v, b.Value(simt.B32, "mul.lo.u32", b.Value(simt.B32, "getctarank.shared::cluster.u32", at), simt.I(10000)))
	b.Emit("barrier.cluster.arrive", nil) // nobody leaves while others read
	b.Emit("barrier.cluster.wait", nil)
	x, y := b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x")), b.Value(simt.B32, "mov.u32", simt.S("%ctaid.y"))
	g := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "mad.lo.u32", y, simt.I(4), x), simt.I(32), i)
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), g, 4), 0), v)
	out := make([]byte, 4*32*8)
	must(t, launch(b, emu.Launch{Grid: [3]int{4, 2, 1}, Shared: 512, Races: true}, out, nil))
	for g := range 32 * 8 {
		block := g / 32
		rank := block%4%2 + block/4*2
		next := (rank + 1) % 4
		if want := uint32(next*10100 + g%32); word(out, g) != want {
			t.Fatalf("block %d, thread %d: %d, want %d", block, g%32, word(out, g), want)
		}
	}
}

// Block 1 sends words to block 0, which waits for their bytes.
func TestStoreAsync(t *testing.T) {
	b := kernel(32, 1)
	b.Cluster = [3]int{2, 1, 1}
	i := tid(b)
	rank := b.Value(simt.B32, "mov.u32", simt.S("%cluster_ctarank"))
	smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(8), smem)
	first := b.Value(simt.B32, "or.b32", rank, i)
	only(b, first, 0, func() {
		b.Emit("mbarrier.init.shared.b64", nil, simt.At(smem.Reg, 256), simt.I(1))
		b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(smem.Reg, 256), simt.I(256))
	})
	b.Emit("barrier.cluster.arrive", nil)
	b.Emit("barrier.cluster.wait", nil)
	receive, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", rank, simt.I(0)).Reg, true, receive)
	to := b.Value(simt.B32, "mapa.shared::cluster.u32", mine, simt.I(0))
	bar := b.Value(simt.B32, "mapa.shared::cluster.u32", smem, simt.I(0))
	b.Emit("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32", nil, simt.At(to.Reg, 0), simt.V(i, simt.R(to.Reg)), simt.At(bar.Reg, 256))
	b.Branch(end)
	b.Place(receive)
	tryWait(b, b.Value(simt.B32, "add.u32", smem, simt.I(256)), simt.I(0))
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4), 0), b.Value(simt.B32, "ld.shared.b32", simt.At(mine.Reg, 0)))
	b.Place(end)
	out := make([]byte, 128)
	must(t, launch(b, emu.Launch{Grid: [3]int{2, 1, 1}, Shared: 512, Races: true}, out))
	for l := range 32 {
		if word(out, l) != uint32(l) {
			t.Fatalf("word %d is %d", l, word(out, l))
		}
	}
}

// Both blocks of a cluster add to a word of block 0, which waits for the bytes; and block 1 copies a piece of its memory there.
func TestRemote(t *testing.T) {
	b := kernel(32, 1)
	b.Cluster = [3]int{2, 1, 1}
	i := tid(b)
	rank := b.Value(simt.B32, "mov.u32", simt.S("%cluster_ctarank"))
	smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	mine := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), smem)
	b.Emit("st.shared.b32", nil, simt.At(mine.Reg, 128), b.Value(simt.B32, "mad.lo.u32", rank, simt.I(1000), i))
	only(b, i, 0, func() {
		b.Emit("st.shared.b32", nil, simt.At(smem.Reg, 64), simt.I(7))
		b.Emit("mbarrier.init.shared.b64", nil, simt.At(smem.Reg, 0), simt.I(1))
		b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(smem.Reg, 0), simt.I(64*4+128))
	})
	b.Emit("fence.proxy.async", nil)
	b.Emit("barrier.cluster.arrive", nil)
	b.Emit("barrier.cluster.wait", nil)
	at := b.Value(simt.B32, "mapa.shared::cluster.u32", smem, simt.I(0))
	b.Emit("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32", nil, simt.At(at.Reg, 64), i, simt.At(at.Reg, 0))
	only(b, b.Value(simt.B32, "mad.lo.u32", rank, simt.I(32), i), 32, func() {
		b.Emit("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", nil, simt.At(at.Reg, 256), simt.At(smem.Reg, 128),
			simt.I(128), simt.At(at.Reg, 0))
	})
	skip := b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", rank, simt.I(0)).Reg, true, skip)
	tryWait(b, smem, simt.I(0))
	sum := b.Value(simt.B32, "add.u32", b.Value(simt.B32, "ld.shared.b32", simt.At(smem.Reg, 64)), b.Value(simt.B32, "ld.shared.b32",
		simt.At(mine.Reg, 256)))
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4), 0), sum)
	b.Place(skip)
	b.Emit("barrier.cluster.arrive", nil)
	b.Emit("barrier.cluster.wait", nil)
	out := make([]byte, 128)
	must(t, launch(b, emu.Launch{Grid: [3]int{2, 1, 1}, Shared: 512}, out))
	for l := range 32 {
		if want := uint32(7 + 2*31*32/2 + 1000 + l); word(out, l) != want {
			t.Fatalf("lane %d: %d, want %d", l, word(out, l), want)
		}
	}
	// The search for races knows that nothing orders two asynchronous additions to one place, which are atomic.
	must(t, launch(b, emu.Launch{Grid: [3]int{2, 1, 1}, Shared: 512, Races: true}, out))
}
