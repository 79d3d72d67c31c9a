package access

import (
	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Facts are what the caller knows of the launches for which the answers are to hold. The zero value knows nothing.
type Facts struct {
	Launch *ranges.Launch         // the only launch, if that is known
	Blocks [3]uint32              // the most blocks along each axis of the grid; 0 where that is not known
	Params map[int]interval.Range // of integer parameters, by number

	// Apart reports whether the memory that a launch reaches through one parameter is apart from that of another, by their
	// numbers. Nil means that nothing is known. Memory of the module's globals has the number Globals.
	Apart func(p, q int) bool
}

// Globals stands for the memory of globals in [Facts].
const Globals = -1

// Info has the facts about an entry. It computes some of them when they are asked for: it is not for concurrent use.
type Info struct {
	entry *tileir.Entry
	facts Facts
	spans *ranges.Ranges

	values map[*tileir.Value]*node
	nodes  []node                       // what values point to, in room that does not move
	owner  map[*tileir.Block]*tileir.Op // of the blocks in operations
	block  map[*tileir.Op]*tileir.Block // that an operation is in
	blocks [3]*tileir.Value             // the values that stand for the blocks' numbers
	grid   [3]*tileir.Value             // and for the sizes of the grid

	promised map[*tileir.Value]promise
	layers   []*layer // the first has what holds everywhere
	roots    map[*tileir.Value]roots
	rootOf   map[root]int
	kinds    []root

	accesses []*Access
	access   map[*tileir.Op]*Access
	products []*Product
}

// node is what is known of each value.
type node struct {
	seq    int32 // in the order of the text
	uses   int32
	param  int32         // its number, -1 for other values
	place  int32         // among the arguments of a block
	block  *tileir.Block // in which it comes to be; nil for parameters
	varies Dims
	looked bool       // whether varies is known
	last   *tileir.Op // in that block, the last operation that uses it
}

// promise is what assume operations promise of a value in every execution.
type promise struct {
	span    interval.Range
	divisor int64 // at least 1; of a pointer, in bytes
}

// Analyse looks at an entry, which [tileir.Verify] must accept.
func Analyse(e *tileir.Entry, f Facts) *Info {
	in := newInfo(e, f)
	for axis, n := range f.Blocks {
		if n != 0 {
			in.spans.Limit(axis, n)
		}
	}
	for i, p := range e.Params {
		in.define(p, nil, int32(i), 0)
		if s, ok := f.Params[i]; ok {
			in.spans.Set(p, s)
		}
	}
	in.walk(e.Body, nil)
	in.promises()
	for o := range e.All() {
		if a := in.touched(o); a != nil {
			in.accesses, in.access[o] = append(in.accesses, a), a
		}
	}
	return in
}

// newInfo makes room for what is found out about an entry.
func newInfo(e *tileir.Entry, f Facts) *Info {
	ops, values := 0, len(e.Params)+len(e.Body.Args)
	for o := range e.All() {
		ops, values = ops+1, values+len(o.Results)
		for b := range o.Blocks() {
			values += len(b.Args)
		}
	}
	in := &Info{
		entry: e, facts: f, values: make(map[*tileir.Value]*node, values), nodes: make([]node, 0, values), owner: map[*tileir.Block]*tileir.Op{},
		block: make(map[*tileir.Op]*tileir.Block, ops), promised: map[*tileir.Value]promise{},
		layers: []*layer{{nil, make(map[*tileir.Value]Form, values), map[*tileir.Value]Form{}, map[*tileir.Value]pointer{}}}, roots: map[*tileir.Value]roots{},
		rootOf: map[root]int{}, access: map[*tileir.Op]*Access{},
	}
	if f.Launch != nil {
		in.spans = ranges.Of(e, *f.Launch)
	} else {
		in.spans = ranges.New(e)
	}
	return in
}

func (in *Info) define(v *tileir.Value, b *tileir.Block, param, place int32) {
	in.nodes = append(in.nodes, node{seq: int32(len(in.nodes)), param: param, place: place, block: b})
	in.values[v] = &in.nodes[len(in.nodes)-1]
}

// walk numbers the values of a block and counts their uses.
func (in *Info) walk(b *tileir.Block, owner *tileir.Op) {
	in.owner[b] = owner
	for i, a := range b.Args {
		in.define(a, b, -1, int32(i))
	}
	for _, o := range b.Ops {
		in.block[o] = b
		for _, v := range o.Operands {
			in.use(v, o)
		}
		for _, v := range o.Results {
			in.define(v, b, -1, 0)
		}
		in.representatives(o)
		in.fewTiles(o)
		for r := range o.Blocks() {
			in.walk(r, o)
		}
	}
}

// representatives remembers the first values that stand for numbers of blocks and for sizes of the grid.
func (in *Info) representatives(o *tileir.Op) {
	to := &in.blocks
	switch o.Info.Opcode {
	case tileir.OpGetNumTileBlocks:
		to = &in.grid
	case tileir.OpGetTileBlockId:
	default:
		return
	}
	for axis, v := range o.Results {
		if to[axis] == nil {
			to[axis] = v
		}
	}
}

// fewTiles says that a view has no more tiles than the greatest extent has room for.
func (in *Info) fewTiles(o *tileir.Op) {
	if o.Info.Opcode != tileir.OpGetIndexSpaceShape || o.Operands[0].Def == nil || o.Operands[0].Def.Info.Opcode != tileir.OpMakePartitionView {
		return
	}
	part := o.Operands[0].Def
	tensor := part.Operands[0].Def
	if tensor == nil || tensor.Info.Opcode != tileir.OpMakeTensorView {
		return
	}
	shape := tensor.Results[0].Type.(*tileir.TensorViewType).Shape
	for i, v := range o.Results {
		axis := ranges.AxisOf(part, i)
		if shape[axis.Dim] != tileir.Dynamic {
			continue // ranges has the number
		}
		extent := in.spans.Span(ranges.Dynamic(tensor, "dynamicShape", shape, axis.Dim))
		most, ok := interval.QuoUp.Range(ranges.Int64s, interval.Range{Hi: extent.Hi}, interval.Ints(axis.Extent, axis.Extent))
		if s, both := in.spans.Span(v).Common(most); ok && both && extent.Hi.Cmp(interval.Of(0)) >= 0 {
			in.spans.Set(v, s)
		}
	}
}

// promises collects what assume operations promise on the way that every execution takes: in the entry's own block, before
// anything that may end the execution or never end.
func (in *Info) promises() {
	for _, o := range in.entry.Body.Ops {
		switch o.Info.Opcode {
		case tileir.OpIf, tileir.OpFor, tileir.OpLoop, tileir.OpAssert:
			return
		case tileir.OpAssume:
			in.promise(o)
		}
	}
}

func (in *Info) promise(o *tileir.Op) {
	v := underPromises(o.Operands[0])
	p, ok := in.promised[v]
	if !ok {
		p = promise{in.spans.Span(v), 1}
	}
	switch q := o.Attr("predicate").(type) {
	case tileir.Bounded:
		p.span, _ = p.span.Common(in.spans.Span(o.Results[0]))
	case tileir.DivBy:
		if q.Every == nil && q.Divisor <= maxDivisor {
			p.divisor = lcm(p.divisor, int64(q.Divisor))
		}
	}
	in.promised[v] = p
}

// underPromises is the value that promises are made of.
func underPromises(v *tileir.Value) *tileir.Value {
	for v.Def != nil && v.Def.Info.Opcode == tileir.OpAssume {
		v = v.Def.Operands[0]
	}
	return v
}

// Span is the range of an integer, as a signed number; of a tile, that of all elements.
func (in *Info) Span(v *tileir.Value) interval.Range {
	s := in.spans.Span(v)
	if p, ok := in.promised[underPromises(v)]; ok {
		if both, ok := s.Common(p.span); ok {
			return both
		}
	}
	return s
}
