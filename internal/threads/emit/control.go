package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// carried is a tile in variables: what a loop carries, or what an if gives.
type carried struct {
	v    *tileir.Value
	lay  *linear.Layout
	vars []ir.Var

	busy  bool         // a product goes on from turn to turn, and nothing else may touch the variables
	reads []*ir.Buffer // where its factors are

	resident *resident     // of sums that are in tensor memory while the loop runs
	sums     *ir.Sums      // of sums that are cooperative matrices while the loop runs
	product  *plan.Product // which adds to them
}

// carry makes variables for values: nil for tokens, which are nothing at run time.
func (e *emitter) carry(values []*tileir.Value) []*carried {
	out := make([]*carried, len(values))
	for i, v := range values {
		t, ok := v.Type.(*tileir.TileType)
		if !ok || e.producing && !e.whole && !e.p.Producer.Needs(v) { // a token, since nothing carries views, or somebody else's
			continue
		}
		c := &carried{v: v, lay: e.wanted(v)}
		for range c.lay.Regs() {
			c.vars = append(c.vars, e.NewVar(e.class(t)))
		}
		out[i] = c
	}
	return out
}

// assign gives variables the elements of values, all at once.
func (e *emitter) assign(to []*carried, from []*tileir.Value) {
	var vars []ir.Var
	var regs []ir.Value
	for i, c := range to {
		if c != nil && !c.busy {
			vars, regs = append(vars, c.vars...), append(regs, e.get(from[i], c.lay)...)
		}
	}
	e.Set(vars, regs)
}

// fetch makes values of what variables hold now.
func (e *emitter) fetch(from []*carried, values []*tileir.Value) {
	for i, c := range from {
		if c == nil || c.busy {
			continue
		}
		regs := make([]ir.Value, len(c.vars))
		for r, v := range c.vars {
			regs[r] = e.Get(v)
		}
		e.set(values[i], c.lay, regs)
	}
}

// loop is a loop whose body is being written.
type loop struct {
	body    *tileir.Block
	carried []*carried
	results []*carried // of an endless loop: what break sets
	next    func()     // counts, and leaves after the last turn; nil for an endless loop
}

func (e *emitter) forLoop(op *tileir.Op) {
	body := op.Regions[0]
	lo, hi, step := e.scalar(op.Operands[0]), e.scalar(op.Operands[1]), e.scalar(op.Operands[2])
	t := e.form(typeOf(op.Operands[0]))
	less := vec.LT
	if op.Int("unsignedCmp") != 0 {
		less = vec.ULT
	}
	i := e.NewVar(t.Class())
	l := &loop{body: body, carried: e.carry(body.Args[1:])}
	if !e.producing {
		e.enterTensor(l, op.Operands[3:])
		e.enterSums(l, op.Operands[3:])
	}
	e.assign(l.carried, op.Operands[3:])
	e.Set([]ir.Var{i}, []ir.Value{lo})
	ahead := e.newAhead(op, t, less, lo, hi, step)
	forget := func() {}
	if !e.producing {
		forget = e.groupFactors(body)
		e.occupy(l)
	}
	e.loops = append(e.loops, l)
	once := e.once(t, lo, hi, step)
	e.If(e.Compare(t, less, lo, hi), true, func() {
		early := e.newEarly(op, t, lo, hi, step)
		e.Loop(func() {
			n := e.Get(i)
			e.set(body.Args[0], e.p.Block.Uniform(), []ir.Value{n})
			e.fetch(l.carried, body.Args[1:])
			early.turn(n)
			ahead.turn(n)
			l.next = func() {
				ahead.advance()
				if once {
					e.Break(0, 0)
					return
				}
				last := e.last(t, n, hi, step)
				e.Set([]ir.Var{i}, []ir.Value{e.Do(vec.Add, t, n, step)})
				e.Break(0, last)
			}
			e.block(body)
		})
	}, nil)
	e.release(l, op.Results)
	ahead.end()
	forget()
	e.loops = e.loops[:len(e.loops)-1]
	e.fetch(l.carried, op.Results)
}

// newAhead begins what a loop does for tiles that are copied ahead.
func (e *emitter) newAhead(op *tileir.Op, t vec.Type, less vec.Cond, lo, hi, step ir.Value) ahead {
	switch r := e.rings[op]; {
	case r != nil && e.producing:
		return producer{r}
	case r != nil:
		return r.newConsumer()
	case e.producing || len(e.p.Loops[op]) == 0:
		return nothingAhead{}
	}
	return e.newPipeline(op, t, less, lo, hi, step)
}

// last is true in the last turn of a loop. The counter is less than the bound: their distance is no less than 0, and tells what is left without a
// sum that could wrap.
func (e *emitter) last(t vec.Type, n, hi, step ir.Value) ir.Value {
	return e.Compare(t, vec.ULE, e.Do(vec.Sub, t, hi, n), step)
}

// once reports whether a loop that makes a turn makes no other: its turns need no barriers between them.
func (e *emitter) once(t vec.Type, lo, hi, step ir.Value) bool {
	for _, v := range []ir.Value{lo, hi, step} {
		if _, ok := e.Known(v); !ok {
			return false
		}
	}
	bits, _ := e.Known(e.last(t, lo, hi, step))
	return bits != 0
}

func (e *emitter) endless(op *tileir.Op) {
	body := op.Regions[0]
	l := &loop{body: body, carried: e.carry(body.Args), results: e.carry(op.Results)}
	e.assign(l.carried, op.Operands)
	e.loops = append(e.loops, l)
	e.Loop(func() {
		e.fetch(l.carried, body.Args)
		e.block(body)
	})
	e.loops = e.loops[:len(e.loops)-1]
	e.fetch(l.results, op.Results)
}

// leave ends a turn of a loop, or the loop.
func (e *emitter) leave(op *tileir.Op) {
	l := e.loops[len(e.loops)-1]
	if op.Info.Opcode == tileir.OpBreak {
		e.assign(l.results, op.Operands)
		e.Break(0, 0)
		return
	}
	e.assign(l.carried, op.Operands)
	if l.next != nil {
		l.next()
	}
	if op != l.body.Ops[len(l.body.Ops)-1] {
		e.Continue(0)
	}
}

func (e *emitter) branch(op *tileir.Op) {
	results := e.carry(op.Results)
	arm := func(i int) func() {
		if i >= len(op.Regions) || op.Regions[i] == nil || len(op.Regions[i].Ops) == 0 {
			return nil
		}
		b := op.Regions[i]
		return func() {
			e.block(b)
			if end := b.Ops[len(b.Ops)-1]; end.Info.Opcode == tileir.OpYield {
				e.assign(results, end.Operands)
			}
		}
	}
	e.If(e.scalar(op.Operands[0]), true, arm(0), arm(1))
	e.fetch(results, op.Results)
}
