package mach

import (
	"cmp"
	"fmt"
	"slices"
)

// Place says where a virtual register is: in a physical register, in a slot, or nowhere since it is made again.
type Place struct {
	Reg  int8  // -1 for none
	Slot int32 // -1 for none
	Made int32 // the instruction that makes it again before each use; -1 for none
}

// Allocation is the result of [Allocate].
type Allocation struct {
	Places  []Place
	Slots   int // of the size of a vector register each
	Scratch [Files]Set
	files   []File
	vs      []interval
}

// live gives the physical registers that have values before an instruction which are needed behind it.
func (a *Allocation) live(at int32) (out [Files]Set) {
	for r := range a.vs {
		if v, p := &a.vs[r], a.Places[r].Reg; p >= 0 && v.start >= 0 && v.start < 2*at && v.end > 2*at {
			out[a.files[r]] |= 1 << p
		}
	}
	return out
}

// scratchNeeded is how many registers are set aside to bring values from slots: for what one instruction may use.
var scratchNeeded = [Files]int{Int: 3, Vector: 4, Mask: 3}

// Allocate gives each register of a function a place. free has the physical registers that it may take.
func Allocate(c *Code, free [Files]Set) (*Allocation, error) {
	vs := c.intervals()
	a := &allocator{files: c.Files, free: free, vs: vs, out: &Allocation{Places: make([]Place, len(vs)), files: c.Files, vs: vs}}
	if a.scan() {
		return a.out, nil
	}
	for f := range free { // some did not fit: set registers aside and begin again
		if !slices.Contains(c.Files[1:], File(f)) {
			continue
		}
		for range scratchNeeded[f] {
			r := highest(free[f])
			if r < 0 {
				return nil, fmt.Errorf("BUG: mach: file %d has too few registers", f)
			}
			free[f] &^= 1 << r
			a.out.Scratch[f] |= 1 << r
		}
	}
	out := &Allocation{Places: make([]Place, len(vs)), Scratch: a.out.Scratch, files: c.Files, vs: vs}
	a = &allocator{files: c.Files, free: free, vs: vs, out: out, spills: true}
	a.scan()
	return a.out, nil
}

func highest(s Set) int8 {
	r := int8(-1)
	for s != 0 {
		r = s.first()
		s &^= 1 << r
	}
	return r
}

type allocator struct {
	files  []File
	free   [Files]Set
	taken  [Files]Set
	holder [Files][maxRegs]Reg   // what a register has that is taken
	ends   [Files][maxRegs]int32 // how long
	vs     []interval
	out    *Allocation
	spills bool
	slots  []int32 // when the last value of each slot is not needed any more
}

// maxRegs is the most physical registers that a file has.
const maxRegs = 32

// scan goes through the intervals by their start. Without spills it reports false as soon as one does not fit.
func (a *allocator) scan() bool {
	order := make([]*interval, 0, len(a.vs))
	for r := range a.vs {
		a.out.Places[r] = Place{-1, -1, -1}
		if a.vs[r].start >= 0 {
			order = append(order, &a.vs[r])
		}
	}
	slices.SortStableFunc(order, func(x, y *interval) int { return cmp.Compare(x.start, y.start) })
	for _, v := range order {
		if v.constant >= 0 && v.start == v.end { // nobody reads it
			a.out.Places[v.reg].Made = v.constant
			continue
		}
		a.expire(a.files[v.reg], v.start)
		if !a.place(v) {
			return false
		}
	}
	return true
}

// expire frees the registers of a file whose intervals ended.
func (a *allocator) expire(f File, now int32) {
	for rest := a.taken[f]; rest != 0; rest &= rest - 1 {
		if r := rest.first(); a.ends[f][r] < now {
			a.taken[f] &^= 1 << r
			a.free[f] |= 1 << r
		}
	}
}

// place gives an interval a register, if need be that of another one.
func (a *allocator) place(v *interval) bool {
	f := a.files[v.reg]
	if a.free[f] != 0 {
		r := a.out.Places[v.hint].Reg
		if v.hint == 0 || a.files[v.hint] != f || r < 0 || !a.free[f].has(r) {
			r = a.free[f].first()
		}
		a.take(v, r)
		return true
	}
	if !a.spills {
		return false
	}
	victim, cost := v, v.cost()
	for rest := a.taken[f]; rest != 0; rest &= rest - 1 {
		o := &a.vs[a.holder[f][rest.first()]]
		if c := o.cost(); c < cost {
			victim, cost = o, c
		}
	}
	if victim != v {
		a.take(v, a.out.Places[victim.reg].Reg)
	}
	a.spill(victim)
	return true
}

// take gives an interval a register.
func (a *allocator) take(v *interval, r int8) {
	f := a.files[v.reg]
	a.out.Places[v.reg] = Place{r, -1, -1}
	a.free[f] &^= 1 << r
	a.taken[f] |= 1 << r
	a.holder[f][r], a.ends[f][r] = v.reg, v.end
}

// cost is what it costs to keep a value in memory, for each moment of its life.
func (v *interval) cost() float64 {
	c := v.weight / float64(v.end-v.start+1)
	if v.constant >= 0 {
		c /= 2 // it need not be stored
	}
	return c
}

// spill keeps a value in a slot that is free during its life.
func (a *allocator) spill(v *interval) {
	if v.constant >= 0 {
		a.out.Places[v.reg] = Place{-1, -1, v.constant}
		return
	}
	for i, end := range a.slots { // no value begins after the end of this one, which is still to come
		if end < v.start {
			a.slots[i] = v.end
			a.out.Places[v.reg] = Place{-1, int32(i), -1}
			return
		}
	}
	a.slots = append(a.slots, v.end)
	a.out.Places[v.reg] = Place{-1, int32(len(a.slots) - 1), -1}
	a.out.Slots = len(a.slots)
}
