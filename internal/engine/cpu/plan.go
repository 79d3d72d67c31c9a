package cpu

import (
	"context"
	"sort"

	"github.com/cutile-go/cutile/tileir"
)

// storage is a piece of the arena and the time during which it is in use. Values that are the same bytes share one.
type storage struct {
	bytes      int
	start, end int // positions of operations, both included
	off        slot
	fixed      bool // a constant or parameter, with a place of its own
	constant   bool
	strip      bool // the length is that of a strip
}

// place says where a value is.
type place struct {
	*storage
	splat bool // one element stands for all
}

// planner walks an entry once, numbers its operations and gives every value a storage.
type planner struct {
	places   map[*tileir.Value]place
	dense    map[*tileir.Value]bool
	stores   []*storage
	pos      int
	loops    []*loopSpan
	lanes    int  // 0 outside the body of a reduction, else how many elements it works on
	folding  bool // inside the body of a reduction
	strip    int  // elements of a strip; 0 for none
	assumes  bool // promises are checked
	uses     map[*tileir.Value]int
	name     string // of the entry
	code     *machineCode
	notes    *notes // nil unless the entry is explained
	products map[*tileir.Op]*productLoop
	segments map[*tileir.Op]*nativeSegment  // by first operation
	runs     map[*tileir.Op]*run            // by first operation
	order    map[*tileir.Block][]*tileir.Op // of blocks whose operations were shuffled
	laneOps  map[*tileir.Op]int
	ends     map[int][]*tileir.Value // where the ends of blocks put their operands, by opcode
	rest     []*tileir.Op            // what comes behind the operation that is planned, in its block
	turned   turned
	indexed  indexed
}

// loopSpan is code that may run several times: what it uses from outside must live until its end.
type loopSpan struct {
	start   int
	outside []*storage
}

// planEntry finds the places of all values of an entry, whose machine code is added to code, unless that is nil. products are its loops that
// are products.
func planEntry(e *tileir.Entry, d *Device, code *machineCode, n *notes, products map[*tileir.Op]*productLoop) *planner {
	p := &planner{places: map[*tileir.Value]place{}, laneOps: map[*tileir.Op]int{}, runs: map[*tileir.Op]*run{},
		strip: d.strip, assumes: d.assumes, name: e.Name, code: code, segments: map[*tileir.Op]*nativeSegment{}, notes: n, products: products}
	n.record(p.code)
	if d.reorder != 0 {
		p.order = shuffle(e.Body, d.reorder)
	}
	p.dense, p.uses = findDense(e.Body), countOperands(e.Body)
	p.turned = findTurned(e.Body, p.uses)
	if code != nil {
		p.indexed = findIndexed(e.Body, p.uses)
	}
	for _, v := range e.Params {
		p.fresh(v)
	}
	for _, v := range e.Params {
		p.places[v].fixed = true // they are set before the first step
	}
	p.block(e.Body)
	return p
}

// elems is how many elements the storage of a value of this tile type has, when it is not a splat.
func (p *planner) elems(t *tileir.TileType) int {
	n := t.Size()
	if p.lanes > 0 {
		n *= p.lanes
	}
	return n
}

// fresh gives a value a storage of its own.
func (p *planner) fresh(v *tileir.Value) { p.freshSplat(v, false) }

func (p *planner) freshSplat(v *tileir.Value, splat bool) *storage {
	s := &storage{start: p.pos, end: p.pos}
	switch t := v.Type.(type) {
	case *tileir.TileType:
		n := 1
		if !splat {
			n = p.elems(t)
		}
		s.bytes = n * elemBytes(t)
	case *tileir.TensorViewType:
		s.bytes = 8 * (1 + 2*len(t.Shape))
	case tileir.ViewType:
		s.bytes = 8 * (1 + 2*len(t.TensorView().Shape))
	}
	p.stores = append(p.stores, s)
	p.places[v] = place{s, splat}
	return s
}

// alias makes a value the same bytes as another.
func (p *planner) alias(v, of *tileir.Value) {
	pl := p.places[of]
	if t, ok := v.Type.(*tileir.TileType); ok && t.Size() == 1 && p.lanes == 0 {
		pl.splat = false
	}
	p.places[v] = pl
}

// use keeps a value alive until now, or until the end of the loop that needs it again.
func (p *planner) use(v *tileir.Value) {
	s := p.places[v].storage
	if s == nil {
		return
	}
	s.end = max(s.end, p.pos)
	for _, l := range p.loops {
		if l.start > s.start {
			l.outside = append(l.outside, s)
			break
		}
	}
}

func (p *planner) block(b *tileir.Block) {
	for ops := p.ops(b); len(ops) > 0; {
		n := 1
		if !p.folding {
			if s := p.findSegment(ops); s != nil {
				p.segment(s)
				ops = ops[len(s.Steps):]
				continue
			}
			var r *run
			if r, n = p.findRun(ops); r != nil {
				p.run(r)
				ops = ops[len(r.ops):]
				continue
			}
		}
		for _, op := range ops[:n] {
			ops = ops[1:]
			p.rest = ops
			p.op(op)
		}
	}
}

// ops gives the operations of a block in the order in which they run.
func (p *planner) ops(b *tileir.Block) []*tileir.Op {
	if o, ok := p.order[b]; ok {
		return o
	}
	return b.Ops
}

func (p *planner) op(op *tileir.Op) {
	p.pos++
	for _, v := range op.Operands {
		p.use(v)
	}
	if v := p.indexed.of(op); v != nil {
		p.use(v)
	}
	switch shape := shapeOf(op); {
	case p.isAlias(op):
		p.alias(op.Results[0], op.Operands[0])
	case isLoop(op):
		p.loop(op)
	case shape.body == branches:
		p.resultsInPlace(op)
		leave := p.enter(tileir.OpYield, op.Results)
		for r := range op.Blocks() {
			p.block(r)
		}
		leave()
		p.pos++
		p.keep(op.Results)
	case shape.body == combiner:
		p.results(op)
		p.combiner(op)
	default:
		p.resultsInPlace(op)
	}
}

// results gives the results of an operation their storage; where one element can stand for all, only that much.
func (p *planner) results(op *tileir.Op) {
	for _, r := range op.Results {
		splat := false
		if t, ok := r.Type.(*tileir.TileType); ok && (t.Size() > 1 || p.lanes > 0) && !p.dense[r] {
			splat = p.isSplat(op, func(v *tileir.Value) bool { return p.places[v].splat })
		}
		s := p.freshSplat(r, splat)
		s.constant = op.Info.Opcode == tileir.OpConstant
		s.fixed = s.constant
	}
}

// isSplat reports whether all elements of an operation's result are the same, given that for values.
func (p *planner) isSplat(op *tileir.Op, splat func(*tileir.Value) bool) bool {
	switch shape := shapeOf(op); {
	case p.isAlias(op):
		return splat(op.Operands[0])
	case op.Info.Opcode == tileir.OpConstant:
		return constantIsSplat(op)
	case op.Info.Opcode == tileir.OpBroadcast:
		src := op.Operands[0]
		return p.lanes == 0 && src.Type.(*tileir.TileType).Size() == 1 || splat(src)
	case shape.elementwise:
		for _, v := range op.Operands {
			if !splat(v) {
				return false
			}
		}
		return len(op.Operands) > 0
	}
	return false
}

// keep extends the life of values that are written before now.
func (p *planner) keep(vs []*tileir.Value) {
	for _, v := range vs {
		if s := p.places[v].storage; s != nil {
			s.end = max(s.end, p.pos)
		}
	}
}

// loop plans for and loop. The results of a for share the storage of its arguments: after the last iteration they are
// the same values. A loop has results of its own, which break writes.
func (p *planner) loop(op *tileir.Op) {
	body := op.Regions[0]
	span := &loopSpan{start: p.pos}
	for _, a := range body.Args {
		p.fresh(a)
	}
	carried := body.Args
	if shapeOf(op).body == counted {
		carried = carried[1:]
		for i, r := range op.Results {
			p.alias(r, carried[i])
		}
	} else {
		p.results(op)
		defer p.enter(tileir.OpBreak, op.Results)()
	}
	defer p.enter(tileir.OpContinue, carried)()
	p.loops = append(p.loops, span)
	index := p.loopIndex(op)
	p.block(body)
	p.loops = p.loops[:len(p.loops)-1]
	p.pos++
	p.keep(body.Args)
	p.keep(index)
	p.keep(op.Results)
	for _, s := range span.outside {
		s.end = max(s.end, p.pos)
	}
}

// combiner plans the body of reduce and scan, in which a value has as many elements as the body works on at a time.
func (p *planner) combiner(op *tileir.Op) {
	body := op.Regions[0]
	p.lanes = bodyLanes(body)
	p.laneOps[op] = p.lanes
	outer := p.capture(body)
	span := &loopSpan{start: p.pos}
	p.loops = append(p.loops, span)
	for _, a := range body.Args {
		p.fresh(a)
	}
	p.folding = true
	p.block(body)
	p.folding = false
	p.loops = p.loops[:len(p.loops)-1]
	p.pos++
	p.keep(body.Args)
	for _, s := range append(span.outside, outer...) {
		s.end = max(s.end, p.pos)
	}
	p.keep(op.Operands) // they are read until the end
	p.keep(op.Results)
	p.lanes = 0
}

// capture finds what a combiner takes from outside. Where it works on many elements at a time, those are scalars, and
// they stand for all its lanes.
func (p *planner) capture(body *tileir.Block) []*storage {
	var out []*storage
	for op := range body.All() {
		for _, v := range op.Operands {
			if pl, ok := p.places[v]; ok && pl.storage != nil {
				pl.splat = pl.splat || p.lanes > 0
				p.places[v] = pl
				out = append(out, pl.storage)
			}
		}
	}
	return out
}

// assign chooses offsets so that storages which live at the same time do not overlap, and gives the arena's size.
// Constants and parameters come first and keep their place.
func (p *planner) assign(ctx context.Context) (fixed, total int, err error) {
	for _, s := range p.stores {
		if s.fixed {
			s.off = slot(alignUp(fixed, alignment(s.bytes)))
			fixed = int(s.off) + s.bytes
		}
	}
	fixed = alignUp(fixed, 64)
	order := make([]*storage, 0, len(p.stores))
	for _, s := range p.stores {
		if !s.fixed && s.bytes > 0 {
			order = append(order, s)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].start < order[j].start })
	total = fixed
	var live []*storage // by offset
	for _, s := range order {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		kept := live[:0]
		for _, l := range live {
			if l.end >= s.start {
				kept = append(kept, l)
			}
		}
		live = kept
		off, at := fixed, 0
		for i, l := range live {
			if int(l.off) >= alignUp(off, alignment(s.bytes))+s.bytes {
				break
			}
			off, at = max(off, int(l.off)+l.bytes), i+1
		}
		s.off = slot(alignUp(off, alignment(s.bytes)))
		live = append(live, nil)
		copy(live[at+1:], live[at:])
		live[at] = s
		total = max(total, int(s.off)+s.bytes)
	}
	return fixed, alignUp(total, 64), nil
}

func alignment(bytes int) int {
	if bytes >= 64 {
		return 64
	}
	return 8
}
