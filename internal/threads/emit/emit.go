package emit

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// Target is what the emitter has to know of a machine.
type Target struct {
	Shared   int  // bytes of shared memory of a block
	Exact    bool // atomic sums of f32 keep subnormal numbers, which instructions take for zeros
	Narrow   bool // f32 are rounded to bf16, and two at once to floats of 16 bits, by one instruction
	Floats8  bool // two floats of 8 bits become f16 by one instruction
	Shuffles bool // lanes of a warp ask each other without shared memory
	Wide     bool // products of i32 have 64 bits, and something added, by one instruction
	Magic    bool // roundings to integers are slower than sums
	Fused    bool // a product and a sum are one instruction
	Observe  bool // a debugger wants to know of variables
	Words    bool // masks are words in shared memory, as there are no integers of 8 bits
}

// MaxRegs is the greatest number of registers of a thread that a tile may take: tiles of more elements are refused.
const MaxRegs = 1024

// maxInstrs limits the length of a program.
const maxInstrs = 1 << 20

// emitter writes one kernel.
type emitter struct {
	*ir.Builder
	p      *plan.Plan
	target Target

	vals      map[*tileir.Value]*tile
	views     map[*tileir.Value]*view
	turns     map[*tileir.Op]*ir.Turn
	templates map[*tileir.Op]*template
	moves     map[move]*template
	dense     map[*tileir.Op]ir.Value
	vars      []*Variable // module variables that the program needs beside the module's own
	loops     []*loop
	tensor    *tensorMem
	rings     map[*tileir.Op]*ring // by loop whose tiles a producer copies
	fetches   map[*tileir.Op]*fetch
	producing bool                // its program is written now
	whole     bool                // what a producer executes has all its parts and results
	unchecked bool                // a number may be divided by zero
	only      ir.Value            // for what is accessed: 0 for always
	fed       map[*tileir.Op]bool // operations whose tiles are in shared memory already
	op        *tileir.Op
	holdings  map[*tileir.Op][]*tileir.Holding // what variables of the source hold from operations on
}

// Variable is memory with first values that a program needs beside the module's globals.
type Variable struct {
	Name  string
	Data  []byte
	Align int // 0 for nothing in particular
}

// tile is a value of Tile IR. gen, where it is there, makes the registers for any layout.
type tile struct {
	t    *tileir.TileType
	lay  *linear.Layout
	regs []ir.Value
	gen  func(l *linear.Layout) []ir.Value

	stage *staged // where it lies in shared memory as memory has its elements, if it does

	converted []conversion
}

// Kernel writes the program of a plan's entry. What it cannot do is an [*ir.Refusal].
func Kernel(p *plan.Plan, t Target) (k *ir.Kernel, vars []*Variable, err error) {
	e := &emitter{p: p, target: t, turns: map[*tileir.Op]*ir.Turn{}, templates: map[*tileir.Op]*template{}, moves: map[move]*template{}}
	e.forget()
	if t.Observe {
		e.holdings = holdings(p.Entry)
	}
	defer func() {
		if r := recover(); r != nil {
			refusal, ok := r.(*ir.Refusal)
			if !ok {
				panic(r)
			}
			k, vars, err = nil, nil, refusal
		}
	}()
	var params []vec.Type
	for _, v := range p.Entry.Params {
		t := v.Type.(*tileir.TileType)
		if _, ok := lane.Form(t); !ok {
			e.refuse("a parameter of type %v", t)
		}
		params = append(params, lane.Stored(t))
	}
	e.Builder = ir.NewBuilder(p.Entry.Name, p.Block.Threads(), params)
	e.Kernel.Loc = p.Entry.Loc
	e.Lanes, e.Narrow, e.Wide = p.Block.Lanes, t.Narrow, t.Wide
	for i, v := range p.Entry.Params {
		t := v.Type.(*tileir.TileType)
		e.vals[v] = &tile{t: t, lay: p.Block.Uniform(), regs: []ir.Value{e.fromMemory(t, e.Param(i))}}
	}
	e.order()
	e.beginFetches()
	if p.Producer != nil {
		e.roles()
	} else {
		e.body()
	}
	if e.tensor != nil {
		e.Late()
	}
	e.Prune()
	e.Unobserved()
	e.Builder.Place()
	if e.Shared > t.Shared {
		e.op = nil
		e.refuse("the kernel needs %d bytes of shared memory, but the target has %d: use smaller tiles", e.Shared, t.Shared)
	}
	e.Synchronise()
	return &e.Builder.Kernel, e.vars, nil
}

// forget drops what is known of values.
func (e *emitter) forget() {
	e.vals, e.views, e.dense, e.fed = map[*tileir.Value]*tile{}, map[*tileir.Value]*view{}, map[*tileir.Op]ir.Value{}, map[*tileir.Op]bool{}
}

// fork is an emitter that writes the same kernel anew, of which only the parameters are known.
func (e *emitter) fork() *emitter {
	f := *e
	f.forget()
	for _, v := range e.p.Entry.Params {
		f.vals[v] = e.vals[v]
	}
	return &f
}

// body writes the entry's operations.
func (e *emitter) body() {
	if !e.producing {
		e.beginParities()
		e.beginTensor()
	}
	e.block(e.p.Entry.Body)
}

// refuse ends the work, on account of an operation or of the entry as a whole.
func (e *emitter) refuse(format string, args ...any) {
	r := &ir.Refusal{Loc: e.p.Entry.Loc, Text: fmt.Sprintf(format, args...)}
	if e.op != nil {
		r.Loc = e.op.Loc
		r.Text = spoken.Op(e.op) + ": " + r.Text
	}
	panic(r)
}

// block writes the operations of a block, but for its terminator if that only gives values.
func (e *emitter) block(b *tileir.Block) {
	for _, op := range b.Ops {
		e.observe(op)
		if e.producing && !e.whole && !e.p.Producer.Runs(op) {
			continue
		}
		outer, loc := e.op, e.Loc
		e.op, e.Loc = op, &op.Loc
		e.emit(op)
		e.op, e.Loc = outer, loc
	}
}

// emit writes an operation.
func (e *emitter) emit(op *tileir.Op) {
	for _, r := range op.Results {
		if t, ok := r.Type.(*tileir.TileType); ok && t.Size() > MaxRegs*e.p.Block.Threads() {
			e.refuse("a tile of %d elements: a block of %d threads holds at most %d, so use a smaller tile", t.Size(), e.p.Block.Threads(), MaxRegs*e.p.Block.Threads())
		}
	}
	if len(e.Classes) > 4*maxInstrs {
		e.refuse("the program is too long, of more than %d instructions: use smaller tiles", maxInstrs)
	}
	if e.fed[op] {
		return
	}
	if f, ok := emitters[op.Info.Opcode]; ok {
		f(e, op)
		return
	}
	e.elementwise(op)
}

// emitters write the operations that do not work element by element.
var emitters map[int]func(e *emitter, op *tileir.Op)

func init() { // they refer to themselves through blocks
	nothing := func(*emitter, *tileir.Op) {}
	emitters = map[int]func(e *emitter, op *tileir.Op){
		tileir.OpMakeToken: nothing, tileir.OpJoinTokens: nothing,
		tileir.OpMemoryFenceAliasTko: func(e *emitter, _ *tileir.Op) { // the memory may have other addresses, too, which no analysis knows
			e.Barrier()
			e.Fence(tileir.ScopeDevice)
		},
		tileir.OpGdcWaitTko: nothing, tileir.OpGdcLaunchDependentsTko: nothing,
		tileir.OpYield: nothing, // its block's owner reads it
		tileir.OpReturn: func(e *emitter, _ *tileir.Op) {
			e.endStores()
			e.endTensor()
			e.Return()
		},
		tileir.OpAssume: (*emitter).same, tileir.OpReshape: (*emitter).same,
		tileir.OpConstant: (*emitter).constant, tileir.OpIota: (*emitter).iota,
		tileir.OpGetTileBlockId:   func(e *emitter, op *tileir.Op) { e.special(op, ir.BlockID) },
		tileir.OpGetNumTileBlocks: func(e *emitter, op *tileir.Op) { e.special(op, ir.Grid) },
		tileir.OpGetGlobal:        (*emitter).global,
		tileir.OpAlloca:           (*emitter).alloca,

		tileir.OpMakeTensorView: (*emitter).tensorView, tileir.OpMakePartitionView: (*emitter).tileView,
		tileir.OpMakeStridedView: (*emitter).tileView, tileir.OpMakeGatherScatterView: (*emitter).tileView,
		tileir.OpGetIndexSpaceShape: (*emitter).indexSpace, tileir.OpGetTensorShape: (*emitter).tensorShape,
		tileir.OpLoadViewTko: (*emitter).loadView, tileir.OpStoreViewTko: (*emitter).storeView, tileir.OpAtomicRedViewTko: (*emitter).reduceView,
		tileir.OpLoadPtrTko: (*emitter).loadPtr, tileir.OpStorePtrTko: (*emitter).storePtr,
		tileir.OpAtomicRMWTko: (*emitter).atomicRMW, tileir.OpAtomicCASTko: (*emitter).atomicCAS,

		tileir.OpPermute: (*emitter).permute, tileir.OpBroadcast: (*emitter).broadcast, tileir.OpCat: (*emitter).cat,
		tileir.OpExtract: (*emitter).extract, tileir.OpInsert: (*emitter).insert,
		tileir.OpPack: (*emitter).packing, tileir.OpUnpack: (*emitter).packing,
		tileir.OpReduce: (*emitter).reduce, tileir.OpScan: (*emitter).scan,
		tileir.OpMmaF: (*emitter).product, tileir.OpMmaI: (*emitter).product, tileir.OpMmaFScaled: (*emitter).product,

		tileir.OpFor: (*emitter).forLoop, tileir.OpLoop: (*emitter).endless, tileir.OpIf: (*emitter).branch,
		tileir.OpContinue: (*emitter).leave, tileir.OpBreak: (*emitter).leave,
		tileir.OpPrintTko: (*emitter).print, tileir.OpAssert: (*emitter).assert,
	}
}
