package cost

import "github.com/cutile-go/cutile/tileir"

// flow says how a block of operations ended.
type flow uint8

const (
	flowNext flow = iota
	flowYield
	flowContinue
	flowBreak
	flowReturn
	flowSplit // an answer is not the same for a whole range: e.mixed says which
)

var flows = map[int]flow{
	tileir.OpYield: flowYield, tileir.OpContinue: flowContinue, tileir.OpBreak: flowBreak, tileir.OpReturn: flowReturn,
}

// branch evaluates an if.
func (e *evaluator) branch(op *tileir.Op) flow {
	cond := e.nums[op.Operands[0]]
	switch {
	case cond.exact():
		region := op.Regions[0]
		if cond.lo == 0 {
			region = op.Regions[1]
		}
		f, out := e.region(region)
		if f == flowYield {
			e.define(op.Results, out)
			return flowNext
		}
		return f
	case e.split(cond.deps):
		return flowSplit
	case cond.known:
		e.note(op, manyCases)
	default:
		e.note(op, "the condition is not known: the greater count of both sides is taken")
	}
	return e.both(op)
}

// region evaluates a block that may be absent, and gives the operands of its terminator.
func (e *evaluator) region(b *tileir.Block) (flow, []number) {
	if b == nil || len(b.Ops) == 0 {
		return flowYield, nil
	}
	f := e.block(b)
	return f, e.out
}

// both evaluates both sides of an if and keeps the greater counts.
func (e *evaluator) both(op *tileir.Op) flow {
	before := e.counts
	defer func() { e.counts = before }()
	var sides [2]Counts
	var ends [2]flow
	var outs [2][]number
	for i, r := range op.Regions {
		e.counts = &sides[i]
		if ends[i], outs[i] = e.region(r); ends[i] == flowSplit {
			return flowSplit
		}
	}
	sides[0].most(&sides[1])
	before.add(&sides[0], 1)
	for i, f := range ends {
		if f != flowYield && f != ends[1-i] {
			e.leaves = e.leaves || f != flowContinue
			ends[i] = ends[1-i] // the block goes on where one side does
			outs[i] = outs[1-i]
		}
	}
	e.out = nil
	for i := range min(len(outs[0]), len(outs[1])) {
		e.out = append(e.out, hull(outs[0][i], outs[1][i]))
	}
	if ends[0] == flowYield {
		e.define(op.Results, e.out)
		return flowNext
	}
	return ends[0]
}
