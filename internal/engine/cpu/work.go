package cpu

import (
	"math"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/tileir"
)

// work is an amount of work: so many elements of an addition of float32 in the interpreter, which take about 0.3 ns each on a CPU of
// 2024. On other machines both sides of a comparison change alike.
type work float64

const (
	stepWork work = 50     // of an operation in the interpreter, beside its elements
	makeWork work = 40_000 // of making the machine code of an operation
)

// elementWork is the work of an element in the interpreter, where it is not about 1. It was measured on tiles of 1024 float32.
var elementWork = map[int]work{
	tileir.OpConstant: 0, tileir.OpReshape: 0, tileir.OpBitcast: 0, tileir.OpBroadcast: 0.2, tileir.OpPermute: 0.5,
	tileir.OpLoadViewTko: 0.15, tileir.OpStoreViewTko: 0.15, tileir.OpReduce: 0.5,
	tileir.OpFor: 0, tileir.OpIf: 0, tileir.OpContinue: 0.1, tileir.OpYield: 0.1,
	tileir.OpExp: 50, tileir.OpExp2: 50, tileir.OpLog: 100, tileir.OpLog2: 100, tileir.OpFPowF: 40, tileir.OpRsqrt: 80, tileir.OpAtan2: 25, tileir.OpRemF: 8,
	tileir.OpSin: 12, tileir.OpCos: 12, tileir.OpTan: 16, tileir.OpSinH: 50, tileir.OpCosH: 50, tileir.OpTanH: 60,
	tileir.OpMmaI: 1, tileir.OpMmaF: 10, tileir.OpMmaFScaled: 10,
	tileir.OpLoadPtrTko: 10, tileir.OpStorePtrTko: 10, tileir.OpAtomicRMWTko: 40, tileir.OpAtomicCASTko: 40, tileir.OpAtomicRedViewTko: 40,
}

// makingWork is the work of making the machine code of an entry.
func makingWork(e *tileir.Entry) (total work) {
	for range e.All() {
		total += makeWork
	}
	return total
}

// launchWork estimates the work of interpreting a launch. It reports false if a loop may go on and on, as far as the arguments tell.
func launchWork(e *tileir.Entry, l ranges.Launch) (work, bool) {
	w := estimate{ranges: ranges.Of(e, l)}
	blocks := work(l.Grid[0]) * work(l.Grid[1]) * work(l.Grid[2])
	return blocks * w.block(e.Body), !w.unknown && !w.endless
}

// blockWork estimates the work of interpreting a block, where loops of which nothing is known run once. It reports false if a launch cannot
// tell either.
func blockWork(e *tileir.Entry) (work, bool) {
	w := estimate{ranges: ranges.New(e)}
	return w.block(e.Body), !w.endless
}

// estimate adds up work.
type estimate struct {
	ranges  *ranges.Ranges
	unknown bool // how often some for runs
	endless bool // some loop may be
}

func (w *estimate) block(b *tileir.Block) (total work) {
	for _, op := range b.Ops {
		sh := shapeOf(op)
		if sh.generate == nil || sh.alias {
			continue
		}
		total += stepWork + workOf(op)
		times, most := work(1), work(0)
		switch sh.body {
		case combiner:
			times = work(tileType(op.Operands[0]).Size()) / stripLen
		case counted:
			times = w.trips(op)
		case endless:
			w.endless = true
		}
		for r := range op.Blocks() { // of an if, one of two
			most = max(most, w.block(r))
		}
		total += times * most
	}
	return total
}

// trips is the most iterations of a for; 1 if there may be any number.
func (w *estimate) trips(op *tileir.Op) work {
	first, ok1 := w.ranges.Span(op.Operands[0]).Lo.Int64()
	last, ok2 := w.ranges.Span(op.Operands[1]).Hi.Int64()
	step, ok3 := w.ranges.Span(op.Operands[2]).Lo.Int64()
	if !ok1 || !ok2 || !ok3 || step < 1 || last >= math.MaxInt32 || first < 0 && op.Int("unsignedCmp") != 0 {
		w.unknown = true
		return 1
	}
	return work(math.Ceil(max(0, float64(last)-float64(first)) / float64(step)))
}

// workOf is the work of the elements of an operation.
func workOf(op *tileir.Op) work {
	n, each := 0, work(1)
	for _, list := range [][]*tileir.Value{op.Operands, op.Results} {
		for _, v := range list {
			if t, ok := v.Type.(*tileir.TileType); ok {
				n = max(n, t.Size())
			}
		}
	}
	if w, ok := elementWork[op.Info.Opcode]; ok {
		each = w
	}
	if _, product := accumulators[op.Info.Opcode]; product {
		a := tileType(op.Operands[0])
		n = tileType(op.Results[0]).Size() * a.Shape[a.Rank()-1]
		if exactProducts[a.Elem] && op.Info.Opcode == tileir.OpMmaF {
			each = 1
		}
	}
	return work(n) * each
}
