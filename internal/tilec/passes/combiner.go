package passes

import "github.com/cutile-go/cutile/tileir"

// commutes has the operations whose two operands may be swapped.
var commutes = map[int]bool{
	tileir.OpAddF: true, tileir.OpMulF: true, tileir.OpMaxF: true, tileir.OpMinF: true,
	tileir.OpAddI: true, tileir.OpMulI: true, tileir.OpMaxI: true, tileir.OpMinI: true,
	tileir.OpAndI: true, tileir.OpOrI: true, tileir.OpXOrI: true,
}

// combiners takes the branches out of a reduction's combiner, and puts its operands in the order of the region's arguments
// if the operation allows that. The assembler knows sums and the like in that order only: a flash attention kernel whose
// sum is turned around is not pipelined on sm_90.
func combiners(e *tileir.Entry) {
	for o := range e.All() {
		if o.Info.Opcode != tileir.OpReduce && o.Info.Opcode != tileir.OpScan {
			continue
		}
		r := o.Regions[0]
		r.Ops = straight(r.Ops)
		for _, c := range r.Ops {
			if commutes[c.Info.Opcode] && c.Operands[0] == r.Args[1] && c.Operands[1] == r.Args[0] {
				c.Operands[0], c.Operands[1] = c.Operands[1], c.Operands[0]
			}
		}
	}
}
