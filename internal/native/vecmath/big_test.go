package vecmath_test

import (
	"math"
	"math/big"
)

// The references of float64 have this many bits, and the angles of sines as many as reducing the greatest float64 takes.
const (
	bigPrec   = 200
	anglePrec = 1400
)

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

// sumBig adds terms, each made from the one before, until they do not count.
func sumBig(prec uint, term *big.Float, next func(k int64, term *big.Float)) *big.Float {
	sum := new(big.Float).SetPrec(prec).Set(term)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-int(prec)-4; k++ {
		next(k, term)
		sum.Add(sum, term)
	}
	return sum
}

// alternate is x - x^3/3 + x^5/5 and so on for sign -1, the arc tangent, and the hyperbolic one for sign 1.
func alternate(prec uint, x *big.Float, sign int64) *big.Float {
	square := new(big.Float).SetPrec(prec).Mul(x, x)
	square.Mul(square, new(big.Float).SetInt64(sign))
	power := new(big.Float).SetPrec(prec).Set(x)
	return sumBig(prec, new(big.Float).SetPrec(prec).Set(x), func(k int64, term *big.Float) {
		power.Mul(power, square)
		term.Quo(power, new(big.Float).SetInt64(2*k+1))
	})
}

func inverse(prec uint, n int64) *big.Float {
	return new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), new(big.Float).SetPrec(prec).SetInt64(n))
}

// combine is a sum of inverse tangents of 1/n, each taken some times.
func combine(prec uint, sign int64, pairs ...[2]int64) *big.Float {
	sum := new(big.Float).SetPrec(prec)
	for _, p := range pairs {
		t := alternate(prec, inverse(prec, p[1]), sign)
		sum.Add(sum, t.Mul(t, new(big.Float).SetInt64(p[0])))
	}
	return sum
}

var (
	bigLn2     = combine(bigPrec, 1, [2]int64{18, 26}, [2]int64{-2, 4801}, [2]int64{8, 8749})
	bigQuarter = combine(anglePrec, -1, [2]int64{8, 5}, [2]int64{-2, 239}) // pi/2
)

// bigExp is e^x.
func bigExp(x *big.Float) *big.Float {
	near, _ := x.Float64()
	k := math.Round(near * math.Log2E)
	r := newBig(0).Sub(x, newBig(0).Mul(bigLn2, newBig(k)))
	const halvings = 8
	r.SetMantExp(r, -halvings)
	y := sumBig(bigPrec, newBig(1), func(k int64, term *big.Float) { term.Quo(term.Mul(term, r), newBig(float64(k))) })
	for range halvings {
		y.Mul(y, y)
	}
	return y.SetMantExp(y, int(k))
}

// bigLog is log(x).
func bigLog(x *big.Float) *big.Float {
	m := newBig(0)
	e := x.MantExp(m)
	if m.Cmp(newBig(math.Sqrt2/2)) < 0 {
		m, e = m.SetMantExp(m, 1), e-1
	}
	s := newBig(0).Quo(newBig(0).Sub(m, newBig(1)), newBig(0).Add(m, newBig(1)))
	y := alternate(bigPrec, s, 1)
	y.SetMantExp(y, 1)
	return y.Add(y, newBig(0).Mul(bigLn2, newBig(float64(e))))
}

// bigSin is the sine of x plus some quarters of a turn.
func bigSin(x float64, quarters int64) *big.Float {
	a := new(big.Float).SetPrec(anglePrec).SetFloat64(x)
	q := new(big.Float).SetPrec(anglePrec).Quo(a, bigQuarter)
	n, _ := q.Add(q, big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	r := newBig(0).Set(a.Sub(a, new(big.Float).SetPrec(anglePrec).Mul(bigQuarter, new(big.Float).SetInt(n))))
	minus := newBig(0).Neg(newBig(0).Mul(r, r))
	turn := new(big.Int).And(n.Add(n, big.NewInt(quarters)), big.NewInt(3)).Int64()
	first, from := r, int64(2)
	if turn&1 == 1 {
		first, from = newBig(1), 1
	}
	y := sumBig(bigPrec, newBig(0).Set(first), func(k int64, term *big.Float) {
		term.Quo(term.Mul(term, minus), newBig(float64((2*k+from-2)*(2*k+from-1))))
	})
	if turn&2 != 0 {
		y.Neg(y)
	}
	return y
}

// bigAtan2 is the angle of a point that lies on no axis.
func bigAtan2(y, x float64) *big.Float {
	q := newBig(0).Quo(newBig(math.Abs(y)), newBig(math.Abs(x)))
	steep := q.Cmp(newBig(1)) > 0
	if steep {
		q.Quo(newBig(1), q)
	}
	const halvings = 3
	for range halvings {
		root := newBig(0).Sqrt(newBig(0).Add(newBig(1), newBig(0).Mul(q, q)))
		q.Quo(q, root.Add(root, newBig(1)))
	}
	a := alternate(bigPrec, q, -1)
	a.SetMantExp(a, halvings)
	if steep {
		a.Sub(newBig(0).Set(bigQuarter), a)
	}
	if x < 0 {
		a.Sub(newBig(0).SetMantExp(newBig(0).Set(bigQuarter), 1), a)
	}
	if y < 0 {
		a.Neg(a)
	}
	return a
}

func quotient(a, b *big.Float) *big.Float { return newBig(0).Quo(a, b) }

// bigHyperbolic is half of e^x plus sign times e^-x.
func bigHyperbolic(x, sign float64) *big.Float {
	if math.Abs(x) < 0x1p-40 && sign < 0 { // these would cancel
		cube := newBig(0).Mul(newBig(x), newBig(0).Mul(newBig(x), newBig(x)))
		return cube.Add(cube.Quo(cube, newBig(6)), newBig(x))
	}
	up, down := bigExp(newBig(x)), bigExp(newBig(-x))
	s := up.Add(up, down.Mul(down, newBig(sign)))
	return s.SetMantExp(s, -1)
}
