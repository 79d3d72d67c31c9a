package ptx

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// driverDecls are the functions of the driver that kernels call, in the order in which they are declared.
var driverDecls = []struct{ name, text string }{
	{"vprintf", ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);"},
	{"__assertfail", ".extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);"},
}

// called gives the function of the driver that an instruction calls, "" for none.
func called(in *simt.Instr) string {
	switch in.Op {
	case simt.OpPrintf:
		return "vprintf"
	case simt.OpAssert:
		return "__assertfail"
	case simt.OpCall:
		return in.Text
	}
	return ""
}

// printfCall is a call of vprintf. The words in capitals are filled in by Write and found again by Read: the size of all
// values, a line for each that stores it, the number of the text, the guard.
const printfCall = `	{
	.reg .b64 %format, %args;
	.local .align 8 .b8 args[SIZE];
	VALUES
	mov.b64 %format, TEXT;
	cvta.global.u64 %format, %format;
	mov.b64 %args, args;
	cvta.local.u64 %args, %args;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 r0;
	st.param.b64 [p0], %format;
	st.param.b64 [p1], %args;
	GUARD call (r0), vprintf, (p0, p1);
	}
	}
`

// assertCall is a call of __assertfail, where %fail is that the condition does not hold and, under a guard, that the guard
// does.
const assertCall = `	{
	.reg .pred %fail, %on;
	.reg .b64 %message, %file, %function;
	FAIL
	mov.b64 %message, MESSAGE;
	cvta.global.u64 %message, %message;
	mov.b64 %file, FILE;
	cvta.global.u64 %file, %file;
	mov.b64 %function, FUNCTION;
	cvta.global.u64 %function, %function;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 p2;
	.param .b64 p3;
	.param .b64 p4;
	st.param.b64 [p0], %message;
	st.param.b64 [p1], %file;
	st.param.b32 [p2], LINE;
	st.param.b64 [p3], %function;
	st.param.b64 [p4], 1;
	@%fail call __assertfail, (p0, p1, p2, p3, p4);
	}
	}
`

// callPrintf stores the values, each at a multiple of its size, and calls vprintf.
func (w *writer) callPrintf(in *simt.Instr) {
	types, _ := simt.PrintfTypes(in.Text) // which Verify has looked at
	offsets, size := layout(types)
	var values strings.Builder
	for i, op := range in.Src {
		fmt.Fprintf(&values, "\tst.local.%s [args+%d], %s;\n", types[i], offsets[i], w.syntax.AppendOperand(nil, op, types[i]))
	}
	w.fill(printfCall, "SIZE", fmt.Sprint(size), "\tVALUES\n", values.String(), "TEXT", w.text(in.Text),
		"GUARD ", string(w.syntax.AppendGuard(nil, in)))
}

// layout places values of types one after the other, as C does, and gives the size of all, which is not 0.
func layout(types []string) (offsets []int, size int) {
	for _, typ := range types {
		n := simt.TypeBits(typ) / 8
		size = (size + n - 1) / n * n
		offsets = append(offsets, size)
		size += n
	}
	return offsets, max((size+7)/8*8, 8)
}

// callAssert calls __assertfail where the condition does not hold.
func (w *writer) callAssert(in *simt.Instr) {
	op := in.Src[0]
	fail := fmt.Sprintf("\t%s %%fail, %s;\n", copyPred(!op.Not), w.syntax.Reg(op.Reg))
	if in.Guard != simt.NoReg {
		fail += fmt.Sprintf("\t%s %%on, %s;\n\tand.pred %%fail, %%fail, %%on;\n", copyPred(in.Unless), w.syntax.Reg(in.Guard))
	}
	w.fill(assertCall, "\tFAIL\n", fail, "MESSAGE", w.text(in.Text), "FILE", w.text(in.Pos.Filename),
		"FUNCTION", w.text(w.f.Name), "LINE", fmt.Sprint(in.Pos.Line))
}

// copyPred is the instruction that copies a predicate, or its opposite.
func copyPred(opposite bool) string {
	if opposite {
		return "not.pred"
	}
	return "mov.pred"
}

// text names a global text.
func (w *writer) text(s string) string { return fmt.Sprintf("$s%d", w.texts[s]) }

// fill appends a template with its words in capitals replaced.
func (w *writer) fill(template string, words ...string) {
	w.b = append(w.b, strings.NewReplacer(words...).Replace(template)...)
}
