package compile_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestReleaseAndAcquire walks the tokens of modules: an operation that releases waits for every access before it, on
// whatever tensor, and every access after one that acquires waits for that one.
func TestReleaseAndAcquire(t *testing.T) {
	for _, c := range []struct {
		name     string
		kernel   any
		accesses int // at least
		pairs    int // that must be ordered, at least
	}{
		{"straight", straight, 12, 11}, {"released", released, 13, 29}, {"turns", turns, 8, 17}, {"spins", spins, 7, 13},
		{"ways", ways, 8, 12}, {"views", views, 13, 12}, {"elements", elements, 11, 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := walkerOf(t, c.kernel)
			pairs := 0
			for _, a := range w.accesses {
				for _, b := range w.accesses {
					if !w.precedes(a, b) || !acquires(a) && !releases(b) {
						continue
					}
					pairs++
					if !w.waits(b, a) {
						t.Errorf("%s does not wait for %s", w.text(b), w.text(a))
					}
				}
			}
			if len(w.accesses) < c.accesses || pairs < c.pairs {
				t.Errorf("%d accesses and %d pairs: the test looks at too little", len(w.accesses), pairs)
			}
			if t.Failed() {
				t.Log(irtext.Sprint(w.module))
			}
		})
	}
}

// TestRelaxedCostsNothing: where nothing releases or acquires, loads of tensors that are only read leave no token behind,
// and loops carry the tokens of what is written alone.
func TestRelaxedCostsNothing(t *testing.T) {
	ir := irText(t, relaxed, nil)
	has(t, ir, "-> (token, token, token, token) {", 1) // those of p and y, what was stored and all
	has(t, ir, "join_tokens", 0)
}

// walker knows the accesses of a kernel in the order of its text, and where each block is.
type walker struct {
	module   *tileir.Module
	accesses []*tileir.Op
	path     map[*tileir.Op][]step      // the operations around an operation, outermost first
	args     map[*tileir.Value]blockArg // of loops
	exits    map[*tileir.Op][]*tileir.Op
	yields   map[*tileir.Block]*tileir.Op
}

// step is one operation around another, and the region that it is in.
type step struct {
	op     *tileir.Op
	region int
}

// blockArg is a value that a loop carries: number i of those.
type blockArg struct {
	loop *tileir.Op
	i    int
}

func walkerOf(t *testing.T, kernel any) *walker {
	t.Helper()
	k, err := compile.Resolve(kernel)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(context.Background(), facts(k))
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{c.Module, nil, map[*tileir.Op][]step{}, map[*tileir.Value]blockArg{}, map[*tileir.Op][]*tileir.Op{}, map[*tileir.Block]*tileir.Op{}}
	w.visit(c.Module.Entries[0].Body, nil)
	return w
}

func isLoop(op *tileir.Op) bool { return op.Info.Mnemonic == "for" || op.Info.Mnemonic == "loop" }

func (w *walker) visit(b *tileir.Block, around []step) {
	for _, op := range b.Ops {
		w.path[op] = around
		switch name := op.Info.Mnemonic; {
		case name == "yield":
			w.yields[b] = op
		case name == "break" || name == "continue":
			for i := len(around) - 1; ; i-- {
				if isLoop(around[i].op) {
					w.exits[around[i].op] = append(w.exits[around[i].op], op)
					break
				}
			}
		case isLoop(op):
			args := op.Regions[0].Args
			for i := range op.Results {
				w.args[args[len(args)-len(op.Results)+i]] = blockArg{op, i}
			}
		case strings.HasSuffix(name, "_tko") && op.Info.AttrIndex("memory_ordering_semantics") >= 0:
			w.accesses = append(w.accesses, op)
		}
		for i, r := range op.Regions {
			if r != nil {
				w.visit(r, append(slices.Clip(around), step{op, i}))
			}
		}
	}
}

func orderOf(op *tileir.Op) tileir.Int { return tileir.Int(op.Int("memory_ordering_semantics")) }

func acquires(op *tileir.Op) bool {
	return orderOf(op) == tileir.MemoryAcquire || orderOf(op) == tileir.MemoryAcqRel
}

func releases(op *tileir.Op) bool {
	return orderOf(op) == tileir.MemoryRelease || orderOf(op) == tileir.MemoryAcqRel
}

// precedes reports whether a may run before b: by the text, or by the next turn of a loop.
func (w *walker) precedes(a, b *tileir.Op) bool {
	x, y := w.path[a], w.path[b]
	for i := 0; i < len(x) && i < len(y) && x[i].op == y[i].op; i++ {
		if isLoop(x[i].op) {
			return true
		}
		if x[i].region != y[i].region {
			return false
		}
	}
	return slices.Index(w.accesses, a) < slices.Index(w.accesses, b)
}

func (w *walker) inside(a, around *tileir.Op) bool {
	return slices.ContainsFunc(w.path[a], func(s step) bool { return s.op == around })
}

// waits reports whether b waits for a.
func (w *walker) waits(b, a *tileir.Op) bool {
	seen := map[*tileir.Value]bool{}
	return slices.ContainsFunc(tokens(b.Operands), func(v *tileir.Value) bool { return w.reaches(v, a, seen) })
}

func tokens(vs []*tileir.Value) (out []*tileir.Value) {
	for _, v := range vs {
		if v.Type == tileir.Token {
			out = append(out, v)
		}
	}
	return out
}

// reaches reports whether a token comes after a: on every way that led there, where a was before the branch or loop, and else
// on one path.
func (w *walker) reaches(v *tileir.Value, a *tileir.Op, seen map[*tileir.Value]bool) bool {
	if arg, ok := w.args[v]; ok {
		in := w.inside(a, arg.loop)
		if ok, known := seen[v]; known {
			return ok
		}
		seen[v] = !in // what the turn before gives: another way into the loop decides
		ok := w.carried(arg, a, in, "continue", seen)
		if seen[v] = ok; !ok {
			delete(seen, v)
		}
		return ok
	}
	op := v.Def
	switch {
	case op == nil:
		return false
	case op == a:
		return true
	case isLoop(op):
		name := "break"
		if op.Info.Mnemonic == "for" {
			name = "continue"
		}
		return w.carried(blockArg{op, slices.Index(op.Results, v)}, a, w.inside(a, op), name, seen)
	case op.Info.Mnemonic == "if":
		return w.sides(op, slices.Index(op.Results, v), a, seen)
	}
	return slices.ContainsFunc(tokens(op.Operands), func(v *tileir.Value) bool { return w.reaches(v, a, seen) })
}

// carried follows a carried value to where it starts and to the exits of a loop.
func (w *walker) carried(arg blockArg, a *tileir.Op, in bool, exit string, seen map[*tileir.Value]bool) bool {
	n := len(arg.loop.Results)
	init := arg.loop.Operands[len(arg.loop.Operands)-n+arg.i]
	if !in && !w.reaches(init, a, seen) {
		return false
	}
	for _, e := range w.exits[arg.loop] {
		if e.Info.Mnemonic != exit {
			continue
		}
		if ok := w.reaches(e.Operands[arg.i], a, seen); ok == in {
			return in
		}
	}
	return !in
}

// sides follows result i of a branch.
func (w *walker) sides(op *tileir.Op, i int, a *tileir.Op, seen map[*tileir.Value]bool) bool {
	for k, r := range op.Regions {
		y := w.yields[r]
		if y == nil || w.inside(a, op) && !slices.Contains(w.path[a], step{op, k}) {
			continue
		}
		if !w.reaches(y.Operands[i], a, seen) {
			return false
		}
	}
	return true
}

func (w *walker) text(op *tileir.Op) string {
	return fmt.Sprintf("%s at line %d", op.Info.Mnemonic, op.Loc.Line)
}
