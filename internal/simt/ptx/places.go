package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// maxStates limits the work for variables of a kernel: the product of its blocks and its variables. Where there are more, none is anywhere.
const maxStates = 1 << 26

// nowhere is the number of no place.
const nowhere = 0

// follower finds out where variables are. A place is the instruction that tells of it; those that tell the same are one.
type follower struct {
	f      *simt.Func
	vars   []*simt.Variable
	number map[*simt.Variable]int
	places []*simt.Instr // by number; that of nowhere is nil
	of     []int         // by instruction that tells of a place: its number
	users  map[simt.Reg][]int
	held   map[int]map[simt.Reg]bool // by place: its registers that are not the variable's own
}

// followPlaces calls at for each instruction, in the order of the text, with the place of each variable when it runs: one that each way there
// has told of last, and none of whose registers, unless they are its own, has been written since. The map is good until at returns.
func followPlaces(f *simt.Func, at func(i int, places map[*simt.Variable]*simt.Instr)) {
	w := &follower{f: f, number: map[*simt.Variable]int{}, places: []*simt.Instr{nil}, of: make([]int, len(f.Body)), users: map[simt.Reg][]int{}, held: map[int]map[simt.Reg]bool{}}
	w.collect()
	if len(w.vars) == 0 {
		return
	}
	blocks := simt.Blocks(f)
	if len(blocks)*len(w.vars) > maxStates {
		return
	}
	in := w.settle(blocks)
	now := map[*simt.Variable]*simt.Instr{}
	for b := range blocks {
		state := in[b]
		clear(now)
		if state == nil { // no way leads here
			continue
		}
		for v, p := range state {
			if p != nowhere {
				now[w.vars[v]] = w.places[p]
			}
		}
		for i := blocks[b].Start; i < blocks[b].End; i++ {
			if f.Body[i].Op != simt.OpVar && f.Body[i].Op != simt.OpLabel {
				at(i, now)
			}
			w.step(i, state, func(v, p int) {
				delete(now, w.vars[v])
				if p != nowhere {
					now[w.vars[v]] = w.places[p]
				}
			})
		}
	}
}

// collect numbers variables and places.
func (w *follower) collect() {
	same := map[string]int{}
	for i := range w.f.Body {
		in := &w.f.Body[i]
		if in.Op != simt.OpVar {
			continue
		}
		v, ok := w.number[in.Var.Variable]
		if !ok {
			v = len(w.vars)
			w.number[in.Var.Variable] = v
			w.vars = append(w.vars, in.Var.Variable)
		}
		if in.Var.Type == nil {
			continue
		}
		key := fmt.Sprint(v, in.Src, in.Var.Home, describe(in.Var.Type))
		p, ok := same[key]
		if !ok {
			p = len(w.places)
			same[key] = p
			w.places = append(w.places, in)
			w.held[p] = map[simt.Reg]bool{}
			for _, op := range in.Src {
				if op.Kind == simt.Register && !in.Var.Home && !w.held[p][op.Reg] {
					w.held[p][op.Reg] = true
					w.users[op.Reg] = append(w.users[op.Reg], v)
				}
			}
		}
		w.of[i] = p
	}
}

// settle finds the places of all variables where blocks begin: nil for a block that no way leads to.
func (w *follower) settle(blocks []simt.Block) [][]int32 {
	in := make([][]int32, len(blocks))
	if len(blocks) == 0 {
		return in
	}
	in[0] = make([]int32, len(w.vars))
	pending := make([]bool, len(blocks))
	pending[0] = true
	state := make([]int32, len(w.vars))
	for again := true; again; { // in the order of the text, which few jumps go against
		again = false
		for b := range blocks {
			if !pending[b] {
				continue
			}
			pending[b] = false
			copy(state, in[b])
			for i := blocks[b].Start; i < blocks[b].End; i++ {
				w.step(i, state, func(int, int) {})
			}
			for _, s := range blocks[b].Succ {
				if meet(&in[s], state) {
					pending[s], again = true, true
				}
			}
		}
	}
	return in
}

// meet leaves places where another way comes with the same ones, and reports whether that changes anything.
func meet(to *[]int32, from []int32) (changed bool) {
	if *to == nil {
		*to = append([]int32(nil), from...)
		return true
	}
	for v, p := range *to {
		if p != nowhere && p != from[v] {
			(*to)[v], changed = nowhere, true
		}
	}
	return changed
}

// step does to the places what an instruction does, and tells of each change.
func (w *follower) step(i int, state []int32, change func(v, p int)) {
	in := &w.f.Body[i]
	if in.Op == simt.OpVar {
		v := w.number[in.Var.Variable]
		state[v] = int32(w.of[i])
		change(v, w.of[i])
		return
	}
	for k := range in.Dst {
		w.written(&in.Dst[k], state, change)
	}
}

// written ends the places that an operand is part of.
func (w *follower) written(op *simt.Operand, state []int32, change func(v, p int)) {
	switch op.Kind {
	case simt.Register:
		for _, v := range w.users[op.Reg] {
			if p := int(state[v]); p != nowhere && w.held[p][op.Reg] {
				state[v] = nowhere
				change(v, nowhere)
			}
		}
	case simt.Vector:
		for k := range op.Vec {
			w.written(&op.Vec[k], state, change)
		}
	}
}
