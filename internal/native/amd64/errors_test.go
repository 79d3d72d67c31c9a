package amd64

import (
	"math"
	"strings"
	"testing"
)

func emit(op Op, args ...Operand) func(*Assembler) { return func(a *Assembler) { a.Emit(op, args...) } }

// mistakes are wrong calls, and what the error says.
var mistakes = []struct {
	do   func(*Assembler)
	want string
}{
	{emit(VADDPS, Z(1), Z(2)), "vaddps zmm1, zmm2: no form has such operands"},
	{emit(VADDPS, Z(1), Y(2), Z(3)), "vaddps zmm1, ymm2, zmm3: no form"},
	{emit(VADDPS, Z(32), Z(2), Z(3)), "vaddps ?, zmm2, zmm3: an operand does not exist"},
	{emit(VADDPS, X(-1), X(2), X(3)), "an operand does not exist"},
	{emit(VADDPS, Z(1), Z(2).Mask(1), Z(3)), "only the destination has an opmask"},
	{emit(VADDPS, Z(1).Zero(8), Z(2), Z(3)), "an operand does not exist"},
	{emit(VADDPS, Z(1).Mask(0), Z(2), Z(3)), "an operand does not exist"},
	{emit(VADDPS, Y(1), Y(2), Y(3), RoundUp), "vaddps ymm1, ymm2, ymm3, {ru-sae}: it has no such rounding mode"},
	{emit(VADDPS, Z(1), Z(2), Z(3), SAE), "it has no such rounding mode"},
	{emit(VADDPS, Z(1), Z(2), At(RAX, 0), RoundUp), "no rounding mode with memory"},
	{emit(VADDPS, Z(1), Z(2), Z(3), RoundUp, RoundUp), "two rounding modes"},
	{emit(VADDPS, Z(1), Z(2), Z(3), Z(4), Z(5)), "too many operands"},
	{emit(VADDPS, Z(1), Z(2), At(RAX, 8).Sized(4)), "vaddps zmm1, zmm2, dword ptr [rax+8]: the memory has another size"},
	{emit(VADDSUBPS, Y(1), Y(2), Y(19)), "need an EVEX form"},
	{emit(VHADDPS, X(1), X(2), At(RAX, 0).Bcast()), "no form has such operands"},
	{emit(VMOVUPS, At(RAX, 0).Zero(1), Z(2)), "cannot zero"},
	{emit(VPSADBW, Z(1).Mask(1), Z(2), Z(3)), "vpsadbw zmm1{k1}, zmm2, zmm3: it has no opmask"},
	{emit(VPTESTMD, K(1).Zero(2), Z(2), Z(3)), "vptestmd k1{k2}{z}, zmm2, zmm3: it cannot zero"},
	{emit(VGATHERDPS, Z(1).Mask(1), Mem{Base: RAX, Index: Z(2).Reg(), Bcast: true}.Op()), "an operand does not exist"},
	{emit(VADDPS, Z(1), Z(2), Z(3).Bcast()), "an operand does not exist"},
	{emit(VCOMPRESSPS, At(RAX, 0).Zero(1), Z(2)), "cannot zero"},
	{emit(VGATHERDPS, Z(1), Mem{Base: RAX, Index: Z(2).Reg(), Scale: 4}.Op()), "needs an opmask"},
	{emit(VGATHERDPS, Z(1).Mask(1), Mem{Base: RAX, Index: Z(1).Reg(), Scale: 4}.Op()), "must be different registers"},
	{emit(VGATHERDPS, Y(1), Mem{Base: RAX, Index: Y(2).Reg(), Scale: 4}.Op(), Y(2)), "must be different registers"},
	{emit(VGATHERDPS, Z(1).Mask(1), Mem{Base: RAX, Index: RCX, Scale: 4}.Op()), "no form has such operands"},
	{emit(VMOVUPS, Z(1), Mem{Base: RAX, Index: Z(2).Reg(), Scale: 4}.Op()), "no form has such operands"},
	{emit(TDPBF16PS, T(1), T(1), T(2)), "the registers must differ"},
	{emit(TILELOADD, T(1), AtLabel(1, 0)), "a tile has no label"},
	{emit(MOV, At(RAX, 0), Imm(1)), "mov [rax], 1: the memory must say its size"},
	{emit(VCVTPD2PS, X(1), At(RAX, 0)), "the memory must say its size"},
	{emit(VFPCLASSPS, K(1), Mem{Base: RAX, Bcast: true}.Op(), Imm(1)), "the memory must say its size"},
	{emit(ADD, R64(RAX), Imm(1<<40)), "add rax, 1099511627776: the immediate or the distance is out of range"},
	{emit(ADD, R32(RAX), R64(RBX)), "add eax, rbx: no form"},
	{emit(SHL, R32(RAX), R8L(RDX)), "another fixed register"},
	{emit(VPSLLD, Z(1), Z(2), Imm(256)), "out of range"},
	{emit(MOV, R64(RAX), At(eax, 0)), "an operand does not exist"},
	{emit(MOV, R64(RAX), AtIndex(RAX, RSP, 1, 0)), "an operand does not exist"},
	{emit(MOV, R64(RAX), AtIndex(RAX, RCX, 3, 0)), "an operand does not exist"},
	{emit(MOV, R64(RAX), Mem{Base: RAX, Label: 1}.Op()), "an operand does not exist"},
	{emit(MOV, R64(Z(1).Reg()), R64(RAX)), "an operand does not exist"},
	{emit(MOV, NoReg.Op(), R64(RAX)), "an operand does not exist"},
	{emit(0), "there is no such operation"},
	{emit(Op(Ops + 1)), "there is no such operation"},
	{emit(JMP, To(7)), "jmp .L7: the label is not bound"},
	{func(a *Assembler) { a.Emit(JMP, To(a.Label())) }, "jmp .L1: the label is not bound"},
	{func(a *Assembler) { a.Emit(MOV, R64(RAX), AtLabel(a.Label(), 0)) }, "mov rax, qword ptr [rip+.L1]: the label is not bound"},
	{func(a *Assembler) { a.Emit(MOV, R64(RAX), AtLabel(a.Const32(1), math.MaxInt32)); a.Emit(RET) }, "more than 32 bits can say"},
	{emit(VMOVUPS, V(8, 1), V(8, 2)), "an operand does not exist"},
	{func(a *Assembler) { l := a.Label(); a.Bind(l); a.Bind(l) }, "cannot be bound"},
	{func(a *Assembler) { a.Bind(3) }, "cannot be bound"},
	{func(a *Assembler) { a.Align(3) }, "no power of two"},
	{func(a *Assembler) { a.Const([]byte{1}, 12) }, "no power of two"},
}

// TestErrors checks that wrong operands write nothing and are named.
func TestErrors(t *testing.T) {
	for _, c := range mistakes {
		var a Assembler
		c.do(&a)
		size := a.Len()
		code, err := a.Finish()
		if err == nil || code != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "amd64: ") {
			t.Errorf("got % x and the error %v, expected %q", code, err, c.want)
		}
		if late := strings.Contains(c.want, "not bound") || strings.Contains(c.want, "32 bits"); size != 0 && !late {
			t.Errorf("%s: %d bytes were written", c.want, size)
		}
	}
}

// eax is a register that is no base.
const eax = firstR32

// TestManyErrors checks that all errors are reported, and that Reset forgets them.
func TestManyErrors(t *testing.T) {
	var a Assembler
	a.Emit(RET, Imm(3))
	a.Emit(RET)
	a.Emit(VADDPS)
	_, err := a.Finish()
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("expected two errors, got %v", err)
	}
	a.Reset()
	a.Emit(RET)
	if code, err := a.Finish(); err != nil || string(code) != "\xc3" {
		t.Errorf("after Reset: % x, %v", code, err)
	}
}

// TestAllowed checks that the allowed features choose the form.
func TestAllowed(t *testing.T) {
	emit := func(allowed Features) (string, error) {
		a := Assembler{Allowed: allowed, Record: true}
		a.Emit(VPDPBUSD, Y(1), Y(2), Y(3))
		code, err := a.Finish()
		if err == nil && !allowed.Has(a.Needs()) && allowed != 0 {
			t.Errorf("%s needs more than %s: %s", a.Lines()[0].Text, allowed, a.Needs())
		}
		return string(code), err
	}
	if code, err := emit(AVX | AVX2 | AVXVNNI); err != nil || code[0] != 0xC4 {
		t.Errorf("with AVX-VNNI: % x, %v", code, err)
	}
	if code, err := emit(AVX512F | AVX512VL | AVX512VNNI); err != nil || code[0] != 0x62 {
		t.Errorf("with AVX512-VNNI: % x, %v", code, err)
	}
	if code, err := emit(0); err != nil || code[0] != 0x62 {
		t.Errorf("with everything: % x, %v", code, err)
	}
	if code, err := emit(AVX | AVX2); err == nil || !strings.Contains(err.Error(), "a feature that is not allowed") {
		t.Errorf("with AVX2: % x, %v", code, err)
	}
}
