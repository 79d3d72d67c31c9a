package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// parse makes a kernel with the parameter x whose body is PTX.
func parse(t testing.TB, body string) *simt.Module {
	t.Helper()
	text := ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x)\n.reqntid 128, 1, 1\n{\n" +
		".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n" + body + "ret;\n}\n"
	m, err := ptx.Read([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

// body gives the instructions of a kernel but the last, which is ret.
func body(m *simt.Module) string {
	k := m.Kernels[0]
	s := simt.NewSyntax(k)
	var lines []string
	for i := range k.Body[:len(k.Body)-1] {
		lines = append(lines, s.Instr(&k.Body[i]))
	}
	return strings.Join(lines, "; ")
}

// in and out surround what a test looks at: values that come from memory and go there.
const (
	in  = "ld.param.u64 %rd0, [x];\nld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];\nsetp.eq.s32 %p0, %r3, 7;\nmov.b16 %rs0, 5;\n"
	out = "st.global.v4.b32 [%rd0], {%r0, %r1, %r2, %r3};\n"

	begin = "ld.param.u64 %rd0, [x]; ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0]; "
	end   = "st.global.v4.b32 [%rd0], {%r0, %r1, %r2, %r3}"
	test  = "setp.eq.s32 %p0, %r3, 7; "
)

// last is the store at the end, if a text lacks it.
func last(want string) string {
	if strings.Contains(want, "st.global.v4") {
		return ""
	}
	return end
}

func TestPasses(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"copies", "mov.b32 %r4, %r1;\nmov.b32 %r5, %r4;\nadd.s32 %r0, %r5, %r2;\n", "add.s32 %r0, %r1, %r2; "},
		{"a copy of what changes", "mov.b32 %r4, %r1;\nadd.s32 %r1, %r1, %r2;\nadd.s32 %r0, %r4, %r2;\n",
			"mov.b32 %r4, %r1; add.s32 %r1, %r1, %r2; add.s32 %r0, %r4, %r2; "},
		{"numbers", "mov.b32 %r4, 3;\nmul.lo.s32 %r5, %r4, 4;\nadd.s32 %r0, %r0, %r5;\n", "add.s32 %r0, %r0, 12; "},
		{"a number that an operand cannot be", "mov.b32 %r4, 3;\ncvt.rn.f32.s32 %r0, %r4;\n", "mov.b32 %r4, 3; cvt.rn.f32.s32 %r0, %r4; "},
		{"a number that is too large", "mov.b32 %r4, 300;\nst.global.b8 [%rd0], %r4;\n", "mov.b32 %r4, 300; st.global.b8 [%rd0], %r4; "},
		{"plus 0", "add.s32 %r0, %r1, 0;\n", "st.global.v4.b32 [%rd0], {%r1, %r1, %r2, %r3}"},
		{"float plus 0", "add.rn.f32 %r0, %r1, 0f00000000;\n", "add.rn.f32 %r0, %r1, 0f00000000; "},
		{"times 0", "mul.lo.s32 %r0, %r1, 0;\n", "mov.s32 %r0, 0; "},
		{"mad with 1", "mad.lo.s32 %r0, %r1, 1, %r2;\n", "add.s32 %r0, %r1, %r2; "},
		{"shift by 65536", "shl.b16 %rs1, %rs0, 65536;\nst.global.b16 [%rd0], %rs1;\n", "st.global.b16 [%rd0], 0; "},
		{"shift by 32", "shl.b32 %r0, %r1, 32;\n", "shl.b32 %r0, %r1, 32; "},
		{"shift of numbers", "shr.s16 %rs1, -4, 65537;\nst.global.b16 [%rd0], %rs1;\n", "st.global.b16 [%rd0], 65535; "},
		{"divide by 0", "div.s32 %r0, 5, 0;\n", "div.s32 %r0, 5, 0; "},
		{"smallest divided by -1", "div.s32 %r4, -2147483648, -1;\nadd.s32 %r0, %r0, %r4;\n", "add.s32 %r0, %r0, -2147483648; "},
		{"wide", "mul.wide.s32 %rd1, -3, 5;\nst.global.b64 [%rd0], %rd1;\n", "st.global.b64 [%rd0], 18446744073709551601; "},
		{"wide sum", "mad.wide.u32 %rd1, %r0, 4, 0;\nst.global.b64 [%rd0], %rd1;\n", "mul.wide.u32 %rd1, %r0, 4; st.global.b64 [%rd0], %rd1; "},
		{"compare", "setp.lt.u32 %p1, 1, -1;\n@%p1 add.s32 %r0, %r0, 1;\n", "add.s32 %r0, %r0, 1; "},
		{"never", "setp.lt.s32 %p1, 1, -1;\n@%p1 add.s32 %r0, %r0, 1;\n", ""},
		{"not never", "setp.lt.s32 %p1, 1, -1;\n@!%p1 add.s32 %r0, %r0, 1;\n", "add.s32 %r0, %r0, 1; "},
		{"not", "not.pred %p1, %p0;\n@%p1 add.s32 %r0, %r0, 1;\n@!%p1 add.s32 %r1, %r1, 1;\n",
			test + "@!%p0 add.s32 %r0, %r0, 1; @%p0 add.s32 %r1, %r1, 1; "},
		{"not of itself", "not.pred %p0, %p0;\n@%p0 add.s32 %r0, %r0, 1;\n", test + "not.pred %p0, %p0; @%p0 add.s32 %r0, %r0, 1; "},
		{"choice", "mov.pred %p1, 1;\nselp.b32 %r0, %r1, %r2, %p1;\n", "st.global.v4.b32 [%rd0], {%r1, %r1, %r2, %r3}"},
		{"other choice", "mov.pred %p1, 0;\nselp.b32 %r0, %r1, %r2, %p1;\n", "st.global.v4.b32 [%rd0], {%r2, %r1, %r2, %r3}"},
		{"conversion", "mov.b32 %r4, -2;\ncvt.s64.s32 %rd1, %r4;\nst.global.b64 [%rd0], %rd1;\n", "st.global.b64 [%rd0], 18446744073709551614; "},
		{"conversion of a byte", "mov.b32 %r4, 511;\ncvt.u64.u8 %rd1, %r4;\nst.global.b64 [%rd0], %rd1;\n", "st.global.b64 [%rd0], 255; "},
		{"a variable", "add.s32 %r4, %r0, 1;\nmov.b32 %r0, %r4;\n", "add.s32 %r0, %r0, 1; "},
		{"a variable that is read between", "add.s32 %r4, %r0, 1;\nadd.s32 %r1, %r0, %r2;\nmov.b32 %r0, %r4;\n",
			"add.s32 %r4, %r0, 1; add.s32 %r1, %r0, %r2; st.global.v4.b32 [%rd0], {%r4, %r1, %r2, %r3}"},
		{"one of a vector", "ld.global.v2.b32 {%r4, %r5}, [%rd0+8];\nmov.b32 %r0, %r5;\nmov.b32 %r1, %r4;\n",
			"ld.global.v2.b32 {%r1, %r0}, [%rd0+8]; "},
		{"dead", "add.s32 %r4, %r0, 1;\nmul.lo.s32 %r5, %r4, %r4;\n", ""},
		{"dead load of memory", "ld.global.b32 %r4, [%rd0];\n", "ld.global.b32 %r4, [%rd0]; "},
		{"written again", "mov.b32 %r0, %r1;\nmov.b32 %r0, %r2;\n", "st.global.v4.b32 [%rd0], {%r2, %r1, %r2, %r3}"},
		{"written again by some", "mov.b32 %r0, %r1;\n@%p0 mov.b32 %r0, %r2;\n", test + "mov.b32 %r0, %r1; @%p0 mov.b32 %r0, %r2; "},
		{"a loop for nobody", "mov.b32 %r4, 0;\n$L0:\nadd.s32 %r4, %r4, 1;\n@%p0 bra $L0;\n", test + "$L0:; @%p0 bra $L0; "},
		{"a jump to what follows", "@%p0 bra $L0;\n$L1:\n$L0:\n", ""},
		{"a jump to a jump", "@%p0 bra $L0;\nadd.s32 %r0, %r0, 1;\n$L0:\nbra $L1;\nadd.s32 %r1, %r0, 1;\n$L1:\n",
			test + "@%p0 bra $L0; add.s32 %r0, %r0, 1; $L0:; "},
		{"unreachable", "bra $L0;\nadd.s32 %r0, %r0, 1;\n$L0:\n", ""},
		{"an empty loop", "@%p0 bra $L0;\nbra $L1;\n$L0:\nbra $L0;\n$L1:\n", test + "@%p0 bra $L0; bra $L1; $L0:; bra $L0; $L1:; "},
		{"across a label", "mov.b32 %r4, %r1;\n$L0:\nadd.s32 %r1, %r4, 1;\n@%p0 bra $L0;\n",
			test + "mov.b32 %r4, %r1; $L0:; add.s32 %r1, %r4, 1; @%p0 bra $L0; "},
	} {
		m := parse(t, in+c.body+out)
		opt.Module(t.Context(), m)
		if err := simt.Verify(m, "sm_90a"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, want := body(m), begin+c.want+last(c.want); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

// TestLate has what must stay because a multiplication of a warp group goes on while other instructions run.
func TestLate(t *testing.T) {
	const multiply = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, %rd0, %p0, 1, 1, 0"
	load := strings.Replace(in, "setp", "ld.global.v4.b32 {%r8, %r5, %r6, %r7}, [%rd0+16];\nsetp", 1)
	m := parse(t, load+"mov.b32 %r4, %r8;\n"+multiply+";\nadd.s32 %r9, %r8, 1;\nwgmma.wait_group.sync.aligned 0;\nmov.b32 %r4, %r9;\n"+
		"st.global.b32 [%rd0], %r4;\nst.global.b32 [%rd0], %r8;\n"+out)
	opt.Module(t.Context(), m)
	got := body(m)
	for _, want := range []string{"mov.b32 %r8, %r4; wgmma", "{%r8, %r5, %r6, %r7}",
		"add.s32 %r9, %r4, 1; wgmma.wait_group.sync.aligned 0; st.global.b32 [%rd0], %r9"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// TestShared has instructions that share their operands in memory, as those of a careless author.
func TestShared(t *testing.T) {
	f := &simt.Func{Name: "k", Block: [3]int{1, 1, 1}, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	n := b.Value(simt.B32, "mov.b32", simt.I(3))
	src := []simt.Operand{simt.At(x.Reg, 0), n}
	b.Emit("st.global.b32", nil, src...)
	r := simt.R(b.NewReg(simt.B32))
	b.Emit("ld.global.b32", []simt.Operand{r}, simt.At(x.Reg, 0))
	b.Emit("mov.b32", []simt.Operand{n}, r)
	b.Emit("st.global.b32", nil, src...)
	b.Emit("ret", nil)
	m := &simt.Module{Kernels: []*simt.Func{f}}
	opt.Module(t.Context(), m)
	want := "ld.param.u64 %rd0, [x]; st.global.b32 [%rd0], 3; ld.global.b32 %r0, [%rd0]; st.global.b32 [%rd0], %r0"
	if got := body(m); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if src[1].Kind != simt.Register {
		t.Error("an operand of the author's changed")
	}
}

// BenchmarkFunc has straight code and code of many branches, of two sizes: the time for an instruction should be the same.
func BenchmarkFunc(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, branches := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/branches=%t", n, branches), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					f := large(n, branches)
					b.StartTimer()
					opt.Func(b.Context(), f)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
			})
		}
	}
}

// large makes a function of n instructions and as many registers.
func large(n int, branches bool) *simt.Func {
	f := &simt.Func{Name: "k", Block: [3]int{1, 1, 1}, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	v := b.Value(simt.B32, "ld.global.b32", simt.At(x.Reg, 0))
	p := b.Value(simt.Pred, "setp.eq.s32", v, simt.I(0))
	sum := simt.R(b.NewReg(simt.B32))
	b.Emit("mov.b32", []simt.Operand{sum}, v)
	for len(f.Body) < n {
		l := b.NewLabel()
		if branches {
			b.BranchIf(p.Reg, true, l)
		}
		t := b.Value(simt.B32, "mad.lo.s32", sum, v, simt.I(3))
		b.Emit("mov.b32", []simt.Operand{sum}, t)
		if branches {
			b.Place(l)
		}
	}
	b.Emit("st.global.b32", nil, simt.At(x.Reg, 0), sum)
	b.Emit("ret", nil)
	return f
}
