package loss

import "github.com/cutile-go/cutile/tile"

// In the kernels below x are predictions of elements E and t what they should be. A block has B elements. f is a function of x and t
// and of a number c, such as the threshold of [Huber].

// Each computes y = f(x, t).
//
//cutile:entry
func Each[E tile.FloatElem, B tile.Dim](x, t tile.In[tile.FloatTile1[E, B]], y tile.Out[tile.F32T1[B]],
	f func(x, t, c tile.F32T1[B]) tile.F32T1[B], c float32) {
	i := y.Index(0)
	y.Store(f(tile.F32T1[B](x.Load(i)), tile.F32T1[B](t.Load(i)), tile.F32T1[B](c)))
}

// Parts computes sums of f(x, t): part p of P has the tiles p, p+P, p+2P … [Total] adds the parts.
//
//cutile:entry
func Parts[E tile.FloatElem, B tile.Dim](x, t tile.In[tile.FloatTile1[E, B]], parts tile.Out[tile.F32T1[tile.D1]],
	f func(x, t, c tile.F32T1[B]) tile.F32T1[B], c float32) {
	var sum tile.F32T1[B]
	for i := parts.Index(0); i < x.Tiles(0); i += parts.Tiles(0) {
		inside := tile.I32T1[B](i*tile.Extent[B]())+tile.Iota[B]() < tile.I32T1[B](x.Len(0))
		sum += tile.Where(inside, f(tile.F32T1[B](x.Load(i)), tile.F32T1[B](t.Load(i)), tile.F32T1[B](c)), 0)
	}
	parts.Store(sum.Sum0())
}

// Total computes y = factor times the sum of x, in one block.
//
//cutile:entry
func Total[B tile.Dim](x tile.In[tile.F32T1[B]], y tile.Out[tile.F32T1[tile.D1]], factor float32) {
	var sum tile.F32T1[B]
	for i := range x.Tiles(0) {
		sum += x.Load(i)
	}
	y.Store(sum.Sum0() * tile.F32T1[tile.D1](factor))
}

// Slopes computes dx = f(x, t)·dy·factor, where f is the derivative of a loss.
//
//cutile:entry
func Slopes[E tile.FloatElem, B tile.Dim](x, t tile.In[tile.FloatTile1[E, B]], dy tile.In[tile.F32T1[B]], dx tile.Out[tile.FloatTile1[E, B]],
	f func(x, t, c tile.F32T1[B]) tile.F32T1[B], c, factor float32) {
	i := dx.Index(0)
	slope := f(tile.F32T1[B](x.Load(i)), tile.F32T1[B](t.Load(i)), tile.F32T1[B](c))
	dx.Store(tile.FloatTile1[E, B](slope * dy.Load(i) * tile.F32T1[B](factor)))
}

// The functions below are losses, and their derivatives by x.

// Squared returns (x - t)².
func Squared[T tile.FloatTile](x, t, _ T) T { return (x - t) * (x - t) }

// SquaredSlope returns 2·(x - t).
func SquaredSlope[T tile.FloatTile](x, t, _ T) T { return 2 * (x - t) }

// Absolute returns |x - t|.
func Absolute[T tile.FloatTile](x, t, _ T) T { return tile.Abs(x - t) }

// AbsoluteSlope returns the sign of x - t.
func AbsoluteSlope[T tile.FloatTile](x, t, _ T) T {
	return tile.Where(x > t, T(1), tile.Where(x < t, T(-1), x-t)) // 0 and NaN stay
}

// HuberValue returns the loss of [Huber] for delta c.
func HuberValue[T tile.FloatTile](x, t, c T) T {
	d := tile.Abs(x - t)
	return tile.Where(d > c, c*(d-0.5*c), 0.5*d*d)
}

// HuberSlope returns x - t between -c and c.
func HuberSlope[T tile.FloatTile](x, t, c T) T { return max(min(x-t, c), -c) }

// Divergence returns t·(log t - x), or 0 where t is 0.
func Divergence[T tile.FloatTile](x, t, _ T) T { return tile.Where(t == 0, T(0), t*(tile.Log(t)-x)) }

// DivergenceSlope returns -t.
func DivergenceSlope[T tile.FloatTile](_, t, _ T) T { return -t }

// Binary returns log(1 + e^x) - t·x.
func Binary[T tile.FloatTile](x, t, _ T) T {
	e := tile.Exp(-tile.Abs(x))
	u := 1 + e // rounded: e/(u-1) makes up for what is lost of e (W. Kahan, the function LOG1P)
	return max(x, 0) - t*x + tile.Where(u == 1, e, tile.Log(u)*(e/(u-1)))
}

// BinarySlope returns 1/(1 + e^-x) - t.
func BinarySlope[T tile.FloatTile](x, t, _ T) T { return tile.Sigmoid(x) - t }

// Variation returns |x - t|/2.
func Variation[T tile.FloatTile](x, t, _ T) T { return 0.5 * tile.Abs(x-t) }

// VariationSlope returns half the sign of x - t.
func VariationSlope[T tile.FloatTile](x, t, _ T) T { return 0.5 * AbsoluteSlope(x, t, x) }

// mixed returns e^x, e^t and the logarithm of c·e^t + (1 - c)·e^x.
func mixed[T tile.FloatTile](x, t, c T) (q, p, m T) {
	q, p = tile.Exp(x), tile.Exp(t)
	return q, p, tile.Log(c*p + (1-c)*q)
}

// JensenShannon returns the loss of [JSD] for beta c.
func JensenShannon[T tile.FloatTile](x, t, c T) T {
	q, p, m := mixed(x, t, c)
	// A probability of 0 adds nothing, though its logarithm is -Inf.
	return tile.Where(p == 0, T(0), c*p*(t-m)) + tile.Where(q == 0, T(0), (1-c)*q*(x-m))
}

// JensenShannonSlope returns the derivative of [JensenShannon] by x: (1 - c)·e^x·(x - m), where m is the logarithm of the mixture.
func JensenShannonSlope[T tile.FloatTile](x, t, c T) T {
	q, _, m := mixed(x, t, c)
	return tile.Where(q == 0, T(0), (1-c)*q*(x-m))
}
