package access_test

import (
	"io"
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
)

// TestNested ends soon although each value of deep loops depends on all others that are carried: each is looked at once.
func TestNested(t *testing.T) {
	const depth, width = 12, 10
	b := tileir.NewBuilder()
	e := b.Entry("nested", []tileir.Type{tileir.PointerTile(tileir.F32), tileir.Tile(tileir.I64)}, func(params []*tileir.Value) {
		zero := b.Constant(tileir.IntConstant(tileir.Tile(tileir.I64), 0))
		step := b.Constant(tileir.IntConstant(tileir.Tile(tileir.I64), 1))
		carried := make([]*tileir.Value, width)
		for i := range carried {
			carried[i] = params[1]
		}
		var loop func(n int, outer []*tileir.Value) []*tileir.Value
		loop = func(n int, outer []*tileir.Value) []*tileir.Value {
			return b.For(zero, params[1], step, outer, func(index *tileir.Value, inner []*tileir.Value) {
				next := make([]*tileir.Value, width)
				for i := range next {
					next[i] = b.AddI(inner[i], index)
					for k := range next {
						next[i] = b.AddI(next[i], b.SubI(inner[k], outer[k]))
					}
				}
				if n > 0 {
					next = loop(n-1, next)
				}
				b.LoadPtrTko(b.Offset(params[0], next[0]), tileir.MemoryWeak)
				b.Continue(next...)
			})
		}
		loop(depth, carried)
	})
	if _, err := b.Build(tileir.Newest); err != nil {
		t.Fatal(err)
	}
	info := access.Analyse(e, access.Facts{})
	if err := info.Print(io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := len(info.Accesses()); n != depth+1 {
		t.Errorf("%d accesses, want %d", n, depth+1)
	}
}
