package flow

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// loop is a loop that is open: that of the blocks, or one of the entry.
type loop struct {
	op      *tileir.Op
	carried []*tileir.Value // what continue sets
	results []*tileir.Value // what break sets
	i, step vec.Reg         // of a counter that the turns themselves move on
}

// counted does for. The caller does it where a counter might overflow or does not count up.
func (b *builder) counted(op *tileir.Op) bool {
	bounds, args := op.Operands[:3], op.Regions[0].Args
	t, unsigned := lane.TileOf(bounds[0]), op.Int("unsignedCmp") != 0
	if b.Aside(op) || t.Elem == tileir.I1 || t.Elem == tileir.I64 && unsigned || !b.carries(args[1:]) {
		return false
	}
	var at [3]vec.Reg
	for i, v := range bounds {
		if at[i] = b.integer(v); unsigned {
			at[i] = b.Do(vec.SAnd, vec.NoType, at[i], b.Int(1<<(8*t.Elem.Bytes())-1))
		}
	}
	step, known := b.number(bounds[2])
	if known && step <= 0 {
		return false
	}
	b.begin(args[1:], op.Group(3))
	for i, r := range op.Results {
		if x := b.values[args[i+1]]; x != nil {
			b.values[r] = x
		}
	}
	defer b.settle(op.Results)
	l := &loop{op: op, carried: args[1:], results: op.Results}
	turns := func() { b.turns(l, at, step, known) }
	if known && t.Elem != tileir.I64 {
		turns()
		return true
	}
	usual := b.sub(at[2], b.Int(1))
	if t.Elem == tileir.I64 {
		usual = b.Do(vec.SMin, vec.NoType, usual, b.sub(b.sub(b.Int(math.MaxInt64), b.Do(vec.SMax, vec.NoType, at[2], b.Int(0))), at[1]))
	}
	b.If(vec.LT, usual, b.Int(0))
	b.aside([]*tileir.Op{op}, op.Results)
	b.Else()
	turns()
	b.End()
	return true
}

// turns does the turns of a loop that counts.
func (b *builder) turns(l *loop, at [3]vec.Reg, step int64, known bool) {
	iv := l.op.Regions[0].Args[0]
	var i vec.Reg
	if known {
		i = b.For(at[0], at[1], step)
	} else {
		i = b.New(vec.Scalar)
		b.Set(i, at[0])
		l.i, l.step = i, at[2]
		b.Repeat()
		b.If(vec.GE, i, at[1])
		b.Break(0)
		b.End()
	}
	if l.op.Int("unsignedCmp") != 0 {
		i = b.extended(iv, i)
	}
	b.letInt(iv, i)
	b.loop(l)
}

// loop does the body of a loop that is open in the function, and closes it.
func (b *builder) loop(l *loop) {
	b.loops = append(b.loops, l)
	b.settle(l.carried)
	b.poll(b.cost(l.op.Regions[0]))
	b.body(l.op.Regions[0])
	b.loops = b.loops[:len(b.loops)-1]
	b.End()
}

// cost is about how long the operations of a block take, in the time that a vector of memory takes, without those in loops, which look
// at the budget themselves.
func (b *builder) cost(blk *tileir.Block) int { return 1 + b.quarters(blk)/4 }

// quarters is the same in quarters: one for a single number, and one for what an instruction does on a vector in registers.
func (b *builder) quarters(blk *tileir.Block) (n int) {
	for _, op := range blk.Ops {
		if free[op.Info.Opcode] {
			continue
		}
		most := 0
		for _, v := range slices.Concat(op.Operands, op.Results) {
			if t := lane.TileOf(v); t != nil && !b.uniform(v) {
				most = max(most, (t.Size()+vec.Lanes-1)/vec.Lanes)
			}
		}
		n += 1 + most*quarters(op)
		if op.Info.Opcode == tileir.OpIf {
			for side := range op.Blocks() {
				n += b.quarters(side)
			}
		}
	}
	return n
}

// free are operations without instructions, as a rule.
var free = map[int]bool{
	tileir.OpConstant: true, tileir.OpReshape: true, tileir.OpAssume: true, tileir.OpBroadcast: true, tileir.OpMakeToken: true,
	tileir.OpJoinTokens: true, tileir.OpContinue: true, tileir.OpYield: true, tileir.OpBreak: true,
}

// quarters is how long an operation takes for a vector of elements.
func quarters(op *tileir.Op) int {
	switch v := op.Address(); {
	case v == nil:
		return nest.Weight(op)
	case lane.TileOf(v) != nil: // through pointers
		return 8
	}
	return 4
}

// endless does loop.
func (b *builder) endless(op *tileir.Op) bool {
	args := op.Regions[0].Args
	if !b.carries(args) || !b.carries(op.Results) {
		return false
	}
	b.begin(args, op.Operands)
	b.variables(op.Results)
	b.Repeat()
	b.loop(&loop{op: op, carried: args, results: op.Results})
	b.settle(op.Results)
	return true
}

// carries reports whether values can be carried from turn to turn: views cannot.
func (b *builder) carries(vs []*tileir.Value) bool {
	for _, v := range vs {
		if _, token := v.Type.(tileir.TokenType); lane.TileOf(v) == nil && !token {
			return false
		}
	}
	return true
}

// begin gives values that are carried their first contents.
func (b *builder) begin(vs, first []*tileir.Value) {
	b.variables(vs)
	b.moves(vs, first)
}

// aside lets the caller do operations for once, and reads their results to the registers that they have.
func (b *builder) aside(ops []*tileir.Op, results []*tileir.Value) {
	b.out(ops)
	b.outs[len(b.outs)-1].Seldom = true
	for _, v := range results {
		if b.inRegisters(v) {
			b.fetch(v, b.home(v))
		}
	}
}

// unless lets the caller do operations if usual is negative. What follows, up to the next End, is done else.
func (b *builder) unless(usual vec.Reg, ops []*tileir.Op, results []*tileir.Value) {
	b.If(vec.LT, usual, b.Int(0))
	b.aside(ops, results)
	b.Else()
}

// innermost is the loop that continue and break belong to.
func (b *builder) innermost() *loop { return b.loops[len(b.loops)-1] }

// goOn does continue.
func (b *builder) goOn(op *tileir.Op) bool {
	l := b.innermost()
	b.moves(l.carried, op.Operands)
	if l.i != 0 {
		b.Set(l.i, b.add(l.i, l.step))
	}
	if ops := b.Ops(l.op.Regions[0]); ops[len(ops)-1] != op {
		b.Next(0)
	}
	return true
}

// breakLoop does break.
func (b *builder) breakLoop(op *tileir.Op) bool {
	b.moves(b.innermost().results, op.Operands)
	b.Break(0)
	return true
}

// yield does the yield of a branch.
func (b *builder) yield(op *tileir.Op) bool {
	b.moves(b.yields, op.Operands)
	return true
}

// done does return: the next block is the next turn of the outermost loop.
func (b *builder) done(op *tileir.Op) bool {
	if ops := b.Ops(b.Body); ops[len(ops)-1] != op {
		b.Next(len(b.loops) - 1)
	}
	return true
}

// branch does if.
func (b *builder) branch(op *tileir.Op) bool {
	cond := op.Operands[0]
	if !b.uniform(cond) || !b.carries(op.Results) {
		return false
	}
	b.variables(op.Results)
	outer := b.yields
	b.yields = op.Results
	if x := b.values[cond]; x != nil && x.args[0] != 0 {
		b.If(x.cond, x.args[0], x.args[1])
	} else {
		b.Do(vec.IfAny, vec.NoType, b.reg(cond))
	}
	b.side(op.Regions[0])
	if len(op.Regions) > 1 && op.Regions[1] != nil && len(op.Regions[1].Ops) > 0 {
		b.Else()
		b.side(op.Regions[1])
	}
	b.End()
	b.yields = outer
	b.settle(op.Results)
	return true
}

// side does a side of a branch.
func (b *builder) side(blk *tileir.Block) {
	if blk != nil {
		b.body(blk)
	}
}
