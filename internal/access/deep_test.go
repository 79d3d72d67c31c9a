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

// TestDoubled ends soon although there are 2^100 ways from the last values to the first ones.
func TestDoubled(t *testing.T) {
	const n = 100
	b := tileir.NewBuilder()
	var last *tileir.Value
	e := b.Entry("doubled", []tileir.Type{tileir.PointerTile(tileir.F32), tileir.Tile(tileir.I64), tileir.Tile(tileir.I1)}, func(params []*tileir.Value) {
		zero := b.Constant(tileir.IntConstant(tileir.Tile(tileir.I64), 0))
		step := b.Constant(tileir.IntConstant(tileir.Tile(tileir.I64), 1))
		b.For(zero, params[1], step, nil, func(index *tileir.Value, _ []*tileir.Value) {
			sum, p, m, tile := params[1], params[0], params[2], b.CmpI(params[1], zero, tileir.CompareLessThan, tileir.Signed)
			for range n {
				sum = b.AddI(sum, sum)
				p = b.Select(params[2], p, p)
				m, tile = b.AndI(m, m), b.AndI(tile, tile)
			}
			last = sum
			at := b.Broadcast(b.Reshape(b.Offset(p, sum), 1), 16)
			both := b.AndI(b.Broadcast(b.Reshape(m, 1), 16), b.Broadcast(b.Reshape(tile, 1), 16))
			b.LoadPtrTko(at, tileir.MemoryWeak, tileir.WithMask(both))
			b.Continue()
		})
	})
	if _, err := b.Build(tileir.Newest); err != nil {
		t.Fatal(err)
	}
	info := access.Analyse(e, access.Facts{})
	if err := info.Print(io.Discard); err != nil {
		t.Fatal(err)
	}
	loop := e.Body.Ops[2]
	if !info.Invariant(last, loop) {
		t.Error("the sum is the same in all iterations")
	}
	if a := info.Accesses()[0]; len(a.Mask.Rest) == 0 || !info.ReadOnly(a) {
		t.Errorf("the mask is %v", a.Mask)
	}
}
