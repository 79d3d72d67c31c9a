package cpu_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// sumsOf adds up tiles of x, 1 by so many elements, along a dimension, and stores the sums of each block in y.
func sumsOf(t testing.TB, cols, dim int) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
	x := k.view(k.entry.Params[0], []int{4, cols}, 64, int64(cols))
	i := k.ids()[0]
	sums := []int{4}
	if dim == 0 {
		sums = []int{cols}
	}
	v := k.fold("reduce", k.load(x, i, k.i32(0)), dim, nil, tileir.Tile(tileir.F32, sums...), func(elem, acc *tileir.Value) *tileir.Value {
		return k.one("addf", vals{elem, acc}, nearest, acc.Type)
	})
	k.store(v, k.view(k.entry.Params[1], sums, 16*int64(sums[0])), i)
	k.ret()
	return k
}

// TestPrefetches: code that only reads asks for the next tile, unless rows are short, and code that also writes does not.
func TestPrefetches(t *testing.T) {
	for level, op := range map[string]string{"avx2": "prefetcht0", "avx512": "prefetcht0", "neon": "prfm pldl1keep"} {
		target, err := host.Named(level)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			build *kernel
			want  bool
		}{
			"rows":       {sumsOf(t, 128, 1), true},
			"columns":    {sumsOf(t, 128, 0), true},
			"short rows": {sumsOf(t, 32, 1), false},
			"stores":     {streamCases["one row"].build(t, tileir.I32, 16), false},
		} {
			x, err := cpu.Explain(t.Context(), c.build.module, "k", target)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(codeOf(x), op); got != c.want {
				t.Errorf("%s, %s: %s is there: %v, want %v", level, name, op, got, c.want)
			}
		}
	}
}
