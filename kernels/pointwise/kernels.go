package pointwise

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file compute in float32. A block has one tile of B elements, or R by C. A function of the caller's finds
// zeros outside the tensors; where no such function looks, loads leave it open what is there, as it is not stored.

// Map computes y = f(x).
//
//cutile:entry
func Map[E, F tile.FloatElem, B tile.Dim](x tile.In[tile.FloatTile1[E, B]], y tile.Out[tile.FloatTile1[F, B]], f func(tile.F32T1[B]) tile.F32T1[B]) {
	y.Store(tile.FloatTile1[F, B](f(tile.F32T1[B](x.Load(y.Index(0))))))
}

// Zip computes z = f(x, y).
//
//cutile:entry
func Zip[E, F tile.FloatElem, B tile.Dim](x, y tile.In[tile.FloatTile1[E, B]], z tile.Out[tile.FloatTile1[F, B]],
	f func(x, y tile.F32T1[B]) tile.F32T1[B]) {
	i := z.Index(0)
	z.Store(tile.FloatTile1[F, B](f(tile.F32T1[B](x.Load(i)), tile.F32T1[B](y.Load(i)))))
}

// AXPY computes y = a·x + y.
//
//cutile:entry
func AXPY[E tile.FloatElem, B tile.Dim](a float32, x tile.In[tile.FloatTile1[E, B]], y tile.Out[tile.FloatTile1[E, B]]) {
	t := tile.F32T1[B](x.LoadUnpadded(y.Index(0)))
	y.Store(tile.FloatTile1[E, B](tile.FMA(tile.F32T1[B](a), t, tile.F32T1[B](y.LoadUnpadded()))))
}

// SiLUMul computes y = silu(gate)·up, as in a transformer's feed-forward layer.
//
//cutile:entry
func SiLUMul[E tile.FloatElem, R, C tile.Dim](gate, up tile.In[tile.FloatTile2[E, R, C]], y tile.Out[tile.FloatTile2[E, R, C]]) {
	i, j := y.Index(0), y.Index(1)
	g, u := tile.F32T2[R, C](gate.LoadUnpadded(i, j)), tile.F32T2[R, C](up.LoadUnpadded(i, j))
	y.Store(tile.FloatTile2[E, R, C](SiLU(g) * u))
}

// Gated computes y = f(gate)·up.
//
//cutile:entry
func Gated[E tile.FloatElem, R, C tile.Dim](gate, up tile.In[tile.FloatTile2[E, R, C]], y tile.Out[tile.FloatTile2[E, R, C]],
	f func(tile.F32T2[R, C]) tile.F32T2[R, C]) {
	i, j := y.Index(0), y.Index(1)
	y.Store(tile.FloatTile2[E, R, C](f(tile.F32T2[R, C](gate.Load(i, j))) * tile.F32T2[R, C](up.Load(i, j))))
}

// GatedBackward computes dgate = slope(gate, dy·up) and dup = dy·f(gate), where slope(x, d) is d times the derivative of f.
//
//cutile:entry
func GatedBackward[E tile.FloatElem, R, C tile.Dim](dy, gate, up tile.In[tile.FloatTile2[E, R, C]], dgate, dup tile.Out[tile.FloatTile2[E, R, C]],
	f func(tile.F32T2[R, C]) tile.F32T2[R, C], slope func(x, dy tile.F32T2[R, C]) tile.F32T2[R, C]) {
	i, j := dgate.Index(0), dgate.Index(1)
	d, g, u := tile.F32T2[R, C](dy.Load(i, j)), tile.F32T2[R, C](gate.Load(i, j)), tile.F32T2[R, C](up.Load(i, j))
	dgate.Store(tile.FloatTile2[E, R, C](slope(g, d*u)))
	dup.Store(tile.FloatTile2[E, R, C](d * f(g)))
}

// Ramp computes y[i] = first + step·i.
//
//cutile:entry
func Ramp[E tile.FloatElem, B tile.Dim](y tile.Out[tile.FloatTile1[E, B]], first, step float32) {
	at := tile.I32T1[B](y.Index(0)*tile.Extent[B]()) + tile.Iota[B]()
	y.Store(tile.FloatTile1[E, B](tile.FMA(tile.F32T1[B](at), tile.F32T1[B](step), tile.F32T1[B](first))))
}

// Eye computes y[i, j] = 1 where j = i + offset, else 0.
//
//cutile:entry
func Eye[E tile.FloatElem, R, C tile.Dim](y tile.Out[tile.FloatTile2[E, R, C]], offset int) {
	row := tile.I32T1[R](y.Index(0)*tile.Extent[R]()+offset) + tile.Iota[R]()
	col := tile.I32T1[C](y.Index(1)*tile.Extent[C]()) + tile.Iota[C]()
	on := tile.I32T2[R, C](tile.Reshape[tile.I32T2[R, tile.D1]](row)) == tile.I32T2[R, C](col)
	y.Store(tile.Where(on, tile.FloatTile2[E, R, C](1), tile.FloatTile2[E, R, C](0)))
}

// The functions below are for [Map] and [Zip]; any other that is declared in a package whose source is registered will do.

// Identity returns x. [Map] with Identity converts elements.
func Identity[T tile.FloatTile](x T) T { return x }

// ReLU returns x where it is positive, else 0.
func ReLU[T tile.FloatTile](x T) T { return max(x, 0) }

// SiLU returns x / (1 + e^-x).
func SiLU[T tile.FloatTile](x T) T { return x / (1 + tile.Exp(-x)) }

// GELU returns x·Φ(x), where Φ is the distribution function of a standard normal variable. (D. Hendrycks and K. Gimpel, Gaussian
// error linear units, 2016.)
func GELU[T tile.FloatTile](x T) T { return 0.5 * x * (1 + tile.Erf(x*(1/math.Sqrt2))) }

// GELUTanh returns the usual approximation of [GELU] by tanh, with which many networks were trained. It differs by 5e-4 at most.
func GELUTanh[T tile.FloatTile](x T) T {
	return 0.5 * x * (1 + tile.Tanh(math.Sqrt2/math.SqrtPi*(x+0.044715*x*x*x)))
}

// Sigmoid returns 1 / (1 + e^-x).
func Sigmoid[T tile.FloatTile](x T) T { return tile.Sigmoid(x) }

// The functions below are for [Zip]: each returns the gradient of x, given x and the gradient of the function's result.

// ReLUBackward returns dy where x is positive, else 0.
func ReLUBackward[T tile.FloatTile](x, dy T) T { return tile.Where(x > 0, dy, 0) }

// SigmoidBackward returns dy·s·(1 - s), where s is [Sigmoid] of x.
func SigmoidBackward[T tile.FloatTile](x, dy T) T {
	s := tile.Sigmoid(x)
	return dy * s * (1 - s)
}

// SiLUBackward returns dy·s·(1 + x·(1 - s)), where s is [Sigmoid] of x.
func SiLUBackward[T tile.FloatTile](x, dy T) T {
	s := tile.Sigmoid(x)
	return dy * s * (1 + x*(1-s))
}

// GELUBackward returns dy·(Φ(x) + x·φ(x)), where φ is the density of a standard normal variable.
func GELUBackward[T tile.FloatTile](x, dy T) T {
	const density = 1 / (math.Sqrt2 * math.SqrtPi) // at 0
	return dy * (0.5*(1+tile.Erf(x*(1/math.Sqrt2))) + density*x*tile.Exp(-0.5*x*x))
}

// GELUTanhBackward returns dy times the derivative of [GELUTanh].
func GELUTanhBackward[T tile.FloatTile](x, dy T) T {
	const k, c = math.Sqrt2 / math.SqrtPi, 0.044715
	t := tile.Tanh(k * (x + c*x*x*x))
	return dy * (0.5*(1+t) + 0.5*x*(1-t*t)*k*(1+3*c*x*x))
}

// Add returns x + y.
func Add[T tile.FloatTile](x, y T) T { return x + y }

// Mul returns x·y.
func Mul[T tile.FloatTile](x, y T) T { return x * y }
