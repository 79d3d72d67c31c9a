package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file sort, draw random numbers and round by marks.

func sorts[T tile.NumTile](x tile.In[T], up, down tile.Out[T]) {
	v := x.Load(up.Index(0), up.Index(1))
	up.Store(tile.Sort(v, tile.Forward))
	down.Store(tile.Sort(v, tile.Backward))
}

func argSorts[T tile.NumTile, P tile.IntTile](x tile.In[T], up, down tile.Out[T], at, back tile.Out[P]) {
	v := x.Load(up.Index(0), up.Index(1))
	a, i := tile.ArgSort[P](v, tile.Forward)
	b, j := tile.ArgSort[P](v, tile.Backward)
	up.Store(a)
	at.Store(i)
	down.Store(b)
	back.Store(j)
}

// best gives the four greatest elements and where they are.
func best[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y, z tile.Out[tile.F32T2[A, tile.D4]], at tile.Out[tile.I32T2[A, tile.D4]]) {
	v := x.Load(y.Index(0), 0)
	y.Store(tile.TopK[tile.F32T2[A, tile.D4]](v))
	b, i := tile.ArgTopK[tile.F32T2[A, tile.D4], tile.I32T2[A, tile.D4]](v)
	z.Store(b)
	at.Store(i)
}

// philox gives the four words of the generator for counters and a key.
func philox(c0, c1, c2, c3, k0, k1 tile.In[tile.U32T1[tile.D4]], r0, r1, r2, r3 tile.Out[tile.U32T1[tile.D4]]) {
	a, b, c, d := tile.Philox(c0.Load(0), c1.Load(0), c2.Load(0), c3.Load(0), k0.Load(0), k1.Load(0))
	r0.Store(a)
	r1.Store(b)
	r2.Store(c)
	r3.Store(d)
}

func draws[A tile.Dim](seed int, bits tile.Out[tile.U32T1[A]], u tile.Out[tile.F32T1[A]], v tile.Out[tile.F64T1[A]], n tile.Out[tile.F64T1[A]]) {
	at := tile.IotaOf[tile.U32T1[A]]() + tile.U32T1[A](tile.U32(bits.Index(0)*tile.Extent[A]()))
	bits.Store(tile.RandomBits(seed, at))
	u.Store(tile.Uniform[tile.F32T1[A]](seed, at))
	v.Store(tile.Uniform[tile.F64T1[A]](seed, at))
	n.Store(tile.Normal[tile.F64T1[A]](seed, at))
}

// roundedBy computes with each rounding; the results are one after another.
func roundedBy[T tile.FloatTile](x, y, z tile.In[T], out tile.InOut[T]) {
	a, b, c := x.Load(0), y.Load(0), z.Load(0)
	for i, r := range []tile.Rounding{tile.RoundEven, tile.RoundZero, tile.RoundDown, tile.RoundUp} {
		out.Store(tile.AddRound(a, b, r, false), i)
		out.Store(tile.SubRound(a, b, r, false), 4+i)
		out.Store(tile.MulRound(a, b, r, false), 8+i)
		out.Store(tile.DivRound(a, b, r, false), 12+i)
		out.Store(tile.FMARound(a, b, c, r, false), 16+i)
		out.Store(tile.SqrtRound(tile.Abs(a), r, false), 20+i)
	}
}

// flushed computes with denormals as zero.
func flushed(x, y tile.In[tile.F32T1[tile.D16]], sum, top, low, root tile.Out[tile.F32T1[tile.D16]]) {
	i := sum.Index(0)
	a, b := x.Load(i), y.Load(i)
	sum.Store(tile.AddRound(a, b, tile.RoundEven, true))
	top.Store(tile.MaxFlush(a, b, false))
	low.Store(tile.MinFlush(a, b, true))
	root.Store(tile.MulRound(a, b, tile.RoundZero, true))
}

// marked uses the marks of integers, whose promises hold, and conversions with marks.
func marked(x, y tile.In[tile.I32T1[tile.D16]], f tile.In[tile.F32T1[tile.D16]], z tile.InOut[tile.I32T1[tile.D16]], h tile.InOut[tile.F16T1[tile.D16]]) {
	a, b, c := x.Load(0), y.Load(0), f.Load(0)
	z.Store(tile.AddPromise(a, b, tile.NoSignedWrap), 0)
	z.Store(tile.SubPromise(a, b, tile.NoSignedWrap), 1)
	z.Store(tile.MulPromise(a, b, tile.NoSignedWrap), 2)
	z.Store(tile.NegPromise(a, tile.NoSignedWrap), 3)
	z.Store(tile.ShlPromise(b, 3, tile.NoWrap), 4)
	z.Store(tile.I32T1[tile.D16](tile.TruncPromise[tile.I16T1[tile.D16]](a, tile.NoSignedWrap)), 5)
	z.Store(tile.Saturate[tile.I32T1[tile.D16]](c*1e9), 6)
	h.Store(tile.ConvertRound[tile.F16T1[tile.D16]](c, tile.RoundZero), 0)
	h.Store(tile.ConvertRound[tile.F16T1[tile.D16]](c, tile.RoundEven), 1)
}

// powersOf raises to integers.
func powersOf(x tile.In[tile.F64T1[tile.D16]], n tile.In[tile.I32T1[tile.D16]], y tile.Out[tile.F64T1[tile.D16]]) {
	y.Store(tile.PowInt(x.Load(0), n.Load(0)))
}
