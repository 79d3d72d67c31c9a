package vectest

import (
	"math/rand/v2"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// RandomBytes is how many bytes [Random] functions read and write from their two addresses on.
const RandomBytes = 1 << 14

// Random makes a function of random instructions: loops, branches, registers that are assigned again, more values than
// registers hold. Words 0 and 1 of its frame are the addresses that it reads from and writes to, [RandomBytes] each, the two
// behind them its state. At times it suspends itself; it returns 0.
// What has no meaning never reaches a result: NaNs are all alike, and lanes that mean nothing are zero.
func Random(r *rand.Rand, size int) *vec.Func {
	g := &generator{Rand: r, b: vec.NewBuilder("random"), vars: map[vec.Class][]vec.Reg{}}
	in, out := g.b.Arg(0), g.b.Arg(1)
	g.b.State, g.b.Frame = 2, 4
	at := vec.Mem{Base: in}
	for _, t := range []vec.Type{vec.I8, vec.I16, vec.I32, vec.I64, vec.F32, vec.F64} {
		for range 2 + r.IntN(4) {
			g.know(g.b.Load(t, at, 0))
			at = at.Plus(128)
		}
	}
	g.know(g.b.Int(int64(r.IntN(5))))
	g.know(g.b.DoImm(vec.MConst, vec.NoType, 1))
	g.in, g.out = vec.Mem{Base: in}, vec.Mem{Base: out, Disp: RandomBytes - memoryBytes}
	for g.left = size; g.left > 0; {
		g.step(0)
	}
	g.results(vec.Mem{Base: out})
	return g.b.Finish()
}

// memoryBytes is how much of the bytes that a function writes is for stores in the middle of it.
const memoryBytes = 1 << 11

type generator struct {
	*rand.Rand
	b       *vec.Builder
	vars    map[vec.Class][]vec.Reg
	left    int
	loops   int     // that are open
	in, out vec.Mem // for loads and stores in the middle
}

func (g *generator) know(r vec.Reg) {
	c := g.b.Regs[r]
	g.vars[c] = append(g.vars[c], r)
}

func (g *generator) pick(c vec.Class) vec.Reg { return g.vars[c][g.IntN(len(g.vars[c]))] }

// step adds an instruction or a region.
func (g *generator) step(depth int) {
	g.left--
	switch k := g.IntN(18); {
	case k == 0 && depth < 3:
		lo := g.b.Int(0)
		g.b.For(lo, g.b.Int(int64(g.IntN(3))), 1)
		g.loop(depth)
	case k == 14 && depth < 3:
		n := g.b.Int(int64(g.IntN(3)))
		g.b.Repeat()
		g.b.Set(n, g.b.AddInt(n, -1))
		g.b.If(vec.LT, n, g.b.Int(0))
		g.b.Break(0)
		g.b.End()
		g.loop(depth)
	case k == 15:
		g.b.Suspend(2 + g.IntN(5))
	case k == 16:
		g.b.DoImm(vec.Poll, vec.NoType, int64(1+g.IntN(2)))
	case k == 17 && g.loops > 0:
		g.b.If(vec.Cond(g.IntN(int(vec.UGE)+1)), g.pick(vec.Scalar), g.pick(vec.Scalar))
		if g.IntN(2) == 0 {
			g.b.Break(g.IntN(g.loops))
		} else {
			g.b.Next(g.IntN(g.loops))
		}
		g.b.End()
	case k == 1 && depth < 3:
		g.b.If(vec.Cond(g.IntN(int(vec.UGE)+1)), g.pick(vec.Scalar), g.pick(vec.Scalar))
		g.region(depth)
		if g.IntN(2) == 0 {
			g.b.Else()
			g.region(depth)
		}
		g.b.End()
	case k == 2 && depth < 3:
		g.b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{g.pick(vec.Mask)}})
		g.region(depth)
		g.b.End()
	case k == 3:
		cs := []vec.Class{vec.Scalar, vec.Mask, vec.V8, vec.V16, vec.V32, vec.V64}
		c := cs[g.IntN(len(cs))]
		g.b.Set(g.pick(c), g.pick(c))
	default:
		g.instr()
	}
}

// loop fills a loop and ends it.
func (g *generator) loop(depth int) {
	g.loops++
	g.region(depth)
	g.loops--
	g.b.End()
}

// region adds some steps. What they define is known inside only.
func (g *generator) region(depth int) {
	saved := map[vec.Class]int{}
	for c, vs := range g.vars {
		saved[c] = len(vs)
	}
	for range 1 + g.IntN(6) {
		g.step(depth + 1)
	}
	for c := range g.vars {
		g.vars[c] = g.vars[c][:saved[c]]
	}
}

// leftOut is what is undefined for most operands, what needs aligned memory, and addresses.
var leftOut = map[vec.Op]bool{vec.FScale: true, vec.ToInt: true, vec.Arg: true, vec.StoreStream: true}

// instr adds an instruction.
func (g *generator) instr() {
	op := vec.Op(g.IntN(len(vec.Table)))
	if leftOut[op] || op.Controls() {
		return
	}
	list := Instrs(op)
	in := list[g.IntN(len(list))]
	for i, c := range in.SrcClasses() {
		if c != vec.None {
			in.Src[i] = g.pick(c)
		}
	}
	if op.HasMem() {
		g.access(&in)
	}
	if op == vec.Permute && g.IntN(2) == 0 {
		in.Imm = int64(g.Uint64())
	}
	c := in.DstClass()
	if c == vec.None {
		g.b.Emit(in)
		return
	}
	again := g.IntN(4) == 0
	if op == vec.FMulAdd && g.IntN(2) == 0 { // results in the place of an operand matter here
		in.Dst, again = in.Src[g.IntN(3)], false
	}
	d := g.plain(in, g.b.Emit(in))
	if again {
		g.b.Set(g.pick(c), d)
		return
	}
	g.know(d)
}

// access gives an instruction its memory: in the place for loads, or that for stores if it has no result.
func (g *generator) access(in *vec.Instr) {
	in.Mem = g.in
	if in.DstClass() == vec.None || in.Op == vec.SSwap {
		in.Mem = g.out
	}
	in.Mem.Disp += int32(g.IntN(256))
	if g.IntN(3) == 0 {
		in.Mem.Index, in.Mem.Scale = g.b.Int(int64(g.IntN(100))), 8
	}
	if in.Op == vec.SSwap { // of an aligned number, often the one that is expected
		in.Mem.Disp &^= 7
		if g.IntN(2) == 0 {
			in.Src[0] = g.b.Emit(vec.Instr{Op: vec.SLoad, Type: in.Type, Mem: in.Mem})
		}
	}
	if in.Mask != 0 {
		in.Mask = g.pick(vec.Mask)
	}
	if in.From != vec.NoType { // indices
		in.Src[0] = g.b.Do(vec.And, in.From, in.Src[0], g.b.Bits(in.From, 63))
	}
}

// plain makes NaNs alike and clears lanes without meaning.
func (g *generator) plain(in vec.Instr, d vec.Reg) vec.Reg {
	b := g.b
	switch {
	case in.Op == vec.Down:
		i := b.Do(vec.Iota, vec.I32)
		on := b.Compare(vec.I32, vec.LT, i, b.Bits(vec.I32, uint64(in.Imm)))
		return b.Pick(in.Type, on, d, b.Bits(in.Type, 0))
	case in.Type == vec.F32 || in.Type == vec.F64:
		if in.DstClass() == in.Type.Class() {
			on := b.Compare(in.Type, vec.Unordered, d, d)
			p := b.Pick(in.Type, on, b.Bits(in.Type, 0x7fc00000<<(8*in.Type.Bytes()-32)), d)
			b.Set(d, p)
		}
	case in.Type == vec.F16 && in.Op == vec.FConvert:
		abs := b.Do(vec.And, vec.I16, d, b.Bits(vec.I16, 0x7fff))
		on := b.Compare(vec.I16, vec.GT, abs, b.Bits(vec.I16, 0x7c00))
		b.Set(d, b.Pick(vec.I16, on, b.Bits(vec.I16, 0x7e00), d))
	}
	return d
}

// results stores all that is known.
func (g *generator) results(at vec.Mem) {
	for _, c := range []vec.Class{vec.Scalar, vec.Mask, vec.V8, vec.V16, vec.V32, vec.V64} {
		for _, r := range g.vars[c] {
			if at.Disp+256 > RandomBytes-memoryBytes {
				return
			}
			store(g.b, c, r, at)
			at = at.Plus(128)
		}
	}
}
