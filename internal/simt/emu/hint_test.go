package emu_test

import (
	"encoding/binary"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestHintsChangeNothing: accesses with policies for the caches read and write what they do without, and instructions that only tell caches
// and profilers something have no effect.
func TestHintsChangeNothing(t *testing.T) {
	const policy = "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d3, 0.5; "
	for name, c := range map[string]struct {
		body string
		want func(lane uint32) uint32
	}{
		"load and store": {policy + "shl.b32 %r0, %t, 2; cvt.u64.u32 %d0, %r0; add.u64 %d1, %out, %d0; add.u32 %r1, %t, 7; st.global.L1::no_allocate.L2::cache_hint.u32 [%d1], %r1, %d3; " +
			"ld.global.L1::evict_last.L2::cache_hint.L2::128B.u32 %r2, [%d1], %d3; add.u32 %r2, %r2, 1; st.L2::cache_hint.u32 [%d1], %r2, %d3;", func(l uint32) uint32 { return l + 8 }},
		"atomic": {policy + "shl.b32 %r0, %t, 2; cvt.u64.u32 %d0, %r0; add.u64 %d1, %out, %d0; red.global.add.L2::cache_hint.u32 [%d1], %t, %d3; atom.global.add.L2::cache_hint.u32 %r1, [%d1], 5, %d3; " +
			"st.global.u32 [%d1], %r1;", func(l uint32) uint32 { return l }},
		"copy": {policy + "shl.b32 %r0, %t, 2; cvt.u64.u32 %d0, %r0; add.u64 %d1, %out, %d0; st.global.u32 [%d1], %r0; mov.u32 %r2, s; add.u32 %r2, %r2, %r0; " +
			"cp.async.ca.shared.global.L2::cache_hint [%r2], [%d1], 4, %d3; cp.async.wait_all; ld.shared.u32 %r1, [%r2]; add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1;", func(l uint32) uint32 { return 4*l + 1 }},
		"nothing": {"prefetchu.L1 [%out]; applypriority.global.L2::evict_normal [%out], 128; pmevent 3; pmevent.mask 5; createpolicy.cvt.L2.b64 %d3, %d3; " +
			"createpolicy.range.global.L2::evict_last.b64 %d3, [%out], 128, 256; shl.b32 %r0, %t, 2; cvt.u64.u32 %d0, %r0; add.u64 %d1, %out, %d0; st.global.u32 [%d1], %t;", func(l uint32) uint32 { return l }},
		"vector of special registers": {"{ .reg .v4 .u32 v; mov.v4.u32 v, %tid; mov.v4.u32 {%r1,%r2,%r3,%r4}, %ntid; shl.b32 %r0, %t, 2; cvt.u64.u32 %d0, %r0; add.u64 %d1, %out, %d0; " +
			"mad.lo.u32 %r0, v.x, 1000, %r1; add.u32 %r0, %r0, v.w; add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %tid.w; add.u32 %r0, %r0, v.y; st.global.u32 [%d1], %r0; }", func(l uint32) uint32 { return 1000*l + 32 }},
	} {
		out := make([]byte, 128)
		if err := runText(text(t, "32", "", c.body), emu.Launch{}, out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for l := range uint32(32) {
			if got := binary.LittleEndian.Uint32(out[4*l:]); got != c.want(l) {
				t.Errorf("%s: lane %d has %d, want %d", name, l, got, c.want(l))
				break
			}
		}
	}
}
