package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file work element by element on tiles of rank 1.

func arith[T tile.NumTile](x, y tile.In[T], add, sub, mul tile.Out[T]) {
	i := add.Index(0)
	a, b := x.Load(i), y.Load(i)
	add.Store(a + b)
	sub.Store(a - b)
	mul.Store(a * b)
}

func divide[T tile.NumTile](x, y tile.In[T], quo tile.Out[T]) {
	i := quo.Index(0)
	quo.Store(x.Load(i) / y.Load(i))
}

func signs[T tile.NumTile](x, y tile.In[T], neg, greatest, least, plus tile.Out[T]) {
	i := neg.Index(0)
	a, b := x.Load(i), y.Load(i)
	neg.Store(-a)
	greatest.Store(max(a, b))
	least.Store(min(a, b))
	plus.Store(+a)
}

// compare sums a bit for each comparison that holds.
func compare[T tile.NumTile](x, y tile.In[T], bits tile.Out[T]) {
	i := bits.Index(0)
	a, b := x.Load(i), y.Load(i)
	var sum T
	sum += tile.Where(a < b, T(1), T(0))
	sum += tile.Where(a <= b, T(2), 0)
	sum += tile.Where(a > b, T(4), 0)
	sum += tile.Where(a >= b, T(8), 0)
	sum += tile.Where(a == b, T(16), 0)
	sum += tile.Where(a != b, T(32), 0)
	bits.Store(sum)
}

// masks combines truth values with every operator that they have.
func masks[T tile.NumTile](x, y tile.In[T], bits tile.Out[T]) {
	i := bits.Index(0)
	p, q := x.Load(i) > 0, y.Load(i) > 0
	var sum T
	sum += tile.Where(p && q, T(1), 0)
	sum += tile.Where(p || q, T(2), 0)
	sum += tile.Where(!p, T(4), 0)
	sum += tile.Where(p == q, T(8), 0)
	sum += tile.Where(p != q, T(16), 0)
	sum += tile.Where(!(p && !q) || q, T(32), 0)
	bits.Store(sum)
}

// assigns uses the assigning operators and constants on both sides.
func assigns[T tile.NumTile](x, y tile.In[T], z, w tile.Out[T]) {
	i := z.Index(0)
	a, b := x.Load(i), y.Load(i)
	v := a
	v += b
	v *= 3
	v -= a
	v++
	z.Store(v)
	u := 7 - a
	u--
	u = 2 * u
	w.Store(u)
}

func bitwise[T tile.IntTile](x, y tile.In[T], and, or, xor, andNot, not tile.Out[T]) {
	i := and.Index(0)
	a, b := x.Load(i), y.Load(i)
	and.Store(a & b)
	or.Store(a | b)
	xor.Store(a ^ b)
	andNot.Store(a &^ b)
	not.Store(^a)
}

// assignBits uses the assigning operators of integers.
func assignBits[T tile.IntTile](x, y tile.In[T], z tile.Out[T]) {
	i := z.Index(0)
	v, b := x.Load(i), y.Load(i)
	v &= 0x3f
	v |= b
	v ^= 0x11
	v &^= 6
	v <<= 2
	v >>= 1
	v %= 23
	v /= 3
	z.Store(v)
}

func shift[T tile.IntTile](x, n tile.In[T], left, right, three tile.Out[T]) {
	i := left.Index(0)
	a, b := x.Load(i), n.Load(i)
	left.Store(a << b)
	right.Store(a >> b)
	three.Store(a>>3 + a<<1)
}

func remainder[T tile.IntTile](x, y tile.In[T], rem tile.Out[T]) {
	i := rem.Index(0)
	rem.Store(x.Load(i) % y.Load(i))
}

func divRound[T tile.SignedTile](x, y tile.In[T], floor, ceil tile.Out[T]) {
	i := floor.Index(0)
	a, b := x.Load(i), y.Load(i)
	floor.Store(tile.DivFloor(a, b))
	ceil.Store(tile.DivCeil(a, b))
}

func divCeil[T tile.IntTile](x, y tile.In[T], ceil tile.Out[T]) {
	i := ceil.Index(0)
	ceil.Store(tile.DivCeil(x.Load(i), y.Load(i)))
}

func mulHi[T tile.IntTile](x, y tile.In[T], hi tile.Out[T]) {
	i := hi.Index(0)
	hi.Store(tile.MulHi(x.Load(i), y.Load(i)))
}

func magnitude[T tile.SignedNumTile](x tile.In[T], abs tile.Out[T]) {
	abs.Store(tile.Abs(x.Load(abs.Index(0))))
}

func rounded[T tile.FloatTile](x tile.In[T], ceil, floor tile.Out[T]) {
	a := x.Load(ceil.Index(0))
	ceil.Store(tile.Ceil(a))
	floor.Store(tile.Floor(a))
}

func quiet[T tile.FloatTile](x, y tile.In[T], greatest, least tile.Out[T]) {
	i := greatest.Index(0)
	a, b := x.Load(i), y.Load(i)
	greatest.Store(tile.MaxNum(a, b))
	least.Store(tile.MinNum(a, b))
}

func special[T tile.FloatTile](x tile.In[T], z, inf, nan tile.Out[T]) {
	a := x.Load(z.Index(0))
	z.Store(tile.Where(tile.IsNaN(a), T(1), 0))
	inf.Store(tile.Where(a > 0, tile.Inf[T](1), tile.Inf[T](-1)))
	nan.Store(tile.NaN[T]())
}

func roots[T tile.FloatTile](x tile.In[T], sqrt tile.Out[T]) {
	sqrt.Store(tile.Sqrt(x.Load(sqrt.Index(0))))
}

func fused[T tile.FloatTile](x, y, z tile.In[T], w tile.Out[T]) {
	i := w.Index(0)
	w.Store(tile.FMA(x.Load(i), y.Load(i), z.Load(i)))
}

func modulo[T tile.FloatTile](x, y tile.In[T], rem tile.Out[T]) {
	i := rem.Index(0)
	rem.Store(tile.Mod(x.Load(i), y.Load(i)))
}

func exps[T tile.FloatTile](x tile.In[T], e, two, tanh tile.Out[T]) {
	a := x.Load(e.Index(0))
	e.Store(tile.Exp(a))
	two.Store(tile.Exp2(a))
	tanh.Store(tile.Tanh(a))
}

func sigmoid[T tile.FloatTile](x tile.In[T], z tile.Out[T]) {
	z.Store(tile.Sigmoid(x.Load(z.Index(0))))
}

func errorFunction[T tile.FloatTile](x tile.In[T], z tile.Out[T]) {
	z.Store(tile.Erf(x.Load(z.Index(0))))
}

func hyperbolic[T tile.FloatTile](x tile.In[T], sinh, cosh tile.Out[T]) {
	a := x.Load(sinh.Index(0))
	sinh.Store(tile.Sinh(a))
	cosh.Store(tile.Cosh(a))
}

func logs[T tile.FloatTile](x tile.In[T], ln, two, rsqrt tile.Out[T]) {
	a := x.Load(ln.Index(0))
	ln.Store(tile.Log(a))
	two.Store(tile.Log2(a))
	rsqrt.Store(tile.Rsqrt(a))
}

func circular[T tile.FloatTile](x tile.In[T], sin, cos, tan tile.Out[T]) {
	a := x.Load(sin.Index(0))
	sin.Store(tile.Sin(a))
	cos.Store(tile.Cos(a))
	tan.Store(tile.Tan(a))
}

func powers[T tile.FloatTile](x, y tile.In[T], pow tile.Out[T]) {
	i := pow.Index(0)
	pow.Store(tile.Pow(x.Load(i), y.Load(i)))
}

func angles[T tile.FloatTile](y, x tile.In[T], angle tile.Out[T]) {
	i := angle.Index(0)
	angle.Store(tile.Atan2(y.Load(i), x.Load(i)))
}
