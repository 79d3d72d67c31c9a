package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// text reads a kernel from PTX, which has a buffer's address in %out, registers of each class, the thread in %t and 1024 bytes
// of shared memory.
func text(t *testing.T, block, directives, body string) *simt.Module {
	t.Helper()
	m, err := ptx.Read([]byte(".version 8.6\n.target sm_100a\n.entry k(.param .u64 out, .param .u64 in) .reqntid " + block + directives + `
{
.reg .b32 %r<8>, %t; .reg .b64 %d<4>, %out, %in; .reg .pred %p, %q; .reg .b16 %h<4>; .shared .align 1024 .b8 s[1024]; .local .b32 l;
ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
` + body + "\nret;\n}\n"))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return m
}

func runText(m *simt.Module, l emu.Launch, out []byte) error {
	p, err := emu.Load(m)
	if err != nil {
		return err
	}
	const at, input = 0x10000000, 0x20000000
	l.Kernel, l.Memory, l.Args = "k", &emu.Memory{}, []uint64{at, input}
	l.Memory.Map(at, out, "out", false)
	l.Memory.Map(input, make([]byte, 1024), "in", true)
	l.Shared = max(l.Shared, m.Kernels[0].Shared)
	if l.Grid == [3]int{} {
		l.Grid = [3]int{1, 1, 1}
	}
	return p.Run(context.Background(), l)
}

// TestFaults: what a kernel does wrong ends it with the reason.
func TestFaults(t *testing.T) {
	const init = "@%p mbarrier.init.shared.b64 [s], 1; bar.sync 0;\n"
	for _, c := range []struct{ block, body, want string }{
		{"32", "bar.sync %t;", "lanes of one warp name different barriers or numbers of threads"}, {"32", "bar.sync 0, 48;", "48 threads are not a multiple of 32"},
		{"32", "bar.sync 16;", "there is no barrier 16: only 0 to 15"}, {"32", "bar.sync 15;", ""},
		{"64", "shr.u32 %r0, %t, 5; add.u32 %r0, %r0, 1; shl.b32 %r0, %r0, 5; add.u32 %r0, %r0, 32; bar.sync 1, %r0;", "barrier 1 waits for"},
		{"64", "@%p bra L; L: barrier.arrive 1, 64; barrier.arrive 1, 64; barrier.arrive 1, 32;", ""},
		{"64", "bar.sync 1, 96;", "barrier 1, at which 64 of 96 threads have arrived"},
		{"32", "@%p mbarrier.init.shared.b64 [s], 0;", "an mbarrier waits for 1 to 1048575 arrivals, not 0"}, {"32", "mov.u32 %r0, 1048576; @%p mbarrier.init.shared.b64 [s], %r0;", "an mbarrier waits for 1 to 1048575 arrivals, not 1048576"},
		{"32", "@%p mbarrier.init.shared.b64 [s+4], 1;", "the address 0x4 of an mbarrier is not a multiple of 8"}, {"32", "@%p mbarrier.init.shared.b64 [s+1024], 1;", "outside of shared memory, which has 1024 bytes"},
		{"32", "@%p mbarrier.init.b64 [%out], 1;", "an mbarrier lies in shared memory, not at 0x10000000"}, {"32", "@%p mbarrier.arrive.shared.b64 %d0, [s];", "there is no mbarrier at 0x0: mbarrier.init makes one"},
		{"32", init + "@%p mbarrier.inval.shared.b64 [s];", ""}, {"32", init + "@%p mbarrier.inval.shared.b64 [s]; @%p mbarrier.arrive.shared.b64 %d0, [s];", "there is no mbarrier at 0x0"},
		{"32", "mov.u32 %r0, 5; cp.async.ca.shared.global [s], [%in], 4, %r0;", "5 bytes are to be read for a copy of 4 bytes"}, {"32", "mov.u32 %r0, 3; cp.async.ca.shared.global [s], [%in], 4, %r0; cp.async.wait_all;", ""},
		{"32", "cp.async.ca.shared.global [s+2], [%in], 4;", "not multiples of 4"}, {"32", "cp.async.ca.shared.global [s], [%in+2], 4;", "not multiples of 4"}, {"32", "cp.async.cg.shared.global [s], [%in+1024], 16;", "outside of every buffer"},
		{"32", "cp.async.ca.shared.global [s+1024], [%in], 4;", "outside of shared memory"},
		{"32", "ld.param.u32 %r0, [out+16];", "outside of the parameters"}, {"32", "ld.local.u32 %r0, [l+4];", "outside of local memory, which has 4 bytes"}, {"32", "ld.local.u32 %r0, [l];", ""},
		{"32", "st.shared.u32 [s+1020], %t;", ""}, {"32", "st.shared.u32 [s+1021], %t;", "not a multiple of 4"}, {"32", "st.shared.u32 [s+1024], %t;", "st.shared.u32 of 4 bytes at 0x400: outside of shared memory, which has 1024 bytes"},
		{"32", "mov.u32 %r1, 16777216; ld.shared.u32 %r0, [%r1];", "outside of shared memory, which has 1024 bytes"}, {"32", "st.global.u32 [%in], %t;", "in may only be read"},
		{"32", "ld.global.u32 %r0, [%out+256];", "outside of every buffer; the nearest is out, 256 bytes at 0x10000000: 0 bytes after its end"}, {"32", "ld.global.u32 %r0, [%out-12];", "outside of every buffer; the nearest is out, 256 bytes at 0x10000000: 12 bytes before it"},
		{"32", "div.u32 %r0, %t, %t;", "div.u32: division by zero"}, {"32", "rem.s32 %r0, 5, %t;", "rem.s32: division by zero"}, {"32", "add.u32 %r0, %t, 1; div.u32 %r0, %t, %r0;", ""},
		{"32", "cvta.shared.u64 %d0, 0; red.add.v2.f32 [%d0], {%r0, %r1};", "elements side by side are changed in global memory alone"},
		{"32", "red.add.v2.f32 [%out+4], {%r0, %r1};", "not a multiple of 8"}, {"32", "red.add.v2.f32 [%out+256], {%r0, %r1};", "outside of every buffer"},
		{"32", "trap;", "trap"}, {"32", "@%p bra E; bar.sync 1, 64; E:", "deadlock: no thread can go on"},
		{"16", "mov.u32 %r0, 0xffff; shfl.sync.idx.b32 %r0, %t, 0, 31, %r0;", ""}, {"32", "setp.lt.u32 %q, %t, 16; @%q exit; bar.warp.sync 0xffffffff;", ""},
		{"16", "bar.warp.sync 0xffffffff;", ""}, {"32", "mov.u32 %r0, 1; shfl.sync.idx.b32 %r0, %t, 0, 31, %r0;", "lane 1 is not in the mask 0x00000001 that it names"},
	} {
		err := runText(text(t, c.block, "", c.body), emu.Launch{}, make([]byte, 256))
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

// TestEverySpecialRegister: what each of them holds, in a grid of clusters.
func TestEverySpecialRegister(t *testing.T) {
	grid, block, cluster := [3]int{4, 2, 3}, [3]int{8, 4, 2}, [3]int{2, 1, 3}
	axes := "xyz"
	want := map[string]func(b, th [3]int) int{}
	for i := range 3 {
		axis := "." + axes[i:i+1]
		want["%tid"+axis] = func(_, th [3]int) int { return th[i] }
		want["%ntid"+axis] = func(_, _ [3]int) int { return block[i] }
		want["%ctaid"+axis] = func(b, _ [3]int) int { return b[i] }
		want["%nctaid"+axis] = func(_, _ [3]int) int { return grid[i] }
		want["%clusterid"+axis] = func(b, _ [3]int) int { return b[i] / cluster[i] }
		want["%nclusterid"+axis] = func(_, _ [3]int) int { return grid[i] / cluster[i] }
		want["%cluster_ctaid"+axis] = func(b, _ [3]int) int { return b[i] % cluster[i] }
		want["%cluster_nctaid"+axis] = func(_, _ [3]int) int { return cluster[i] }
	}
	linear := func(th [3]int) int { return th[0] + block[0]*(th[1]+block[1]*th[2]) }
	lane := func(th [3]int) int { return linear(th) % 32 }
	want["%laneid"] = func(_, th [3]int) int { return lane(th) }
	want["%warpid"] = func(_, th [3]int) int { return linear(th) / 32 }
	want["%lanemask_eq"] = func(_, th [3]int) int { return 1 << lane(th) }
	want["%lanemask_lt"] = func(_, th [3]int) int { return 1<<lane(th) - 1 }
	want["%lanemask_le"] = func(_, th [3]int) int { return 2<<lane(th) - 1 }
	want["%lanemask_gt"] = func(_, th [3]int) int { return 1<<32 - 2<<lane(th) }
	want["%lanemask_ge"] = func(_, th [3]int) int { return 1<<32 - 1<<lane(th) }
	want["%cluster_ctarank"] = func(b, _ [3]int) int {
		return b[0]%cluster[0] + cluster[0]*(b[1]%cluster[1]+cluster[1]*(b[2]%cluster[2]))
	}
	want["%cluster_nctarank"] = func(_, _ [3]int) int { return 6 }
	want["%total_smem_size"] = func(_, _ [3]int) int { return 1024 }
	want["%dynamic_smem_size"] = func(_, _ [3]int) int { return 1024 } // all of it is
	want["%smid"], want["%gridid"] = func(_, _ [3]int) int { return 0 }, func(_, _ [3]int) int { return 0 }
	want["%envreg1"], want["%envreg2"] = want["%gridid"], want["%gridid"] // in a launch that is not cooperative
	want["%nsmid"], want["%nwarpid"] = func(_, _ [3]int) int { return 1 }, func(_, _ [3]int) int { return 64 }
	for _, name := range simt.Specials() {
		if want[name] == nil && !strings.HasPrefix(name, "%clock") && name != "%globaltimer" {
			t.Errorf("%s is not tested", name)
		}
	}
	for name, of := range want {
		load := "mov.u32 %r7, " + name + ";"
		if name == "%gridid" {
			load = "mov.u64 %d0, %gridid; cvt.u32.u64 %r7, %d0;"
		}
		m := text(t, "8, 4, 2", " .reqnctapercluster 2, 1, 3", load+`
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mad.lo.u32 %r0, %r1, 4, %r0; mov.u32 %r1, %ctaid.z; mad.lo.u32 %r0, %r1, 8, %r0;
mov.u32 %r1, %tid.y; mad.lo.u32 %r2, %r1, 8, %t; mov.u32 %r1, %tid.z; mad.lo.u32 %r2, %r1, 32, %r2;
mad.lo.u32 %r0, %r0, 64, %r2; mad.wide.u32 %d1, %r0, 4, %out; st.global.u32 [%d1], %r7;`)
		out := make([]byte, 4*24*64)
		if err := runText(m, emu.Launch{Grid: grid}, out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 24 * 64 {
			b, th := i/64, i%64
			at, who := [3]int{b % 4, b / 4 % 2, b / 8}, [3]int{th % 8, th / 8 % 4, th / 32}
			if got, want := int(binary.LittleEndian.Uint32(out[4*i:])), of(at, who); got != want {
				t.Errorf("%s of block %v, thread %v: %d, want %d", name, at, who, got, want)
				break
			}
		}
	}
}

// TestWorkspace: a cooperative launch has a workspace for grid.sync() beside its memory, which says how large it is.
func TestWorkspace(t *testing.T) {
	m := text(t, "1", "", `mov.u32 %r0, %envreg1; mov.u32 %r1, %envreg2; cvt.u64.u32 %d0, %r0; shl.b64 %d0, %d0, 32; cvt.u64.u32 %d1, %r1; or.b64 %d0, %d0, %d1;
ld.u32 %r2, [%d0]; ld.volatile.u32 %r7, [%d0+4]; st.global.u64 [%out], %d0; st.global.u32 [%out+8], %r2; st.global.u32 [%out+12], %r7;`)
	p, err := emu.Load(m)
	must(t, err)
	for _, at := range [][]uint64{{4096, 8192, 12288}, {64, 3 << 12, 1 << 33}, {4080, 1 << 20, 1 << 34}} {
		l := emu.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Memory: &emu.Memory{}, Args: []uint64{at[1], 0}, Cooperative: true}
		out := make([]byte, 4096)
		for _, addr := range at {
			data := make([]byte, 4096)
			if addr == at[1] {
				data = out
			}
			l.Memory.Map(addr, data, "memory", false)
		}
		for range 2 { // which the first launch does not change
			must(t, p.Run(t.Context(), l))
		}
		got := binary.LittleEndian.Uint64(out)
		for _, addr := range at {
			if got+8 > addr && got < addr+4096 {
				t.Errorf("the workspace at %#x lies in memory at %#x", got, addr)
			}
		}
		if word(out, 2) != 8 || word(out, 3) != 0 {
			t.Errorf("the workspace is %d, %d", word(out, 2), word(out, 3))
		}
	}
}

// TestClocks: the counters rise, and their halves are those of the whole.
func TestClocks(t *testing.T) {
	out := make([]byte, 256)
	if err := runText(text(t, "32", "", `mov.u32 %r0, %clock; mov.u32 %r1, %clock; mov.u32 %r2, %clock_hi; mov.u64 %d0, %clock64; mov.u64 %d1, %globaltimer;
st.global.u32 [%out], %r0; st.global.u32 [%out+4], %r1; st.global.u32 [%out+8], %r2; st.global.u64 [%out+24], %d0; st.global.u64 [%out+32], %d1;`), emu.Launch{}, out); err != nil {
		t.Fatal(err)
	}
	w := func(i int) uint32 { return word(out, i) }
	if w(0) == 0 || w(0) >= w(1) || w(1) >= w(6) || w(6) >= w(8) || w(2) != 0 || w(7) != 0 || w(9) != 0 {
		t.Errorf("%d, then %d, %d and %d; the upper halves are %d, %d and %d", w(0), w(1), w(6), w(8), w(2), w(7), w(9))
	}
}

// TestLaunchRefusals: launches that no GPU takes.
func TestLaunchRefusals(t *testing.T) {
	for _, c := range []struct {
		block, directives string
		l                 emu.Launch
		want              string
	}{
		{"1024", "", emu.Launch{}, ""}, {"1025", "", emu.Launch{}, "kernel k: a block has 1 to 1024 threads, not [1025 1 1]"}, {"32, 32, 2", "", emu.Launch{}, "a block has 1 to 1024 threads"},
		{"32", " .reqnctapercluster 17", emu.Launch{Grid: [3]int{17, 1, 1}}, "a cluster has 1 to 16 blocks, not [17 1 1]"}, {"32", " .reqnctapercluster 16", emu.Launch{Grid: [3]int{16, 1, 1}}, ""},
		{"32", " .reqnctapercluster 2", emu.Launch{Grid: [3]int{3, 1, 1}}, "the grid [3 1 1] is not a multiple of the cluster [2 1 1]"}, {"32", " .reqnctapercluster 1, 2", emu.Launch{Grid: [3]int{2, 1, 1}}, "is not a multiple of the cluster"},
		{"32", " .reqnctapercluster 1, 1, 2", emu.Launch{Grid: [3]int{2, 2, 1}}, "is not a multiple of the cluster"}, {"32", "", emu.Launch{Shared: 1 << 20}, ""}, {"32", "", emu.Launch{Shared: 1<<20 + 1}, "kernel k: 1048577 bytes of shared memory"},
	} {
		err := runText(text(t, c.block, c.directives, ""), c.l, make([]byte, 64))
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %q", c.block, c.directives, err, c.want)
		}
	}
	m := text(t, "32", "", "")
	m.Kernels[0].Name = "other"
	if err := runText(m, emu.Launch{}, nil); err == nil || err.Error() != "no kernel k in this module" {
		t.Error(err)
	}
	m = text(t, "32", "", "")
	m.Vars = []*simt.Var{{Name: "v", Space: "global", Bytes: 4, Align: 4}}
	p, err := emu.Load(m)
	must(t, err)
	l := emu.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Shared: 1024, Memory: &emu.Memory{}, Args: []uint64{0, 0}}
	l.Memory.Map(1<<30-8, make([]byte, 16), "mine", false)
	if err := p.Run(context.Background(), l); err == nil || !strings.Contains(err.Error(), "kernel k: mine lies at 0x3ffffff8, where the module's variables are") {
		t.Error(err)
	}
	for want, v := range map[string]*simt.Var{
		"variable v has 2 bytes: too many, or fewer than its values":      {Name: "v", Space: "global", Bytes: 2, Init: make([]byte, 3)},
		"variable v has 0 bytes: too many, or fewer than its values":      {Name: "v", Space: "global"},
		"variable v has the address of w, which is not a variable":        {Name: "v", Space: "global", Bytes: 8, Init: make([]byte, 8), Refs: []simt.Ref{{Name: "w"}}},
		"variable v has the address of v, which is not a variable":        {Name: "v", Space: "global", Bytes: 8, Init: make([]byte, 8), Refs: []simt.Ref{{Name: "v", Offset: 1}}},
		fmt.Sprintf("variable v has %d bytes: too many, or fewer", 4<<30): {Name: "v", Space: "global", Bytes: 4 << 30},
	} {
		if _, err := emu.Load(&simt.Module{Vars: []*simt.Var{v}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestLanesComeBack: lanes that were at an instruction for the whole warp first are joined by those that come to it later by
// another way, from behind it.
func TestLanesComeBack(t *testing.T) {
	for _, c := range []struct {
		op   string
		want func(lane uint32) uint32
	}{
		{"shfl.sync.bfly.b32 %r0, %r1, 31, 31, 0xffffffff;", func(l uint32) uint32 { return (31 - l) * 3 }},
		{"vote.sync.ballot.b32 %r0, %q, 0xffffffff;", func(uint32) uint32 { return 0xffff }},
		{"redux.sync.add.u32 %r0, %r1, 0xffffffff;", func(uint32) uint32 { return 3 * 31 * 16 }},
		{"match.any.sync.b32 %r0, %r2, 0xffffffff;", func(l uint32) uint32 { return 0x11111111 << (l & 3) }},
		{"bar.warp.sync 0xffffffff; mov.u32 %r0, %r1;", func(l uint32) uint32 { return 3 * l }},
		{"bar.sync 0; mov.u32 %r0, %r1;", func(l uint32) uint32 { return 3 * l }},
		{"barrier.sync 0; mov.u32 %r0, %r1;", func(l uint32) uint32 { return 3 * l }},
		{"bar.red.popc.u32 %r0, 0, %q;", func(uint32) uint32 { return 16 }},
	} {
		out := make([]byte, 128)
		err := runText(text(t, "32", "", `mul.lo.u32 %r1, %t, 3; and.b32 %r2, %t, 3; setp.lt.u32 %q, %t, 16; bra S;
L: `+c.op+` mad.wide.u32 %d0, %t, 4, %out; st.global.u32 [%d0], %r0; ret;
S: @%q bra L; setp.lt.u32 %p, %t, 20; @%p bra L; add.u32 %r3, %t, 1; bra L;`), emu.Launch{}, out)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		for l := range uint32(32) {
			if got := word(out, int(l)); got != c.want(l) {
				t.Errorf("%s: lane %d has %#x, want %#x", c.op, l, got, c.want(l))
			}
		}
	}
}

// TestReadsOrderNothing: a thread that only reads a flag gives nothing to those that read it after; one that writes it does.
func TestReadsOrderNothing(t *testing.T) {
	for op, ordered := range map[string]bool{
		"ld.relaxed.gpu.global.u32 %r0, [%out+8];": false, "ld.acquire.gpu.global.u32 %r0, [%out+8];": false, "st.release.gpu.global.u32 [%out+8], 1;": true,
		"atom.acq_rel.gpu.global.add.u32 %r0, [%out+8], 1;": true,
	} {
		m := text(t, "64", "", `setp.eq.u32 %q, %t, 32; @%p st.global.u32 [%out], 1; @%p `+op+`
@!%q bra E; ld.acquire.gpu.global.u32 %r1, [%out+8]; st.global.u32 [%out], 2; E:`)
		err := runText(m, emu.Launch{Races: true, Workers: 1}, make([]byte, 64))
		if (err == nil) != ordered || err != nil && !strings.Contains(err.Error(), "race") {
			t.Errorf("%s: %v, ordered is %t", op, err, ordered)
		}
	}
}

// TestPredicatesOfSomeLanes: an instruction for some lanes leaves the predicates of the others.
func TestPredicatesOfSomeLanes(t *testing.T) {
	for op, want := range map[string]uint32{ // what lanes 0 to 15 find; the others had true
		"setp.eq.u32 %p, %t, 3;": 0xffff0008, "mov.pred %p, 0;": 0xffff0000, "vote.sync.any.pred %p, 0, 0xffff;": 0xffff0000, "isspacep.shared %p, %out;": 0xffff0000,
		"mbarrier.test_wait.parity.shared.b64 %p, [s], 0;": 0xffff0000, "mbarrier.test_wait.parity.shared.b64 %p, [s+8], 0;": 0xffffffff, "mbarrier.try_wait.parity.shared.b64 %p, [s+8], 0;": 0xffffffff,
		"and.b32 %r1, %t, 1; shl.b32 %r1, %r1, 3; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;": 0xffffffff,
		"testp.finite.f32 %p, 0f7f800000;": 0xffff0000, "shfl.sync.up.b32 %r1|%p, %t, 8, 0, 0xffff;": 0xffffff00, "match.all.sync.b32 %r1|%p, %t, 0xffff;": 0xffff0000,
	} {
		m := text(t, "32", "", `@!%p bra N; mbarrier.init.shared.b64 [s], 1; mbarrier.init.shared.b64 [s+8], 1; mbarrier.arrive.shared.b64 %d3, [s+8]; N: bar.sync 0;
setp.lt.u32 %q, %t, 16; setp.eq.u32 %p, 0, 0; @!%q bra M; `+op+` bra L;
M: setp.eq.u32 %q, %t, 31; `+map[bool]string{true: "@%q mbarrier.arrive.shared.b64 %d3, [s];"}[strings.Contains(op, "[%r1]")]+`
L: vote.sync.ballot.b32 %r0, %p, 0xffffffff; st.global.u32 [%out], %r0;`)
		out := make([]byte, 64)
		if err := runText(m, emu.Launch{}, out); err != nil {
			t.Errorf("%s: %v", op, err)
		} else if got := word(out, 0); got != want {
			t.Errorf("%s: %#x, want %#x", op, got, want)
		}
	}
}
