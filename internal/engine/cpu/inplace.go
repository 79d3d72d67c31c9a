package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// The end of a block copies its operands: continue to the carried values of a loop, break to the loop's results, and yield
// to the results of an if. A value can lie there from the start, unless somebody still reads the value that was there before.
// This file decides that.

// enter says where an operation that ends blocks puts its operands, until the function that it returns is called.
func (p *planner) enter(code int, to []*tileir.Value) (leave func()) {
	if p.ends == nil {
		p.ends = map[int][]*tileir.Value{}
	}
	outer := p.ends[code]
	p.ends[code] = to
	return func() { p.ends[code] = outer }
}

// destination is the value that the end of a block makes of a value; nil if there is none, or if the rest of the block uses
// what has been there before. The interpreter, which machine code is compared with, copies.
func (p *planner) destination(v *tileir.Value, rest []*tileir.Op) *tileir.Value {
	if len(rest) == 0 || p.folding || p.code == nil {
		return nil
	}
	end := rest[len(rest)-1]
	i := slices.IndexFunc(end.Operands, func(o *tileir.Value) bool { return p.names(o, v) })
	to := p.ends[end.Info.Opcode]
	if i < 0 || i >= len(to) {
		return nil
	}
	if pl := p.places[to[i]]; pl.storage == nil || pl.splat || p.touches(rest, pl.storage) {
		return nil
	}
	return to[i]
}

// names reports whether a value is another, or another name of it.
func (p *planner) names(v, of *tileir.Value) bool {
	for v != of {
		if v.Def == nil || !p.isAlias(v.Def) {
			return false
		}
		v = v.Def.Operands[0]
	}
	return true
}

// touches reports whether operations use a storage, or those in their blocks do.
func (p *planner) touches(ops []*tileir.Op, s *storage) bool {
	for _, op := range ops {
		for v := range operandsOf(op) {
			if p.storageOf(v) == s {
				return true
			}
		}
	}
	return false
}

// storageOf is the storage of a value that has one already, or is another name of such a value: else nil.
func (p *planner) storageOf(v *tileir.Value) *storage {
	for {
		if pl, ok := p.places[v]; ok {
			return pl.storage
		}
		if v.Def == nil || !p.isAlias(v.Def) {
			return nil
		}
		v = v.Def.Operands[0]
	}
}

// inPlace finds the results of a segment that can lie where the end of the block puts them. rest is what follows the segment.
func (p *planner) inPlace(s *nest.Segment, rest []*tileir.Op) map[*tileir.Value]*tileir.Value {
	into := map[*tileir.Value]*tileir.Value{}
	for i := range s.Steps {
		for _, v := range s.Steps[i].Op.Results {
			if !s.Leaves(v) {
				continue
			}
			if to := p.destination(v, rest); to != nil {
				there := p.places[to].storage
				if s.Overwrite(v, func(o *tileir.Value) bool { return p.storageOf(o) == there }) {
					into[v] = to
				}
			}
		}
	}
	return into
}

// resultsInPlace gives the results of an operation their storage, where the end of the block puts them if that is right:
// an if writes them when it has read everything; another operation must not read what is there, but for a product, which
// reads each element of its accumulator before it writes the sum.
func (p *planner) resultsInPlace(op *tileir.Op) {
	p.results(op)
	for _, r := range op.Results {
		to := p.destination(r, p.rest)
		if to == nil || p.places[r].splat || p.places[r].constant {
			continue
		}
		there := p.places[to].storage
		if shapeOf(op).body == branches || !p.readsBesides(op, there) {
			p.drop(r)
			p.places[r] = p.places[to]
		}
	}
}

// accumulators are the operands that products read element by element.
var accumulators = map[int]int{tileir.OpMmaF: 2, tileir.OpMmaI: 2, tileir.OpMmaFScaled: 2}

// readsBesides reports whether an operation reads a storage otherwise than as an accumulator.
func (p *planner) readsBesides(op *tileir.Op, s *storage) bool {
	acc, ok := accumulators[op.Info.Opcode]
	if !ok {
		return p.touches([]*tileir.Op{op}, s)
	}
	for i, v := range op.Operands {
		if i != acc && p.storageOf(v) == s {
			return true
		}
	}
	return false
}

// drop gives back the storage of a value, which nobody has used.
func (p *planner) drop(v *tileir.Value) { p.places[v].storage.bytes = 0 }
