package ptx

import "github.com/cutile-go/cutile/internal/threads/ir"

// coalesce finds the values that may lie in the register of a variable: those that are read from it, if it does not change
// while they are in use, and those that are assigned to it and nothing else, if nobody reads what it was any more when they
// are computed.
func (w *writer) coalesce() {
	w.home = make([]ir.Var, len(w.k.Classes))
	c := coalescer{home: w.home, values: make([]life, len(w.k.Classes)), sets: make([][]spot, len(w.k.Vars)), gets: make([][]ir.Value, len(w.k.Vars))}
	c.block(w.k.Body)
	for v, gets := range c.gets {
		for _, x := range gets {
			if c.stays(ir.Var(v), x) {
				c.home[x] = ir.Var(v)
			}
		}
	}
	for v, sets := range c.sets {
		for _, s := range sets {
			if s.value != 0 && c.computable(ir.Var(v), s) {
				c.home[s.value] = ir.Var(v)
			}
		}
	}
}

// coalescer knows where values are used. Instructions are numbered in the order of the text.
type coalescer struct {
	home   []ir.Var
	values []life
	sets   [][]spot     // by variable
	gets   [][]ir.Value // by variable
	loops  []int        // those that are open, by the number of their first instruction
	blocks int
	inside int // the number of the block
	now    int
	jumps  []int // where a loop is left, or its next turn begins
}

// life is the life of a value.
type life struct {
	at, block int
	loops     []int // around its definition
	uses      []int
	pure      bool
}

// spot is an assignment.
type spot struct {
	at, block int
	loops     []int
	value     ir.Value
}

func (c *coalescer) block(b *ir.Block) {
	outer := c.inside
	c.blocks++
	c.inside = c.blocks
	for _, in := range b.Instrs {
		c.now++
		at := c.now
		in.Uses(func(v ir.Value) { c.values[v].uses = append(c.values[v].uses, at) })
		for _, d := range in.Dst {
			c.values[d] = life{at: at, block: c.inside, loops: c.loops, pure: in.Op != ir.Get && (in.Pure() || in.Op == ir.Load || in.Op == ir.Shuffle || in.Op == ir.TensorLoad) && !constant(in)}
		}
		switch in.Op {
		case ir.Break, ir.Continue, ir.Return:
			c.jumps = append(c.jumps, at)
		case ir.Get:
			c.gets[in.Vars[0]] = append(c.gets[in.Vars[0]], in.Dst[0])
		case ir.MultiplyGroup: // it changes them in place
			for _, v := range in.Vars {
				c.sets[v] = append(c.sets[v], spot{at, c.inside, c.loops, 0})
			}
		case ir.Set:
			for i, v := range in.Vars {
				c.sets[v] = append(c.sets[v], spot{at, c.inside, c.loops, in.Src[i]})
			}
		}
		loops := c.loops
		if in.Op == ir.Loop {
			c.loops = append(loops[:len(loops):len(loops)], at)
		}
		for _, inner := range in.Body {
			c.block(inner)
		}
		c.loops = loops
	}
	c.inside = outer
}

// stays reports whether a variable is not assigned while a value that was read from it is in use.
func (c *coalescer) stays(v ir.Var, x ir.Value) bool {
	l := &c.values[x]
	for _, s := range c.sets[v] {
		if s.at < l.at {
			continue
		}
		last := s.at // the assignment itself may still read it
		for i, loop := range s.loops {
			if i >= len(l.loops) || l.loops[i] != loop { // a loop that does not read the variable anew
				last = loop
				break
			}
		}
		for _, u := range l.uses {
			if u > last {
				return false
			}
		}
	}
	return true
}

// computable reports whether the value of an assignment may be computed in the variable's register: it is used there alone, in
// the same block, and between the two nobody reads the variable and no jump leaves.
func (c *coalescer) computable(v ir.Var, s spot) bool {
	l := &c.values[s.value]
	if !l.pure || len(l.uses) != 1 || l.block != s.block || c.home[s.value] != 0 {
		return false
	}
	for _, at := range c.jumps {
		if at > l.at && at < s.at {
			return false
		}
	}
	for _, x := range c.gets[v] {
		g := &c.values[x]
		if g.at > l.at && g.at < s.at {
			return false
		}
		if c.home[x] != v || g.at > s.at {
			continue
		}
		for _, u := range g.uses {
			if u > l.at {
				return false
			}
		}
	}
	for _, o := range c.sets[v] {
		if o.at > l.at && o.at < s.at {
			return false
		}
	}
	return true
}
