package ptx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// bodyText is a kernel with a body, for tests that look at one instruction. Declarations of the module may stand before "|".
func bodyText(body string) string {
	before, body, ok := strings.Cut(body, "|")
	if !ok {
		before, body = "", before
	}
	return ".version 8.8\n.target sm_100a\n.address_size 64\n.global .align 4 .b32 g[64];\n.shared .align 128 .b8 s[512];\n" + before + `
.visible .entry k(.param .u64 p) .reqntid 32 {
.reg .b64 %rd<20>; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .pred %p<10>; .reg .b16 %h<8>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.u64 %rd6, %rd1; mov.u64 %rd7, %rd1; mov.f32 %f1, 0f3F000000; mov.u32 %r3, 1; mov.u32 %r4, 1;
` + body + "\nret;\n}\n"
}

// takes reports whether NVIDIA's assembler takes a text.
func takes(t *testing.T, text string) bool {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return exec.Command(testenv.Tool(t, "ptxas"), "-arch", "sm_100a", "-o", file+".cubin", file).Run() == nil
}

// lacked are bodies that GPUs run and the emulator does not, with the words of the refusal.
var lacked = map[string]string{
	"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%rd1], {%r1,%r2,%r3,%r4};":                                              "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16: the emulator has no matrix functions of wmma",
	"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2}, {%r3,%r4}, {%r1,%r2}, %r1, 0;": "sparse matrix products",
	"multimem.ld_reduce.relaxed.gpu.global.add.u32 %r1, [%rd1];":                                                                 "memory of several GPUs at once (multimem)",
	"alloca.u64 %rd6, 16;":                                 "stack that grows (alloca)",
	"stacksave.u64 %rd6;":                                  "stack that grows (alloca)",
	"vadd.u32.u32.u32 %r4, %r2, %r3;":                      "video instructions",
	"vabsdiff4.u32.u32.u32 %r4, %r2, %r3, %r1;":            "video instructions",
	"vset.u32.u32.lt %r4, %r2, %r3;":                       "video instructions",
	"ts: .branchtargets A, B; brx.idx %r1, ts; A: ret; B:": ".branchtargets: the emulator has no jumps through tables (brx.idx)",
	"brkpt;":                         "brkpt: the emulator has no breakpoints",
	"discard.global.L2 [%rd1], 128;": "discard.global.L2: the emulator has no discard, after which nobody knows what memory has",
	"ld.mmio.relaxed.sys.global.u32 %r4, [%rd1];":                                              "memory of devices other than GPUs (mmio)",
	"st.mmio.relaxed.sys.global.u32 [%rd1], %r4;":                                              "memory of devices other than GPUs (mmio)",
	"tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd6;":                     "tensor maps that kernels change",
	"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q;":                         "control of how clusters are launched",
	"{ .reg .b128 %q; mov.b128 %q, {%rd1, %rd1}; }":                                            "the emulator has no registers of 128 bits",
	".global .align 8 .u8 gp[8] = {0xff(g), 0xff00(g), 0xff0000(g), 0xff000000(g), 0,0,0,0};|": "gp: the emulator has no parts of addresses as first values",
	"mov.u32 %r4, %pm0;":                                     "the emulator has no special register %pm0",
	"mov.u32 %r4, %aggr_smem_size;":                          "the emulator has no special register %aggr_smem_size",
	"mov.u64 %rd4, %current_graph_exec;":                     "the emulator has no special register %current_graph_exec",
	"mov.pred %p2, %is_explicit_cluster;":                    "the emulator has no special register %is_explicit_cluster",
	"mov.u32 %r4, %envreg5;":                                 "the emulator has no special register %envreg5",
	"ld.acquire.sys.global.L1::no_allocate.u32 %r4, [%rd1];": "the emulator has no ld with these modifiers: if ptxas takes it",
	"cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r1,%r2,%r3,%r4,%r1}], [s];": "the emulator has no cp with these modifiers: if ptxas takes it",
}

// TestLacking: what the assembler takes and the emulator does not have is no mistake of the text: the refusal says what is missing, and where the
// kernel runs.
func TestLacking(t *testing.T) {
	for body, want := range lacked {
		_, err := ptx.Read([]byte(bodyText(body)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run the kernel on a GPU") {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	if _, err := ptx.Read([]byte(bodyText("frob.u32 %r1;"))); err == nil || strings.Contains(err.Error(), "GPU") {
		t.Errorf("what is no instruction: %v", err)
	}
}

// TestLackingIsPTX asks NVIDIA's assembler whether it takes what the emulator lacks, else the message would be wrong.
func TestLackingIsPTX(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for body := range lacked {
		if strings.Contains(body, "%q;") && !strings.Contains(body, ".reg") {
			body = "{ .reg .b128 %q; mov.b128 %q, {%rd1, %rd1}; " + body + " }"
		}
		if !takes(t, bodyText(body)) {
			t.Errorf("ptxas refuses %s", body)
		}
	}
}

// hints are accesses with policies for the caches, and what else has no effect on values: the ones that GPUs run, and the ones that they do not.
var hints = map[string]bool{
	"ld.global.L2::cache_hint.u32 %r4, [%rd1], %rd6;": true, "ld.L2::cache_hint.u32 %r4, [%rd1], %rd6;": true,
	"ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1], %rd6;":      true,
	"ld.global.L1::evict_last.L2::cache_hint.L2::256B.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1], %rd6;": true,
	"ld.relaxed.gpu.global.L2::cache_hint.u32 %r4, [%rd1], %rd6;":                              true,
	"ld.global.L1::no_allocate.L2::cache_hint.u32 %r4, [%rd1], 5;":                             true,
	"ld.global.L2::cache_hint.b8 %h1, [%rd1], %rd6;":                                           true,
	"st.global.L2::cache_hint.u32 [%rd1], %r4, %rd6;":                                          true, "st.L2::cache_hint.u32 [%rd1], %r4, %rd6;": true,
	"st.global.L1::no_allocate.L2::cache_hint.v4.u32 [%rd1], {%r1,%r2,%r3,%r4}, %rd6;":     true,
	"st.release.gpu.global.L2::cache_hint.u32 [%rd1], %r4, %rd6;":                          true,
	"atom.global.add.L2::cache_hint.u32 %r4, [%rd1], %r2, %rd6;":                           true,
	"red.relaxed.gpu.global.add.L2::cache_hint.u32 [%rd1], %r2, %rd6;":                     true,
	"cp.async.ca.shared.global.L2::cache_hint [s], [%rd1], 4, %rd6;":                       true,
	"cp.async.cg.shared.global.L2::cache_hint.L2::128B [s], [%rd1], 16, %rd6;":             true,
	"cp.async.cg.shared.global.L2::cache_hint [s], [%rd1], 16, %r1, %rd6;":                 true,
	"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 128, %rd6;":                   true,
	"createpolicy.fractional.L2::evict_first.b64 %rd6;":                                    true,
	"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd6, 0.5;":            true,
	"createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd6, [%rd1], %r1, %r2;": true,
	"createpolicy.cvt.L2.b64 %rd6, %rd7;":                                                  true,
	"prefetchu.L1 [%rd1];":                                                                 true, "prefetchu.L1 [g];": true, "pmevent 15;": true, "pmevent.mask 3;": true,
	"applypriority.global.L2::evict_normal [%rd1], 128;": true, "applypriority.L2::evict_normal [%rd1], 128;": true,
	"mov.v4.u32 {%r1,%r2,%r3,%r4}, %tid;": true, "{ .reg .v4 .u32 v; mov.v4.u32 v, %nctaid; }": true, "mov.u32 %r1, %ctaid.w;": true,

	"ld.shared.L2::cache_hint.u32 %r4, [%rd1], %rd6;": false, "ld.local.L2::cache_hint.u32 %r4, [%rd1], %rd6;": false,
	"ld.const.L2::cache_hint.u32 %r4, [%rd1], %rd6;": false, "ld.volatile.global.L2::cache_hint.u32 %r4, [%rd1], %rd6;": false,
	"ld.global.L2::cache_hint.u32 %r4, [%rd1];": false, "ld.global.u32 %r4, [%rd1], %rd6;": false, "ld.global.L2::cache_hint.u32 %r4, [%rd1], %r1;": false,
	"st.shared.L2::cache_hint.u32 [%rd1], %r4, %rd6;": false, "atom.shared.add.L2::cache_hint.u32 %r4, [%rd1], %r2, %rd6;": false,
	"atom.global.cas.L2::cache_hint.b32 %r4, [%rd1], %r2, %r3, %rd6;": false, "cp.async.ca.shared.global.L2::cache_hint [s], [%rd1], 4;": false,
	"mov.u32 %r4, %tid;": false, "prefetchu.L2 [%rd1];": false, "pmevent 16;": false,
	"applypriority.global.L2::evict_normal [%rd1], 64;":                      false,
	"createpolicy.fractional.L2::evict_last.L2::evict_normal.b64 %rd6, 0.5;": false,
}

// TestHints: hints for the caches and vectors of special registers are taken as the assembler takes them.
func TestHints(t *testing.T) {
	for body, ok := range hints {
		m, err := ptx.Read([]byte(bodyText(body)))
		if err == nil {
			_, err = ptx.Write(m, "sm_100a") // looks at the numbers, too
		}
		if (err == nil) != ok {
			t.Errorf("%s: %v, want it taken: %t", body, err, ok)
		}
	}
}

// TestHintsOfPTX asks the assembler about the same texts.
func TestHintsOfPTX(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for body, ok := range hints {
		if takes(t, bodyText(body)) != ok {
			t.Errorf("%s: ptxas does not agree that it is taken: %t", body, ok)
		}
	}
}
