package compile_test

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	. "github.com/cutile-go/cutile/tile"
)

//go:embed *_test.go
var source embed.FS

var _ = cutile.Module(source)

func vecAdd[B Dim](x, y In[F32T1[B]], z Out[F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func halfOf[T float32 | dtype.Float16 | dtype.BFloat16, B Dim](x In[FloatTile1[T, B]], z Out[FloatTile1[T, B]]) {
	z.Store(x.Load(z.Index(0)) / 2)
}

// hinted has hints of each kind, and some that say nothing.
func hinted(x In[F32T1[D16]], z InOut[F32T1[D16]]) {
	y := x.LoadHint(Hints{}, 0) + x.LoadHint(Hints{By: []ArchHint{{Arch: "sm_80"}}}, 1) + x.LoadHint(Hints{NoTMA: 1}, 2)
	y += x.LoadHint(Hints{Latency: 4, NoTMA: 1, By: []ArchHint{{Arch: "sm_90", NoTMA: 1}, {Arch: "sm_100", Latency: 3, NoTMA: 1}}}, 3)
	z.StoreHint(Hints{By: []ArchHint{{Arch: "sm_120", Latency: 10}}}, y, 0)
}

func gemm[BM, BN, BK Dim](a In[F16T2[BM, BK]], b In[F16T2[BK, BN]], c Out[F16T2[BM, BN]]) {
	var acc F32T2[BM, BN]
	for i := range a.Tiles(1) {
		acc = Dot(a.Load(c.Index(0), i), b.Load(i, c.Index(1)), acc)
	}
	c.Store(F16T2[BM, BN](acc))
}

func gemmAct[BM, BN, BK Dim](a In[F16T2[BM, BK]], b In[F16T2[BK, BN]], c Out[F16T2[BM, BN]],
	epilogue func(F32T2[BM, BN]) F32T2[BM, BN]) {
	var acc F32T2[BM, BN]
	for i := range a.Tiles(1) {
		acc = Dot(a.Load(c.Index(0), i), b.Load(i, c.Index(1)), acc)
	}
	c.Store(F16T2[BM, BN](epilogue(acc)))
}

func relu[T FloatTile](x T) T { return max(x, 0) }

func gelu[T FloatTile](x T) T {
	return 0.5 * x * (1 + Tanh(0.7978845608*(x+0.044715*x*x*x)))
}

// flash is causal attention with grouped heads.
func flash[BM, BN, HD Dim](q In[F16T4[D1, D1, BM, HD]], k In[F16T4[D1, D1, HD, BN]], v In[F16T4[D1, D1, BN, HD]],
	o InOut[F16T4[D1, D1, BM, HD]], scale float32, _ Size[BN]) {
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	kvh := h / 4
	x := Reshape[F16T2[BM, HD]](q.Load(b, h, i, 0))
	m := F32T2[BM, D1](-1e30)
	var s F32T2[BM, D1]
	var acc F32T2[BM, HD]
	row := Reshape[I32T2[BM, D1]](I32T1[BM](i*Extent[BM]()) + Iota[BM]())
	for j := range (i + 1) * Extent[BM]() / Extent[BN]() {
		y := Reshape[F16T2[HD, BN]](k.Load(b, kvh, 0, j))
		p := Dot(x, y, F32T2[BM, BN](0)) * F32T2[BM, BN](scale)
		col := Reshape[I32T2[D1, BN]](I32T1[BN](j*Extent[BN]()) + Iota[BN]())
		p = Where(I32T2[BM, BN](row) >= I32T2[BM, BN](col), p, -1e30)
		m1 := MaxNum(m, p.Max1())
		e := Exp2((p - F32T2[BM, BN](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = s*f + e.Sum1()
		z := Reshape[F16T2[BN, HD]](v.Load(b, kvh, j, 0))
		acc = Dot(F16T2[BM, BN](e), z, acc*F32T2[BM, HD](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, BM, HD]](F16T2[BM, HD](acc/F32T2[BM, HD](s))), b, h, i, 0)
}

func softmax[M, N Dim](x In[F32T2[M, N]], y Out[F32T2[M, N]]) {
	y.Store(Softmax(x.Load(y.Index(0), y.Index(1))))
}

func histogram[B Dim](x Ptr[float32], n int, bins Ptr[int32], _ Size[B]) {
	offset := Iota[B]() + I32T1[B](BlockID(0)*Extent[B]())
	inside := offset < I32T1[B](n)
	v := Gather[F32T1[B]](x, offset, inside, 0)
	AtomicAdd(bins, I32T1[B](v), I32T1[B](1), inside && v >= 0)
	if BlockID(0) == 0 {
		Print("block %d of %v\n", BlockID(0), NumBlocks(0))
	}
}

func arg[A, B Dim](x In[F32T2[A, B]], y Out[I32T2[A, D1]]) {
	y.Store(x.Load(y.Index(0), 0).ArgMax1())
}

func persistent[BM, BN, BK Dim](a In[F16T2[BM, BK]], b In[F16T2[BK, BN]], c InOut[F32T2[BM, BN]], tiles, columns int) {
	for t := BlockID(0); t < tiles; t += NumBlocks(0) {
		row, col := t/columns, t%columns
		var acc F32T2[BM, BN]
		for k := range a.Tiles(1) {
			acc = Dot(a.Load(row, k), b.Load(k, col), acc)
		}
		c.Store(acc, row, col)
	}
}

func inPlace[BM, BN, BK Dim](a In[F16T2[BM, BK]], b In[F16T2[BK, BN]], c InOut[F32T2[BM, BN]]) {
	i, j := BlockID(0), BlockID(1)
	for k := range a.Tiles(1) {
		c.Store(Dot(a.Load(i, k), b.Load(k, j), c.Load(i, j)), i, j)
	}
}

// deep nests loops three deep; the carried set needs more than two passes.
func deep[N Dim](x In[F32T1[N]], n int, y Out[F32T1[N]]) {
	a, b, c, d := 0, 0, 0, 0
	on := false
	var v F32T1[N]
	add := func(w F32T1[N]) { v += w; d++ }
	for i := range n {
		for j := i; j < n; j += 2 {
			for k := 0; k < j; k++ {
				if k == 3 {
					continue
				}
				if on {
					c = b
				}
				add(x.Load(k + c))
				b = a
				a = k
			}
			if j > 7 {
				break
			}
		}
		on = true
	}
	y.Store(v + F32T1[N](d))
}
