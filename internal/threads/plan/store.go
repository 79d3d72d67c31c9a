package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// leastBoxed is how many bytes a tile has at least that is stored, or loaded, as boxes outside of pipelines: for fewer, waiting for one another takes
// longer than what threads save.
const leastBoxed = 4 << 10

// boxed finds the stores whose tiles go to shared memory, from where one thread has them copied as boxes of their tensors. The threads would
// exchange such a tile there anyway, since what they have of it is not what lies side by side in memory.
func (p *Plan) boxed() map[*tileir.Op]*ir.Tensor {
	out := map[*tileir.Op]*ir.Tensor{}
	maps := p.maps()
	for op := range p.Entry.All() {
		switch op.Info.Opcode {
		case tileir.OpMemoryFenceAliasTko: // whose order takes more than tokens
			return nil
		case tileir.OpStoreViewTko:
			if t := p.box(op); t != nil && maps < mostMaps {
				out[op] = t
				maps++
			}
		}
	}
	return out
}

// box describes the tensor of a store that pays as boxes and may be made as such: nothing that it is ordered with orders memory for other blocks.
func (p *Plan) box(op *tileir.Op) *ir.Tensor {
	v := op.Operand("tile")
	t := v.Type.(*tileir.TileType)
	if tileir.Int(op.Int("memory_ordering_semantics")) != tileir.MemoryWeak || t.Size()*t.Elem.Bytes()/t.Elem.PerByte() < leastBoxed {
		return nil
	}
	if p.Layout(v).Equal(p.Memory(op, t)) {
		return nil
	}
	a := p.Info.Access(op)
	if slices.ContainsFunc(p.Info.Accesses(), func(b *access.Access) bool {
		return tileir.Int(b.Op.Int("memory_ordering_semantics")) > tileir.MemoryRelaxed && (p.Info.Ordered(a, b) || p.Info.Ordered(b, a))
	}) {
		return nil
	}
	tensor, _ := p.tensor(op)
	return tensor
}

// storedBeside is how many bytes of shared memory a store of boxes takes at most while the tiles of a loop have to stay there: where both are
// in a loop, from one of whose turns to the next stages go on. Elsewhere they have the same memory.
func (p *Plan) storedBeside(loop *tileir.Op) (bytes int) {
	if len(p.Stores) == 0 {
		return 0
	}
	around := NestingOf(p.Entry).Around
	outermost := func(op *tileir.Op) (out *tileir.Op) {
		for ; op != nil; op = around[op] {
			if op.Info.Opcode == tileir.OpFor || op.Info.Opcode == tileir.OpLoop {
				out = op
			}
		}
		return out
	}
	for op, tensor := range p.Stores {
		if outermost(op) == outermost(loop) {
			bytes = max(bytes, ShapeOf(op.Operand("tile")).Size()*tensor.Bytes+GroupAlign)
		}
	}
	return bytes
}

// unlag takes back that products go on into the next turn, of loops that have too few stages beside what is stored.
func (p *Plan) unlag() {
	for _, x := range p.Products {
		if x.Lags && len(p.Loops[x.Loop]) > 0 && p.Stages(x.Loop) < lagStages {
			x.Lags = false
		}
	}
}

// maps counts the tensors that loops copy boxes of.
func (p *Plan) maps() (n int) {
	for _, f := range p.Feeds {
		if f.Tensor != nil {
			n++
		}
	}
	return n
}
