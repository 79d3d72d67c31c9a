package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// sink is what a pass is done for: a step that stores or folds, a load that may be a fault, or a value that is kept.
type sink struct {
	st   *Step
	fold *fold
	v    *tileir.Value // that is kept
}

// sinksOf lists what is done with a step but a fold.
func (b *builder) sinksOf(st *Step) (list []sink) {
	if st.Kind == Store || st.Kind == Through { // a load through pointers may be a fault even if nobody takes what it loads
		list = append(list, sink{st: st})
	}
	if st.class == full && st.Kind >= Lanes && st.Kind != Reduce {
		for _, v := range st.Op.Results {
			if x := b.s.values[v]; x != nil && x.operand >= 0 {
				list = append(list, sink{st: st, v: v})
			}
		}
	}
	return list
}

// pass does the loop over the columns of a row.
func (b *builder) pass(p int) {
	var sinks []sink
	folds, scans := false, false
	for i := range b.s.Steps {
		st := &b.s.Steps[i]
		switch {
		case st.Kind == Before || st.Kind == Nothing || st.Kind == Alias || st.work() != p:
		case st.Kind == Reduce:
			sinks = append(sinks, sink{st: st, fold: b.newFold(st)})
			folds = true
		default:
			sinks = append(sinks, b.sinksOf(st)...)
			scans = scans || st.Kind == Scan && directionOf(st.Op) != anyway
		}
	}
	if len(sinks) == 0 {
		return
	}
	parts := b.parts(sinks, folds)
	from, step := 0, parts*vec.Lanes
	b.carry = carry{}
	if folds || scans || step >= b.s.Cols { // the first columns are the partial results, and no group is before them
		b.chunk(p, sinks, parts, b.column(b.Int(0), step), true)
		from = step
	}
	if from < b.s.Cols {
		c := b.For(b.Int(int64(from)), b.last(sinks), int64(step))
		b.chunk(p, sinks, parts, b.column(c, step), false)
		b.End()
	}
	for _, k := range sinks {
		if k.fold != nil {
			b.from(k.st)
			b.finish(k.fold, parts)
		}
	}
	b.Note = 0
}

// column is the first column of some, counted in the direction of the pass.
func (b *builder) column(c vec.Reg, step int) vec.Reg {
	if b.s.direction == backward {
		return b.Do(vec.SSub, vec.NoType, b.Int(int64(b.s.Cols-step)), c)
	}
	return c
}

// Parts of a chunk: as many vectors as a fold has partial results; else some, if the work is little, to hide the loop.
const (
	foldParts = 4
	mostWork  = 24
)

func (b *builder) parts(sinks []sink, folds bool) int {
	most := foldParts
	if !folds {
		work := 0
		for i := range b.s.Steps {
			if st := &b.s.Steps[i]; st.Kind >= Lanes {
				work += Weight(st.Op)
			}
		}
		for most > 1 && most*work > mostWork {
			most /= 2
		}
	}
	return max(1, min(most, b.s.Cols/vec.Lanes))
}

// chunk does some vectors of columns from c on.
func (b *builder) chunk(p int, sinks []sink, parts int, c vec.Reg, first bool) {
	for u := range parts {
		if b.s.direction == backward {
			u = parts - 1 - u
		}
		e := &columns{builder: b, pass: p, c: c, plus: u * vec.Lanes, known: b.held, placed: map[reached]vec.Reg{}, masks: map[vec.Reg]vec.Reg{}}
		if b.held == nil {
			e.known = map[*value]vec.Reg{}
		}
		if slices.ContainsFunc(sinks[:len(sinks)-1], func(k sink) bool { return k.st.Kind == Store }) {
			e.loadAll()
		}
		if b.s.overwrites(sinks[:len(sinks)-1]) {
			e.readEarly()
		}
		for _, k := range sinks {
			e.sink(k, u, first)
		}
	}
	b.Note = 0
}

// columns computes one vector of columns in a pass.
type columns struct {
	*builder
	pass   int
	c      vec.Reg // a column
	plus   int     // added to it
	known  map[*value]vec.Reg
	placed map[reached]vec.Reg // values of the class part, and lanes of others that changed places
	early  map[int]vec.Reg     // operands that were read before anything is written
	masks  map[vec.Reg]vec.Reg // of the columns that lie in tensors, by how many of the row do
}

// loadAll reads the columns of all tiles that the pass loads. A store may overwrite what a later sink would read: the
// caller allows that a segment of one pass stores the very elements that it loads.
func (e *columns) loadAll() {
	for i := range e.s.Steps {
		if st := &e.s.Steps[i]; st.Kind == Load && st.pass == e.pass {
			e.value(st.Op.Results[0])
		}
	}
}

func (e *columns) sink(k sink, part int, first bool) {
	switch {
	case k.fold != nil:
		elems := make([]vec.Reg, len(k.st.Op.Operands))
		for i, v := range k.st.Op.Operands {
			elems[i] = e.folded(v, e.operand(k.st, v))
		}
		e.from(k.st)
		e.accumulate(k.fold, part, elems, first)
	case k.st.Kind == Store:
		x := e.operand(k.st, k.st.Op.Operands[0])
		e.from(k.st)
		e.write(e.memoryOf(k.st), lane.TileOf(k.st.Op.Operands[0]), x)
	case k.v == nil:
		e.value(k.st.Op.Results[0])
	default:
		x := e.s.values[k.v]
		if y := e.value(k.v); e.held == nil || e.base[x.operand] != 0 && x.escapes {
			e.write(x.operand, x.tile(k.v), y)
		}
	}
}

// memoryOf gives the operand of a load or store.
func (b *builder) memoryOf(st *Step) int {
	for i, o := range b.s.Operands {
		if (o.Role == Loaded || o.Role == Stored) && &b.s.Steps[o.Step] == st {
			return i
		}
	}
	panic("BUG: nest: a load or store without memory")
}

// place is where the columns of an operand lie.
func (e *columns) place(i int) vec.Mem {
	size := e.s.Operands[i].Bytes
	return vec.Mem{Base: e.base[i], Index: e.c, Scale: int8(size), Disp: int32(e.plus * size)}
}

func (e *columns) write(i int, t *tileir.TileType, x vec.Reg) {
	if e.places[i].Stream {
		lane.StoreStream(e.Builder, t, e.place(i), x)
		return
	}
	lane.Store(e.Builder, t, e.place(i), x, e.mask(i))
}

func (e *columns) read(i int, t *tileir.TileType) vec.Reg {
	return lane.Load(e.Builder, t, e.place(i), e.tail)
}

// prefetch asks for the same columns of what will soon be loaded.
func (e *columns) prefetch(i int) {
	if e.ahead[i] == 0 {
		return
	}
	at := e.place(i)
	at.Base = e.ahead[i]
	e.Emit(vec.Instr{Op: vec.Prefetch, Type: vec.IntOf(int(at.Scale)), Mem: at})
}

// operand gives an operand of a step.
func (e *columns) operand(st *Step, v *tileir.Value) vec.Reg {
	if x := e.s.values[v]; x != nil && x.class == part {
		return e.taken(v, e.s.placeIn(st.Op))
	} else if x != nil {
		return e.value(v)
	}
	if k := lane.ConstantBits(v); k != nil {
		return lane.Constant(e.Builder, lane.TileOf(v), *k)
	}
	o := e.s.reading(st, 0, v)
	i := e.s.findOutside(&o)
	switch {
	case !o.Cols:
		return e.first[i]
	case o.index != nil:
		return e.pick(i)
	}
	if x := e.places[i].Vector; x != 0 {
		return x
	}
	if x, ok := e.early[i]; ok {
		return x
	}
	return e.read(i, lane.TileOf(v))
}

// value gives a value of the segment: computed, read from where it was kept, or computed again.
func (e *columns) value(v *tileir.Value) vec.Reg {
	x := e.s.values[v]
	if x.class == row {
		return e.rowAt[x]
	}
	r, ok := e.known[x]
	if !ok {
		if x.step.pass < e.pass && x.operand >= 0 {
			r = e.read(x.operand, lane.TileOf(x.root))
		} else {
			r = e.compute(x)
		}
		e.known[x] = r
	}
	return r
}

func (e *columns) compute(x *value) vec.Reg {
	st := x.step
	e.from(st)
	switch st.Kind {
	case Load:
		i := e.memoryOf(st)
		e.prefetch(i)
		return e.load(i, st)
	case Through:
		return e.through(st)
	case Spread:
		return e.operand(st, st.Op.Operands[0])
	case Index:
		return e.operand(st, st.Op.Operands[1])
	case Count:
		return e.count(lane.TileOf(st.Op.Results[0]))
	case Join:
		return e.join(st)
	case Scan:
		e.scanColumns(st)
		return e.known[x]
	}
	args := make([]vec.Reg, len(st.Op.Operands))
	for i, v := range st.Op.Operands {
		args[i] = e.operand(st, v)
	}
	e.from(st)
	r, ok := lane.Emit(e.Builder, st.Op, args)
	if !ok {
		e.fail(st.Op)
	}
	return r
}

// join takes elements of two tiles.
func (e *columns) join(st *Step) vec.Reg {
	x, y := e.operand(st, st.Op.Operands[0]), e.operand(st, st.Op.Operands[1])
	bit, _ := joined(st.Op)
	return e.Pick(e.typeOf(x), e.haveBit(e.s.everywhere(), 1<<bit), y, x)
}

// haveBit is set where the number of an element in a place has one of some bits.
func (e *columns) haveBit(p place, some int) vec.Reg {
	lanes, _, all := e.s.bits()
	if p.within(lanes, all).of(-1)&some == 0 { // the lanes alone tell
		mask := int64(0)
		for i := range vec.Lanes {
			if (p.of(i)|p.skip)&some != 0 {
				mask |= 1 << i
			}
		}
		return e.DoImm(vec.MBits, vec.NoType, mask)
	}
	n := e.Do(vec.And, vec.I32, e.countAt(vec.I32, p), e.Bits(vec.I32, uint64(some)))
	return e.Compare(vec.I32, vec.NE, n, e.Bits(vec.I32, 0))
}

// count gives the numbers of the elements in the form of a type.
func (e *columns) count(t *tileir.TileType) vec.Reg {
	form, _ := lane.Form(t)
	return e.numbers(form)
}

// numbers gives the numbers of the elements.
func (e *columns) numbers(form vec.Type) vec.Reg {
	return e.Do(vec.Add, form, e.Do(vec.Splat, form, e.number()), e.Do(vec.Iota, form))
}

// number is the number of the first element.
func (e *columns) number() vec.Reg {
	n := e.AddInt(e.c, int64(e.plus))
	if e.s.Rows > 1 {
		n = e.Do(vec.SAdd, vec.NoType, n, e.Do(vec.SMul, vec.NoType, e.at, e.Int(int64(e.s.Cols))))
	}
	return n
}
