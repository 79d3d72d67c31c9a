package opt_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/opt"
)

// TestRolled: that a loop is not unrolled stays said where its label goes or a jump is led elsewhere.
func TestRolled(t *testing.T) {
	const step = "add.s32 %r0, %r0, 1;\n"
	for _, c := range []struct {
		name, body string
		want       []bool // of the labels that are left
	}{
		{"a loop", "$L0: .pragma \"nounroll\";\n" + step + "@%p0 bra $L0;\n", []bool{true}},
		{"another loop", "$L0:\n" + step + "@%p0 bra $L0;\n", []bool{false}},
		{"a label that goes, first", "$L1: .pragma \"nounroll\";\n$L0:\n" + step + "@%p0 bra $L0;\n", []bool{true}},
		{"a label that goes, last", "$L0: $L1: .pragma \"nounroll\";\n" + step + "@%p0 bra $L0;\n", []bool{true}},
		{"a label elsewhere that goes", "$L1: .pragma \"nounroll\";\n" + step + "$L0:\n" + step + "@%p0 bra $L0;\n", []bool{false}},
		{"a jump to a jump", "$L0: .pragma \"nounroll\";\nbra $L1;\n$L2:\n" + step + "@%p0 bra $L0;\nbra $L3;\n$L1:\nsetp.lt.s32 %p0, %r0, %r1;\n@%p0 bra $L2;\n$L3:\n",
			[]bool{false, true, false}},
	} {
		m := parse(t, in+c.body+out)
		must(t, opt.Module(t.Context(), m))
		must(t, simt.Verify(m, "sm_90a"))
		var got []bool
		for _, in := range m.Kernels[0].Body {
			if in.Op == simt.OpLabel {
				got = append(got, in.Rolled)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v in\n%s", c.name, got, c.want, m)
		}
	}
}

// TestUndef: registers without a value go where nobody needs them, and stay where somebody does.
func TestUndef(t *testing.T) {
	f := &simt.Func{Name: "k", Block: [3]int{1, 1, 1}, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	var r [5]simt.Operand
	for i := range r {
		r[i] = simt.R(b.NewReg(simt.B32))
	}
	b.Emit(simt.OpUndef, []simt.Operand{r[0], r[1]})
	b.Emit(simt.OpUndef, []simt.Operand{r[2]})
	b.Emit(simt.OpUndef, []simt.Operand{r[3]})
	b.Emit("mov.b32", []simt.Operand{r[4]}, r[3])
	b.Emit("add.s32", []simt.Operand{r[2]}, r[2], simt.I(1))
	b.Emit("st.global.v2.b32", nil, simt.At(x.Reg, 0), simt.V(r[1], r[4]))
	b.Emit("ret", nil)
	m := &simt.Module{Kernels: []*simt.Func{f}}
	must(t, opt.Module(t.Context(), m))
	must(t, simt.Verify(m, "sm_75"))
	want := "ld.param.u64 %rd0, [x]; undef %r0, %r1; undef %r2; st.global.v2.b32 [%rd0], {%r1, %r2}"
	if got := body(m); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
