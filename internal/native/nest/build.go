package nest

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// builder makes the function of a segment.
type builder struct {
	*vec.Builder
	s     *Segment
	base  []vec.Reg // of each operand: the address of the row
	step  []vec.Reg // and the distance to the next
	first []vec.Reg // of operands that are the same for all columns: the element in all lanes
	rowAt map[*value]vec.Reg
	at    vec.Reg // the row
	tail  vec.Reg // the mask of the columns, where there are less than sixteen
	err   error
}

// Build makes the function.
func (s *Segment) Build(name string) (*vec.Func, error) {
	b := &builder{Builder: vec.NewBuilder(name), s: s, rowAt: map[*value]vec.Reg{}}
	from, to := b.Arg(FirstUnit), b.Arg(LastUnit)
	if s.Cols < vec.Lanes {
		b.tail = b.Do(vec.MFirst, vec.NoType, b.Int(int64(s.Cols)))
	}
	switch {
	case s.down != nil:
		b.operands(0)
		b.groups(from, to)
	case s.scan != nil:
		b.operands(0)
		b.scanUnits(from, to)
	default:
		b.operands(from)
		b.at = b.For(from, to, 1)
		b.row()
		b.End()
	}
	if b.err != nil {
		return nil, b.err
	}
	if err := b.Verify(); err != nil {
		return nil, fmt.Errorf("BUG: nest: %w", err)
	}
	b.Source = s.source
	return b.Finish().Tidy(), nil
}

// operands finds the addresses of the first row that is done; 0 stands for the very first.
func (b *builder) operands(from vec.Reg) {
	n := len(b.s.Operands)
	b.base, b.step, b.first = make([]vec.Reg, n), make([]vec.Reg, n), make([]vec.Reg, n)
	for i := range b.s.Operands {
		o := &b.s.Operands[i]
		b.base[i] = b.Arg(FrameHead + 2*i)
		if o.Rows {
			b.step[i] = b.Arg(FrameHead + 2*i + 1)
			if from != 0 {
				b.base[i] = b.rowOf(i, from)
			}
		} else if !o.Cols {
			b.loadFirst(i)
		}
	}
}

// loadFirst reads the element of an operand that is the same for all columns.
func (b *builder) loadFirst(i int) {
	b.first[i] = lane.LoadFirst(b.Builder, tileOf(b.s.Operands[i].Value), vec.Mem{Base: b.base[i]})
}

// rowOf is the address of a row of an operand, counted from its base.
func (b *builder) rowOf(i int, n vec.Reg) vec.Reg {
	return b.Do(vec.SAdd, vec.NoType, b.base[i], b.Do(vec.SMul, vec.NoType, n, b.step[i]))
}

// row does all passes for a row, and what belongs to the row between them.
func (b *builder) row() {
	for i := range b.s.Operands {
		if o := &b.s.Operands[i]; o.Role == Outside && o.Rows && !o.Cols {
			b.loadFirst(i)
		}
	}
	for p := range b.s.passes {
		b.rowSteps(p)
		b.pass(p)
	}
	for i := range b.s.Operands {
		if o := &b.s.Operands[i]; o.Rows {
			b.Emit(vec.Instr{Op: vec.SAdd, Dst: b.base[i], Src: [3]vec.Reg{b.base[i], b.step[i]}})
		}
	}
}

// rowSteps does the elementwise steps on values of the row that are due before a pass.
func (b *builder) rowSteps(p int) {
	for i := range b.s.Steps {
		st := &b.s.Steps[i]
		if st.Kind != Lanes || st.class != row || st.pass != p {
			continue
		}
		args := make([]vec.Reg, len(st.Op.Operands))
		for k, v := range st.Op.Operands {
			args[k] = b.rowOperand(st, v)
		}
		b.from(st)
		x, ok := lane.Emit(b.Builder, st.Op, args)
		if !ok {
			b.fail(st.Op)
			return
		}
		b.setRow(st.Op.Results[0], x)
	}
	b.Note = 0
}

// setRow notes a value of the row, and stores it where it is used behind the segment.
func (b *builder) setRow(v *tileir.Value, x vec.Reg) {
	val := b.s.values[v]
	b.rowAt[val] = x
	if val.operand >= 0 {
		lane.StoreFirst(b.Builder, tileOf(v), vec.Mem{Base: b.base[val.operand]}, x)
	}
}

// rowOperand gives an operand of a step on values of the row.
func (b *builder) rowOperand(st *Step, v *tileir.Value) vec.Reg {
	if x := b.s.values[v]; x != nil {
		return b.rowAt[x]
	}
	if k := constantBits(v); k != nil {
		return lane.Constant(b.Builder, tileOf(v), *k)
	}
	o := b.s.reading(st, 0, v)
	return b.first[b.s.find(v, o.Rows, o.Cols)]
}

func (b *builder) fail(op *tileir.Op) {
	if b.err == nil {
		b.err = fmt.Errorf("no instructions for %s", op)
	}
}
