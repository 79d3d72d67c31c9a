package cost

import (
	"fmt"
	"math/bits"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Report says what a launch does.
type Report struct {
	Blocks      int64
	Grid        Counts // of all blocks
	Least, Most Counts // of a block, each number by itself
	Notes       []Note
}

// Note says where the counts are not exact, and how they were counted.
type Note struct {
	Op   *tileir.Op
	Text string
}

const (
	axes     = 3  // of the grid; the first bits of deps
	maxLoops = 60 // nested loops that are evaluated as ranges

	manyCases = "blocks or iterations differ in too many ways to look at each: the greatest count is taken"
)

// maxSteps is how many operations are evaluated before answers become bounds.
const maxSteps = 4_000_000

// evaluator runs a kernel with ranges instead of numbers.
type evaluator struct {
	nums   map[*tileir.Value]number
	views  map[*tileir.Value][]number // extents of tensors
	iotas  map[int]number
	stays  map[*tileir.Op][]bool
	counts *Counts
	steps  int
	limit  int
	depth  int      // loops around the current operation
	leaves bool     // the loop may have ended, depending on data
	out    []number // operands of the last terminator
	mixed  uint64   // after flowSplit: the ranges to halve
	box    [axes]span
	grid   [axes]int64
	noted  map[Note]bool
	notes  []Note
}

// span are blocks along an axis: lo to hi, both included.
type span struct{ lo, hi int64 }

// Count counts what an entry of a verified module does on a grid. args are the values of its parameters: integers
// count, sign-extended (a truth value is 0 or 1); those of pointers and floats do not matter.
func Count(entry *tileir.Entry, args []int64, grid [3]uint32) (*Report, error) {
	return count(entry, args, grid, maxSteps)
}

func count(entry *tileir.Entry, args []int64, grid [3]uint32, limit int) (*Report, error) {
	if len(args) != len(entry.Params) {
		return nil, fmt.Errorf("cost: entry %s has %d parameters, but %d arguments are given", entry.Name, len(entry.Params), len(args))
	}
	e := &evaluator{nums: map[*tileir.Value]number{}, views: map[*tileir.Value][]number{}, iotas: map[int]number{},
		stays: map[*tileir.Op][]bool{}, noted: map[Note]bool{}, limit: limit}
	blocks := uint64(1)
	for i, n := range grid {
		hi, lo := bits.Mul64(blocks, uint64(n))
		if hi != 0 || lo > 1<<62 {
			return nil, fmt.Errorf("cost: the grid %v has too many blocks", grid)
		}
		blocks = lo
		e.grid[i], e.box[i] = int64(n), span{0, int64(n) - 1}
	}
	for i, p := range entry.Params {
		if t, ok := intTile(p); ok {
			e.nums[p] = exactly(held(numbers(t), interval.Of(args[i])))
		}
	}
	r := &Report{Blocks: int64(blocks)}
	if blocks > 0 {
		e.boxes(entry.Body, r)
	}
	r.Notes = e.notes
	if r.Grid.full() {
		return nil, fmt.Errorf("cost: the counts of the grid %v do not fit 63 bits", grid)
	}
	return r, nil
}

// boxes counts the blocks of the grid, as many at once as do the same.
func (e *evaluator) boxes(body *tileir.Block, r *Report) {
	first := true
	for todo := [][axes]span{e.box}; len(todo) > 0; {
		e.box = todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var c Counts
		e.counts, e.depth, e.leaves = &c, 0, false
		if e.block(body) == flowSplit {
			a, b := e.halves()
			todo = append(todo, b, a)
			continue
		}
		n := int64(1)
		for _, s := range e.box {
			n *= s.hi - s.lo + 1
		}
		r.Grid.add(&c, n)
		if first {
			r.Least = c
		}
		first = false
		r.Least.least(&c)
		r.Most.most(&c)
	}
}

// halves cuts the box along the longest axis of those that matter.
func (e *evaluator) halves() (a, b [axes]span) {
	axis, longest := -1, int64(1)
	for i, s := range e.box {
		if n := s.hi - s.lo + 1; e.mixed>>i&1 != 0 && n > longest {
			axis, longest = i, n
		}
	}
	if axis < 0 {
		panic("BUG: cost: an answer depends on a range that is a single block")
	}
	a, b = e.box, e.box
	mid := a[axis].lo + longest/2
	a[axis].hi, b[axis].lo = mid-1, mid
	return a, b
}

// tired reports whether the budget for halving ranges is spent.
func (e *evaluator) tired() bool { return e.steps > e.limit }

// split asks for halves of the given ranges, and reports whether that is possible.
func (e *evaluator) split(deps uint64) bool {
	if deps == 0 || e.tired() {
		return false
	}
	e.mixed = deps
	return true
}

func (e *evaluator) note(op *tileir.Op, text string) {
	if n := (Note{op, text}); !e.noted[n] {
		e.noted[n] = true
		e.notes = append(e.notes, n)
	}
}

// define sets values; those without a number are unknown.
func (e *evaluator) define(vs []*tileir.Value, nums []number) {
	for i, v := range vs {
		if i < len(nums) {
			e.nums[v] = nums[i]
		} else {
			delete(e.nums, v)
		}
	}
}

// block evaluates the operations of a block.
func (e *evaluator) block(b *tileir.Block) flow {
	for _, op := range b.Ops {
		e.steps++
		if f := e.op(op); f != flowNext {
			return f
		}
	}
	return flowNext
}

// acts has the operations that are neither terminators nor accesses, and do more than give integers. init fills it in,
// as some refer to the evaluator.
var acts map[int]func(e *evaluator, op *tileir.Op) flow

func init() {
	next := func(f func(e *evaluator, op *tileir.Op)) func(*evaluator, *tileir.Op) flow {
		return func(e *evaluator, op *tileir.Op) flow { f(e, op); return flowNext }
	}
	acts = map[int]func(e *evaluator, op *tileir.Op) flow{
		tileir.OpIf: (*evaluator).branch, tileir.OpFor: (*evaluator).forLoop, tileir.OpLoop: (*evaluator).endless,
		tileir.OpReduce: next((*evaluator).reduction), tileir.OpScan: next((*evaluator).reduction),
		tileir.OpMakeTensorView: next((*evaluator).makeTensor), tileir.OpMakePartitionView: next((*evaluator).makeView),
		tileir.OpMakeStridedView: next((*evaluator).makeView), tileir.OpMakeGatherScatterView: next((*evaluator).makeView),
		tileir.OpGetTensorShape: next((*evaluator).shapes), tileir.OpGetIndexSpaceShape: next((*evaluator).shapes),
		tileir.OpGetTileBlockId: next((*evaluator).blockIndex), tileir.OpGetNumTileBlocks: next((*evaluator).gridSize),
	}
}

func (e *evaluator) op(op *tileir.Op) flow {
	code := op.Info.Opcode
	if f, ok := flows[code]; ok {
		e.out = e.out[:0:0]
		for _, v := range op.Operands {
			e.out = append(e.out, e.nums[v])
		}
		return f
	}
	if op.Info.Reads || op.Info.Writes {
		if !e.memory(op) {
			return flowSplit
		}
		return flowNext
	}
	if act := acts[code]; act != nil {
		return act(e, op)
	}
	e.arithmetic(op, 1)
	if f := integers[code]; f != nil {
		e.define(op.Results, []number{f(e, op)})
	}
	return flowNext
}

func (e *evaluator) blockIndex(op *tileir.Op) {
	for i, r := range op.Results {
		n := number{known: true, lo: e.box[i].lo, hi: e.box[i].hi}
		if n.lo < n.hi {
			n.deps = 1 << i
		}
		e.nums[r] = n
	}
}

func (e *evaluator) gridSize(op *tileir.Op) {
	for i, r := range op.Results {
		e.nums[r] = exactly(e.grid[i])
	}
}
