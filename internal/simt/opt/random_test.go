package opt_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/opt"
)

// generator makes random kernels: variables of each class that change in branches and loops, and are stored in the end.
type generator struct {
	*simt.Builder
	rng   *rand.Rand
	forms []*simt.Form
	regs  [4][]simt.Reg
	left  int // instructions to make
}

// computing are the instructions that compute with registers.
func computing() []*simt.Form {
	var forms []*simt.Form
	for f := range simt.Forms() {
		if f.Effect == simt.Pure && !strings.HasPrefix(f.Op, "ld.") {
			forms = append(forms, f)
		}
	}
	return forms
}

const threads, bytesOut = 32, 512 // of each thread

func (g *generator) kernel() *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{threads, 1, 1}, Params: []simt.Param{{Name: "out", Type: "u64"}}}
	g.Builder = &simt.Builder{Func: f}
	tid := g.Value(simt.B32, "mov.u32", simt.S("%tid.x"))
	out := g.Value(simt.B64, "ld.param.u64", simt.AtName("out", 0))
	base := g.Value(simt.B64, "mad.wide.u32", tid, simt.I(bytesOut), out)
	for c := simt.Pred; c <= simt.B64; c++ {
		g.regs[c] = nil
		for i := range 10 {
			g.regs[c] = append(g.regs[c], g.NewReg(c))
			g.Emit("mov."+c.String(), []simt.Operand{simt.R(g.regs[c][i])}, simt.I(int64(g.rng.IntN(2))))
		}
	}
	g.Emit("mov.b32", []simt.Operand{simt.R(g.regs[simt.B32][0])}, tid)
	g.Emit("cvt.u16.u32", []simt.Operand{simt.R(g.regs[simt.B16][0])}, tid)
	g.Emit("cvt.s64.s32", []simt.Operand{simt.R(g.regs[simt.B64][0])}, tid)
	g.Emit("setp.lt.s32", []simt.Operand{simt.R(g.regs[simt.Pred][0])}, tid, simt.I(13))
	g.left = 20 + g.rng.IntN(200)
	for g.left > 0 {
		g.statement(0)
	}
	g.store(base.Reg)
	g.Emit("ret", nil)
	return &simt.Module{Kernels: []*simt.Func{f}}
}

// store stores some of the variables.
func (g *generator) store(base simt.Reg) {
	for c, regs := range g.regs {
		for i, r := range regs {
			if g.rng.IntN(3) == 0 {
				continue
			}
			op, at := simt.R(r), simt.At(base, int64(c*128+i*8))
			if simt.Class(c) == simt.Pred {
				op = g.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), op)
			}
			g.Emit("st.global."+g.Regs[op.Reg].String(), nil, at, op)
		}
	}
}

func (g *generator) reg(c simt.Class) simt.Reg { return g.regs[c][g.rng.IntN(len(g.regs[c]))] }

// statement appends an instruction, a branch or a loop.
func (g *generator) statement(depth int) {
	g.left--
	switch n := g.rng.IntN(20); {
	case n == 0 && depth < 3:
		g.branch(depth)
	case n == 1 && depth < 2:
		g.loop(depth)
	case n < 8:
		g.move()
	case n < 12:
		g.integer()
	default:
		g.compute(g.forms[g.rng.IntN(len(g.forms))])
	}
}

func (g *generator) block(depth int) {
	for range g.rng.IntN(5) {
		g.statement(depth + 1)
	}
}

func (g *generator) branch(depth int) {
	other, end := g.NewLabel(), g.NewLabel()
	g.BranchIf(g.reg(simt.Pred), g.rng.IntN(2) == 0, other)
	g.block(depth)
	g.Branch(end)
	g.Place(other)
	g.block(depth)
	g.Place(end)
}

func (g *generator) loop(depth int) {
	i, p := g.NewReg(simt.B32), g.NewReg(simt.Pred)
	again := g.NewLabel()
	g.Emit("mov.s32", []simt.Operand{simt.R(i)}, simt.I(0))
	g.Place(again)
	g.block(depth)
	t := g.Value(simt.B32, "add.s32", simt.R(i), simt.I(1))
	g.Emit("mov.s32", []simt.Operand{simt.R(i)}, t)
	g.Emit("setp.lt.s32", []simt.Operand{simt.R(p)}, simt.R(i), simt.I(int64(g.rng.IntN(3))))
	g.BranchIf(p, true, again)
}

// move copies a variable or a number, sometimes through a new register and under a guard.
func (g *generator) move() {
	c := simt.Class(g.rng.IntN(4))
	src := simt.R(g.reg(c))
	if g.rng.IntN(3) == 0 {
		src = simt.I(int64(g.rng.IntN(2)))
	}
	if g.rng.IntN(2) == 0 {
		src = g.Value(c, "mov."+c.String(), src)
	}
	g.guard(g.Emit("mov."+c.String(), []simt.Operand{simt.R(g.reg(c))}, src))
}

func (g *generator) guard(in *simt.Instr) {
	if g.rng.IntN(6) == 0 {
		in.Guard, in.Unless = g.reg(simt.Pred), g.rng.IntN(2) == 0
	}
}

// integer appends arithmetic with numbers that make it trivial.
func (g *generator) integer() {
	ops := []string{"add.s32", "sub.u64", "mul.lo.s16", "mad.lo.u32", "mad.lo.s64",
		"and.b32", "or.b64", "xor.b16", "shl.b32", "shr.s64", "shr.u16",
		"div.s32", "not.pred", "not.pred", "rem.u64",
		"min.s32", "max.u16", "setp.lt.s32", "setp.hs.u64", "mul.wide.s32", "mul.wide.u16", "mad.wide.s16", "mad.wide.u32",
		"shl.b16", "add.u16", "neg.s32", "not.b64", "cvt.s32.u32", "cvt.s64.s32", "cvt.u64.s8", "cvt.u16.u64",
		"selp.b32", "selp.s16", "cvt.u64.s64", "setp.eq.b16"}
	f, _ := simt.FormOf(ops[g.rng.IntN(len(ops))])
	g.compute(f)
}

// compute appends an instruction with random operands; its result may go through a new register.
func (g *generator) compute(f *simt.Form) {
	s := &f.Sigs[g.rng.IntN(len(f.Sigs))]
	var dst, src []simt.Operand
	var moves [][2]simt.Operand
	for i := range s.Dst {
		dst = append(dst, g.operand(&s.Dst[i]))
		for i > 0 && dst[i].Reg == dst[i-1].Reg { // the elements must differ here, too
			dst[i] = g.operand(&s.Dst[i])
		}
		if c := simt.ClassOf(s.Dst[i].Type); dst[i].Kind == simt.Register && g.rng.IntN(2) == 0 {
			t := simt.R(g.NewReg(c))
			moves = append(moves, [2]simt.Operand{dst[i], t})
			dst[i] = t
		}
	}
	for i := range s.Src {
		src = append(src, g.operand(&s.Src[i]))
	}
	if simt.IsPure(f.Op) && !simt.CanSpeculate(&simt.Instr{Op: f.Op, Src: src}) { // a divisor that may be 0
		c := simt.ClassOf(s.Src[1].Type)
		src[1] = g.Value(c, "or."+c.String(), simt.R(g.reg(c)), simt.I(1))
	}
	in := g.Emit(f.Op, dst, src...)
	if moves == nil {
		g.guard(in)
	}
	for _, m := range moves {
		c := g.Regs[m[1].Reg]
		if g.rng.IntN(4) == 0 { // in between, something else
			g.Emit("mov.b32", []simt.Operand{simt.R(g.reg(simt.B32))}, simt.R(g.reg(simt.B32)))
		}
		g.Emit("mov."+c.String(), []simt.Operand{m[0]}, m[1])
	}
}

func (g *generator) operand(s *simt.Slot) simt.Operand {
	switch {
	case s.Kinds.Has(simt.Vector):
		// The elements must differ: it is undefined which of two results a register gets.
		regs := slices.Clone(g.regs[simt.ClassOf(s.Type)])
		g.rng.Shuffle(len(regs), func(i, j int) { regs[i], regs[j] = regs[j], regs[i] })
		v := simt.V()
		for i := range s.Len {
			v.Vec = append(v.Vec, simt.R(regs[i]))
		}
		return v
	case s.Kinds.Has(simt.Special):
		return simt.S(map[int]string{32: "%laneid", 64: "%gridid"}[simt.TypeBits(s.Type)])
	case s.Kinds.Has(simt.Imm) && (g.rng.IntN(2) == 0 || !s.Kinds.Has(simt.Register)):
		if s.Imm != nil {
			return simt.I(s.Imm[0].Low)
		}
		n := []int64{0, 0, 1, 1, -1, 2, 7, 31, 100}[g.rng.IntN(9)]
		if bits := simt.TypeBits(s.Type); bits < 64 && n >= 1<<bits {
			n = 1
		}
		return simt.I(n)
	}
	op := simt.R(g.reg(simt.ClassOf(s.Type)))
	op.Not = s.Not && g.rng.IntN(2) == 0
	return op
}

// run gives what a kernel stores.
func run(t *testing.T, m *simt.Module) []byte {
	t.Helper()
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, threads*bytesOut)
	mem := &emu.Memory{}
	mem.Map(0x10000, data, "out", false)
	if err := p.Run(context.Background(), emu.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Args: []uint64{0x10000}, Memory: mem}); err != nil {
		t.Fatalf("%v in\n%s", err, m)
	}
	return data
}

// TestSameResults runs random kernels before and after.
func TestSameResults(t *testing.T) {
	forms := computing()
	arch, err := simt.TargetOf("sm_121a")
	if err == nil {
		arch, err = arch.ForPTX(simt.PTXOfDriver(1 << 20)) // the newest
	}
	if err != nil {
		t.Fatal(err)
	}
	before, after := 0, 0
	for seed := range uint64(400) {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 3)), forms: forms}
		m := g.kernel()
		if err := simt.VerifyArch(m, arch); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v", seed, err)
		}
		text := m.String()
		want := run(t, m)
		before += len(m.Kernels[0].Body)
		opt.Module(t.Context(), m)
		after += len(m.Kernels[0].Body)
		if err := simt.VerifyArch(m, arch); err != nil {
			t.Fatalf("seed %d: %v\nbefore\n%s\nafter\n%s", seed, err, text, m)
		}
		if got := run(t, m); !bytes.Equal(got, want) {
			at := 0
			for got[at] == want[at] {
				at++
			}
			t.Fatalf("seed %d: byte %d of thread %d differs\nbefore\n%s\nafter\n%s", seed, at%bytesOut, at/bytesOut, text, m)
		}
	}
	if after*4 > before*3 {
		t.Errorf("%d instructions became %d: expected that a quarter is dropped", before, after)
	}
	t.Logf("%d instructions became %d", before, after)
}
