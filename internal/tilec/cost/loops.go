package cost

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// counted is a for loop with known bounds, on its way.
type counted struct {
	op     *tileir.Op
	body   *tileir.Block
	init   []number
	stays  []bool // carried values that no iteration changes
	first  int64
	step   int64
	bit    uint64
	counts *Counts
}

// forLoop evaluates a for.
func (e *evaluator) forLoop(op *tileir.Op) flow {
	trips, f := e.trips(op)
	if f == flowSplit {
		return f
	}
	l := &counted{op: op, body: op.Regions[0], stays: e.staying(op), counts: e.counts}
	for _, v := range op.Group(3) {
		l.init = append(l.init, e.nums[v])
	}
	lo, step := e.nums[op.Operands[0]], e.nums[op.Operands[2]]
	l.first, l.step = lo.lo, step.lo
	if !lo.exact() || !step.exact() {
		l.step = 0 // the counter is not known
	}
	outer := e.leaves
	e.depth++
	if e.depth <= maxLoops {
		l.bit = 1 << (axes + e.depth - 1)
	}
	out := l.init
	if trips > 0 {
		out, f = e.iterate(l, trips)
	}
	e.depth--
	e.leaves, e.counts = outer, l.counts
	if f == flowSplit {
		return f
	}
	e.define(op.Results, out)
	return flowNext
}

// trips is how often the body of a for runs.
func (e *evaluator) trips(op *tileir.Op) (int64, flow) {
	lo, hi, step := e.nums[op.Operands[0]], e.nums[op.Operands[1]], e.nums[op.Operands[2]]
	unsigned := op.Int("unsignedCmp") != 0 && (lo.lo < 0 || hi.lo < 0 || step.lo < 0)
	deps := lo.deps | hi.deps | step.deps
	switch {
	case !lo.known || !hi.known || !step.known || unsigned:
		e.note(op, "its bounds are not known: its body is counted once")
		return 1, flowNext
	case lo.exact() && hi.exact() && step.exact():
		return tripsOf(lo.lo, hi.lo, step.lo), flowNext
	case lo.lo >= hi.hi:
		return 0, flowNext
	case e.split(deps):
		return 0, flowSplit
	}
	e.note(op, manyCases)
	return tripsOf(max(lo.lo, -math.MaxInt32), min(hi.hi, math.MaxInt32), step.lo), flowNext
}

func tripsOf(lo, hi, step int64) int64 {
	if lo >= hi || step <= 0 {
		return 0
	}
	return int64((uint64(hi)-uint64(lo)-1)/uint64(step)) + 1
}

// staying finds the carried values that every continue passes on unchanged.
func (e *evaluator) staying(op *tileir.Op) []bool {
	if s, ok := e.stays[op]; ok {
		return s
	}
	args := op.Regions[0].Args[1:]
	s := make([]bool, len(args))
	for i := range s {
		s[i] = true
	}
	op.Regions[0].Walk(func(o *tileir.Op, _ []*tileir.Op) bool {
		if o.Info.Opcode == tileir.OpContinue {
			for i, v := range o.Operands {
				s[i] = s[i] && v == args[i]
			}
		}
		return o.Info.Opcode == tileir.OpIf // not into loops, which have other continues
	})
	e.stays[op] = s
	return s
}

// iterate evaluates all iterations: as ranges where that gives an answer, else one after the other, for what they carry.
func (e *evaluator) iterate(l *counted, trips int64) ([]number, flow) {
	var total Counts
	f := e.iterations(l, 0, trips, &total)
	if f == flowSplit && e.mixed&l.bit != 0 {
		return e.oneByOne(l, trips)
	}
	if f == flowSplit {
		return nil, f
	}
	l.counts.add(&total, 1)
	out := make([]number, len(l.init))
	for i := range out {
		switch {
		case l.stays[i]:
			out[i] = l.init[i]
		case trips == 1 && i < len(e.out):
			out[i] = e.out[i]
		}
	}
	return out, flowNext
}

// iterations evaluates n iterations from one on, all at once or in halves.
func (e *evaluator) iterations(l *counted, from, n int64, total *Counts) flow {
	var c Counts
	e.counts = &c
	carried := make([]number, len(l.init))
	carries := false
	for i, v := range l.init {
		switch {
		case l.stays[i] || from == 0 && n == 1:
			carried[i] = v
		case v.known:
			carried[i], carries = anything(l.bit), true
		}
	}
	e.enter(l, l.counter(from, n), carried)
	f := e.block(l.body)
	switch {
	case f != flowSplit:
		total.add(&c, n)
		return f
	case e.mixed&l.bit == 0 || n == 1 || carries:
		return f
	}
	if f := e.iterations(l, from, n/2, total); f == flowSplit {
		return f
	}
	return e.iterations(l, from+n/2, n-n/2, total)
}

// counter is the loop's index in some iterations.
func (l *counted) counter(from, n int64) number {
	switch {
	case l.step == 0:
		return number{}
	case n == 1:
		return exactly(l.first + from*l.step)
	}
	return number{known: true, lo: l.first + from*l.step, hi: l.first + (from+n-1)*l.step, deps: l.bit}
}

func (e *evaluator) enter(l *counted, counter number, carried []number) {
	e.nums[l.body.Args[0]] = counter
	e.define(l.body.Args[1:], carried)
}

// oneByOne evaluates one iteration after the other.
func (e *evaluator) oneByOne(l *counted, trips int64) ([]number, flow) {
	carried := l.init
	for i := range trips {
		var c Counts
		e.counts = &c
		e.enter(l, l.counter(i, 1), carried)
		if e.block(l.body) == flowSplit {
			return nil, flowSplit
		}
		if e.tired() {
			l.counts.add(&c, trips-i)
			e.note(l.op, manyCases)
			return make([]number, len(l.init)), flowNext
		}
		l.counts.add(&c, 1)
		carried = slices.Clone(e.out)
		if len(carried) < len(l.init) {
			carried = make([]number, len(l.init))
		}
	}
	return carried, flowNext
}

// endless evaluates a loop, one iteration after the other.
func (e *evaluator) endless(op *tileir.Op) flow {
	body, outer := op.Regions[0], e.leaves
	defer func() { e.leaves = outer }()
	e.leaves = false
	var carried []number
	for _, v := range op.Operands {
		carried = append(carried, e.nums[v])
	}
	for n := 1; ; n++ {
		e.define(body.Args, carried)
		f := e.block(body)
		switch {
		case f == flowSplit || f == flowReturn:
			outer = outer || f == flowReturn && e.leaves
			return f
		case e.leaves || e.tired():
			times := "once"
			if n > 1 {
				times = fmt.Sprintf("%d times", n)
			}
			e.note(op, "how often it runs is not known: its body is counted "+times)
			e.define(op.Results, nil)
			return flowNext
		case f == flowBreak:
			e.define(op.Results, e.out)
			return flowNext
		}
		carried = slices.Clone(e.out)
	}
}
