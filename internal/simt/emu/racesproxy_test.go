package emu_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Parts of kernels that copy 16 bytes of global memory by the async proxy: %v is the address of shared memory.
const (
	proxyBegin = `.reg .pred %w; mov.u32 %v, s; setp.ne.u32 %p, %t, 0;
@!%p mbarrier.init.shared.b64 [%v], 1;
@!%p fence.mbarrier_init.release.cluster;
@!%p st.shared.b32 [%v+16], 5; @!%p st.shared.b32 [%v+20], 5; @!%p st.shared.b32 [%v+24], 5; @!%p st.shared.b32 [%v+28], 5;
@!%p fence.proxy.async.shared::cta;
bar.sync 0;
`
	proxyLoad = `mbarrier.arrive.expect_tx.shared.b64 _, [%v], 16;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%v+32], [%d], 16, [%v];
AGAIN: mbarrier.try_wait.parity.shared.b64 %w, [%v], 0;
@!%w bra AGAIN;
`
	proxyStore = `cp.async.bulk.global.shared::cta.bulk_group [%d], [%v+16], 16;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
`
	genericWrite  = "st.global.b32 [%d+8], 7;\n"
	toFirst       = "setp.eq.u32 %p, %t, 0; @!%p bra END;\n"
	toOther       = "setp.eq.u32 %p, %t, 32; @!%p bra END;\n"
	byFirst       = "setp.eq.u32 %p, %t, 0; @%p "
	fenceGlobal   = "fence.proxy.async.global;\n"
	fenceAll      = "fence.proxy.async;\n"
	fenceShared   = "fence.proxy.async.shared::cta;\n"
	noProxyRead   = "the async proxy reads it, and there is no fence.proxy.async between them"
	noProxyWrite  = "the async proxy writes it, and there is no fence.proxy.async between them"
	writtenByZero = "by thread (0,0,0)"
)

// TestProxyOfGlobalMemory: what threads have written to global memory, bulk copies of the same launch read, and write over, only behind a
// fence.proxy.async for global memory, of the writer or of whoever learns of the write.
func TestProxyOfGlobalMemory(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no fence", toFirst + genericWrite + proxyLoad, noProxyRead},
		{"a fence", toFirst + genericWrite + fenceAll + proxyLoad, ""},
		{"a fence of global memory", toFirst + genericWrite + fenceGlobal + proxyLoad, ""},
		{"a fence of shared memory", toFirst + genericWrite + fenceShared + proxyLoad, noProxyRead},
		{"a fence of another kind", toFirst + genericWrite + "fence.acq_rel.sys;\n" + proxyLoad, noProxyRead},
		{"a fence in front", toFirst + fenceAll + genericWrite + proxyLoad, noProxyRead},
		{"a fence behind", toFirst + genericWrite + proxyLoad + fenceAll, noProxyRead},
		{"bytes beside", toFirst + "st.global.b32 [%d+16], 7;\n" + proxyLoad, ""},
		{"a read", toFirst + "ld.global.b32 %r, [%d];\n" + proxyStore, ""},
		{"a write before a copy there", toFirst + genericWrite + proxyStore, noProxyWrite},
		{"a write and a fence before a copy there", toFirst + genericWrite + fenceGlobal + proxyStore, ""},
		{"copies there and back", toFirst + proxyStore + proxyLoad, ""},
		{"a copy, and a read behind it", toFirst + proxyStore + "ld.global.b32 %r, [%d];\n", ""},
		{"a copy, a write and a copy", toFirst + proxyStore + genericWrite + proxyLoad, noProxyRead},
		{"an atomic operation", toFirst + "red.global.add.u32 [%d], 1;\n" + proxyLoad, noProxyRead},

		{"no fence, two warps", byFirst + genericWrite + "bar.sync 0;\n" + toOther + proxyLoad, writtenByZero + " at -: " + noProxyRead},
		{"a fence of the writer", byFirst + genericWrite + "@%p " + fenceAll + "bar.sync 0;\n" + toOther + proxyLoad, ""},
		{"a fence of the reader", byFirst + genericWrite + "bar.sync 0;\n" + toOther + fenceGlobal + proxyLoad, ""},
		{"a fence of others", byFirst + genericWrite + "@!%p " + fenceAll + "bar.sync 0;\n" + toOther + proxyLoad, noProxyRead},
		{"a fence of the writer behind the barrier", byFirst + genericWrite + "bar.sync 0;\n@%p " + fenceAll + toOther + proxyLoad, noProxyRead},
		{"a copy by the writer's warp, a load by the other", "setp.eq.u32 %p, %t, 0; @!%p bra MEET;\n" + proxyStore + "MEET: bar.sync 0;\n" + toOther + proxyLoad, ""},
		{"no order either", byFirst + genericWrite + toOther + proxyLoad, "nothing orders them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expectRace(t, runRaces(t, 1, "", proxyBegin+c.body), c.want)
		})
	}
}

// TestProxyAmongBlocks: a fence belongs between a write of one block and a bulk copy of another one, where the flag hands the write on.
func TestProxyAmongBlocks(t *testing.T) {
	const set, get = "st.release.gpu.global.b32 [%f], 1;\n", "ld.acquire.gpu.global.b32 %r, [%f];"
	const setRelaxed, getRelaxed = "st.relaxed.gpu.global.b32 [%f], 1;\n", "ld.relaxed.gpu.global.b32 %r, [%f];"
	const ordered = "fence.acq_rel.gpu;\n"
	for _, cluster := range []string{"", pair} {
		for _, c := range []struct{ name, before, set, get, after, want string }{
			{"no fence", "", set, get, "", noProxyRead},
			{"a fence of the writer", fenceAll, set, get, "", ""},
			{"a fence of the reader", "", set, get, fenceAll, ""},
			{"fences of global memory", "", set, get, fenceGlobal, ""},
			{"a fence of shared memory", fenceShared, set, get, fenceShared, noProxyRead},
			{"a fence behind the flag", "", set + fenceAll, get, "", noProxyRead},
			{"a fence before the wait", "", set, fenceAll + get, "", noProxyRead},
			{"fences of both kinds", fenceAll + ordered, setRelaxed, getRelaxed, ordered, ""},
			{"fences of both kinds, of the reader", ordered, setRelaxed, getRelaxed, ordered + fenceAll, ""},
			{"none of the proxy", ordered, setRelaxed, getRelaxed, ordered, noProxyRead},
		} {
			t.Run(c.name+" "+strings.TrimSpace(cluster), func(t *testing.T) {
				body := proxyBegin + ofBlocks + `
@!%p bra READ;
` + genericWrite + c.before + c.set + `bra END;
READ:
@!%q bra END;
WAIT:
` + c.get + `
setp.eq.u32 %p, %r, 0;
@%p bra WAIT;
` + c.after + proxyLoad
				err := runRaces(t, 2, cluster, body)
				if expectRace(t, err, c.want); c.want != "" {
					expectRace(t, err, "write by block (0,0,0)")
				}
			})
		}
	}
}

// expectRace wants a race at the word that the tests of the async proxy write, or none.
func expectRace(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "":
		must(t, err)
	case err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "data race in global memory at byte "):
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestProxyOfTensors: boxes are copied by the async proxy, too.
func TestProxyOfTensors(t *testing.T) {
	m := &emu.TensorMap{Type: "s32", Rank: 2, Addr: start, Dims: [5]uint64{8, 8}, Strides: [5]uint64{0, 32}, Box: [5]uint32{4, 4}}
	raw, err := m.Encode()
	must(t, err)
	const load, store = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
	const add = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group"
	for _, op := range []string{load, store, add} {
		for _, c := range []struct {
			fence string
			at    int64 // of the word that is written: the box has rows 2 to 5 and columns 4 to 7
			want  bool
		}{{"", 4 * (8*2 + 4), true}, {"", 4 * (8*5 + 7), true}, {"", 4 * (8*2 + 3), false}, {"fence.proxy.async.global", 4 * (8*2 + 4), false},
			{"fence.proxy.async", 4 * (8*5 + 7), false}, {"fence.proxy.async.shared::cta", 4 * (8*2 + 4), true}} {
			b, i, bar := bulkKernel(1, 64)
			b.Params = append(b.Params, simt.Param{Name: "map", Type: "b8", Bytes: 128, Align: 64})
			data := b.Value(simt.B32, "add.u32", bar, simt.I(128)).Reg
			b.Emit("st.shared.v4.b32", nil, simt.At(b.Value(simt.B32, "mad.lo.u32", i, simt.I(16), simt.R(data)).Reg, 0), simt.V(i, i, i, i))
			b.Emit("fence.proxy.async.shared::cta", nil)
			b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
			only(b, i, 0, func() {
				b.Emit("st.global.b32", nil, simt.At(param(b, 0), c.at), i)
				if c.fence != "" {
					b.Emit(c.fence, nil)
				}
				line(b, 30)
				at := simt.V(mov(b, 4), mov(b, 2))
				if op == load {
					b.Emit(op, nil, simt.At(data, 0), tensorMap(b, "map"), at, simt.At(bar.Reg, 0))
					tryWait(b, bar, simt.I(0))
					return
				}
				b.Emit(op, nil, tensorMap(b, "map"), at, simt.At(data, 0))
				b.Emit("cp.async.bulk.commit_group", nil)
				b.Emit("cp.async.bulk.wait_group", nil, simt.I(0))
			})
			err := launch(b, emu.Launch{Shared: 1024, Args: []uint64{start, 0}, Bytes: map[int][]byte{1: raw}, Races: true}, make([]byte, 256))
			if !c.want {
				must(t, err)
				continue
			}
			wantError(t, err, 30, "fence.proxy.async between them", "at byte", "k.go:1:1")
		}
	}
}
