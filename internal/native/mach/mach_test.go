package mach_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/native/mach"
)

// A toy machine to compare programs on virtual registers with the same on physical ones.
const (
	opConst  = iota // r0 = Imm
	opMove          // r0 = r1
	opAdd           // r0 = r1 * 3 + r2
	opEarly         // the same in two steps: it spoils r0 before it reads r2
	opMulAdd        // r0 = r0*5 + r1 + r2
	opOut           // the result is r0
	opLoad          // r0 = slot
	opSave          // slot = r0
	opLess          // r0--
	opJump          // if r0 >= 0, go to the label
)

type toy struct {
	regs  map[[2]int32]int64
	slots map[int64]int64
	out   []int64
}

func (m *toy) run(code []mach.Instr, file func(mach.Reg, mach.Arg) int32) {
	labels := map[int64]int{}
	for i, in := range code {
		if in.Op == mach.Bind {
			labels[in.Args[0].Imm] = i
		}
	}
	for pc := 0; pc < len(code); pc++ {
		in := code[pc]
		key := func(i int) [2]int32 { return [2]int32{file(in.Args[i].Reg, in.Args[i]), int32(in.Args[i].Reg)} }
		get := func(i int) int64 {
			if in.Args[i].Kind == mach.MemArg {
				return m.slots[in.Args[i].Imm]
			}
			return m.regs[key(i)]
		}
		set := func(x int64) { m.regs[key(0)] = x }
		switch in.Op {
		case opConst:
			set(in.Args[1].Imm)
		case opMove:
			set(get(1))
		case opAdd:
			set(get(1)*3 + get(2))
		case opEarly:
			x := get(1) * 3
			set(x)
			set(x + get(2))
		case opMulAdd:
			set(get(0)*5 + get(1) + get(2))
		case opOut:
			m.out = append(m.out, get(0))
		case opLoad:
			set(m.slots[in.Args[1].Imm])
		case opSave:
			m.slots[in.Args[1].Imm] = get(0)
		case opLess:
			set(get(0) - 1)
		case opJump:
			if get(0) >= 0 {
				pc = labels[in.Args[1].Imm]
			}
		}
	}
}

type toySlots struct{}

func (toySlots) Load(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return instr(opLoad, reg(r, mach.Def, f), mach.Arg{Kind: mach.ImmArg, Imm: int64(slot)})
}

func (toySlots) Store(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return instr(opSave, reg(r, mach.Use, f), mach.Arg{Kind: mach.ImmArg, Imm: int64(slot)})
}

// Operand lets opAdd take its second operand from memory, unless that is a mask.
func (toySlots) Operand(in *mach.Instr, i int, slot int32) bool {
	if in.Op != opAdd || i != 2 || in.Args[2].View == uint8(mach.Mask) {
		return false
	}
	in.Args[2] = mach.Arg{Kind: mach.MemArg, Imm: int64(slot)}
	return true
}

func reg(r mach.Reg, a mach.Access, f mach.File) mach.Arg {
	return mach.Arg{Kind: mach.RegArg, Reg: r, Access: a, View: uint8(f)}
}

func instr(op int32, args ...mach.Arg) mach.Instr {
	in := mach.Instr{Op: op, N: uint8(len(args))}
	copy(in.Args[:], args)
	return in
}

// generator makes random programs: straight code, loops in loops, variables that are assigned again.
type generator struct {
	*rand.Rand
	code *mach.Code
	vars [mach.Files][]mach.Reg
}

func (g *generator) pick(f mach.File) mach.Arg {
	return reg(g.vars[f][g.IntN(len(g.vars[f]))], mach.Use, f)
}

// target is a new register, or sometimes one that has a value.
func (g *generator) target(f mach.File, a mach.Access) mach.Arg {
	if len(g.vars[f]) > 0 && g.IntN(3) == 0 {
		return reg(g.vars[f][g.IntN(len(g.vars[f]))], a, f)
	}
	return reg(g.code.New(f), a, f)
}

func (g *generator) know(r mach.Arg, f mach.File) {
	if !slices.Contains(g.vars[f], r.Reg) {
		g.vars[f] = append(g.vars[f], r.Reg)
	}
}

func (g *generator) block(depth int) {
	for range 3 + g.IntN(12) {
		f := mach.File(g.IntN(int(mach.Files)))
		if len(g.vars[f]) == 0 || g.IntN(6) == 0 {
			d := g.target(f, mach.Def)
			g.code.Add(opConst, 0, d, mach.Arg{Kind: mach.ImmArg, Imm: int64(g.IntN(1000))})
			g.know(d, f)
			continue
		}
		switch k := g.IntN(8); {
		case k == 0 && depth < 3:
			g.loop(depth)
		case k == 1:
			d := g.target(f, mach.Def)
			g.code.Add(opMove, 0, d, g.pick(f))
			g.know(d, f)
		case k == 2:
			g.code.Add(opOut, 0, g.pick(f))
		case k == 3:
			d := g.pick(f)
			d.Access = mach.UseDef
			g.code.Add(opMulAdd, 0, d, g.pick(f), g.pick(f))
		case k == 4:
			a, b := g.pick(f), g.pick(f)
			d := reg(g.code.New(f), mach.EarlyDef, f)
			g.code.Add(opEarly, 0, d, a, b)
			g.know(d, f)
		default:
			a, b := g.pick(f), g.pick(f)
			d := g.target(f, mach.Def)
			g.code.Add(opAdd, 0, d, a, b)
			g.know(d, f)
		}
	}
}

// loop makes a loop that runs two or three times. What is new in it is forgotten behind it at times.
func (g *generator) loop(depth int) {
	n := g.code.New(mach.Int)
	g.code.Add(opConst, 0, reg(n, mach.Def, mach.Int), mach.Arg{Kind: mach.ImmArg, Imm: int64(1 + g.IntN(2))})
	l := mach.Arg{Kind: mach.LabelArg, Imm: g.code.Label()}
	g.code.Add(mach.LoopBegin, 0)
	g.code.Add(mach.Bind, 0, l)
	g.block(depth + 1)
	g.code.Add(opLess, 0, reg(n, mach.UseDef, mach.Int))
	g.code.Add(opJump, 0, reg(n, mach.Use, mach.Int), l)
	g.code.Add(mach.LoopEnd, 0)
}

// TestAllocate compares random programs before and after allocation, with many and with few registers.
func TestAllocate(t *testing.T) {
	spilled := 0
	for seed := range uint64(3000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), code: mach.NewCode([]int32{opMove}, []int32{opConst})}
		g.block(0)
		for f := range g.vars {
			for _, r := range g.vars[f] {
				g.code.Add(opOut, 0, reg(r, mach.Use, mach.File(f)))
			}
		}
		virtual := toy{map[[2]int32]int64{}, map[int64]int64{}, nil}
		virtual.run(g.code.Instrs, func(mach.Reg, mach.Arg) int32 { return 0 })
		n := 6 + int(seed%10)
		a, err := mach.Allocate(g.code, [mach.Files]mach.Set{mach.Of(0, n), mach.Of(2, n+2), mach.Of(1, n)})
		if err != nil {
			t.Fatal(err)
		}
		spilled += a.Slots
		physical := toy{map[[2]int32]int64{}, map[int64]int64{}, nil}
		code := mach.Rewrite(g.code, a, toySlots{})
		physical.run(code, func(_ mach.Reg, a mach.Arg) int32 { return int32(a.View) })
		if fmt.Sprint(virtual.out) != fmt.Sprint(physical.out) {
			t.Fatalf("seed %d, %d registers: %v, want %v", seed, n, physical.out, virtual.out)
		}
	}
	if spilled == 0 {
		t.Error("no program kept a value in a slot")
	}
}

// TestMovesVanish shows that a copy takes the register of what it copies where that is not used afterwards.
func TestMovesVanish(t *testing.T) {
	c := mach.NewCode([]int32{opMove}, []int32{opConst})
	x, y := c.New(mach.Int), c.New(mach.Int)
	c.Add(opConst, 0, reg(x, mach.Def, 0), mach.Arg{Kind: mach.ImmArg, Imm: 7})
	c.Add(opMove, 0, reg(y, mach.Def, 0), reg(x, mach.Use, 0))
	c.Add(opOut, 0, reg(y, mach.Use, 0))
	a, err := mach.Allocate(c, [mach.Files]mach.Set{mach.Of(0, 8), 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if got := mach.Rewrite(c, a, toySlots{}); len(got) != 2 {
		t.Errorf("%d instructions are left, want 2", len(got))
	}
}
