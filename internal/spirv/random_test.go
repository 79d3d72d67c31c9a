package spirv_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// random writes a kernel with random control flow.
type random struct {
	*rand.Rand
	b     *spirv.Builder
	left  int // statements
	loops []*randomLoop
}

// randomLoop is a loop that is open, with the numbers of values that it carries and gives.
type randomLoop struct {
	l             *spirv.Loop
	carried, left int
}

// some gives n of the values that are known.
func (r *random) some(known []ID, n int) []ID {
	list := make([]ID, n)
	for i := range list {
		list[i] = known[r.IntN(len(known))]
	}
	return list
}

func (r *random) cond(known []ID) ID {
	v := r.some(known, 2)
	return r.b.Compare(spirv.OpULessThan, v[0], v[1])
}

// block writes statements, and gives n values at its end.
func (r *random) block(known []ID, depth, n int) []ID {
	known = append([]ID{}, known...)
	for range 1 + r.IntN(4) {
		if r.left--; r.left < 0 {
			break
		}
		known = append(known, r.statement(known, depth)...)
	}
	return r.some(known, n)
}

// statement writes a statement, and gives its values.
func (r *random) statement(known []ID, depth int) []ID {
	b := r.b
	var loop *randomLoop
	if len(r.loops) > 0 {
		loop = r.loops[len(r.loops)-1]
	}
	switch kind := r.IntN(12); {
	case kind < 3 && depth < 6:
		n := r.IntN(3)
		side := func() []ID { return r.block(known, depth+1, n) }
		if n == 0 && r.IntN(2) == 0 {
			return b.If(r.cond(known), side, nil)
		}
		return b.If(r.cond(known), side, side)
	case kind < 5 && depth < 6:
		l := &randomLoop{carried: r.IntN(3), left: r.IntN(3)}
		return b.Loop(r.some(known, l.carried), func(open *spirv.Loop, v []ID) []ID {
			l.l = open
			r.loops = append(r.loops, l)
			defer func() { r.loops = r.loops[:len(r.loops)-1] }()
			inner := append(append([]ID{}, known...), v...)
			if r.IntN(4) > 0 {
				open.BreakUnless(r.cond(inner), r.some(inner, l.left)...)
			}
			next := r.block(inner, depth+1, l.carried)
			if r.IntN(4) == 0 {
				open.Break(r.some(inner, l.left)...)
			}
			return next
		})
	case kind == 5 && loop != nil:
		loop.l.Break(r.some(known, loop.left)...)
	case kind == 6 && loop != nil:
		loop.l.Continue(r.some(known, loop.carried)...)
	case kind == 7 && depth > 1 && r.IntN(3) == 0:
		b.Return()
	case kind == 8:
		b.StoreAt(b.PushConstant(0), known[len(known)-1], 4)
	default:
		v := r.some(known, 2)
		return []ID{b.Binary(spirv.OpIAdd, v[0], v[1])}
	}
	return nil
}

// randomModule makes a module of a seed.
func randomModule(seed uint64) *spirv.Module {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 5)), b: spirv.New(spirv.Options{Vulkan: seed%2 == 0}), left: 60}
	r.b.PushConstants(r.b.Uint(64), r.b.Uint(32))
	r.b.Kernel("random", 32, 1, 1)
	for range 4 {
		r.block([]ID{r.b.PushConstant(1), r.b.ConstUint(3), r.b.BuiltIn(spirv.BuiltInLocalInvocationIndex)}, 0, 0)
	}
	r.b.End()
	return r.b.Finish()
}

// TestRandomFlow: Verify accepts what the builder makes of random control flow.
func TestRandomFlow(t *testing.T) {
	for seed := range uint64(2000) {
		m := randomModule(seed)
		if err := spirv.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, m)
		}
	}
}

// TestRandomFlowByTools: spirv-val does, too.
func TestRandomFlowByTools(t *testing.T) {
	testenv.Elsewhere(t)
	tool := testenv.SpirvTool(t, "spirv-val")
	blocks := 0
	for seed := range uint64(150) {
		m := randomModule(seed)
		if text, ok := valid(t, tool, m); !ok {
			t.Fatalf("seed %d: %s\n%v", seed, text, m)
		}
		blocks += count(m, spirv.OpLabel)
	}
	if blocks < 150*10 {
		t.Error(fmt.Sprint("the programs have too little control flow: ", blocks, " blocks"))
	}
}
