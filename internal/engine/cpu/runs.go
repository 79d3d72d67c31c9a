package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// stripElems is how many elements of a tile an operation handles before the next operation gets them: a few tiles of
// so many elements lie in the first-level cache together.
const stripElems = 1024

// minRun is the size of a tile below which its operations are not worth gathering.
const minRun = 64

// role is what an operation does in a run.
type role uint8

const (
	roleEnd    role = iota // nothing: it ends the run
	roleNone               // no work at run time
	roleBefore             // small work that needs no strip: it is done before the first one
	roleLoop
	roleSpread // broadcast
	roleCount  // iota
	roleLoad
	roleStore
)

// run is consecutive operations of a block that handle a strip of their tiles one after the other, then the next strip.
// Values that only the run uses have the length of a strip, or no place at all.
type run struct {
	ops    []*tileir.Op
	roles  []role
	n      int // elements of each tile
	strip  int
	root   map[*tileir.Value]*tileir.Value // of values that are the same bytes, the first
	inside map[*tileir.Value]int           // uses inside the run, by root
	outer  map[*tileir.Value]int           // uses outside, by root
	maker  map[*tileir.Value]role          // the role of the operation that makes a root
	sunk   map[*tileir.Value]bool          // roots that a store of the run takes
	picky  map[*tileir.Value]bool          // roots whose elements must not change between two reads
}

// escapes reports whether a value is used after the run.
func (r *run) escapes(root *tileir.Value) bool { return r.outer[root] > 0 }

// stored reports whether the only use of a value is that one operation of the run stores it.
func (r *run) stored(root *tileir.Value) bool {
	m := r.maker[root]
	return !r.escapes(root) && r.inside[root] == 1 && r.sunk[root] && (m == roleLoop || m == roleSpread || m == roleCount)
}

// findRun finds the run that begins with the first of some operations. Without one it gives how many of them are best
// done one by one.
func (p *planner) findRun(ops []*tileir.Op) (r *run, skip int) {
	r = &run{strip: p.strip, root: map[*tileir.Value]*tileir.Value{}, inside: map[*tileir.Value]int{},
		outer: map[*tileir.Value]int{}, maker: map[*tileir.Value]role{}, picky: map[*tileir.Value]bool{}, sunk: map[*tileir.Value]bool{}}
	if r.n = runLength(ops[0]); r.n < minRun || p.strip <= 0 {
		return nil, 1
	}
	splat, made := map[*tileir.Value]bool{}, map[*tileir.Value]bool{} // by strips, with other names of that
	memory, loads, stores, work, end := 0, 0, 0, 0, 0
	for _, op := range ops {
		k := p.role(op, r.n, splat)
		if k == roleEnd || k == roleLoad && stores > 0 || slices.ContainsFunc(indicesOf(op), func(v *tileir.Value) bool { return made[v] }) {
			break // an index must be there before the first strip
		}
		for _, v := range op.Results {
			made[v] = k > roleBefore || k == roleNone && slices.ContainsFunc(op.Operands, func(o *tileir.Value) bool { return made[o] })
		}
		r.ops, r.roles = append(r.ops, op), append(r.roles, k)
		switch k {
		case roleLoad:
			memory, loads = memory+1, loads+1
		case roleStore:
			memory, stores = memory+1, stores+1
		}
		if k > roleBefore {
			work, end = work+1, len(r.ops)
		}
	}
	if p.code != nil && work == loads { // machine code copies what they load, each by itself
		return nil, 1
	}
	if work < 2 || r.n <= r.strip && memory == 0 {
		return nil, max(1, end)
	}
	r.ops, r.roles = r.ops[:end], r.roles[:end]
	p.countUses(r)
	return r, 0
}

// indicesOf gives the indices of a load or store through a view.
func indicesOf(op *tileir.Op) []*tileir.Value {
	switch op.Info.Opcode {
	case tileir.OpLoadViewTko:
		return op.Group(1)
	case tileir.OpStoreViewTko:
		return op.Group(2)
	}
	return nil
}

// runLength is the number of elements that a run has which begins with an operation; 0 where none does.
func runLength(op *tileir.Op) int {
	switch k := shapeOf(op).role; {
	case k == roleStore:
		return tileType(op.Operands[0]).Size()
	case k > roleBefore:
		return tileType(op.Results[0]).Size()
	}
	return 0
}

// role finds what an operation does in a run over n elements. splat holds the run's values that one element stands for.
func (p *planner) role(op *tileir.Op, n int, splat map[*tileir.Value]bool) role {
	isSplat := func(v *tileir.Value) bool { return splat[v] || p.places[v].storage != nil && p.places[v].splat }
	size, one, sh := 0, false, shapeOf(op)
	if len(op.Results) > 0 {
		if t, ok := op.Results[0].Type.(*tileir.TileType); ok {
			size = t.Size()
			one = size > 1 && (p.isAlias(op) || !p.dense[op.Results[0]]) && p.isSplat(op, isSplat)
			splat[op.Results[0]] = one
		}
	}
	k := sh.role
	switch {
	case op.Info.Opcode == tileir.OpAssume && p.assumes: // it looks at the elements
		if size == n {
			return roleEnd
		}
		return small(size)
	case k == roleStore:
		size = tileType(op.Operands[0]).Size()
	case p.turned.renames[op]:
		return roleNone
	case k <= roleBefore:
		return k
	case one:
		return roleBefore
	case k == roleSpread:
		src := tileType(op.Operands[0]).Size()
		one := src == 1 || isSplat(op.Operands[0])
		if !one && src == n || len(spreading(op, one).shape) > 2 {
			return roleEnd
		}
	case (k == roleLoop || k == roleCount) && size != n:
		return small(size)
	}
	if size != n {
		return roleEnd
	}
	return k
}

// small is the role of an operation on the given number of elements that is not worth strips.
func small(size int) role {
	if size <= stripElems {
		return roleBefore
	}
	return roleEnd
}

// countUses fills in how the values of a run are used.
func (p *planner) countUses(r *run) {
	rootOf := func(v *tileir.Value) *tileir.Value {
		if o, ok := r.root[v]; ok {
			return o
		}
		return v
	}
	total := map[*tileir.Value]int{}
	for i, op := range r.ops {
		alias := p.isAlias(op)
		for _, v := range op.Operands {
			o := rootOf(v)
			if alias {
				total[o]-- // what counts are the uses of the alias
				continue
			}
			r.inside[o]++
			r.sunk[o] = r.sunk[o] || r.roles[i] == roleStore
			if op.Info.Opcode == tileir.OpDivI || op.Info.Opcode == tileir.OpRemI {
				r.picky[o] = true
			}
		}
		for _, v := range op.Results {
			o := v
			if alias {
				o = rootOf(op.Operands[0])
			} else {
				r.maker[o] = r.roles[i]
			}
			r.root[v] = o
			total[o] += p.uses[v]
		}
	}
	for o := range r.maker {
		r.outer[o] = total[o] - r.inside[o]
	}
}

// run plans the operations of a run. All of it happens at one time as far as values are concerned that the rest of the
// kernel knows, or that are made before the first strip. The others are reused from operation to operation.
func (p *planner) run(r *run) {
	p.runs[r.ops[0]] = r
	first, last := p.pos+1, p.pos+len(r.ops)
	for i, op := range r.ops {
		p.pos++
		for _, v := range op.Operands {
			p.use(v)
			if s := p.places[v].storage; s != nil && !s.strip {
				s.end = max(s.end, last)
			}
		}
		if p.isAlias(op) {
			p.alias(op.Results[0], op.Operands[0])
			continue
		}
		p.results(op)
		for _, v := range op.Results {
			s := p.places[v].storage
			if _, ok := v.Type.(*tileir.TileType); !ok && r.roles[i] > roleBefore {
				continue // a token
			}
			switch {
			case r.roles[i] <= roleBefore || r.escapes(v):
				s.start, s.end = first, last
			case r.roles[i] == roleLoad || r.stored(v):
				s.bytes = 0
			default:
				s.strip = true
				s.bytes = min(r.n, r.strip) * elemBytes(tileType(v))
			}
		}
	}
}

// countOperands counts how often each value is an operand.
func countOperands(b *tileir.Block) map[*tileir.Value]int {
	uses := map[*tileir.Value]int{}
	for op := range b.All() {
		for _, v := range op.Operands {
			uses[v]++
		}
	}
	return uses
}
