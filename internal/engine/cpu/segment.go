package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// nativeSegment is a segment of package nest with its function.
type nativeSegment struct {
	*nest.Segment
	fn   int
	into map[*tileir.Value]*tileir.Value // results that lie where another value does: see inPlace

	origins map[*tileir.Op]slot // the addresses that loads through pointers count from
}

// findSegment makes a segment of operations, and its machine code; nil if they begin none.
func (p *planner) findSegment(ops []*tileir.Op) *nativeSegment {
	if p.code == nil {
		return nil
	}
	p.notes.tries(ops[0])
	splat := map[*tileir.Value]bool{}
	isSplat := func(v *tileir.Value) bool { return splat[v] || p.places[v].storage != nil && p.places[v].splat }
	known := nest.Known{
		Splat:  isSplat,
		Uses:   p.uses,
		Turned: p.turned.of, Strewn: p.turned.strewn, Indexed: p.indexed.may,
		Before: func(op *tileir.Op) bool {
			sh := shapeOf(op)
			for _, r := range op.Results {
				t, ok := r.Type.(*tileir.TileType)
				splat[r] = ok && t.Size() > 1 && (p.isAlias(op) || !p.dense[r]) && p.isSplat(op, isSplat)
			}
			return p.before(op, sh)
		},
	}
	if !p.assumes { // else the engine looks at each access
		known.From = countsFrom
	}
	s := nest.Find(ops, known)
	if s == nil {
		return nil
	}
	into := p.inPlace(s, ops[len(s.Steps):])
	f, err := s.Build(p.name)
	if err != nil {
		p.notes.lacks(ops[0], err.Error())
		return nil
	}
	n, err := p.code.asm.Add(f)
	if err != nil {
		p.notes.lacks(ops[0], err.Error())
		return nil
	}
	for i := range s.Steps {
		if s.Steps[i].Kind == nest.Index {
			p.indexed.made[s.Steps[i].Op] = true
		}
	}
	return &nativeSegment{Segment: s, fn: n, into: into, origins: map[*tileir.Op]slot{}}
}

// before reports whether an operation may be done before a segment, which uses the scratch memory.
func (p *planner) before(op *tileir.Op, sh shape) bool {
	if sh.role == roleNone || sh.role == roleBefore || p.turned.renames[op] {
		return true
	}
	if len(op.Results) == 0 {
		return false
	}
	t, ok := op.Results[0].Type.(*tileir.TileType)
	switch {
	case !ok || t.Size() > stripElems:
		return false
	case op.Info.Opcode == tileir.OpLoadViewTko:
		return !strong(op)
	}
	return sh.role == roleLoop || sh.role == roleCount || sh.role == roleSpread
}

// segment plans a segment. What is done before it, and the values that it leaves, live until its end.
func (p *planner) segment(s *nativeSegment) {
	p.segments[s.Steps[0].Op] = s
	first, last := p.pos+1, p.pos+len(s.Steps)
	for i := range s.Steps {
		st := &s.Steps[i]
		p.pos++
		for v := range operandsOf(st.Op) {
			p.use(v)
			p.lasts(v, last)
		}
		if st.Kind == nest.Through {
			v := s.From(st.Op)
			p.use(v)
			p.lasts(v, last)
		}
		switch {
		case st.Kind == nest.Alias || st.Kind == nest.Before && p.isAlias(st.Op):
			p.alias(st.Op.Results[0], st.Op.Operands[0])
			continue
		case st.Kind == nest.Before || st.Kind == nest.Nothing:
			p.results(st.Op)
		default:
			p.segmentResults(s, st.Op)
		}
		for _, v := range st.Op.Results {
			if s.into[v] == nil {
				o := p.places[v].storage
				o.start, o.end = first, last
			}
		}
	}
}

// lasts keeps a value until a position.
func (p *planner) lasts(v *tileir.Value, last int) {
	if o := p.places[v].storage; o != nil {
		o.end = max(o.end, last)
	}
}

// segmentResults gives room to the results that are used behind the segment.
func (p *planner) segmentResults(s *nativeSegment, op *tileir.Op) {
	for _, v := range op.Results {
		if to := s.into[v]; to != nil {
			p.places[v] = p.places[to]
			continue
		}
		o := p.freshSplat(v, false)
		if !s.Leaves(v) {
			o.bytes = 0
		}
	}
}

// operandsOf gives the operands of an operation and of those in its regions.
func operandsOf(op *tileir.Op) func(yield func(*tileir.Value) bool) {
	return func(yield func(*tileir.Value) bool) {
		for o := range op.All() {
			for _, v := range o.Operands {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// segmentRun is a compiled segment.
type segmentRun struct {
	*nativeSegment
	code    *machineCode
	steps   []segmentStep
	places  []segmentPlace
	stores  []int // operands that are stored to memory
	reach   []int // operands that are reached through pointers
	note    int   // where the note of missed elements is in scratch, if there are such operands
	units   int   // of work
	perCall int   // of them in one call
}

// segmentStep is what is done before the function runs: an operation, or finding the memory of an operand.
type segmentStep struct {
	run     step
	access  *access
	operand int
}

// segmentPlace is where an operand lies.
type segmentPlace struct {
	off    slot // in the arena
	stride int  // of rows, in bytes
	room   int  // in scratch
	bytes  int  // of all of it
}

// callElems is how many elements of light work a call of machine code handles, so that it returns after some ten microseconds: until
// then neither the garbage collector nor the end of a launch can interrupt it.
const callElems = 1 << 16

// generate compiles the segment.
func (s *nativeSegment) generate(c *compiler, _ *tileir.Op) (step, error) {
	units, _ := s.Units()
	r := &segmentRun{nativeSegment: s, code: c.plan.code, perCall: s.PerCall(callElems), units: units}
	scratch := 0
	byStep := map[int]int{}
	for i := range s.Operands {
		o := &s.Operands[i]
		pl := segmentPlace{bytes: s.Rows * s.Cols * o.Bytes}
		if o.Rows {
			pl.stride = o.Bytes
			if o.Cols {
				pl.stride = s.Cols * o.Bytes
			}
		}
		switch o.Role {
		case nest.Outside, nest.Result:
			pl.off = c.off(o.Value)
		case nest.Reached:
			pl.off, pl.room = c.off(o.Value), scratch
			scratch += alignUp(int(unsafe.Sizeof(nest.Reach{})), 64)
			r.reach = append(r.reach, i)
		case nest.Buffer:
			pl.room = scratch
			scratch += alignUp(s.Cols*o.Bytes, 64)
		default:
			byStep[o.Step] = i
			pl.room = scratch
			scratch += alignUp(pl.bytes, 64)
		}
		if o.Role == nest.Stored {
			r.stores = append(r.stores, i)
		}
		r.places = append(r.places, pl)
	}
	if r.note = scratch; len(r.reach) > 0 {
		scratch += 8 * nest.MissWords
	}
	c.reserve(scratch)
	for i := range s.Steps {
		if err := r.prepare(c, i, byStep[i]); err != nil {
			return nil, err
		}
	}
	c.places = max(c.places, len(s.Operands))
	r.code.words = max(r.code.words, nest.FrameHead+2*len(s.Operands)) // a function may leave the last ones out
	return r.exec, nil
}

// prepare compiles what is done for a step before the function runs.
func (r *segmentRun) prepare(c *compiler, i, operand int) (err error) {
	st := segmentStep{operand: operand}
	switch op := r.Steps[i].Op; r.Steps[i].Kind {
	case nest.Before, nest.Alias:
		if generate := shapeOf(op).generate; generate != nil {
			st.run, err = generate(c, op)
		}
	case nest.Load:
		st.access, err = c.newLoad(op)
	case nest.Through:
		r.origins[op] = c.off(r.From(op))
	case nest.Store:
		st.access = c.newAccess(op, op.Operands[1], op.Group(2))
	}
	if st.run != nil || st.access != nil {
		r.steps = append(r.steps, st)
	}
	return err
}

// exec runs the segment.
func (r *segmentRun) exec(f *frame) signal {
	for i := range r.steps {
		st := &r.steps[i]
		if st.run != nil {
			if sig := st.run(f); sig != sigNext {
				return sig
			}
			continue
		}
		m := &f.places[st.operand]
		if !st.access.locate(f, &m.region) {
			return sigFault
		}
		r.settle(f, st, m)
	}
	r.lookThrough(f)
	r.separate(f)
	words := f.words
	for i := range r.places {
		pl := &r.places[i]
		at, stride := unsafe.Add(f.mem, pl.off), pl.stride
		switch r.Operands[i].Role {
		case nest.Buffer:
			at = unsafe.Add(f.scratch, pl.room)
		case nest.Loaded, nest.Stored:
			at, stride = f.places[i].base, f.places[i].stride
		case nest.Reached:
			at, stride = unsafe.Add(f.scratch, pl.room), int(uintptr(f.scratch))+r.note
		}
		words[nest.FrameHead+2*i], words[nest.FrameHead+2*i+1] = uint64(uintptr(at)), uint64(stride)
	}
	for lo := 0; lo < r.units; lo += r.perCall {
		f.poll()
		words[nest.FirstUnit], words[nest.LastUnit] = uint64(lo), uint64(min(lo+r.perCall, r.units))
		r.code.call(r.fn, words)
	}
	if len(r.reach) > 0 && r.missed(f, r.noteIn(f)) == sigFault {
		return sigFault
	}
	for i := range r.steps {
		if st := &r.steps[i]; st.access != nil && r.Operands[st.operand].Role == nest.Stored {
			if m := &f.places[st.operand]; m.late && !m.empty {
				st.access.transfer(f, &m.region, unsafe.Add(f.scratch, r.places[st.operand].room), false)
			}
		}
	}
	return sigNext
}
