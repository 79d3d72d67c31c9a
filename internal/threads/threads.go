package threads

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/emit"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/internal/threads/ptx"
	"github.com/cutile-go/cutile/tileir"
)

// Block is the size of a block on NVIDIA's GPUs: four warps of 32 lanes.
var Block = linear.Block{Lanes: 5, Warps: 2}

// Options are choices about code.
type Options struct {
	// Exact asks for the CPU engine's bits also where machines have something faster: matrix instructions, which round as they like, do not
	// compute products of floats, and atomic sums of f32 keep subnormal numbers.
	Exact bool
	Apart bool // the memory of no two parameters overlaps
}

// Error says why there is no code for an entry. It implements [engine.CompileError].
type Error struct {
	Loc  tileir.Loc
	Text string
}

// Error gives the position and the reason.
func (e *Error) Error() string {
	if e.Loc.IsZero() {
		return e.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Loc.File, e.Loc.Line, e.Loc.Col, e.Text)
}

// Where is the position of the operation at fault.
func (e *Error) Where() tileir.Loc { return e.Loc }

// Why is the reason without the position.
func (e *Error) Why() string { return e.Text }

// PTX makes a module of the SIMT IR for an entry of a module, which [tileir.Verify] must accept, and an architecture such as "sm_80".
// What it cannot do is an [*Error].
func PTX(m *tileir.Module, entry, arch string, o Options) (*simt.Module, error) {
	target, err := simt.TargetOf(arch)
	if err != nil {
		return nil, err
	}
	k, vars, err := compile(m, entry, targetOf(target, o), o)
	if err != nil {
		return nil, err
	}
	out := &simt.Module{Name: entry, Kernels: []*simt.Func{ptx.Write(k, target)}}
	for _, v := range vars {
		out.Vars = append(out.Vars, &simt.Var{Name: v.Name, Space: "global", Align: max(16, v.Align), Bytes: len(v.Data), Init: v.Data})
	}
	return out, nil
}

// compile makes the program of the threads of an entry, with the variables that it may need: the module's and its own.
func compile(m *tileir.Module, entry string, t plan.Target, o Options) (*ir.Kernel, []*emit.Variable, error) {
	i := slices.IndexFunc(m.Entries, func(e *tileir.Entry) bool { return e.Name == entry })
	if i < 0 {
		return nil, nil, fmt.Errorf("the module has no entry %q", entry)
	}
	k, vars, err := emit.Kernel(m, plan.New(m.Entries[i], t), emit.Target{Shared: t.Shared, Exact: o.Exact})
	if r, ok := err.(*emit.Refusal); ok {
		return nil, nil, &Error{r.Loc, r.Text}
	} else if err != nil {
		return nil, nil, err
	}
	for _, g := range m.Globals {
		vars = append(vars, &emit.Variable{Name: g.Name, Data: emit.Memory(g.Value), Align: int(g.Align)})
	}
	return k, vars, nil
}
