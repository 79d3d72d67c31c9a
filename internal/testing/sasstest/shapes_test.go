package sasstest_test

import (
	"embed"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	. "github.com/cutile-go/cutile/tile"
)

//go:embed shapes_test.go
var shapesSource embed.FS
var _ = cutile.Module(shapesSource)

// The kernels below have what made ported kernels longer than they were before. Their twins are those of testdata/shapes.py.

// above spreads two columns before it subtracts one from the other.
func above[M, N Dim](x In[F32T2[M, N]], high, low In[F32T1[M]], y Out[F32T2[M, N]]) {
	t := x.Load(y.Index(0), y.Index(1))
	h := F32T2[M, N](Reshape[F32T2[M, D1]](high.Load(y.Index(0))))
	l := F32T2[M, N](Reshape[F32T2[M, D1]](low.Load(y.Index(0))))
	y.Store(Where(t > h-l, t, 0))
}

// over divides by an extent.
func over[M, N Dim](x In[F32T2[M, N]], y Out[F32T2[M, N]]) {
	y.Store(x.Load(y.Index(0), y.Index(1)) / F32T2[M, N](x.Len(1)))
}

// overFast may multiply by the reciprocal.
//
//cutile:fast
func overFast[M, N Dim](x In[F32T2[M, N]], y Out[F32T2[M, N]]) {
	y.Store(x.Load(y.Index(0), y.Index(1)) / F32T2[M, N](x.Len(1)))
}

// rowMax has an Out of which an axis is one tile wide.
func rowMax[M, N Dim](x In[F32T2[M, N]], y Out[F32T2[M, D1]]) {
	m := F32T2[M, D1](-1e30)
	for j := range x.Tiles(1) {
		m = MaxNum(m, x.LoadPad(math.Inf(-1), y.Index(0), j).Fold1(Inf[F32](-1), MaxNum[F32]))
	}
	y.Store(m)
}

// centre has rows that one tile holds.
func centre[M, N Dim](x In[F32T2[M, N]], y Out[F32T2[M, N]]) {
	t := x.Load(y.Index(0), 0)
	y.Store(t - F32T2[M, N](t.Sum1()*F32T2[M, D1](1/float32(Extent[N]()))))
}

// dropout has keys that are numbers.
func dropout[B Dim](x In[F32T1[B]], y Out[F32T1[B]], k0, k1 uint32, p float32) {
	at := U32T1[B](I32T1[B](I32(y.Index(0))*I32(Extent[B]())) + Iota[B]())
	zero := U32T1[B](0)
	r, _, _, _ := Philox(at, zero, zero, zero, U32T1[B](k0), U32T1[B](k1))
	u := F32T1[B](r>>8) * 0x1p-24
	y.Store(Where(u < F32T1[B](p), 0, x.Load(y.Index(0))))
}

// noise has a seed that is a number.
func noise[B Dim](y Out[F32T1[B]], seed int) {
	at := U32T1[B](I32T1[B](I32(y.Index(0))*I32(Extent[B]())) + Iota[B]())
	y.Store(Uniform[F32T1[B]](seed, at))
}

// TestShapes: these kernels are not longer than their twins by more than 3 %, use the same units and spill no more.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		file   string
		ours   any
		proved passes.Proof // that of a launch without whole tiles, as the twin promises none
	}{
		{"above", above[D32, D64], ""},
		{"over", over[D32, D64], ""},
		{"over_fast", overFast[D32, D64], ""},
		{"row_max", rowMax[D32, D64], "0000y"},
		{"centre", centre[D32, D64], "0000y"},
		{"dropout", dropout[D1024], ""},
		{"noise", noise[D1024], ""},
	} {
		for _, target := range targets {
			t.Run(c.file+" "+target, func(t *testing.T) {
				t.Parallel()
				m := assemble.Case{Kernel: c.ours}.Code(t, true).Module
				if c.proved != "" {
					passes.Promise(m.Entries[0], c.proved)
				}
				ours := sasstest.Measure(t, assemble.Bytecode(t, m), target)
				python := twin(t, c.file, target)
				t.Logf("Go     %v", ours)
				t.Logf("Python %v", python)
				for _, w := range sasstest.WorseBy(3, ours, python) {
					t.Error(w)
				}
			})
		}
	}
}
