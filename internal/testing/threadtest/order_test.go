package threadtest_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/tileir"
)

// TestOrdered: tokens order the accesses of random modules that may meet in memory, of which one writes. Where none does, Tile IR allows any
// order, and a weak access promises that nobody changes what it touches meanwhile: a module with two such accesses has no meaning, even if one
// block makes both. The compiler relies on that. It lets each thread read the elements that it needs, all threads a scalar for example, with no
// barrier between that and a store of one of them.
func TestOrdered(t *testing.T) {
	pairs, first := 0, uint64(number("THREADFUZZ_SEED", 0))
	for seed := first; seed < first+3000; seed++ {
		p := nativefuzz.Generate(seed)
		e := p.Module.Entries[0]
		in := access.Analyse(e, access.Facts{Apart: func(_, _ int) bool { return true }})
		arms, list := armsOf(e), in.Accesses()
		for i, a := range list {
			for _, b := range list[i+1:] {
				if !a.Writes && !b.Writes || !in.MayTouch(a, b) || apart(arms[a.Op], arms[b.Op]) {
					continue
				}
				pairs++
				if !in.Ordered(a, b) && !in.Ordered(b, a) {
					t.Errorf("seed %d: nothing orders %s and %s", seed, a.Op.Info.Mnemonic, b.Op.Info.Mnemonic)
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
}

// armsOf gives the blocks of ifs that operations lie in, by the if.
func armsOf(e *tileir.Entry) map[*tileir.Op]map[*tileir.Op]*tileir.Block {
	arms := map[*tileir.Op]map[*tileir.Op]*tileir.Block{}
	var visit func(b *tileir.Block, around map[*tileir.Op]*tileir.Block)
	visit = func(b *tileir.Block, around map[*tileir.Op]*tileir.Block) {
		for _, op := range b.Ops {
			arms[op] = around
			for r := range op.Blocks() {
				inner := map[*tileir.Op]*tileir.Block{}
				for k, v := range around {
					inner[k] = v
				}
				if op.Info.Opcode == tileir.OpIf {
					inner[op] = r
				}
				visit(r, inner)
			}
		}
	}
	visit(e.Body, nil)
	return arms
}

// apart reports whether operations lie in different arms of an if.
func apart(a, b map[*tileir.Op]*tileir.Block) bool {
	for op, arm := range a {
		if other := b[op]; other != nil && other != arm {
			return true
		}
	}
	return false
}
