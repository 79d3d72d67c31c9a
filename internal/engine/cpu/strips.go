package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// stripRun is a compiled run. It first does what needs no strips, in program order: scalars, addresses, loads of tiles
// that do not lie in one piece. Then it does the rest strip by strip, reading loaded tiles where they lie in memory and
// writing stored ones there. At last it stores what could not be written in place.
//
// The first fault in program order is the one that counts. Operations before it run to their end, as they would have
// without strips; those after it may have run in part.
type stripRun struct {
	n, strip int
	steps    []stripStep
	values   []stripValue
	loads    []int // steps
	stores   []int // steps, in order
}

// stripValue is a value of a run.
type stripValue struct {
	off     slot
	advance int // bytes from one element to the next strip's, 0 where each strip takes the same place
}

// stripStep is one operation of a run. d, a, b and c are values of the run.
type stripStep struct {
	role       role
	op         *tileir.Op
	before     step
	loop       *elementwise
	d, a, b, c int
	spread     layout
	size       int
	access     *access
	inPlace    bool // a load or store may use memory itself as the place of its tile
	arena      bool // the tile of a load or store lies in the arena as a whole
	scratch    int  // where its tile lies otherwise
	sink       int
}

// sink is what a store needs to know while a run runs.
type sink struct {
	region
	to    ptr  // where the strips go
	late  bool // they go to scratch or the arena, and from there to memory after the last strip
	bytes uintptr
}

// generate compiles a run.
func (r *run) generate(c *compiler, _ *tileir.Op) (step, error) {
	s := &stripRun{n: r.n, strip: r.strip}
	b := &runBuilder{c: c, run: r, out: s, index: map[*storage]int{}}
	for i, op := range r.ops {
		st := stripStep{role: r.roles[i], op: op}
		if err := b.step(&st); err != nil {
			return nil, err
		}
		if st.role > roleBefore || st.before != nil {
			s.steps = append(s.steps, st)
		}
	}
	for i := range s.steps {
		switch s.steps[i].role {
		case roleLoad:
			s.loads = append(s.loads, i)
		case roleStore:
			s.steps[i].sink = len(s.stores)
			s.stores = append(s.stores, i)
		}
	}
	c.reserve(b.scratch)
	c.bases, c.sinks = max(c.bases, len(s.values)), max(c.sinks, len(s.stores))
	return s.exec, nil
}

// runBuilder compiles the operations of a run.
type runBuilder struct {
	c       *compiler
	run     *run
	out     *stripRun
	index   map[*storage]int
	scratch int
}

// value gives the number of a value.
func (b *runBuilder) value(v *tileir.Value) int {
	p := b.c.plan.places[v]
	if i, ok := b.index[p.storage]; ok {
		return i
	}
	advance := elemBytes(tileType(v))
	if p.strip || p.splat || tileType(v).Size() != b.run.n {
		advance = 0
	}
	b.index[p.storage] = len(b.out.values)
	b.out.values = append(b.out.values, stripValue{p.off, advance})
	return len(b.out.values) - 1
}

// step compiles one operation.
func (b *runBuilder) step(st *stripStep) error {
	c, op := b.c, st.op
	var err error
	switch st.role {
	case roleNone, roleBefore:
		if generate := shapeOf(op).generate; generate != nil {
			st.before, err = generate(c, op)
		}
		return err
	case roleLoop:
		e, err := shapeOf(op).loop(c, op)
		if err != nil {
			return err
		}
		st.loop = e.ready()
		args := [3]int{}
		for i, v := range op.Operands {
			args[i] = b.value(v)
		}
		st.a, st.b, st.c = args[0], args[1], args[2]
	case roleSpread:
		st.spread = spreading(op, c.plan.places[op.Operands[0]].splat || tileType(op.Operands[0]).Size() == 1)
		st.a = b.value(op.Operands[0])
	case roleLoad:
		if st.access, err = c.newLoad(op); err != nil {
			return err
		}
		v := op.Results[0]
		st.inPlace = st.access.elem != tileir.I1 && !strong(op) && !b.run.picky[v]
		st.arena = b.run.escapes(v)
	case roleStore:
		st.access = c.newAccess(op, op.Operands[1], op.Group(2))
		st.a = b.value(op.Operands[0])
		root, ok := b.run.root[op.Operands[0]]
		st.inPlace = ok && b.run.stored(root)
		st.arena = !ok || b.run.escapes(root)
	}
	if st.role != roleStore {
		st.d, st.size = b.value(op.Results[0]), elemBytes(tileType(op.Results[0]))
	}
	if st.access != nil && !st.arena {
		st.size, st.scratch = st.access.size, b.scratch
		b.scratch += alignUp(b.run.n*st.size, 64)
	}
	return nil
}

// exec runs the run.
func (s *stripRun) exec(f *frame) signal {
	for i := range s.values {
		f.bases[i] = unsafe.Add(f.mem, s.values[i].off)
	}
	limit := len(s.steps) // steps from here on do not run
	for i := range s.steps {
		if !s.steps[i].begin(f) {
			limit = i
			break
		}
	}
	if len(s.stores) > 0 {
		s.arrange(f, limit)
	}
	for lo := 0; lo < s.n; lo += s.strip {
		f.poll()
		limit = s.runStrip(f, lo, min(s.strip, s.n-lo), limit)
	}
	for k, i := range s.stores {
		if st, to := &s.steps[i], &f.sinks[k]; i < limit && to.late && !to.empty {
			st.access.transfer(f, &to.region, to.to, false)
		}
	}
	if limit < len(s.steps) {
		return sigFault
	}
	return sigNext
}

// begin does what a step does before the first strip; false after a fault.
func (st *stripStep) begin(f *frame) bool {
	switch st.role {
	case roleNone, roleBefore:
		return st.before(f) != sigFault
	case roleLoad:
		return st.beginLoad(f)
	case roleStore:
		k := &f.sinks[st.sink]
		return st.access.locate(f, &k.region)
	}
	return true
}

// beginLoad finds out where the tile of a load is, or brings it to the arena or scratch.
func (st *stripStep) beginLoad(f *frame) bool {
	var r region
	if !st.access.locate(f, &r) {
		return false
	}
	if st.inPlace && !st.arena && st.access.dense1(&r) {
		f.bases[st.d] = r.memory
		return true
	}
	if !st.arena {
		f.bases[st.d] = unsafe.Add(f.scratch, st.scratch)
	}
	st.access.fetch(f, &r, f.bases[st.d])
	if st.access.watch != nil {
		st.access.watch.acquire(f, st.access, &r)
	}
	return true
}

// arrange decides for each store whether it happens strip by strip. That is so where the tile is one piece of memory
// and no other store overlaps it. Loads from there are brought to scratch first.
func (s *stripRun) arrange(f *frame, limit int) {
	late := false
	for k, i := range s.stores {
		if i >= limit {
			break
		}
		st, to := &s.steps[i], &f.sinks[k]
		to.late = st.arena || !st.access.dense1(&to.region)
		to.bytes = uintptr(s.n * st.access.size)
		late = late || to.late
		for j := range k {
			other := &f.sinks[j]
			late = late || overlap(to.memory, to.bytes, other.memory, other.bytes)
		}
	}
	for k, i := range s.stores {
		st, to := &s.steps[i], &f.sinks[k]
		if i >= limit { // it will not happen, but what it would have stored is made
			if st.inPlace {
				f.bases[st.a] = unsafe.Add(f.scratch, st.scratch)
			}
			continue
		}
		if to.late = to.late || late && len(s.stores) > 1; to.late {
			to.to = unsafe.Add(f.scratch, st.scratch)
			if st.arena {
				to.to = f.bases[st.a]
			}
		} else {
			to.to = to.memory
			s.rescue(f, to, limit)
		}
		if st.inPlace {
			f.bases[st.a] = to.to
		}
	}
}

// rescue copies the tiles of loads that a store will overwrite.
func (s *stripRun) rescue(f *frame, to *sink, limit int) {
	for _, i := range s.loads {
		st := &s.steps[i]
		if from := f.bases[st.d]; i < limit && overlap(to.memory, to.bytes, from, uintptr(s.n*st.size)) {
			f.bases[st.d] = unsafe.Add(f.scratch, st.scratch)
			f.copyInParts(f.bases[st.d], from, s.n*st.size)
		}
	}
}

// overlap reports whether two pieces of memory have a byte in common.
func overlap(a ptr, n uintptr, b ptr, m uintptr) bool {
	return uintptr(a) < uintptr(b)+m && uintptr(b) < uintptr(a)+n
}

// runStrip does m elements from lo on of all steps before limit. It gives the new limit after a fault.
func (s *stripRun) runStrip(f *frame, lo, m, limit int) int {
	steps := s.steps[:limit]
	for i := range steps {
		st := &steps[i]
		switch st.role {
		case roleLoop:
			text := st.loop.apply(f, s.at(f, st.d, lo), s.at(f, st.a, lo), s.at(f, st.b, lo), s.at(f, st.c, lo), m, lo)
			if text != "" {
				f.fail(st.op, "%s", text)
				return i
			}
		case roleSpread:
			st.spread.copyPart(s.at(f, st.d, lo), f.bases[st.a], st.size, lo, m)
		case roleCount:
			countFrom(s.at(f, st.d, lo), st.size, lo, m)
		case roleStore:
			if !st.inPlace && !st.arena {
				copyBytes(unsafe.Add(f.sinks[st.sink].to, lo*st.size), s.at(f, st.a, lo), m*st.size)
			}
		}
	}
	return limit
}

// at gives the place of a strip that begins with element lo.
func (s *stripRun) at(f *frame, value, lo int) ptr {
	return unsafe.Add(f.bases[value], lo*s.values[value].advance)
}

// dense1 reports whether a region is a whole tile that lies in memory as in the arena.
func (a *access) dense1(r *region) bool {
	if !r.whole || r.empty || a.sparse >= 0 || a.halves {
		return false
	}
	for i, n := range a.tile {
		if n > 1 && r.stride[i] != a.dense[i] {
			return false
		}
	}
	return true
}

// copyPart copies m elements from element lo of the destination on to d. The layout has at most two dimensions and a
// dense destination.
func (l layout) copyPart(d, s ptr, size, lo, m int) {
	cols, rowStep, step := l.shape[0], 0, l.src[0]
	if len(l.shape) == 2 {
		cols, rowStep, step = l.shape[1], l.src[0], l.src[1]
	}
	for m > 0 {
		row, col := lo/cols, lo%cols
		k := min(cols-col, m)
		copyElems(d, unsafe.Add(s, (row*rowStep+col*step)*size), size, k, 1, step, true)
		lo, m, d = lo+k, m-k, unsafe.Add(d, k*size)
	}
}
