package nativetest

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// branches takes branches by masks of one lane, and by scalars that are equal, close and far apart.
func branches(t *testing.T, b Backend) {
	f, _, out := newCase("branches")
	at := vec.Mem{Base: out}
	yes, no := f.Int(1), f.Int(2)
	mark := func() {
		f.Emit(vec.Instr{Op: vec.SStore, Type: vec.I8, Src: [3]vec.Reg{yes}, Mem: at})
		f.Else()
		f.Emit(vec.Instr{Op: vec.SStore, Type: vec.I8, Src: [3]vec.Reg{no}, Mem: at})
		f.End()
		at = at.Plus(1)
	}
	for lane := range uint64(vec.Lanes + 1) { // the last one is no lane
		m := f.Compare(vec.I32, vec.EQ, f.Do(vec.Iota, vec.I32), f.Bits(vec.I32, lane))
		f.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{m}})
		mark()
	}
	numbers := []int64{-1 << 63, -5, -1, 0, 1, 5, 1 << 40, 1<<63 - 1}
	for c := vec.EQ; c <= vec.UGE; c++ {
		for _, x := range numbers {
			for _, y := range numbers {
				f.If(c, f.Int(x), f.Int(y))
				mark()
			}
		}
	}
	b.compareCase(t, f.Finish())
}

// loops compares loops of no turns, of one and of many, with values of all classes that they change, one loop in another, and an
// early end.
func loops(t *testing.T, b Backend) {
	f, in, out := newCase("loops")
	lo, hi, stop := f.Arg(caseWords), f.Arg(caseWords+1), f.Arg(caseWords+2)
	sum, mask := f.Load(vec.F64, vec.Mem{Base: in, Disp: tameAt + int32(vec.F64)*1024}, 0), f.DoImm(vec.MConst, vec.NoType, 0)
	x, turns := f.Load(vec.F64, vec.Mem{Base: in, Disp: tameAt + int32(vec.F64)*1024 + 128}, 0), f.Int(0)
	i := f.For(lo, hi, 3)
	f.Set(sum, f.Do(vec.FAdd, vec.F64, sum, x))
	f.Set(mask, f.Do(vec.MXor, vec.NoType, mask, f.Do(vec.MFirst, vec.NoType, i)))
	f.For(lo, i, 2)
	f.Set(turns, f.AddInt(turns, 1))
	f.End()
	f.If(vec.EQ, i, stop)
	f.DoImm(vec.Return, vec.NoType, 5)
	f.End()
	f.End()
	f.Store(vec.F64, vec.Mem{Base: out}, f.Pick(vec.F64, mask, sum, x), 0)
	f.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Mem: vec.Mem{Base: out, Disp: 128}, Src: [3]vec.Reg{turns}})
	fn := f.Finish()
	for _, r := range [][2]int64{{0, 0}, {5, 5}, {5, 4}, {0, 1}, {0, 3}, {0, 4}, {-7, 8}, {-3, -2}, {0, 300}, {1 << 40, 1<<40 + 7}} {
		for _, stop := range []int64{-100, r[0], r[0] + 3} {
			b.compareCase(t, fn, uint64(r[0]), uint64(r[1]), uint64(stop))
		}
	}
}

// regions compares random functions that access memory in branches and loops, with bases, indices and masks that are used
// again and at times assigned again: what was computed in one region is not there in others.
func regions(t *testing.T, b Backend) {
	for seed := range uint64(vectest.Count(t, rounds(100))) {
		b.compareCase(t, regionsCase(rand.New(rand.NewPCG(seed, 13))))
	}
}

type accesses struct {
	r *rand.Rand
	*vec.Builder
	in, out, acc   vec.Reg
	scalars, masks []vec.Reg
	at             int32
}

func regionsCase(r *rand.Rand) *vec.Func {
	b, in, out := newCase("regions")
	a := &accesses{r: r, Builder: b, in: in, out: out, acc: b.Bits(vec.I32, 0)}
	for range 3 {
		a.scalars = append(a.scalars, b.Int(int64(r.IntN(64))))
		a.masks = append(a.masks, b.Do(vec.MFirst, vec.NoType, b.Int(int64(r.IntN(20)))))
	}
	a.block(0)
	return b.Finish()
}

func (a *accesses) pick(list []vec.Reg) vec.Reg { return list[a.r.IntN(len(list))] }

func (a *accesses) block(depth int) {
	scalars, masks := len(a.scalars), len(a.masks)
	for range 3 + a.r.IntN(4) {
		switch k := a.r.IntN(8); {
		case k == 0 && depth < 3:
			a.scalars = append(a.scalars, a.For(a.Int(0), a.Int(int64(a.r.IntN(4))), 1))
			a.block(depth + 1)
			a.End()
			a.scalars = a.scalars[:len(a.scalars)-1]
		case k <= 2 && depth < 3:
			a.If(vec.Cond(a.r.IntN(int(vec.UGE)+1)), a.pick(a.scalars), a.pick(a.scalars))
			a.block(depth + 1)
			a.Else()
			a.block(depth + 1)
			a.End()
		case k == 3:
			a.masks = append(a.masks, a.Compare(vec.I32, vec.GT, a.acc, a.Do(vec.Iota, vec.I32)))
		case k == 4 && a.r.IntN(3) == 0:
			a.Set(a.pick(a.masks), a.pick(a.masks))
			a.Set(a.pick(a.scalars[:3]), a.pick(a.scalars[:3]))
		default:
			a.access()
		}
	}
	a.scalars, a.masks = a.scalars[:scalars], a.masks[:masks]
}

// access adds lanes of memory to the sum, or stores it.
func (a *accesses) access() {
	m := vec.Mem{Base: a.in, Index: a.pick(a.scalars), Scale: int8(1 << a.r.IntN(4)), Disp: int32(a.r.IntN(3)) * 200}
	mask := vec.Reg(0)
	if a.r.IntN(4) != 0 {
		mask = a.pick(a.masks)
	}
	if a.r.IntN(2) == 0 {
		a.Set(a.acc, a.Do(vec.Add, vec.I32, a.acc, a.Load(vec.I32, m, mask)))
		return
	}
	m.Base = a.out
	m.Disp += a.at
	a.at = (a.at + 1024) % (caseBytes / 4)
	a.Store(vec.I32, m, a.acc, mask)
}
