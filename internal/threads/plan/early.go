package plan

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// findEarly finds the loads that threads make a turn ahead: those of factors of blocks in loops whose other factors are there already, as
// a turn's product does not begin without them. What they bring stays in registers until its turn.
func (p *Plan) findEarly() {
	for loop := range p.Loops {
		for _, op := range loop.Regions[0].Ops {
			if p.isEarly(op, loop) {
				p.Early[loop] = append(p.Early[loop], op)
				delete(p.Reasons, op)
			}
		}
	}
}

func (p *Plan) isEarly(op, loop *tileir.Op) bool {
	if op.Info.Opcode != tileir.OpLoadViewTko || p.Feeds[op] != nil || tileir.Int(op.Int("memory_ordering_semantics")) != tileir.MemoryWeak {
		return false
	}
	uses := p.Uses[op.Results[0]]
	if _, moves := p.moves(op, loop); !moves || len(uses) != 1 || p.Products[uses[0]] == nil {
		return false
	}
	at := slices.Index(uses[0].Operands, op.Results[0])
	return uses[0].Info.Opcode == tileir.OpMmaFScaled && at > 2
}
