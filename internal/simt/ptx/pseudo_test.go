package ptx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// summing is a kernel with a loop that an assembler likes to unroll, which begins with a label that says whether it may, and
// with a register of every class that has no value where it is first read.
func summing(rolled bool) *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{128, 1, 1}, MaxRegs: 64, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	again := b.NewLabel()
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	n := b.Value(simt.B32, "ld.global.b32", simt.At(x.Reg, 0))
	p, h := simt.R(b.NewReg(simt.Pred)), simt.R(b.NewReg(simt.B16))
	i, sum, wide := simt.R(b.NewReg(simt.B32)), simt.R(b.NewReg(simt.B32)), simt.R(b.NewReg(simt.B64))
	b.Emit(simt.OpUndef, []simt.Operand{p, h, sum, wide})
	b.Emit("st.global.b16", nil, simt.At(x.Reg, 8), h).Guard = p.Reg
	b.Emit("st.global.b64", nil, simt.At(x.Reg, 16), wide)
	b.Emit("mov.b32", []simt.Operand{i}, simt.I(0))
	if rolled {
		b.PlaceRolled(again)
	} else {
		b.Place(again)
	}
	v := b.Value(simt.B32, "ld.global.b32", simt.At(x.Reg, 4))
	b.Emit("xor.b32", []simt.Operand{sum}, sum, v)
	b.Emit("mul.lo.s32", []simt.Operand{sum}, sum, i)
	b.Emit("st.global.b32", nil, simt.At(x.Reg, 24), sum)
	b.Emit("add.s32", []simt.Operand{i}, i, simt.I(1))
	b.Emit("setp.lt.s32", []simt.Operand{p}, i, n)
	b.BranchIf(p.Reg, true, again)
	b.Emit("ret", nil)
	return &simt.Module{Kernels: []*simt.Func{f}}
}

// TestPseudo: undef is not in the text; that a loop is not unrolled stands behind its label, and is read back, as is the
// number of registers.
func TestPseudo(t *testing.T) {
	for _, rolled := range []bool{false, true} {
		text, err := ptx.WriteLines(summing(rolled), "sm_75")
		if err != nil {
			t.Fatal(err)
		}
		loop := "$L0:\n\tld.global"
		if rolled {
			loop = "$L0:\n\t.pragma \"nounroll\";\n\tld.global"
		}
		if got := string(text); strings.Contains(got, "undef") || !strings.Contains(got, loop) || !strings.Contains(got, ".maxnreg 64\n") {
			t.Errorf("expected %q and .maxnreg 64, and no undef:\n%s", loop, got)
		}
		m, err := ptx.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		k := m.Kernels[0]
		for _, in := range k.Body {
			if in.Op == simt.OpLabel && in.Rolled != rolled {
				t.Errorf("read back: the loop is rolled: %t, want %t", in.Rolled, rolled)
			}
		}
		if k.MaxRegs != 64 {
			t.Errorf("read back: %d registers", k.MaxRegs)
		}
	}
	// Elsewhere the pragma says nothing about a loop.
	m, err := ptx.Read([]byte(".version 8.0 .target sm_80 .entry k() { .pragma \"nounroll\"; L: .pragma \"other\"; bra M; M: exit; .pragma \"nounroll\"; }"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range m.Kernels[0].Body {
		if in.Rolled {
			t.Errorf("%s is said to be a loop", in.Op)
		}
	}
}

// TestRolled: NVIDIA's assembler makes shorter code of a loop that it must not unroll, and takes registers without values.
func TestRolled(t *testing.T) {
	tool := testenv.Tool(t, "ptxas")
	size := map[bool]int64{}
	for _, rolled := range []bool{false, true} {
		text, err := ptx.Write(summing(rolled), "sm_80")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, "-arch", "sm_80", "-o", file+".cubin", file).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		info, err := os.Stat(file + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		size[rolled] = info.Size()
	}
	if size[true] >= size[false] {
		t.Errorf("%d bytes, and %d where the loop may be unrolled", size[true], size[false])
	}
}
