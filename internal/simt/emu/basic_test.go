package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

func TestReverse(t *testing.T) { // through shared memory, with a barrier
	const n = 128
	b := kernel(n, 2)
	b.Shared = 4 * n
	i := tid(b)
	block := b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x"))
	at := b.Value(simt.B32, "mad.lo.u32", block, simt.I(n), i)
	v := b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), at, 4), 0))
	smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	s := b.Value(simt.B32, "mad.lo.u32", i, simt.I(4), smem)
	b.Emit("st.shared.b32", nil, simt.At(s.Reg, 0), v)
	b.Emit("bar.sync", nil, simt.I(0))
	back := b.Value(simt.B32, "sub.u32", simt.I(n-1), i)
	s2 := b.Value(simt.B32, "mad.lo.u32", back, simt.I(4), smem)
	r := b.Value(simt.B32, "ld.shared.b32", simt.At(s2.Reg, 0))
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), at, 4), 0), r)
	out := make([]byte, 3*4*n)
	must(t, launch(b, emu.Launch{Grid: [3]int{3, 1, 1}, Shared: 4 * n}, words(3*n, func(i int) uint32 { return uint32(i * i) }), out))
	for i := range 3 * n {
		j := i/n*n + n - 1 - i%n
		if got := word(out, i); got != uint32(j*j) {
			t.Fatalf("out[%d] = %d, want %d", i, got, j*j)
		}
	}
}
