package threads

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/emit"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// Block is the usual size of a block on NVIDIA's GPUs: four warps of 32 lanes. Kernels of large products have eight.
var Block = linear.Block{Lanes: 5, Warps: 2}

// Options are choices about code.
type Options struct {
	// Exact asks for the CPU engine's bits also where machines have something faster: matrix instructions, which round as they like, do not
	// compute products of floats, and atomic sums of f32 keep subnormal numbers.
	Exact bool
	Apart bool // the memory of no two parameters overlaps
	// Tensors allows parameters behind those of the entry, which launches make: see [simt.Func.Tensors].
	Tensors bool
	// Debug makes lines of PTX say which calls led there, and PTX tell debuggers of variables, as far as the module has both.
	Debug bool
}

// Error says why there is no code for an entry. It implements [engine.CompileError].
type Error = ir.Refusal

// PTX makes a module of the SIMT IR for an entry of a module, which [tileir.Verify] must accept, and an architecture such as "sm_80".
// What it cannot do is an [*Error].
func PTX(m *tileir.Module, entry, arch string, o Options) (*simt.Module, error) {
	x, err := explain(m, entry, arch, o)
	if err != nil {
		return nil, err
	}
	return x.Code, nil
}

// tightest is how often the room for tiles that are copied ahead is halved at most.
const tightest = 4

// emitted writes the program of a plan. Where that does not fit into shared memory it goes on with plans that take less for tiles which
// are copied ahead, as loops within loops have theirs at the same time.
func emitted(p *plan.Plan, e *tileir.Entry, t plan.Target, machine emit.Target) (*plan.Plan, *ir.Kernel, []*emit.Variable, error) {
	for {
		k, vars, err := emit.Kernel(p, machine)
		if err != nil && len(p.Stores)+len(p.Fetches) > 0 { // which take shared memory
			p.Stores, p.Fetches = nil, nil
			k, vars, err = emit.Kernel(p, machine)
		}
		if err != nil && p.Producer != nil { // its stages share no memory with what is in use before
			p.Unproduce()
			k, vars, err = emit.Kernel(p, machine)
		}
		if err == nil || len(p.Loops) == 0 || t.Tight == tightest {
			return p, k, vars, err
		}
		t.Tight++
		p = plan.New(e, t)
	}
}

// compile makes the plan of an entry and the program of its threads, with the variables that it may need: the module's and its own.
func compile(m *tileir.Module, entry string, t plan.Target, machine emit.Target) (p *plan.Plan, k *ir.Kernel, vars []*emit.Variable, err error) {
	i := slices.IndexFunc(m.Entries, func(e *tileir.Entry) bool { return e.Name == entry })
	if i < 0 {
		return nil, nil, nil, fmt.Errorf("the module has no entry %q", entry)
	}
	p = plan.New(m.Entries[i], t)
	if t.Block == Block && p.Crowded() {
		t.Block.Warps++
		if q := plan.New(m.Entries[i], t); q.Less(p) {
			p = q
		} else {
			t.Block.Warps--
		}
	}
	p, k, vars, err = emitted(p, m.Entries[i], t, machine)
	if err != nil && p.InShared() { // their factors take more of shared memory
		t.Units = slices.DeleteFunc(slices.Clone(t.Units), func(u ir.Unit) bool { return u.Kind.InShared() })
		p, k, vars, err = emitted(plan.New(m.Entries[i], t), m.Entries[i], t, machine)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, g := range m.Globals {
		vars = append(vars, &emit.Variable{Name: g.Name, Data: emit.Memory(g.Value), Align: int(g.Align)})
	}
	return p, k, vars, nil
}
