package simt_test

import (
	"math/rand/v2"
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

// TestVerifyGarbage gives Verify and the printer modules that no one checked before: they must not panic, and nearly all are
// wrong.
func TestVerifyGarbage(t *testing.T) {
	ops := []string{OpLabel, OpUndef, OpPrintf, OpAssert, OpCall, OpLaunch, "ret", "bra", "exit", "", "x"}
	for f := range Forms() {
		ops = append(ops, f.Op)
	}
	accepted := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := &Module{}
		for range rng.IntN(3) {
			m.Kernels = append(m.Kernels, garbage(rng, ops))
		}
		if rng.IntN(2) == 0 {
			m.Host = garbage(rng, ops)
		}
		if err := Verify(m, "sm_90a"); err == nil {
			accepted++
		} else {
			_ = err.Error()
		}
		_ = m.Text(true)
	}
	if accepted > 1000 {
		t.Errorf("%d of 3000 are accepted", accepted)
	}
}

func garbage(rng *rand.Rand, ops []string) *Func {
	f := &Func{Name: "k", Host: rng.IntN(3) == 0, Labels: rng.IntN(3), Block: [3]int{rng.IntN(3), 1, 1}, Local: rng.IntN(2)}
	for range rng.IntN(6) {
		f.Regs = append(f.Regs, Class(rng.IntN(5)))
	}
	for range rng.IntN(3) {
		p := Param{Name: []string{"a", "b", ""}[rng.IntN(3)], Type: []string{"u64", "b8", "?"}[rng.IntN(3)]}
		p.Bytes, p.Align = rng.IntN(3), rng.IntN(3)
		f.Params = append(f.Params, p)
	}
	for range rng.IntN(5) {
		in := Instr{Op: ops[rng.IntN(len(ops))], Guard: Reg(rng.IntN(9) - 2), Text: []string{"", "%d", "%"}[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			in.Op, in.Rolled = ops[rng.IntN(10)], rng.IntN(8) == 0
		}
		in.Dst, in.Src = garbageOperands(rng, 2), garbageOperands(rng, 1)
		if rng.IntN(2) == 0 {
			in.Launch = &Launch{Kernel: "k", Grid: [3]Operand(append(garbageOperands(rng, 0), make([]Operand, 3)...)), Async: rng.IntN(2) == 0}
		}
		f.Body = append(f.Body, in)
	}
	return f
}

func garbageOperands(rng *rand.Rand, depth int) (all []Operand) {
	for range rng.IntN(4) {
		op := Operand{Kind: OperandKind(rng.IntN(11)), Reg: Reg(rng.IntN(9) - 2), Label: rng.IntN(5) - 1, Not: rng.IntN(4) == 0}
		op.Bits = rng.Uint64() >> rng.IntN(64)
		op.Name = []string{"", "a", "smem", "%tid.x"}[rng.IntN(4)]
		if depth < 2 {
			op.Vec = garbageOperands(rng, depth+1)
		}
		all = append(all, op)
	}
	return all
}
