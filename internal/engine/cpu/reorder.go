package cpu

import (
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// shuffle chooses an order for the operations of a block and of the regions in it, at random among those in which values
// and tokens come before their uses. The bodies of reductions, which touch no memory, keep theirs, and nothing moves
// across an operation that may leave the block.
func shuffle(b *tileir.Block, seed uint64) map[*tileir.Block][]*tileir.Op {
	s := &shuffler{rng: rand.New(rand.NewPCG(seed, 0)), order: map[*tileir.Block][]*tileir.Op{}}
	s.block(b)
	return s.order
}

type shuffler struct {
	rng   *rand.Rand
	order map[*tileir.Block][]*tileir.Op
}

func (s *shuffler) block(b *tileir.Block) {
	var out []*tileir.Op
	rest := b.Ops
	for i, op := range b.Ops {
		if shapeOf(op).body != combiner {
			for r := range op.Blocks() {
				s.block(r)
			}
		}
		if i == len(b.Ops)-1 || leaves(op, false) {
			n := len(rest) - (len(b.Ops) - i)
			out = append(s.mix(out, rest[:n]), op)
			rest = rest[n+1:]
		}
	}
	s.order[b] = out
}

// leaves reports whether an operation may end the block it is in.
func leaves(op *tileir.Op, inLoop bool) bool {
	switch op.Info.Opcode {
	case tileir.OpReturn:
		return true
	case tileir.OpBreak, tileir.OpContinue:
		return !inLoop
	}
	inLoop = inLoop || isLoop(op)
	for r := range op.Blocks() {
		if slices.ContainsFunc(r.Ops, func(o *tileir.Op) bool { return leaves(o, inLoop) }) {
			return true
		}
	}
	return false
}

// mix appends operations in a random order. Each waits for those that make what it or its regions use; assertions and
// prints, which people read, wait for the one before.
func (s *shuffler) mix(out, ops []*tileir.Op) []*tileir.Op {
	maker := map[*tileir.Value]int{}
	waits, after := make([]int, len(ops)), make([][]int, len(ops))
	last := map[int]int{}
	for i, op := range ops {
		wait := func(for_ int) {
			waits[i]++
			after[for_] = append(after[for_], i)
		}
		for o := range op.All() {
			for _, v := range o.Operands {
				if k, ok := maker[v]; ok {
					wait(k)
				}
			}
		}
		if code := op.Info.Opcode; code == tileir.OpAssert || code == tileir.OpPrintTko {
			if k, ok := last[code]; ok {
				wait(k)
			}
			last[code] = i
		}
		for _, v := range op.Results {
			maker[v] = i
		}
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		k := s.rng.IntN(len(ready))
		i := ready[k]
		ready[k] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		out = append(out, ops[i])
		for _, j := range after[i] {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return out
}
