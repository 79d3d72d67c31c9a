package amd64

import "testing"

func TestOperands(t *testing.T) {
	for _, c := range []struct {
		o    Operand
		name string
		n    int
	}{
		{V(16, 17), "xmm17", 17}, {V(32, 3), "ymm3", 3}, {V(64, 31), "zmm31", 31}, {K(7), "k7", 7}, {T(2), "tmm2", 2},
		{R64(RSP), "rsp", 4}, {R32(R9), "r9d", 9}, {R16(RBX), "bx", 3}, {R8L(RDI), "dil", 7}, {R64(R8L(R15).Reg()), "r15", 15},
		{Z(20).Mask(3), "zmm20", 20}, {RAX.Op(), "rax", 0}, {Y(30).Reg().Op(), "ymm30", 30},
		{At(RAX, 8), "none", 0}, {Imm(3), "none", 0}, {To(1), "none", 0}, {X(32), "none", 0}, {SAE, "none", 0}, {R64(X(1).Reg()), "none", 0},
	} {
		if r := c.o.Reg(); r.String() != c.name || r.Number() != c.n {
			t.Errorf("the register is %s, number %d; expected %s, %d", r, r.Number(), c.name, c.n)
		}
	}
	if got := Reg(0xFF).String(); got != "Reg(255)" {
		t.Errorf("a number that is no register prints as %q", got)
	}
}

func TestForms(t *testing.T) {
	var evex, vex int
	for _, f := range VADDPS.Forms() {
		if f.EVEX {
			evex++
		} else {
			vex++
		}
	}
	first := VADDPS.Forms()[0]
	if evex != 3 || vex != 2 || first.Operands != "xmm, xmm, xmm/m" || first.Features != AVX {
		t.Errorf("the forms of vaddps are %v", VADDPS.Forms())
	}
}
