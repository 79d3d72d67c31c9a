package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// partialBits is the logarithm of the number of partial results that the elements of a reduction are folded into first, number j
// from the elements j, j+64, j+128 and so on in this order; then their upper half is folded into the lower one until one is left.
// So do the CPU engine's reductions.
const partialBits = 6

// reduce folds registers, then lanes, then warps where the order does not matter, else in the documented order.
func (e *emitter) reduce(op *tileir.Op) {
	f := e.newFolder(op)
	l := e.current(op.Operands[0])
	if !l.Permutes() {
		l = e.p.Layout(op.Operands[0])
	}
	width := linear.Log2(f.shape[f.dim])
	first := f.shape.Shift(f.dim)
	all := f.shape.Mask(f.dim)
	if f.free {
		f.begin(l)
		f.chain(all & f.lay.Reg.Span())
		f.lanes(all)
		f.warps(all)
	} else {
		high := 0
		if width > partialBits {
			high = all &^ (1<<(first+partialBits) - 1)
		}
		f.begin(e.owning(l, f.shape.Size(), high))
		f.chain(high)
		for i := min(width, partialBits) - 1; i >= 0; i-- {
			f.halve(1 << (first + i))
		}
	}
	f.publish(f.lay.Slice(f.shape, f.dim))
}

// chain folds the registers that differ in the bits of a mask, in the order of their elements.
func (f *folder) chain(mask int) {
	if mask == 0 {
		return
	}
	rest := &linear.Layout{Lane: f.lay.Lane, Warp: f.lay.Warp}
	for _, b := range f.lay.Reg {
		if b&mask == 0 {
			rest.Reg = append(rest.Reg, b)
		}
	}
	groups := map[int][]int{}
	for r := range f.lay.Regs() {
		n := f.lay.Reg.Apply(r)
		groups[n&^mask] = append(groups[n&^mask], r)
	}
	out := make([][]ir.Value, len(f.regs))
	for r := range rest.Regs() {
		list := groups[rest.Reg.Apply(r)]
		slices.SortFunc(list, func(a, b int) int { return f.lay.Reg.Apply(a) - f.lay.Reg.Apply(b) })
		acc := f.at(list[0])
		for _, k := range list[1:] {
			acc = f.combine(acc, f.at(k))
		}
		for i := range out {
			out[i] = append(out[i], acc[i])
		}
	}
	f.lay, f.regs = rest, out
}

// halve folds the elements that have a bit into those that do not.
func (f *folder) halve(bit int) {
	switch {
	case slices.Contains(f.lay.Reg, bit):
		f.chain(bit)
	case slices.Contains(f.lay.Lane, bit):
		f.lanes(bit)
	case slices.Contains(f.lay.Warp, bit):
		f.warp(bit)
	default:
		f.warps(bit)
	}
}

// warp folds warps that differ in one bit: each thread has one of two elements, and reads the other one where its partner put it.
func (f *folder) warp(bit int) {
	k := slices.Index(f.lay.Warp, bit)
	others := make([][]ir.Value, len(f.regs))
	for i, form := range f.forms {
		others[i] = f.swap("reduce", form, f.regs[i], f.lay, f.lay, bit)
	}
	f.fold(others, 1<<(f.p.Block.Lanes+k))
	warp := slices.Clone(f.lay.Warp)
	warp[k] = 0
	f.lay = &linear.Layout{Reg: f.lay.Reg, Lane: f.lay.Lane, Warp: warp}
}

// fold folds the registers with those of the thread whose number differs in a bit, which stand second if the bit is 0.
func (f *folder) fold(others [][]ir.Value, bit int) {
	var upper ir.Value
	if !f.turns {
		upper = f.Compare(vec.I32, vec.NE, f.Do(vec.And, vec.I32, f.thread(), f.Int(bit)), f.Int(0))
	}
	for r := range f.lay.Regs() {
		mine, other := f.at(r), make([]ir.Value, len(others))
		for i := range others {
			other[i] = others[i][r]
		}
		if upper == 0 {
			f.put(r, f.combine(mine, other))
			continue
		}
		f.put(r, f.combine(f.choose(upper, other, mine), f.choose(upper, mine, other)))
	}
}

// lanes folds lanes that differ in bits of a mask.
func (f *folder) lanes(mask int) {
	lane := slices.Clone(f.lay.Lane)
	for k := len(lane) - 1; k >= 0; k-- {
		if lane[k]&mask == 0 {
			continue
		}
		others := make([][]ir.Value, len(f.regs))
		for i := range others {
			for _, x := range f.regs[i] {
				others[i] = append(others[i], f.Shuffle(f.forms[i], x, 1<<k))
			}
		}
		f.fold(others, 1<<k)
		lane[k] = 0
	}
	f.lay = &linear.Layout{Reg: f.lay.Reg, Lane: lane, Warp: f.lay.Warp}
}

// warps folds warps that differ in bits of a mask: each thread gets what the others hold.
func (f *folder) warps(mask int) {
	to := &linear.Layout{Lane: f.lay.Lane, Warp: slices.Clone(f.lay.Warp)}
	folded := 0
	for k, b := range to.Warp {
		if b&mask != 0 {
			to.Reg, to.Warp[k] = append(to.Reg, b), 0
			folded |= b
		}
	}
	if folded == 0 {
		return
	}
	to.Reg = append(to.Reg, f.lay.Reg...)
	for i, form := range f.forms {
		f.regs[i] = f.exchange("reduce", form, f.regs[i], f.lay, to)
	}
	f.lay = to
	f.chain(folded)
}
