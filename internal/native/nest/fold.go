package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// fold is a reduction while a row is done.
type fold struct {
	st   *Step
	body *tileir.Block
	accs [][]vec.Reg // by operand, then by part
}

func (b *builder) newFold(st *Step) *fold {
	return &fold{st: st, body: st.Op.Regions[0], accs: make([][]vec.Reg, len(st.Op.Operands))}
}

// accumulate folds a vector of elements into its partial results; the first ones are the partial results themselves.
func (b *builder) accumulate(f *fold, part int, elems []vec.Reg, first bool) {
	if first {
		for i, x := range elems {
			acc := b.New(b.Regs[x])
			b.Set(acc, x)
			f.accs[i] = append(f.accs[i], acc)
		}
		return
	}
	accs := make([]vec.Reg, len(elems))
	for i := range accs {
		accs[i] = f.accs[i][part]
	}
	for i, x := range b.combine(f, accs, elems) {
		b.Set(accs[i], x)
	}
}

// finish folds the partial results and gives the result of the row to all lanes.
func (b *builder) finish(f *fold, parts int) {
	accs := make([]vec.Reg, len(f.accs))
	for ; parts > 1; parts /= 2 {
		for u := range parts / 2 {
			upper := make([]vec.Reg, len(accs))
			for i := range accs {
				accs[i], upper[i] = f.accs[i][u], f.accs[i][u+parts/2]
			}
			for i, x := range b.combine(f, accs, upper) {
				f.accs[i][u] = x
			}
		}
	}
	for i := range accs {
		accs[i] = f.accs[i][0]
	}
	for d := min(b.s.Cols, vec.Lanes) / 2; d > 0; d /= 2 {
		upper := make([]vec.Reg, len(accs))
		for i, x := range accs {
			upper[i] = b.DoImm(vec.Down, b.typeOf(x), int64(d), x)
		}
		accs = b.combine(f, accs, upper)
	}
	for i, v := range f.st.Op.Results {
		b.setRow(v, b.unfolded(v, b.Do(vec.First, b.typeOf(accs[i]), accs[i])))
	}
}

// truth reports whether a value's elements are truth values: a fold has them as bytes, whose lanes can change places.
func truth(v *tileir.Value) bool {
	t := lane.TileOf(v)
	return !t.Pointer && t.Elem == tileir.I1
}

// folded is the form of an element in a fold.
func (b *builder) folded(v *tileir.Value, x vec.Reg) vec.Reg {
	if truth(v) {
		return b.Pick(vec.I8, x, b.Bits(vec.I8, 1), b.Bits(vec.I8, 0))
	}
	return x
}

// unfolded is the other direction.
func (b *builder) unfolded(v *tileir.Value, x vec.Reg) vec.Reg {
	if truth(v) {
		return b.Compare(vec.I8, vec.NE, x, b.Bits(vec.I8, 0))
	}
	return x
}

// typeOf is a type of the lanes of a register.
func (b *builder) typeOf(x vec.Reg) vec.Type { return vec.IntOf(b.Regs[x].Bytes()) }

// apart copies the results that are accumulators of other results: those are assigned one after the other.
func (b *builder) apart(out, accs []vec.Reg) []vec.Reg {
	for i, x := range out {
		if k := slices.Index(accs, x); k >= 0 && k != i {
			out[i] = b.New(b.Regs[x])
			b.Set(out[i], x)
		}
	}
	return out
}

// combine emits the body of a reduction. Of each pair of its arguments the first is the accumulator.
func (b *builder) combine(f *fold, accs, elems []vec.Reg) []vec.Reg {
	regs := map[*tileir.Value]vec.Reg{}
	for i := range accs {
		acc, elem := f.body.Args[2*i], f.body.Args[2*i+1]
		regs[acc], regs[elem] = b.unfolded(acc, accs[i]), b.unfolded(elem, elems[i])
	}
	get := func(v *tileir.Value) vec.Reg {
		if r, ok := regs[v]; ok {
			return r
		}
		if k := lane.ConstantBits(v); k != nil {
			return lane.Constant(b.Builder, lane.TileOf(v), *k)
		}
		return b.first[b.s.find(v, false, false)]
	}
	var out []vec.Reg
	for _, op := range f.body.Ops {
		args := make([]vec.Reg, len(op.Operands))
		for i, v := range op.Operands {
			args[i] = get(v)
		}
		switch op.Info.Opcode {
		case tileir.OpYield:
			for i, v := range op.Operands {
				args[i] = b.folded(v, args[i])
			}
			out = b.apart(args, accs)
		case tileir.OpConstant:
		default:
			x, ok := lane.Emit(b.Builder, op, args)
			if !ok {
				b.fail(op)
			}
			regs[op.Results[0]] = x
		}
	}
	return out
}
