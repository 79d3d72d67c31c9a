package emu_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// runRaces runs a kernel of PTX by blocks of 64 threads and looks for races: %d is the address of data, %f of a flag that begins
// with 0, %t the thread's number, %b the block's.
func runRaces(t *testing.T, blocks int, cluster, body string) error {
	t.Helper()
	text := ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 data, .param .u64 flag)\n.reqntid 64, 1, 1\n" + cluster + `{
.reg .pred %p, %q; .reg .b32 %t, %b, %r, %v; .reg .b64 %d, %f, %e;
.shared .align 16 .b8 s[256];
ld.param.u64 %d, [data]; ld.param.u64 %f, [flag]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;
` + body + "\nEND:\nret;\n}\n"
	m, err := ptx.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: "k", Grid: [3]int{blocks, 1, 1}, Shared: 256, Args: addrs(2), Memory: &emu.Memory{}, Races: true, Workers: 1}
	l.Memory.Map(l.Args[0], make([]byte, 1024), "data", false)
	l.Memory.Map(l.Args[1], make([]byte, 64), "flag", false)
	return p.Run(context.Background(), l)
}

// message hands a word from one thread to another: the writer stores it, does something and sets a flag; the reader waits for the
// flag, does something and reads the word. Who they are the predicates %p and %q say.
func message(who, before, set, get, after string) string {
	return who + `
@!%p bra READ;
st.global.b32 [%d], 7;
` + before + `
` + set + `
bra END;
READ:
@!%q bra END;
WAIT:
` + get + `
setp.eq.u32 %p, %r, 0;
@%p bra WAIT;
` + after + `
ld.global.b32 %v, [%d];`
}

const (
	ofBlocks = "mad.lo.u32 %r, %b, 64, %t; setp.eq.u32 %p, %r, 0; setp.eq.u32 %q, %r, 64;" // thread 0 of two blocks
	ofWarps  = "mad.lo.u32 %r, %b, 64, %t; setp.eq.u32 %p, %r, 0; setp.eq.u32 %q, %r, 32;" // of two warps
	pair     = ".reqnctapercluster 2, 1, 1\n"
)

// TestRacesOfMessages: a flag hands on what was written before only with fences, or releases and acquires, on both sides, in the
// right place, of a scope that has both threads.
func TestRacesOfMessages(t *testing.T) {
	relaxed := func(scope string) (set, get string) {
		return "st.relaxed." + scope + ".global.b32 [%f], 1;", "ld.relaxed." + scope + ".global.b32 %r, [%f];"
	}
	ordered := func(scope string) (set, get string) {
		return "st.release." + scope + ".global.b32 [%f], 1;", "ld.acquire." + scope + ".global.b32 %r, [%f];"
	}
	setGPU, getGPU := relaxed("gpu")
	setCTA, getCTA := relaxed("cta")
	setCluster, getCluster := relaxed("cluster")
	release, acquire := ordered("gpu")
	releaseCTA, acquireCTA := ordered("cta")
	releaseCluster, acquireCluster := ordered("cluster")
	for _, c := range []struct {
		name, who, cluster, before, set, get, after string
		race                                        string // where: "" for nowhere
	}{
		{"fences", ofBlocks, "", "fence.acq_rel.gpu;", setGPU, getGPU, "fence.acq_rel.gpu;", ""},
		{"fences of the system", ofBlocks, "", "fence.sc.sys;", setGPU, getGPU, "fence.sc.sys;", ""},
		{"old fences", ofBlocks, "", "membar.gl;", setGPU, getGPU, "membar.gl;", ""},
		{"volatile", ofBlocks, "", "membar.gl;", "st.volatile.global.b32 [%f], 1;", "ld.volatile.global.b32 %r, [%f];", "membar.gl;", ""},
		{"an atomic operation", ofBlocks, "", "membar.gl;", "red.global.add.u32 [%f], 1;", "atom.global.or.b32 %r, [%f], 0;", "membar.gl;", ""},
		{"no fence of the writer", ofBlocks, "", "", setGPU, getGPU, "fence.acq_rel.gpu;", "data"},
		{"no fence of the reader", ofBlocks, "", "fence.acq_rel.gpu;", setGPU, getGPU, "", "data"},
		{"a fence of the writer's block", ofBlocks, "", "fence.acq_rel.cta;", setGPU, getGPU, "fence.acq_rel.gpu;", "data"},
		{"a fence of the reader's block", ofBlocks, "", "fence.acq_rel.gpu;", setGPU, getGPU, "fence.acq_rel.cta;", "data"},
		{"an old fence of the block", ofBlocks, "", "membar.cta;", setGPU, getGPU, "membar.gl;", "data"},
		{"a fence behind the flag", ofBlocks, "", "", setGPU + "fence.acq_rel.gpu;", getGPU, "fence.acq_rel.gpu;", "data"},
		{"a fence before the wait", ofBlocks + " fence.acq_rel.gpu;", "", "fence.acq_rel.gpu;", setGPU, getGPU, "", "data"},
		{"a flag of a block", ofBlocks, "", "fence.acq_rel.gpu;", setCTA, getCTA, "fence.acq_rel.gpu;", "flag"},
		{"release and acquire", ofBlocks, "", "", release, acquire, "", ""},
		{"release and a fence", ofBlocks, "", "", release, getGPU, "fence.acq_rel.gpu;", ""},
		{"a fence and acquire", ofBlocks, "", "fence.acq_rel.gpu;", setGPU, acquire, "", ""},
		{"release, relaxed", ofBlocks, "", "", release, getGPU, "", "data"},
		{"release and acquire of a block", ofBlocks, "", "", releaseCTA, acquireCTA, "", "flag"},
		{"release of a block, acquire of the GPU", ofBlocks, "", "", releaseCTA, acquire, "", "flag"},
		{"release and acquire of a cluster, of two", ofBlocks, "", "", releaseCluster, acquireCluster, "", "flag"},
		{"fences of a cluster, of two", ofBlocks, "", "fence.acq_rel.cluster;", setGPU, getGPU, "fence.acq_rel.cluster;", "data"},

		{"fences, in a cluster", ofBlocks, pair, "fence.acq_rel.gpu;", setGPU, getGPU, "fence.acq_rel.gpu;", ""},
		{"fences of a cluster, in one", ofBlocks, pair, "fence.acq_rel.cluster;", setCluster, getCluster, "fence.acq_rel.cluster;", ""},
		{"release and acquire of a cluster, in one", ofBlocks, pair, "", releaseCluster, acquireCluster, "", ""},
		{"release and acquire of a block, in a cluster", ofBlocks, pair, "", releaseCTA, acquireCTA, "", "flag"},
		{"fences of a block, in a cluster", ofBlocks, pair, "fence.acq_rel.cta;", setCluster, getCluster, "fence.acq_rel.cta;", "data"},
		{"a relaxed flag, in a cluster", ofBlocks, pair, "", setCluster, getCluster, "", "data"},

		{"fences, in a block", ofWarps, "", "fence.acq_rel.cta;", setCTA, getCTA, "fence.acq_rel.cta;", ""},
		{"fences of the GPU, in a block", ofWarps, "", "membar.gl;", setCTA, getCTA, "membar.gl;", ""},
		{"release and acquire, in a block", ofWarps, "", "", releaseCTA, acquireCTA, "", ""},
		{"no fence of the writer, in a block", ofWarps, "", "", setGPU, getGPU, "fence.acq_rel.cta;", "data"},
		{"no fence of the reader, in a block", ofWarps, "", "fence.acq_rel.cta;", setGPU, getGPU, "", "data"},
		{"plain flags", ofWarps, "", "fence.acq_rel.gpu;", "st.global.b32 [%f], 1;", "ld.global.b32 %r, [%f];", "fence.acq_rel.gpu;", "flag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			blocks := 2
			err := runRaces(t, blocks, c.cluster, message(c.who, c.before, c.set, c.get, c.after))
			switch {
			case c.race == "":
				must(t, err)
			case err == nil || !strings.Contains(err.Error(), "data race in global memory at byte 0 of "+c.race):
				t.Errorf("got %v, want a race at %s", err, c.race)
			}
		})
	}
}

// TestRacesOfLanes: a fence is one of its thread; what others did comes before it where a barrier says so.
func TestRacesOfLanes(t *testing.T) {
	body := func(between string) string {
		return `setp.ne.u32 %p, %b, 0;
@%p bra READ;
setp.ge.u32 %p, %t, 32;
@%p bra END;
setp.eq.u32 %p, %t, 1;
@%p st.global.b32 [%d], 7;
` + between + `
fence.acq_rel.gpu;
setp.eq.u32 %p, %t, 0;
@%p st.relaxed.gpu.global.b32 [%f], 1;
bra END;
READ:
setp.ne.u32 %p, %t, 0;
@%p bra END;
WAIT:
ld.relaxed.gpu.global.b32 %r, [%f];
setp.eq.u32 %p, %r, 0;
@%p bra WAIT;
fence.acq_rel.gpu;
ld.global.b32 %v, [%d];`
	}
	must(t, runRaces(t, 2, pair, body("bar.warp.sync 0xffffffff;")))
	if err := runRaces(t, 2, pair, body("")); err == nil || !strings.Contains(err.Error(), "data race in global memory at byte 0 of data") {
		t.Errorf("got %v", err)
	}
}

// TestRacesOfGlobalStores: what threads store at one place.
func TestRacesOfGlobalStores(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
	}{
		{"one value by lanes of an instruction", "setp.ge.u32 %p, %t, 32; @%p bra END; st.global.b32 [%d], 7;", ""},
		{"different values by lanes of an instruction", "setp.ge.u32 %p, %t, 32; @%p bra END; st.global.b32 [%d], %t;",
			"lanes of one st.global.b32 write different values to the same address"},
		{"different values by two warps", "st.global.b32 [%d], %b;", "this write, and the write by thread (0,0,0)"},
		{"two instructions of a warp", `setp.eq.u32 %p, %t, 0; @%p st.global.b32 [%d], 1; setp.eq.u32 %p, %t, 1; @%p st.global.b32 [%d], 2;`,
			"this write, and the write by thread (0,0,0)"},
		{"two instructions of a warp, in order", `setp.eq.u32 %p, %t, 0; @%p st.global.b32 [%d], 1; bar.sync 0;
setp.eq.u32 %p, %t, 1; @%p st.global.b32 [%d], 2;`, ""},
		{"a load without a barrier", `mad.wide.u32 %e, %t, 4, %d; st.global.b32 [%e], %t; xor.b32 %r, %t, 32; mad.wide.u32 %e, %r, 4, %d;
ld.global.b32 %v, [%e];`, "data race in global memory at byte "},
		{"a load behind a barrier", `mad.wide.u32 %e, %t, 4, %d; st.global.b32 [%e], %t; bar.sync 0; xor.b32 %r, %t, 32; mad.wide.u32 %e, %r, 4, %d;
ld.global.b32 %v, [%e];`, ""},
		{"a load of a read-only cache", `mad.wide.u32 %e, %t, 4, %d; st.global.b32 [%e], %t; xor.b32 %r, %t, 32; mad.wide.u32 %e, %r, 4, %d;
ld.global.nc.b32 %v, [%e];`, "data race in global memory at byte "},
		{"a generic address", `mad.wide.u32 %e, %t, 4, %d; st.b32 [%e], %t; xor.b32 %r, %t, 32; mad.wide.u32 %e, %r, 4, %d; ld.b32 %v, [%e];`,
			"data race in global memory at byte "},
		{"a copy that reads", `mad.wide.u32 %e, %t, 4, %d; st.global.b32 [%e], %t; mov.u32 %v, s; mad.lo.u32 %v, %t, 4, %v; xor.b32 %r, %t, 32;
mad.wide.u32 %e, %r, 4, %d; cp.async.ca.shared.global [%v], [%e], 4; cp.async.wait_all;`, "data race in global memory at byte "},
		{"an atomic operation and a store", "setp.eq.u32 %p, %t, 0; @%p st.global.b32 [%d], 1; @!%p red.relaxed.gpu.global.add.u32 [%d], 1;",
			"data race in global memory at byte 0 of data"},
		{"bytes beside each other", "cvt.u64.u32 %e, %t; add.u64 %e, %d, %e; st.global.b8 [%e], %t;", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := runRaces(t, 1, "", c.body)
			switch {
			case c.want == "":
				must(t, err)
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestRacesOfTensors: boxes of a tensor that two blocks store, add to and load.
func TestRacesOfTensors(t *testing.T) {
	const store, add, load = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group", "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group",
		"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
	for _, c := range []struct {
		name   string
		op     [2]string // of the blocks
		second int64     // where the box of the second block begins
		race   bool
	}{
		{"boxes beside each other", [2]string{store, store}, 16, false},
		{"boxes that overlap", [2]string{store, store}, 12, true},
		{"sums", [2]string{add, add}, 0, false},
		{"a sum and a store", [2]string{add, store}, 0, true},
		{"a load and a store", [2]string{load, store}, 8, true},
		{"a store and a load", [2]string{store, load}, 8, true},
		{"two loads", [2]string{load, load}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &emu.TensorMap{Type: "s32", Rank: 1, Addr: start, Dims: [5]uint64{32}, Box: [5]uint32{16}}
			raw, err := m.Encode()
			must(t, err)
			b, i, bar := bulkKernel(1, 64)
			b.Params = append(b.Params, simt.Param{Name: "map", Type: "b8", Bytes: 128, Align: 64})
			data := b.Value(simt.B32, "add.u32", bar, simt.I(128)).Reg
			b.Emit("st.shared.v4.b32", nil, simt.At(b.Value(simt.B32, "mad.lo.u32", i, simt.I(16), simt.R(data)).Reg, 0), simt.V(i, i, i, i))
			b.Emit("fence.proxy.async.shared::cta", nil)
			b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
			block := b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x"))
			only(b, i, 0, func() {
				for n, op := range c.op {
					only(b, block, int64(n), func() {
						at := simt.V(mov(b, int64(n)*c.second))
						if op == load {
							b.Emit(op, nil, simt.At(data, 0), tensorMap(b, "map"), at, simt.At(bar.Reg, 0))
							tryWait(b, bar, simt.I(0))
							return
						}
						b.Emit(op, nil, tensorMap(b, "map"), at, simt.At(data, 0))
						b.Emit("cp.async.bulk.commit_group", nil)
						b.Emit("cp.async.bulk.wait_group", nil, simt.I(0))
					})
				}
			})
			b.Emit("exit", nil)
			l := emu.Launch{Grid: [3]int{2, 1, 1}, Shared: 1024, Args: []uint64{start, 0}, Bytes: map[int][]byte{1: raw}, Races: true, Workers: 1}
			err = launch(b, l, make([]byte, 128))
			if raced := err != nil && strings.Contains(err.Error(), "data race in global memory at byte "); raced != c.race || err != nil && !raced {
				t.Errorf("race %v, want %v: %v", raced, c.race, err)
			}
		})
	}
}
