package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// folder is a reduction or scan along one dimension.
type folder struct {
	*emitter
	op    *tileir.Op
	body  *tileir.Block
	shape linear.Shape
	dim   int
	forms []vec.Type
	free  bool // neither the order nor the grouping of the elements matters
	turns bool // the two operands may change places

	lay  *linear.Layout
	regs [][]ir.Value // by operand
}

// anyOrder are the operations of which, with two arguments of the body, order and grouping do not matter but for the bits of NaN.
var anyOrder = map[int]bool{
	tileir.OpAddI: true, tileir.OpMulI: true, tileir.OpAndI: true, tileir.OpOrI: true, tileir.OpXOrI: true, tileir.OpMaxI: true,
	tileir.OpMinI: true, tileir.OpMaxF: true, tileir.OpMinF: true,
}

func (e *emitter) newFolder(op *tileir.Op) *folder {
	f := &folder{emitter: e, op: op, body: op.Regions[0], shape: typeOf(op.Operands[0]).Shape, dim: int(op.Int("dim"))}
	for _, v := range op.Operands {
		f.forms = append(f.forms, e.form(typeOf(v)))
	}
	if ops := f.body.Ops; len(ops) == 2 && len(f.body.Args) == 2 && len(ops[0].Operands) == 2 && ops[1].Operands[0] == ops[0].Results[0] &&
		ops[0].Operands[0] != ops[0].Operands[1] && slices.Contains(f.body.Args, ops[0].Operands[0]) && slices.Contains(f.body.Args, ops[0].Operands[1]) {
		f.free = anyOrder[ops[0].Info.Opcode]
		f.turns = f.free || ops[0].Info.Opcode == tileir.OpAddF || ops[0].Info.Opcode == tileir.OpMulF
	}
	return f
}

// combine folds elements into what comes from earlier ones.
func (f *folder) combine(acc, elem []ir.Value) []ir.Value {
	u := f.p.Block.Uniform()
	for i := range acc {
		f.set(f.body.Args[2*i], u, acc[i:i+1])
		f.set(f.body.Args[2*i+1], u, elem[i:i+1])
	}
	last := len(f.body.Ops) - 1
	// The numbers are elements that threads hold, some of which lie outside.
	f.uncheckedly(func() { f.block(&tileir.Block{Ops: f.body.Ops[:last]}) })
	var out []ir.Value
	for _, v := range f.body.Ops[last].Operands {
		out = append(out, f.scalar(v))
	}
	return out
}

// at gives a register of all operands.
func (f *folder) at(r int) []ir.Value {
	out := make([]ir.Value, len(f.regs))
	for i := range out {
		out[i] = f.regs[i][r]
	}
	return out
}

// put is the reverse of at.
func (f *folder) put(r int, x []ir.Value) {
	for i := range x {
		f.regs[i][r] = x[i]
	}
}

// choose is x where a mask holds, else y.
func (f *folder) choose(m ir.Value, x, y []ir.Value) []ir.Value {
	out := make([]ir.Value, len(x))
	for i := range x {
		out[i] = f.pick(f.forms[i], m, x[i], y[i])
	}
	return out
}

// pick chooses between two elements.
func (e *emitter) pick(form vec.Type, m, x, y ir.Value) ir.Value {
	if form != vec.NoType {
		return e.Do(vec.Select, vec.IntOf(form.Bytes()), m, x, y)
	}
	return e.Do(vec.MOr, vec.NoType, e.Do(vec.MAnd, vec.NoType, x, m), e.Do(vec.MAndNot, vec.NoType, y, m))
}

// begin takes the operands in a layout.
func (f *folder) begin(l *linear.Layout) {
	f.lay, f.regs = l, nil
	for _, v := range f.op.Operands {
		f.regs = append(f.regs, slices.Clone(f.get(v, l)))
	}
}

// owning is a layout like another one, in which each thread has all elements that differ in the bits of a mask.
func (e *emitter) owning(l *linear.Layout, n, mask int) *linear.Layout {
	if !l.Permutes() {
		l = e.p.Block.Blocked(linear.Shape{n}, []int{0}, 1)
	}
	if l.Thread().Span()&mask == 0 {
		return l
	}
	out := &linear.Layout{}
	var spare linear.Map
	for _, b := range l.Reg {
		if b&mask == 0 {
			spare = append(spare, b)
		}
	}
	threads := slices.DeleteFunc(l.Thread(), func(b int) bool { return b == 0 || b&mask != 0 })
	for len(threads) < e.p.Block.Lanes+e.p.Block.Warps && len(spare) > 0 {
		threads, spare = append(threads, spare[0]), spare[1:]
	}
	for len(threads) < e.p.Block.Lanes+e.p.Block.Warps {
		threads = append(threads, 0)
	}
	for bit := 1; bit <= mask; bit <<= 1 {
		if bit&mask != 0 {
			out.Reg = append(out.Reg, bit)
		}
	}
	out.Reg = append(out.Reg, spare...)
	out.Lane, out.Warp = threads[:e.p.Block.Lanes:e.p.Block.Lanes], threads[e.p.Block.Lanes:]
	return out
}

// publish sets the results.
func (f *folder) publish(l *linear.Layout) {
	for i, r := range f.op.Results {
		f.set(r, l, f.regs[i])
	}
}
