package bench_test

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	. "github.com/cutile-go/cutile/tile"
)

//go:embed front_kernels_test.go
var frontSource embed.FS

var _ = cutile.Module(frontSource)

// The kernels of this file do what those of the same names of the reference kernels of cuTile Python do.

func gemmHalf[M, N, K Dim](a In[F16T2[M, K]], b In[F16T2[K, N]], c Out[F16T2[M, N]]) {
	var sum F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(F16T2[M, N](sum))
}

// attention takes k as a transposed view. The number of steps is 32-bit arithmetic, as Python's is.
func attention[M, N, D Dim](q In[F16T4[D1, D1, M, D]], k In[F16T4[D1, D1, D, N]], v In[F16T4[D1, D1, N, D]],
	o InOut[F16T4[D1, D1, M, D]], scale float32) {
	const group = 4
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	x := Reshape[F16T2[M, D]](q.Load(b, h, i, 0))
	m := F32T2[M, D1](-1e30)
	var s F32T2[M, D1]
	var acc F32T2[M, D]
	row := Reshape[I32T2[M, D1]](I32T1[M](i*Extent[M]()) + Iota[M]())
	for j := range DivCeil(I32(i+1)*I32(Extent[M]()), I32(Extent[N]())) {
		y := Reshape[F16T2[D, N]](k.Load(b, h/group, 0, int(j)))
		p := Dot(x, y, F32T2[M, N](0)) * F32T2[M, N](scale)
		col := I32T1[N](int(j)*Extent[N]()) + Iota[N]()
		p = Where(I32T2[M, N](row) >= I32T2[M, N](col), p, -1e30)
		m1 := MaxNum(m, p.Fold1(Inf[F32](-1), MaxNum[F32]))
		e := Exp2((p - F32T2[M, N](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = FMA(s, f, e.Sum1())
		z := Reshape[F16T2[N, D]](v.Load(b, h/group, int(j), 0))
		acc = Dot(F16T2[M, N](e), z, acc*F32T2[M, D](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, M, D]](F16T2[M, D](acc/F32T2[M, D](s))), b, h, i, 0)
}
