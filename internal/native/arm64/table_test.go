package arm64

import (
	"math/rand/v2"
	"testing"
)

// TestEncoders checks that each encoder is complete and that a form uses it.
func TestEncoders(t *testing.T) {
	used := map[encNum]bool{}
	for _, p := range patterns {
		used[p.enc] = true
		if patternTexts[p.kind] == "" && p.kind != kindNone {
			t.Errorf("kind %d has no text", p.kind)
		}
	}
	for i, e := range encoders {
		if e.encode == nil || e.want == nil || !used[encNum(i)] {
			t.Errorf("encoder %d is incomplete or not used", i)
		}
	}
}

// TestNames checks that each operation, view, shift, condition and name has a text, and one past the end has none.
func TestNames(t *testing.T) {
	check := func(n int, text func(int) string, none string) {
		t.Helper()
		seen := map[string]bool{}
		for i := range n {
			if s := text(i); s == none || s == "" || seen[s] {
				t.Errorf("number %d is called %q", i, s)
			} else {
				seen[s] = true
			}
		}
		if s := text(n); s != none {
			t.Errorf("number %d is called %q", n, s)
		}
	}
	check(Ops, func(i int) string { return Op(i + 1).String() }, "none")
	check(int(numViews)-1, func(i int) string { return View(i + 1).String() }, "?")
	check(int(numShifts), func(i int) string { return Shift(i).String() }, "?")
	check(int(numConds), func(i int) string { return Cond(i).String() }, "?")
	check(int(numSyms), func(i int) string { return Sym(i).String() }, "?")
}

func TestConditions(t *testing.T) {
	for c, want := range map[Cond]Cond{EQ: NE, NE: EQ, GE: LT, LT: GE, HI: LS, LS: HI, AL: AL} {
		if c.Not() != want {
			t.Errorf("the opposite of %s is %s, not %s", c, want, c.Not())
		}
	}
}

func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		got, want Reg
	}{
		{X0.As(ViewW), Register(0, ViewW)}, {SP.As(ViewW), WSP}, {XZR.As(ViewW), WZR}, {XZR, Register(31, ViewX)},
		{Register(3, V4S).As(ViewQ), Q(3).Reg()}, {X0.As(V4S), NoReg}, {Register(3, V4S).As(ViewX), NoReg},
		{NoReg.As(ViewX), NoReg}, {Register(-1, ViewX), NoReg}, {X(32).Reg(), NoReg}, {Imm(1).Reg(), NoReg}, {X30, X(30).Reg()},
	} {
		if c.got != c.want {
			t.Errorf("%s instead of %s", c.got, c.want)
		}
	}
	if V8H.Size() != 16 || V8H.Lanes() != 8 || V8H.ElemSize() != 2 || ViewS.Size() != 4 || ViewS.Lanes() != 1 || View(99).Size() != 0 {
		t.Error("sizes of views")
	}
}

// TestAnything checks that no operands, as senseless as they may be, stop the assembler or get past it in part.
func TestAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var a Assembler
	for range 100000 {
		op := Op(random.IntN(Ops + 3))
		args := make([]Operand, random.IntN(6))
		for i := range args {
			args[i] = anyOperand(random)
		}
		a.Reset()
		a.Emit(op, args...)
		f, _ := choose(op, args)
		if _, err := a.Finish(); err == nil && (f == nil || a.Len() != 4) || f == nil && err == nil {
			t.Fatalf("%s: %d bytes, %v", instruction(op, args), a.Len(), err)
		}
	}
}

func anyOperand(random *rand.Rand) Operand {
	p := patterns[random.IntN(len(patterns))]
	o := randomOperand(&p, Label(random.IntN(3)-1), random)
	switch random.IntN(8) {
	case 0:
		o.reg, o.index = Reg(random.Uint32()), Reg(random.Uint32())
	case 1:
		o.shift, o.amount, o.lane = Shift(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32())
	case 2:
		o.imm = int64(random.Uint64())
	case 3:
		return Operand{}
	}
	return o
}
