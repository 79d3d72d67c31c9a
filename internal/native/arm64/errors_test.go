package arm64

import (
	"strings"
	"testing"
)

// TestErrors checks the words of each kind of mistake.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		op   Op
		args []Operand
		want string
	}{
		{FADD, []Operand{V(1, V4S), V(2, V4S)}, "fadd v1.4s, v2.4s: the number of operands is 2, and fadd takes 2s, 2s, 2s; 4s, 4s, 4s; "},
		{FADD, []Operand{V(1, V4S), V(2, V4S), V(3, V2D)}, "fadd v1.4s, v2.4s, v3.2d: operand 3 does not fit, and fadd takes 2s, "},
		{FADD, []Operand{V(32, V4S), V(2, V4S), V(3, V4S)}, "fadd ?0, v2.4s, v3.4s: operand 1 does not fit"},
		{ADD, []Operand{X(1), X(2), Imm(4097)}, "add x1, x2, #4097: operand 3 must be a constant from 0 to 4095, or a multiple of 4096"},
		{AND, []Operand{X(1), X(2), Imm(5)}, "operand 3 must be a repeated pattern of ones in a row"},
		{SHL, []Operand{V(1, V4S), V(2, V4S), Imm(32)}, "operand 3 must be a constant from 0 to 31"},
		{SSHR, []Operand{V(1, V4S), V(2, V4S), Imm(0)}, "operand 3 must be a constant from 1 to 32"},
		{LDR, []Operand{Q(1), At(X0, 65536)}, "ldr q1, [x0, #65536]: operand 2 must be an offset that is a multiple of 16 from 0 to 65520"},
		{LDR, []Operand{Q(1), At(XZR, 16)}, "operand 2 must be an offset"},
		{LDR, []Operand{X(0), Post(X0, 8)}, "ldr x0, [x0], #8: operand 2 must be an offset from -256 to 255, and no data in a base that is written"},
		{LDP, []Operand{X(0), X(0), At(X1, 8)}, "operand 2 must be another register than the first one"},
		{LDP, []Operand{X(0), X(1), At(X1, 512)}, "operand 3 must be an offset that is a multiple of 8 from -512 to 504"},
		{STXR, []Operand{W(0), X(0), At(X1, 0)}, "operand 3 must be an address without an offset, in another register than the status"},
		{STXP, []Operand{W(2), X(0), X(2), At(X1, 0)}, "operand 4 must be an address without an offset, in another register than the status"},
		{LDR, []Operand{Q(1), AtIndex(X0, X1, LSLBy, 3)}, "operand 2 must be an index, x with lsl or sxtx or w with uxtw or sxtw, by 0 or 4"},
		{FMLA, []Operand{V(0, V8H), V(1, V8H), H(16).Lane(0)}, "operand 3 must be an element from 0 to 7 of v0 to v15"},
		{FMLA, []Operand{V(0, V4S), V(1, V4S), S(16).Lane(4)}, "operand 3 must be an element from 0 to 3"},
		{FMOV, []Operand{S(0), Float(0.1)}, "fmov s0, #0.1: operand 2 must be a float that is ±n/16·2^e"},
		{FCMEQ, []Operand{S(0), S(0), Float(1)}, "operand 3 must be 0.0"},
		{LD1, []Operand{V(0, V4S).List(2), Post(X0, 16)}, "ld1 {v0.4s, v1.4s}, [x0], #16: operand 2 must be the offset 32"},
		{MRS, []Operand{X(0), ISH.Op()}, "mrs x0, ish: operand 2 must be a system register"},
		{CSET, []Operand{X(0), AL.Op()}, "operand 2 must be a condition other than al"},
		{TBZ, []Operand{W(0), Imm(32), To(1)}, "operand 2 must be a bit from 0 to 31"},
		{ADD, []Operand{X(0), X(1), X(2), LSLBy.By(64)}, "operand 4 must be lsl, lsr or asr by 0 to 63"},
		{MUL, []Operand{SP.Op(), X(1), X(2)}, "operand 1 must be another register: 31 is the stack pointer in some places"},
		{Op(0), nil, "none: there is no such operation"},
		{Op(Ops + 1), []Operand{{}, S(1).List(9), Imm(1).Lane(1), X(1).List(2).Lane(300)}, "none ?, ?, ?, {v1.x, v2.x}[255]: there is no such operation"},
		{NOP, []Operand{X(0)}, "nop x0: the number of operands is 1, and nop takes nothing"},
	} {
		var a Assembler
		a.Emit(c.op, c.args...)
		code, err := a.Finish()
		if code != nil || err == nil || !strings.Contains(err.Error(), "arm64: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestOtherErrors checks mistakes that are not of one instruction. All of them are reported.
func TestOtherErrors(t *testing.T) {
	a := Assembler{Allowed: LSE}
	l := a.Label()
	a.Bind(l)
	a.Bind(l)
	a.Bind(7)
	a.Align(3)
	a.Const([]byte{1}, 0)
	a.Emit(LDADD, X(0), X(1), At(X2, 0))
	a.Emit(SDOT, V(0, V4S), V(1, V16B), V(2, V16B))
	a.Emit(BRANCH, To(a.Label()))
	a.Emit(LDR, X(0), To(99))
	odd := a.Const([]byte("abc"), 1)
	a.Const([]byte("d"), 1)
	a.Emit(LDR, W(0), To(a.Const([]byte("efgh"), 1)))
	a.Emit(ADR, X(0), To(odd))
	_, err := a.Finish()
	want := []string{
		"arm64: the label .L1 is bound already",
		"arm64: there is no label .L7",
		"arm64: alignment to 3 bytes, which is no power of two",
		"arm64: a constant at a multiple of 0 bytes, which is no power of two",
		"arm64: sdot v0.4s, v1.16b, v2.16b: it needs dotprod",
		"arm64: b at 0x4: the label .L3 is not bound",
		"arm64: ldr at 0x8: the label .L99 is not bound",
		"arm64: ldr at 0xc: the label .L6 is 13 bytes away, and ldr reaches multiples of 4 below 1048576",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	a.Emit(NOP)
	if _, err := a.Finish(); err == nil || !strings.Contains(err.Error(), "nop: Finish came before it") {
		t.Errorf("after Finish: %v", err)
	}
}

// TestReach checks the farthest distances of each kind of label, and the next ones.
func TestReach(t *testing.T) {
	for enc, r := range relatives {
		if r.bits == 0 {
			continue
		}
		reach := int64(r.unit) << (r.bits - 1)
		for distance, ok := range map[int64]bool{reach - int64(r.unit): true, -reach: true, reach: false, -reach - int64(r.unit): false,
			0: true, 1: r.unit == 1, -2: r.unit == 1} {
			if _, got := r.encode(0, distance); got != ok {
				t.Errorf("encoder %d, distance %d: accepted %t", enc, distance, got)
			}
		}
	}
}

// TestFarBranch makes a branch that just reaches, and one that does not.
func TestFarBranch(t *testing.T) {
	for n, ok := range map[int]bool{8190: true, 8191: false} {
		var a Assembler
		far := a.Label()
		a.Emit(TBZ, X(0), Imm(1), To(far))
		for range n {
			a.Emit(NOP)
		}
		a.Bind(far)
		_, err := a.Finish()
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "tbz at 0x0: the label .L1 is 32768 bytes away, and tbz reaches") {
			t.Errorf("%d instructions: %v", n, err)
		}
	}
}
