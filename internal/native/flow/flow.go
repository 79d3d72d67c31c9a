package flow

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Entry is what the caller knows of an entry.
type Entry struct {
	Name   string
	Params []*tileir.Value
	Body   *tileir.Block
	// Ops gives the operations of a block in the order in which they run.
	Ops func(b *tileir.Block) []*tileir.Op
	// Segment gives the segment that begins with an operation, nil if none does.
	Segment func(op *tileir.Op) *nest.Segment
	// Alone gives a segment of one operation, which is in no segment or done before one; nil if there is none.
	Alone func(op *tileir.Op) *nest.Segment
	// Together is the number of operations, from one on, that the caller does in one step.
	Together func(op *tileir.Op) int
	// Aside reports whether the caller does a loop better as a whole.
	Aside func(op *tileir.Op) bool
	// With gives another operation whose operands the caller reads when it does one, nil for none.
	With func(op *tileir.Op) *tileir.Op
	// Constant reports whether the elements of a constant are in the arena from the beginning.
	Constant func(op *tileir.Op) bool
	// Place says where a value lies; false if it takes no room.
	Place func(v *tileir.Value) (Place, bool)
	// Order gives the dimensions of the tile of a load or store through a view, as they lie in the arena from the outermost on.
	Order func(op *tileir.Op) []int
	// Atomic says what the function does of an atomic operation through pointers; ok is false if the caller does it better.
	Atomic func(op *tileir.Op) (a nest.Atomic, ok bool)
	// Origin gives the address that the tile of an operation through pointers counts from, if that is a tile of offsets in elements, 32
	// bits each; nil if it is one of addresses.
	Origin func(op *tileir.Op) *tileir.Value
	// Renames reports whether the result of a permutation is another name of its operand, since a load or store permutes.
	Renames func(op *tileir.Op) bool
	// Stream is the size in bytes of tensors from which on tiles are written past the caches.
	Stream int64
	// Units is how many units of a segment are done before the function looks at its budget.
	Units func(s *nest.Segment) int
}

// Place is where a value lies in the arena. Values that share their bytes have one offset while both are needed.
type Place struct {
	Offset int // in bytes
	Bytes  int
	Splat  bool // one element stands for all
}

// The words of the frame.
const (
	State      = iota // see [vec.Func.State],
	Budget            // about the vectors that may be computed before the function is suspended,
	Self              // the address of the frame,
	Arena             // that of the arena,
	Scratch           // and that of other memory
	Grid              // the extents of the grid
	_                 //
	_                 //
	FirstBlock        // the first block's index in each dimension
	_                 //
	_                 //
	Blocks            // how many blocks are to be done
	Done              // how many are before the one that is being done
	Windows           // and the windows: three words for each
)

// The words of a window: the addresses that it has, and the memory that the first one stands for.
const (
	WindowBase = iota
	WindowSize
	WindowData
	WindowWords
)

// FirstOut is the status of a function that is suspended for [Function.Outs][0].
const FirstOut = vec.Polled + 1

// Out is something that the caller does.
type Out struct {
	Op     *tileir.Op // the operation, the segment or the step that begins with it
	Window int        // if it is not negative, Op needs memory that is not in this window, which is to be found
	Of     int        // if it is not 0, the memory is that of an address, which is in this word of the frame, and nothing else is to be done
	Missed int        // if it is not 0, Op begins a segment that has a note of missed elements in this word of the frame: see [nest.Segment.Miss]
	Early  *tileir.Op // if Op has a fault, the segment that begins here says what its first fault is; nil if Op does
	Seldom bool       // the function does it itself where its tiles begin in their tensors, which share no memory, and counters do not overflow
}

// Function is the function of an entry.
type Function struct {
	*vec.Func
	Outs    []Out
	Scratch int // bytes
}

// Build makes the function of an entry. An error says why there is none.
func Build(e *Entry) (*Function, error) {
	b := &builder{Builder: vec.NewBuilder(e.Name), Entry: e, values: map[*tileir.Value]*value{}, hoisted: map[*tileir.Op]bool{}}
	b.State = State
	b.Frame = Windows
	b.self, b.arena, b.scratch = b.Arg(Self), b.Arg(Arena), b.Arg(Scratch)
	b.params()
	b.hoist()
	b.blocks()
	if b.err != nil {
		return nil, b.err
	}
	b.Source = b.source
	return &Function{Func: b.Finish().Tidy(), Outs: b.outs, Scratch: b.room}, nil
}

// builder makes a function.
type builder struct {
	*vec.Builder
	*Entry
	self, arena, scratch vec.Reg
	block                []vec.Reg // the index of the block, in the first dimensions: see [builder.dimensions]
	before               vec.Reg   // the number of blocks before it
	values               map[*tileir.Value]*value
	hoisted              map[*tileir.Op]bool // what is done once, before the first block
	loops                []*loop             // those that are open; the first one is that of the blocks
	yields               []*tileir.Value     // what yield sets
	notes                []note
	outs                 []Out
	windows              int
	room                 int          // of scratch
	early                []*tileir.Op // the operations of a segment up to one that is done before it, if others come first
	err                  error
}

// note is an operation, or a segment whose steps have the notes that follow.
type note struct {
	op      *tileir.Op
	segment *nest.Segment
	first   int32
}

func (b *builder) refuse(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// params reads the parameters.
func (b *builder) params() {
	for _, v := range b.Params {
		if b.uniform(v) {
			b.load(v, b.home(v))
		}
	}
}

// blocks does the blocks, one after the other.
func (b *builder) blocks() {
	next := make([]vec.Reg, b.dimensions())
	for i := range next {
		next[i] = b.Arg(FirstBlock + i)
	}
	b.before = b.For(b.Int(0), b.Arg(Blocks), 1)
	b.loops = append(b.loops, &loop{})
	b.poll(b.cost(b.Body))
	for _, x := range next {
		b.block = append(b.block, b.New(vec.Scalar))
		b.Set(b.block[len(b.block)-1], x)
	}
	b.advance(next)
	b.body(b.Body)
	b.loops = b.loops[:0]
	b.End()
}

// dimensions is how many dimensions of a block's index the entry asks for, from the first one on.
func (b *builder) dimensions() (n int) {
	for op := range b.Body.All() {
		for _, v := range op.Operands {
			if v.Def != nil && v.Def.Info.Opcode == tileir.OpGetTileBlockId {
				n = max(n, 1+slices.Index(v.Def.Results, v))
			}
		}
	}
	return n
}

// put writes a word of the frame.
func (b *builder) put(word int, x vec.Reg) {
	b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{x}, Mem: vec.Mem{Base: b.self, Disp: int32(8 * word)}})
}

// advance goes to the next block.
func (b *builder) advance(next []vec.Reg) {
	for i, x := range next {
		b.Set(x, b.AddInt(x, 1))
		b.If(vec.GE, x, b.Arg(Grid+i))
		b.Set(x, b.Int(0))
	}
	for range next {
		b.End()
	}
}

// poll lets the function suspend itself when it has done much.
func (b *builder) poll(cost int) {
	b.DoImm(vec.Poll, vec.NoType, int64(min(max(cost, 1), vec.MaxPoll)))
}

// body does the operations of a block of the entry.
func (b *builder) body(blk *tileir.Block) {
	for ops := b.Ops(blk); len(ops) > 0 && b.err == nil; {
		n := 1
		if s := b.Segment(ops[0]); s != nil {
			n = len(s.Steps)
			b.segment(s)
		} else if n = b.Together(ops[0]); n > 1 {
			b.out(ops[:n])
		} else {
			b.op(ops[0])
		}
		ops = ops[n:]
	}
}

// op does an operation by its rule. What has none, or what the rule does not take, is a segment or the caller's.
func (b *builder) op(op *tileir.Op) {
	b.note(op)
	if b.hoisted[op] {
		return
	}
	if b.rule(op) {
		return
	}
	if s := b.Alone(op); s != nil {
		b.segment(s)
	} else {
		b.out([]*tileir.Op{op})
	}
}

// rule does an operation by its rule, if that takes it.
func (b *builder) rule(op *tileir.Op) bool {
	if r := rules[op.Info.Opcode]; r != nil {
		return r(b, op)
	}
	return integers(b, op) || numbers(b, op)
}

// note notes which operation the next instructions are made of.
func (b *builder) note(op *tileir.Op) {
	b.notes = append(b.notes, note{op: op, first: b.last() + 1})
	b.Note = b.last()
}

// last is the last number that a note has.
func (b *builder) last() int32 {
	if len(b.notes) == 0 {
		return 0
	}
	n := &b.notes[len(b.notes)-1]
	if n.segment != nil {
		return n.first + int32(len(n.segment.Steps)) - 1
	}
	return n.first
}
