package ptx_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// calling is a kernel that calls the driver's functions: one under a guard, whose result it stores, and one without a result.
func calling() *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	n := b.Value(simt.B32, "ld.global.b32", simt.At(x.Reg, 0))
	p := b.Value(simt.Pred, "setp.ne.s32", n, simt.I(0))
	in := b.Emit(simt.OpCall, []simt.Operand{n}, x, simt.I(0))
	in.Text, in.Guard, in.Unless = "vprintf", p.Reg, true
	b.Emit("st.global.b32", nil, simt.At(x.Reg, 0), n)
	in = b.Emit(simt.OpCall, nil, x, x, n, x, simt.I(1))
	in.Text, in.Guard = "__assertfail", p.Reg
	b.Emit("ret", nil)
	return &simt.Module{Kernels: []*simt.Func{f}}
}

// TestDriverCalls: calls of the driver's functions assemble, and are read back as such calls.
func TestDriverCalls(t *testing.T) {
	if err := simt.Verify(calling(), "sm_80"); err != nil {
		t.Fatal(err)
	}
	text, err := ptx.Write(calling(), "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Read(text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	var called []string
	for _, in := range m.Kernels[0].Body {
		if in.Op == simt.OpCall {
			called = append(called, in.Text)
		}
	}
	if got := strings.Join(called, " "); got != "vprintf __assertfail" {
		t.Errorf("read back: %q:\n%s", got, text)
	}
	for body, want := range map[string]string{
		"call vprintf, (x);":                   "5:6: vprintf of CUDA's driver has 2 parameters",
		"call (n, n), vprintf, (x);":           "5:14: vprintf of CUDA's driver has 2 parameters",
		"call vprintf, (x, n);":                "5:19: mov.b64 has the wrong operands",
		"call (n), malloc, (x);":               "5:11: function malloc has no body in this text",
		".param .b32 s; call vprintf, (s, x);": "5:31: s has 4 bytes, the driver's function takes 8",
	} {
		_, err := ptx.Read([]byte(".version 8.3\n.target sm_80 .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n" +
			".extern .func (.param .b64 r) malloc(.param .b64 n);\n.entry k() { .reg .b64 x; .reg .b32 n;\n" + body + "}"))
		if err == nil || !strings.HasPrefix(err.Error(), "PTX:"+want) {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
	testenv.Tool(t, "ptxas")
	assemble(t, text, "sm_80", "sm_80")
}
