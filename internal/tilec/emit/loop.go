package emit

import (
	"cmp"
	"go/constant"
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Loop is a loop that is being lowered.
type Loop struct {
	Carried []*Place
	args    []*Tile // the carried values at the start of a turn
	base    int     // the number of cells outside of the loop
	before  []Value
	changed []change
	lost    []*Place // parts that a mistake left undefined
	post    func()   // the post statement of a loop with three clauses
}

// change is a part of an outer variable that a loop changes, with one of the values that it gets.
type change struct {
	*Place
	v Value
}

// knows reports whether a part is carried or was found to change.
func (lc *Loop) knows(p *Place) bool {
	return slices.ContainsFunc(lc.Carried, p.same) || slices.ContainsFunc(lc.changed, func(c change) bool { return c.same(p) })
}

// note records which parts of outer variables have changed and are not carried yet.
func (lc *Loop) note(em *Emitter) {
	for i, c := range em.Cells[:lc.base] {
		if c.V == lc.before[i] {
			continue
		}
		// Only the parts that differ are carried, not the whole variable.
		differ(c.V, lc.before[i], nil, func(path []int) {
			p := &Place{c, path}
			switch v := p.Get(); {
			case Poisoned(v):
				lc.lost = append(lc.lost, p)
			// A part that is carried may change as it likes.
			case !lc.knows(p):
				lc.changed = append(lc.changed, change{p, v})
			}
		})
	}
}

// Leave ends the block with break or continue, and passes the carried values on. The post statement
// of a loop comes before every continue.
func (em *Emitter) Leave(pos token.Pos, brk bool) {
	lc := em.loops[len(em.loops)-1]
	// The post statement changes variables for the next turn only.
	save := em.Snapshot(len(em.Cells))
	if !brk && lc.post != nil {
		lc.post()
	}
	lc.note(em)
	var vs []*Tile
	for _, p := range lc.Carried {
		// A carried value must be a tile, whichever constant it is in this turn.
		vs = append(vs, em.carry(pos, p, p.Get()))
	}
	for i, v := range vs {
		if IsInterface(lc.Carried[i].typ()) {
			em.sameHeld(pos, lc.Carried[i], lc.args[i], v)
		}
		// Tile IR carries values of one type. Go has one type, too, but it may not have the shape.
		if !tileir.Identical(v.V.Type, lc.args[i].V.Type) {
			em.Fail(pos, "a variable of the loop is a tile of %s at first and of %s later", typeText(lc.args[i].Desc), typeText(v.Desc))
		}
	}
	if brk {
		em.Terminate("break", vs)
	} else {
		em.Terminate("continue", vs)
	}
	// Code behind a conditional break goes on with the values from before it.
	em.Restore(save)
}

// loopBody lowers a loop's body until it finds no further part of an outer variable that changes.
//
// Tile IR wants a loop to name the values that it carries from turn to turn, but which these are is
// known only when the body has been lowered. So the first pass carries nothing. Each pass finds
// parts that changed, and the next one carries them as well: they are then unknown in the body,
// where the pass before took them for the constants that they are in the first turn. Mistakes of a
// pass that is repeated are dropped, as they may come from such constants.
func (em *Emitter) loopBody(in *Inlined, pos token.Pos, iv *Tile, post func(), body func() Flow) (lc *Loop, blk *tileir.Block, inits []*Tile) {
	base := len(em.Cells)
	// Each pass begins with the values from before the loop.
	before := em.Snapshot(base)
	var carried []change
	for {
		lc = &Loop{base: base, before: before, post: post}
		ops, errs, wanted := len(em.Block.Ops), len(em.Errs), em.Wanted
		inits, blk = nil, &tileir.Block{}
		if iv != nil {
			blk.Args = append(blk.Args, iv.V)
		}
		for _, p := range carried {
			// A value that is a mask later must be one in front of the loop.
			init, _ := em.agree(pos, p.Place, p.Get(), spreadOnly(p), em.Block, em.Block)
			x := em.carry(pos, p.Place, init)
			arg := like([]*Tile{x})[0]
			inits, blk.Args = append(inits, x), append(blk.Args, arg.V)
			lc.Carried, lc.args = append(lc.Carried, p.Place), append(lc.args, arg)
			p.Set(arg)
		}
		// A turn begins without an exit: otherwise the turn before would have left the loop.
		if in.Exit != nil {
			in.Exit.V = Int(0)
		}
		// break and continue find the loop here.
		em.loops = append(em.loops, lc)
		em.InBlock(blk, func() {
			if body() == Next {
				em.Leave(pos, false)
			}
		})
		em.loops = em.loops[:len(em.loops)-1]
		em.Restore(before)
		if len(lc.changed) == 0 {
			return lc, blk, inits
		}
		// The operations in front of the loop made the initial values of this pass.
		em.Block.Ops, em.Errs, em.Wanted = em.Block.Ops[:ops], em.Errs[:errs], wanted
		carried = append(carried, em.sorted(lc.changed)...)
	}
}

// sorted puts changes in the order in which their variables were declared, so that the same kernel
// always gets the same code.
func (em *Emitter) sorted(cs []change) []change {
	slices.SortFunc(cs, func(a, b change) int {
		return cmp.Or(slices.Index(em.Cells, a.Cell)-slices.Index(em.Cells, b.Cell), slices.Compare(a.Path, b.Path))
	})
	return cs
}

// spreadOnly gives the value that a part gets in the loop if the type of its initial value depends
// on it: a single truth value may have to become a mask, and a part that is not set has no type
// yet.
func spreadOnly(p change) Value {
	x, ok := p.v.(*Tile)
	if p.Get() == (Unset{}) || ok && x.Desc.Shape != nil && x.Desc.Elem.IR == tileir.I1 {
		return p.v
	}
	return nil
}

// finish emits the loop, and gives the carried variables its results.
func (em *Emitter) finish(name string, groups [][]*tileir.Value, lc *Loop, blk *tileir.Block, inits []*Tile) {
	res := like(inits)
	em.control(name, groups, res, blk)
	for i, p := range lc.Carried {
		p.Set(res[i])
	}
	// A mistake in the body left these parts undefined, also behind the loop.
	for _, p := range lc.lost {
		p.Set(Poison{})
	}
}

// ForOp emits a counted loop, and returns what it carries. v is the cell of the loop's variable, or
// nil.
func (em *Emitter) ForOp(in *Inlined, pos token.Pos, lo, hi, step *Tile, v *Cell, body func(iv *Tile) Flow) *Loop {
	// The counter has the type of the bounds.
	iv := like([]*Tile{lo})[0]
	iv.Min = lowerBound(lo)
	// The counter is not a change of v by the body, so v has it before the body is lowered.
	if v != nil {
		v.V = iv
	}
	lc, blk, inits := em.loopBody(in, pos, iv, nil, func() Flow { return body(iv) })
	em.finish("for", [][]*tileir.Value{{lo.V}, {hi.V}, {step.V}, IRValues(inits)}, lc, blk, inits)
	if lo.Desc.Elem.IR.IsInt() && !lo.Desc.Elem.Signed() {
		op := em.Block.Ops[len(em.Block.Ops)-1]
		// The comparison of the counter with the bound must be the one of its type.
		op.Attrs[op.Info.AttrIndex("unsignedCmp")] = tileir.Bool(true)
	}
	return lc
}

// lowerBound gives the lower bound of a number if it is not negative.
func lowerBound(x *Tile) *int64 {
	if x.Min != nil && *x.Min >= 0 {
		return x.Min
	}
	return nil
}

// LoopOp emits a loop that a break leaves. A condition becomes a break at the start of each turn.
// around lowers a turn, with what the caller needs around it.
func (em *Emitter) LoopOp(in *Inlined, pos token.Pos, cond func() Value, post func(), around func(turn func() Flow) Flow, body func() Flow) {
	turn := func() Flow {
		if cond == nil {
			return body()
		}
		switch cv := cond().(type) {
		case *Tile:
			// The loop goes on if the condition is true, and breaks otherwise.
			then, _ := em.region(in, func() Flow { em.Terminate("yield", nil); return Left })
			els, _ := em.region(in, func() Flow { em.Leave(pos, true); return Left })
			em.ifOp(cv, nil, then, els)
		case constant.Value:
			if !constant.BoolVal(cv) {
				em.Leave(pos, true)
				return Left
			}
		}
		return body()
	}
	lc, blk, inits := em.loopBody(in, pos, nil, post, func() Flow { return around(turn) })
	em.finish("loop", [][]*tileir.Value{IRValues(inits)}, lc, blk, inits)
}
