package compile_test

import (
	"math"
	"os"

	lib "github.com/cutile-go/cutile/internal/tilec/compile/testdata/lib.go"
	"github.com/cutile-go/cutile/tile"
)

// host is ordinary code beside the kernels; nothing in it is a mistake.
func host(done chan<- error) {
	go func() {
		select {
		case done <- os.Remove("nothing"):
		default:
		}
	}()
	defer recover()
}

func wholeInt[B tile.Dim](n int, z tile.Out[tile.I64T1[B]]) {
	z.Store(tile.I64T1[B](n * n))
}

func apply[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], f func(tile.F32T1[B]) tile.F32T1[B]) {
	z.Store(f(x.Load(z.Index(0))))
}

func unseen[B tile.Dim](x tile.Ptr[float32]) {
	tile.AtomicAdd(x, tile.Iota[B](), tile.F32T1[B](1), true)
}

func generic[B tile.Dim]() any { return vecAdd[B] }

func genericPair[B tile.Dim]() any { return []any{vecAdd[B], vecSub[B]}[1] }

func vecSub[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(0) - y.Load(0))
}

func genericLiteral[B tile.Dim]() any {
	return func(x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
		z.Store(x.Load(0) + 1)
	}
}

type holder struct{}

func (holder) Method(x tile.In[tile.F32T1[tile.D16]], z tile.Out[tile.F32T1[tile.D16]]) {
	z.Store(x.Load(0))
}

func continued[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	var sum tile.F32T1[B]
	for i := 0; i < x.Tiles(0); i++ {
		if i == 3 {
			continue
		}
		sum += x.Load(i)
	}
	z.Store(sum)
}

func lateDivision[B tile.Dim](n int, z tile.Out[tile.I32T1[B]]) {
	d, sum := 0, 0
	for i := range n {
		if i > 0 {
			sum += 100 / d
		}
		d++
	}
	z.Store(tile.I32T1[B](sum))
}

func unrolled[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	v := x.Load(0)
	for _, k := range []float32{1, 2, 3} {
		v += tile.F32T1[B](k)
	}
	for range 3 {
		v *= 2
	}
	z.Store(v)
}

func plainTrue[B tile.Dim](p tile.Ptr[float32], z tile.Out[tile.F32T1[B]]) {
	z.Store(tile.Gather[tile.F32T1[B]](p, tile.Iota[B](), true, 0))
}

func identities[B tile.Dim](x tile.In[tile.I64T1[B]], y tile.In[tile.U64T1[B]], z tile.Out[tile.I64T1[tile.D1]]) {
	z.Store(x.Load(0).Min0() + tile.I64T1[tile.D1](y.Load(0).Min0()))
}

func method[T tile.FloatTile](x tile.In[T], z tile.Out[T]) { z.Store(x.Load(0, 0)) }

func notEqual[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	v := x.Load(0)
	z.Store(tile.Where(v != v, 0, tile.Where(v == v && v < 3, max(v, 1), tile.MaxNum(v, 1))))
}

func truncates[B tile.Dim](x tile.In[tile.I32T1[B]], y tile.In[tile.U32T1[B]], z tile.Out[tile.I32T1[B]]) {
	z.Store(x.Load(0)/7 + x.Load(0)%7 + tile.I32T1[B](y.Load(0)/7))
}

func padded[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(0) + x.LoadPad(math.Inf(-1), 0) + x.LoadPad(math.NaN(), 1))
}

func readBack[B tile.Dim](x tile.InOut[tile.F32T1[B]], n int) {
	x.Store(x.Load(0)+1, 0)
	for i := range n {
		x.Store(x.Load(i)*2, i+1)
	}
	x.Store(x.Load(1), 0)
}

func folded[A, B, C, D tile.Dim](z tile.Out[tile.F32T4[A, B, C, D]]) { z.Store(1) }

func crossPackage[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	type local struct{ v tile.F32T1[B] }
	l := local{lib.Double(x.Load(0))}
	l.v += 1
	z.Store(l.v)
}

func named[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	parts := func(v tile.F32T1[B]) (half, double tile.F32T1[B]) {
		half = v / 2
		double = v * 2
		return
	}
	a, b := parts(x.Load(0))
	a, b = b, a
	z.Store(a - b)
}

func earlyReturn[B tile.Dim](x tile.In[tile.F32T1[B]], n int, z tile.Out[tile.F32T1[B]]) {
	if n < 0 {
		z.Store(0)
		return
	}
	sign := func(k int) tile.F32T1[B] {
		if k == 0 {
			return 0
		} else if k < 10 {
			return 1
		}
		return 2
	}
	z.Store(sign(n) * x.Load(0))
}

// plainMask compares constants, so that the mask is one truth value at first.
func plainMask[B tile.Dim](x tile.In[tile.F32T1[B]], n int, z tile.Out[tile.F32T1[B]]) {
	var v, sum tile.F32T1[B]
	for i := range n {
		small := v <= 4
		sum += tile.Where(small, tile.F32T1[B](1), 0)
		v = tile.Where(small, v+x.Load(i), v)
	}
	z.Store(sum)
}

func lazy[B tile.Dim](x tile.InOut[tile.I32T1[B]], n int) {
	if n != 0 && tile.Reshape[tile.I32](x.Load(n).Sum0()) > 0 || n > 5 && 100/n < 7 {
		x.Store(1, 0)
	}
	if n > 1 && n < 4 {
		x.Store(2, 1)
	}
}

func overAny[S any](x tile.In[tile.F32T1[tile.D16]], z tile.Out[tile.F32T1[tile.D16]], f func(S) S) {
	z.Store(x.Load(0))
}

func retyped[T tile.FloatTile](x tile.In[T], z tile.Out[T]) {
	v := x.Load(0)
	z.Store(T(tile.Reshape[T](T(v))))
}
