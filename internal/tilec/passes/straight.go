package passes

import "github.com/cutile-go/cutile/tileir"

// straight computes both sides of each branch, whose condition selects the results. It is for the regions of reductions
// and scans, which have no control flow; the lowering has seen to it that both sides are harmless.
func straight(ops []*tileir.Op) (out []*tileir.Op) {
	for _, o := range ops {
		if o.Info.Opcode != tileir.OpIf {
			out = append(out, o)
			continue
		}
		var yields [2][]*tileir.Value
		for i, side := range o.Regions {
			if side == nil || len(side.Ops) == 0 {
				continue
			}
			body := straight(side.Ops)
			last := len(body) - 1
			out, yields[i] = append(out, body[:last]...), body[last].Operands
		}
		for i, r := range o.Results {
			choice := tileir.NewOp(tileir.LookupOpcode(tileir.OpSelect), [][]*tileir.Value{{o.Operands[0]}, {yields[0][i]}, {yields[1][i]}}, nil, nil, nil, o.Loc)
			choice.Results, r.Def = []*tileir.Value{r}, choice
			out = append(out, choice)
		}
	}
	return out
}
