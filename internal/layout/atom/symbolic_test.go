package atom_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

// expr is a run-time value as a function of the thread.
type expr func(thread int) int

func (e expr) Apply(op layout.Op, x, y layout.Int, _ bool) layout.Expr {
	f, ok := map[layout.Op]func(x, y int) int{
		layout.OpAdd: func(x, y int) int { return x + y },
		layout.OpMul: func(x, y int) int { return x * y },
		layout.OpDiv: func(x, y int) int { return x / y },
		layout.OpMod: func(x, y int) int { return x % y },
		layout.OpXor: func(x, y int) int { return x ^ y },
		layout.OpAnd: func(x, y int) int { return x & y },
		layout.OpShl: func(x, y int) int { return x << y },
		layout.OpShr: func(x, y int) int { return x >> y },
	}[op]
	if !ok {
		panic("no code for " + op.String())
	}
	return expr(func(thread int) int { return f(value(x, thread), value(y, thread)) })
}

// value is what an integer is for a thread.
func value(n layout.Int, thread int) int {
	if v, ok := n.Static(); ok {
		return v
	}
	return n.Expr().(expr)(thread)
}

// A thread index that is known at run time gives the offsets that each known thread gets, and the same layout.
func TestSymbolicThread(t *testing.T) {
	index := layout.Sym(1, false, expr(func(thread int) int { return thread }))
	mma := must(atom.NewTiledMma(must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)), lay("(2,2,1):(2,1,0)"), layout.TileOf(32, 32, 16)))
	swizzled := must(layout.ParseComposed("S<3,3,3> o 0 o (64,64):(64,1)"))
	for _, l := range []layout.Layout{lay("(64,64):(64,1)"), lay("(64,64):(1,72)"), lay("((8,8),64):((1,512),8)")} {
		for o := atom.A; o <= atom.C; o++ {
			sameThreads(t, func(thread layout.Int) (layout.Layout, layout.Tuple, error) { return mma.Partition(o, thread, l) }, index)
		}
		for _, name := range []string{"ldmatrix.x4", "ldmatrix.x2.trans", "universal.64"} {
			c := must(atom.NewTiledCopyMma(must(atom.NewCopy(name, atom.F16)), mma, atom.A))
			for _, side := range []atom.Side{atom.Src, atom.Dst} {
				sameThreads(t, func(thread layout.Int) (layout.Layout, layout.Tuple, error) { return c.Partition(side, thread, l) }, index)
			}
		}
	}
	part, off, err := mma.PartitionComposed(atom.B, index, swizzled)
	if err != nil {
		t.Fatal(err)
	}
	for thread := range mma.Size() {
		known, at, err := mma.PartitionComposed(atom.B, layout.N(thread), swizzled)
		if err != nil {
			t.Fatal(err)
		}
		for i := range size(known.Layout) {
			crd := layout.Leaf(layout.N(i))
			got := value(off, thread) + value(must(part.Index(crd)), thread)
			if want := value(at, 0) + value(must(known.Index(crd)), 0); got != want {
				t.Fatalf("value %d of thread %d has the offset %d, want %d", i, thread, got, want)
			}
		}
	}
}

func sameThreads(t *testing.T, partition func(layout.Int) (layout.Layout, layout.Tuple, error), index layout.Int) {
	t.Helper()
	part, off, err := partition(index)
	if err != nil {
		t.Fatal(err)
	}
	symbol, _ := off.IsLeaf()
	for thread := range 128 {
		known, at, err := partition(layout.N(thread))
		if err != nil {
			t.Fatal(err)
		}
		number, _ := at.IsLeaf()
		if got := value(symbol, thread); !number.Is(got) || !part.Equal(known) {
			t.Fatalf("thread %d starts at %d of %v, want %v of %v", thread, got, part, at, known)
		}
	}
}
