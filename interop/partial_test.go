package interop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/interop"
)

// partly has kernels that the emulator runs beside such that it does not.
const partly = `.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.func (.param .b32 r) fac(.param .b32 n)
{
	.reg .b32 a; .reg .pred p;
	ld.param.b32 a, [n];
	{ .param .b32 q; .param .b32 s; st.param.b32 [q], a; call (s), fac, (q); ld.param.b32 a, [s]; }
	st.param.b32 [r], a;
	ret;
}
.visible .entry heap() { .reg .b64 x; mov.b64 x, 8;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], x; call (r), malloc, (n); } ret; }
.visible .entry two(.param .u64 p) { .reg .b64 x; .reg .b32 v; ld.param.u64 x, [p]; mov.b32 v, 2; st.global.b32 [x], v; ret; }
.visible .entry recursive() { .reg .b32 a; mov.b32 a, 3;
	{ .param .b32 q; .param .b32 s; st.param.b32 [q], a; call (s), fac, (q); } ret; }
.visible .entry frob() {
	frobnicate.b32;
	ret; }
.visible .entry three(.param .u64 p) { .reg .b64 x; .reg .b32 v; ld.param.u64 x, [p]; mov.b32 v, 3; st.global.b32 [x+4], v; ret; }
`

// TestPartly: kernels of a module run though others of it cannot; asking for those gives their mistake, with its line.
func TestPartly(t *testing.T) {
	dev := onCPU(t)
	m, err := interop.LoadModule(t.Context(), dev, []byte(partly))
	need(t, err)
	x := empty[int32](t, dev, 2)
	for _, name := range []string{"two", "three"} {
		need(t, kernel(t, m, name).Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, x))
	}
	if got := elements(t, x); got[0] != 2 || got[1] != 3 {
		t.Errorf("%d, want 2 and 3", got)
	}
	if got := m.Kernels(); !slices.Equal(got, []string{"heap", "two", "recursive", "frob", "three"}) {
		t.Errorf("kernels %v", got)
	}
	for name, want := range map[string]string{
		"heap":      "interop: kernel heap cannot run on cpu: PTX:14:65: function malloc has no body in this text: the emulator has no heap of the device: pass memory",
		"recursive": "interop: kernel recursive cannot run on cpu: PTX:9:65: function fac calls itself: recursion is not supported: write it as a loop",
		"frob":      `interop: kernel frob cannot run on cpu: PTX:19:2: expected an instruction, found "frobnicate.b32"`,
	} {
		if k, err := m.Kernel(name); k != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, %v, want %s", k, err, want)
		}
	}
	// Without a kernel that runs there is no module.
	only := strings.Replace(partly[:strings.Index(partly, ".visible .entry two")], "heap", "only", 1)
	if _, err := interop.LoadModule(t.Context(), dev, []byte(only)); err == nil || !strings.Contains(err.Error(), "PTX:14:65: function malloc") {
		t.Errorf("error %v", err)
	}
}

// lacking are instructions that docs/programs.md says the emulator does not have.
var lacking = []string{
	"wmma.load.a.sync.aligned.row.m16n16k16.f16 {a, a, a, a, a, a, a, a}, [x], a",
	"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f, f, f, f}, {a, a}, {a, a}, {f, f, f, f}, a, 0",
	"vadd.s32.s32.s32 a, a, a", "vadd2.s32.s32.s32 a, a, a, a", "vabsdiff4.u32.u32.u32.add a, a, a, a",
	"alloca.u64 x, x", "stacksave.u64 x", "multimem.ld_reduce.relaxed.sys.global.add.u32 a, [x]", "multimem.red.relaxed.sys.global.add.u32 [x], a",
	"mov.b32 a, %envreg3", "brx.idx a, list",
}

// TestLacking: each of these is a mistake of its kernel, at its line, and the other kernel runs.
func TestLacking(t *testing.T) {
	dev := onCPU(t)
	for _, instr := range lacking {
		m, err := interop.LoadModule(t.Context(), dev, []byte(".version 8.6\n.target sm_90\n.address_size 64\n.entry run() { ret; }\n"+
			".entry k() {\n.reg .b64 x; .reg .b32 a; .reg .f32 f;\nmov.b64 x, 0; mov.b32 a, 0; mov.f32 f, 0f00000000;\n"+instr+";\nret; }\n"))
		need(t, err)
		need(t, kernel(t, m, "run").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}))
		op, _, _ := strings.Cut(instr, " ")
		want := "PTX:8:1: " + op + ": the emulator has no "
		if strings.Contains(instr, "%envreg") {
			want = "PTX:8:12: the emulator has no special register %envreg3: run the kernel on a GPU"
		}
		if _, err = m.Kernel("k"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", instr, err)
		}
		need(t, m.Close())
	}
	_, err := interop.LoadModule(t.Context(), dev, []byte(".version 8.3\n.target sm_80\n.address_size 64\n.entry run() { ret; }\n.entry k(.param .u64 t) {\n"+
		".reg .b64 x; .reg .f32 f<4>; .reg .s32 i;\nld.param.u64 x, [t]; mov.b32 i, 0;\ntex.1d.v4.f32.s32 {f0, f1, f2, f3}, [x, {i}];\nret; }\n"))
	if err == nil || !strings.Contains(err.Error(), "PTX:8:1: tex.1d.v4.f32.s32: the emulator has no textures: run the kernel on a GPU") {
		t.Errorf("textures: %v", err)
	}
}
