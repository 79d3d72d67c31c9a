package nest

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// builder writes the instructions of a segment.
type builder struct {
	*vec.Builder
	s       *Segment
	places  []Place
	base    []vec.Reg // of each operand: the address of the row
	step    []vec.Reg // and the distance to the next
	first   []vec.Reg // of operands that are the same for all columns: the element in all lanes
	ahead   []vec.Reg // the address of what will soon be loaded; 0 for none
	inside  []vec.Reg // the columns of the row that lie in the tensor; 0 if all do
	lanesAt []vec.Reg // of operands with an index: see lanesApart
	rowAt   map[*value]vec.Reg
	held    map[*value]vec.Reg // what is known of the columns, where one vector has them all; else nil
	at      vec.Reg            // the row
	carry   carry
	tail    vec.Reg // the mask of the columns, where there are less than sixteen
	note    int32   // added to the notes of the steps
	err     error
}

// Place is where an operand lies in a function that the segment is a part of.
type Place struct {
	Memory  *Memory // what loads through pointers read; for those alone
	Note    vec.Reg // the address of a note of [MissWords] words, for those alone
	Base    vec.Reg // the address of the first row; 0 for a result that nobody wants in memory
	Step    vec.Reg // the bytes from a row to the next, where rows have elements of their own
	Element vec.Reg // what is the same for all rows and columns, in all lanes; if it is there, Base means nothing
	Vector  vec.Reg // the elements, one in each lane; if it is there, Base means nothing: see [Segment.Takes]
	Ahead   vec.Reg // what will soon be loaded is as far behind the tile; 0 if that is not known: see [Segment.Prefetches]
	Width   vec.Reg // the columns of the tile that lie in the tensor, the first ones; 0 if all do
	Height  vec.Reg // and the rows
	Stream  bool    // the tile is written past the caches; its rows begin at multiples of [StreamAlign]: see [Segment.Streams]
}

// Build makes a function of the segment.
func (s *Segment) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	places := make([]Place, len(s.Operands))
	for i, o := range s.Operands {
		first, second := b.Arg(FrameHead+2*i), b.Arg(FrameHead+2*i+1)
		switch {
		case o.Role == Reached:
			places[i].Memory, places[i].Note = o.memory(b, first), second
		case o.Rows:
			places[i].Base, places[i].Step = first, second
		default:
			places[i].Base = first
		}
	}
	if _, err := s.Emit(b, places, b.Arg(FirstUnit), b.Arg(LastUnit), 0); err != nil {
		return nil, err
	}
	if err := b.Verify(); err != nil {
		return nil, fmt.Errorf("BUG: nest: %w", err)
	}
	b.Source = s.Source
	return b.Finish().Tidy(), nil
}

// Emit writes the instructions of the segment for the units from up to to, with notes that count from a number on. It gives the
// results that are in registers: those that are one element, where the segment has one row, and those that are one vector.
func (s *Segment) Emit(into *vec.Builder, places []Place, from, to vec.Reg, note int32) (results map[*tileir.Value]vec.Reg, err error) {
	b := &builder{Builder: into, s: s, places: slices.Clone(places), note: note, rowAt: map[*value]vec.Reg{}}
	if s.OneVector() {
		b.held = map[*value]vec.Reg{}
	}
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
	case s.Rows == 1:
		b.operands(0)
		b.at = from
		b.row()
		results = b.singles()
	default:
		b.operands(from)
		b.at = b.For(from, to, 1)
		b.row()
		b.End()
	}
	return results, b.err
}

// singles gives the values of the only row, and the full ones that are one vector.
func (b *builder) singles() map[*tileir.Value]vec.Reg {
	out := map[*tileir.Value]vec.Reg{}
	for v, x := range b.s.values {
		if r, ok := b.rowAt[x]; ok {
			out[v] = r
		} else if r, ok := b.held[x]; ok {
			out[v] = r
		}
	}
	return out
}

// operands finds the addresses of the first row that is done; 0 stands for the very first.
func (b *builder) operands(from vec.Reg) {
	n := len(b.s.Operands)
	b.base, b.step, b.first, b.lanesAt = make([]vec.Reg, n), make([]vec.Reg, n), make([]vec.Reg, n), make([]vec.Reg, n)
	b.ahead, b.inside = make([]vec.Reg, n), make([]vec.Reg, n)
	for i, pl := range b.places {
		o := &b.s.Operands[i]
		if skip := b.s.skipped(o); skip > 0 && pl.Base != 0 {
			pl.Base = b.AddInt(pl.Base, int64(skip*o.Bytes))
			b.places[i].Base = pl.Base
		}
		b.base[i], b.step[i], b.first[i] = pl.Base, pl.Step, pl.Element
		switch {
		case o.Role == Reached:
		case pl.Element != 0 || pl.Vector != 0 || pl.Base == 0:
		case o.index != nil:
			b.lanesAt[i] = b.lanesApart(o)
		case o.Rows && b.s.Rows > 1:
			if b.base[i] = b.New(vec.Scalar); from != 0 {
				b.Set(b.base[i], b.Do(vec.SAdd, vec.NoType, pl.Base, b.Do(vec.SMul, vec.NoType, from, pl.Step)))
			} else {
				b.Set(b.base[i], pl.Base)
			}
		case !o.Rows && !o.Cols:
			b.loadFirst(i)
		}
	}
}

// skipped is how many elements are before the first one of an operand that is read: whole groups where a permutation does the rest.
func (s *Segment) skipped(o *Operand) int {
	if _, ok := s.inGroups(o); ok {
		return o.skip &^ (vec.Lanes - 1)
	}
	return o.skip
}

// loadFirst reads the element of an operand that is the same for all columns.
func (b *builder) loadFirst(i int) {
	b.first[i] = lane.LoadFirst(b.Builder, lane.TileOf(b.s.Operands[i].Value), vec.Mem{Base: b.base[i]})
}

// rowOf is the address of a row of an operand, counted from its base.
func (b *builder) rowOf(i int, n vec.Reg) vec.Reg {
	if b.s.Operands[i].index != nil {
		return b.indexed(i, n)
	}
	return b.Do(vec.SAdd, vec.NoType, b.base[i], b.Do(vec.SMul, vec.NoType, n, b.step[i]))
}

// row does all passes for a row, and what belongs to the row between them.
func (b *builder) row() {
	for i := range b.s.Operands {
		o := &b.s.Operands[i]
		if o.index != nil && o.Rows {
			b.base[i] = b.indexed(i, b.at)
		}
		if o.Role == Outside && o.Rows && !o.Cols && b.places[i].Element == 0 {
			b.loadFirst(i)
		}
		b.lookAhead(i)
		b.lookInside(i, b.at)
	}
	for p := range b.s.passes {
		b.rowSteps(p)
		b.pass(p)
	}
	for i := range b.s.Operands {
		if o := &b.s.Operands[i]; o.Rows && b.s.Rows > 1 && b.base[i] != 0 && o.index == nil {
			b.Emit(vec.Instr{Op: vec.SAdd, Dst: b.base[i], Src: [3]vec.Reg{b.base[i], b.step[i]}})
		}
	}
}

// lookAhead finds the address of what will be loaded after the row of an operand.
func (b *builder) lookAhead(i int) {
	if far := b.places[i].Ahead; far != 0 {
		b.ahead[i] = b.Do(vec.SAdd, vec.NoType, b.base[i], far)
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
	if val.operand >= 0 && b.base[val.operand] != 0 {
		lane.StoreFirst(b.Builder, lane.TileOf(v), vec.Mem{Base: b.base[val.operand]}, x)
	}
}

// rowOperand gives an operand of a step on values of the row.
func (b *builder) rowOperand(st *Step, v *tileir.Value) vec.Reg {
	if x := b.s.values[v]; x != nil {
		return b.rowAt[x]
	}
	if k := lane.ConstantBits(v); k != nil {
		return lane.Constant(b.Builder, lane.TileOf(v), *k)
	}
	o := b.s.reading(st, 0, v)
	return b.first[b.s.findOutside(&o)]
}

func (b *builder) fail(op *tileir.Op) {
	if b.err == nil {
		b.err = fmt.Errorf("no instructions for %s", op)
	}
}
