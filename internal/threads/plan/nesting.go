package plan

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Nesting says how the operations of an entry lie in one another.
type Nesting struct {
	Around map[*tileir.Op]*tileir.Op   // the operation whose block an operation is in
	Owner  map[*tileir.Value]Argument  // of blocks' arguments
	Ends   map[*tileir.Op][]*tileir.Op // of an operation with blocks: those that give what its results or arguments become
}

// Argument is one of a block of an operation.
type Argument struct {
	Op     *tileir.Op
	Number int
}

// NestingOf looks at an entry.
func NestingOf(e *tileir.Entry) *Nesting {
	in := &Nesting{map[*tileir.Op]*tileir.Op{}, map[*tileir.Value]Argument{}, map[*tileir.Op][]*tileir.Op{}}
	e.Body.Walk(func(op *tileir.Op, around []*tileir.Op) bool {
		if n := len(around); n > 0 {
			in.Around[op] = around[n-1]
		}
		for b := range op.Blocks() {
			for i, a := range b.Args {
				in.Owner[a] = Argument{op, i}
			}
		}
		if of := ended(op, around); of != nil {
			in.Ends[of] = append(in.Ends[of], op)
		}
		return true
	})
	return in
}

// ended is the operation that an operation ends a block or a turn of; nil for none.
func ended(op *tileir.Op, around []*tileir.Op) *tileir.Op {
	switch op.Info.Opcode {
	case tileir.OpYield:
		return around[len(around)-1]
	case tileir.OpContinue, tileir.OpBreak:
		for _, o := range slices.Backward(around) {
			if o.Info.Opcode != tileir.OpIf {
				return o
			}
		}
	}
	return nil
}
