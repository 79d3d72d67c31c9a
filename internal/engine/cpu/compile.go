package cpu

import (
	"context"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// compiler turns one entry into a program.
type compiler struct {
	ctx      context.Context
	device   *Device
	module   *tileir.Module
	entry    *tileir.Entry
	plan     *planner
	notes    *notes
	image    []byte // what the arena holds before the first step: constants
	scratch  int    // bytes of scratch that some operation needs
	bases    int    // values that some run has
	sinks    int    // stores that some run has
	sums     int    // tables of atomic additions
	places   int    // operands that some segment has
	locals   []int64
	globals  map[string]*Buffer  // nil until they are made
	strides  map[*tileir.Op]bool // promises that are checked where a view is made; nil if none are checked
	lanes    bool                // inside the body of a reduction that works on many elements
	loop     *loopCode           // the innermost loop
	yields   []*tileir.Value
	op       *tileir.Op          // being compiled
	steps    map[*tileir.Op]step // by the first operation of each
	products loopProducts

	interpreted bool // there is no machine code, not even of products, although the device has it

	touching []*tileir.Op // by number of the watcher
}

// generator compiles one operation to a step; nil if nothing needs to be done.
type generator func(c *compiler, op *tileir.Op) (step, error)

// looper compiles an elementwise operation to a loop that can run anywhere in memory.
type looper func(c *compiler, op *tileir.Op) (*elementwise, error)

// body is the kind of region that an operation has.
type body uint8

const (
	noBody   body = iota
	branches      // if
	counted       // for
	endless       // loop
	combiner      // reduce, scan
)

// shape is what the planner knows of an operation.
type shape struct {
	generate    generator
	loop        looper // of an elementwise operation
	alias       bool   // the result is the operand's bytes
	elementwise bool
	takesSplat  bool // operands may be one element for all
	role        role // what it may do in a run
	body        body
}

// shapes is the table of operations, filled in by init because bodies refer to it.
var shapes map[int]shape

func shapeOf(op *tileir.Op) shape { return shapes[op.Info.Opcode] }

// unsupported is the error for an operation that this engine cannot run.
func unsupported(op *tileir.Op, t tileir.Type, why string) error {
	what := op.Info.Mnemonic
	if t != nil {
		what += " of " + t.String()
	}
	return &CompileError{Loc: op.Loc, Text: fmt.Sprintf("the CPU engine does not support %s: %s", what, why)}
}

// A CompileError says why a kernel cannot run on this engine.
type CompileError struct {
	Loc  tileir.Loc
	Text string
}

// Error is "file.go:12:3: the CPU engine does not support …".
func (e *CompileError) Error() string {
	if e.Loc.IsZero() {
		return e.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Loc.File, e.Loc.Line, e.Loc.Col, e.Text)
}

// Where implements [engine.CompileError].
func (e *CompileError) Where() tileir.Loc { return e.Loc }

// Why implements [engine.CompileError].
func (e *CompileError) Why() string { return e.Text }

// block compiles the operations of a block.
func (c *compiler) block(b *tileir.Block) (program, error) {
	p := make(program, 0, len(b.Ops))
	work := 0
	for ops := c.plan.ops(b); len(ops) > 0; {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		n, generate := 1, shapeOf(ops[0]).generate
		r := c.plan.runs[ops[0]]
		if r != nil {
			n, generate = len(r.ops), r.generate
		}
		if s := c.plan.segments[ops[0]]; s != nil {
			n, generate = len(s.Steps), s.generate
		}
		op := ops[0]
		ops = ops[n:]
		if generate == nil {
			continue
		}
		c.op = op
		s, err := generate(c, op)
		if err != nil {
			return nil, err
		}
		if s != nil {
			c.steps[op] = s
			p = append(p, s)
			if work += resultElems(op); work > pollWork && !c.lanes {
				p, work = append(p, pollStep), 0
			}
		}
	}
	return p, nil
}

// pollWork is how many elements the operations of a block make before it looks whether the launch is to end.
const pollWork = 1 << 20

// resultElems is the number of elements of an operation's results, and some for the operation itself.
func resultElems(op *tileir.Op) int {
	n := 16
	for _, r := range op.Results {
		if t, ok := r.Type.(*tileir.TileType); ok {
			n += t.Size()
		}
	}
	return n
}

// off is where a value lies.
func (c *compiler) off(v *tileir.Value) slot { return c.plan.places[v].off }

// tileType is the type of a value that is a tile.
func tileType(v *tileir.Value) *tileir.TileType { return v.Type.(*tileir.TileType) }

// elemBytes is the room of one element of a tile; a pointer takes eight bytes.
func elemBytes(t *tileir.TileType) int {
	if t.Pointer {
		return 8
	}
	return t.Elem.Bytes()
}

// reserve makes sure that an operation has the given number of bytes of scratch.
func (c *compiler) reserve(bytes int) { c.scratch = max(c.scratch, alignUp(bytes, 64)) }

// need gives where the dense elements of a tile lie. The planner has made sure that they are dense.
func (c *compiler) need(v *tileir.Value) slot {
	if p := c.plan.places[v]; p.splat && tileType(v).Size() > 1 {
		panic("BUG: cpu: " + c.op.Info.Mnemonic + " needs the elements of a value that has only one")
	}
	return c.off(v)
}

// bodyLanes is how many elements the body of a reduction can work on at a time: many where it only has operations on
// scalars that treat all elements alike, else 0 for one after the other.
func bodyLanes(b *tileir.Block) int {
	for _, op := range b.Ops {
		sh := shapeOf(op)
		if !(sh.elementwise || sh.alias || op.Info.Opcode == tileir.OpConstant || op.Info.Opcode == tileir.OpYield) {
			return 0
		}
		for _, v := range append(op.Operands, op.Results...) {
			if t, ok := v.Type.(*tileir.TileType); !ok || t.Rank() > 0 {
				return 0
			}
		}
	}
	return stripLen
}

// findDense finds the values whose elements must all be stored, because some operation reads them one by one.
func findDense(b *tileir.Block) map[*tileir.Value]bool {
	dense := map[*tileir.Value]bool{}
	for _, op := range slices.Backward(slices.Collect(b.All())) { // the uses of a name come before the name
		sh := shapeOf(op)
		for _, v := range op.Operands {
			switch {
			case sh.alias:
				dense[v] = dense[v] || dense[op.Results[0]]
			case !sh.takesSplat:
				dense[v] = true
			}
		}
	}
	return dense
}
