package optim

import "github.com/cutile-go/cutile/tile"

// SGDFactors are what a step of [SGD] multiplies by.
type SGDFactors struct {
	Rate, Momentum, Decay float32
	Ahead                 float32 // 1 with Nesterov, else 0
}

// descend is a step of gradient descent without momentum.
func descend[B tile.Dim](o SGDFactors, p, g tile.F32T1[B]) tile.F32T1[B] {
	return p - tile.F32T1[B](o.Rate)*tile.FMA(tile.F32T1[B](o.Decay), p, g)
}

// roll is a step of gradient descent with momentum. (B. Polyak, Some methods of speeding up the convergence of iteration methods,
// 1964; I. Sutskever and others, On the importance of initialization and momentum in deep learning, 2013.)
func roll[B tile.Dim](o SGDFactors, p, m, g tile.F32T1[B]) (x, mean tile.F32T1[B]) {
	g = tile.FMA(tile.F32T1[B](o.Decay), p, g)
	mean = tile.FMA(tile.F32T1[B](o.Momentum), m, g)
	step := tile.Where(tile.F32T1[B](o.Ahead) != 0, tile.FMA(tile.F32T1[B](o.Momentum), mean, g), mean)
	return p - tile.F32T1[B](o.Rate)*step, mean
}

// AdamFactors are what a step of [Adam] or [AdamW] multiplies by: numbers that follow from the options and the number of the step.
type AdamFactors struct {
	Rate         float32 // the learning rate over 1 - β₁ to the power of the step's number
	Beta1, Beta2 float32
	Rest1, Rest2 float32 // 1 - β₁ and 1 - β₂, computed in float64
	Root         float32 // 1/√(1 - β₂ to the power of the step's number)
	Epsilon      float32
	Coupled      float32 // times p is added to the gradient
	Kept         float32 // times p is left of p
}

// adam is a step of Adam. (D. Kingma and J. Ba, Adam: a method for stochastic optimization, 2014; I. Loshchilov and F. Hutter,
// Decoupled weight decay regularization, 2017.)
func adam[B tile.Dim](s AdamFactors, p, m, v, g tile.F32T1[B]) (x, mean, square tile.F32T1[B]) {
	g = tile.FMA(tile.F32T1[B](s.Coupled), p, g)
	mean = tile.FMA(tile.F32T1[B](s.Beta1), m, tile.F32T1[B](s.Rest1)*g)
	square = tile.FMA(tile.F32T1[B](s.Beta2), v, tile.F32T1[B](s.Rest2)*g*g)
	size := tile.Sqrt(square)*tile.F32T1[B](s.Root) + tile.F32T1[B](s.Epsilon)
	return tile.F32T1[B](s.Kept)*p - tile.F32T1[B](s.Rate)*mean/size, mean, square
}

// lion is a step of Lion. (X. Chen and others, Symbolic discovery of optimization algorithms, 2023.)
func lion[B tile.Dim](o LionFactors, p, m, g tile.F32T1[B]) (x, mean tile.F32T1[B]) {
	way := tile.FMA(tile.F32T1[B](o.Beta1), m, tile.F32T1[B](o.Rest1)*g)
	sign := tile.Where(way > 0, tile.F32T1[B](1), tile.Where(way < 0, tile.F32T1[B](-1), way)) // 0 and NaN stay
	return tile.F32T1[B](o.Kept)*p - tile.F32T1[B](o.Rate)*sign, tile.FMA(tile.F32T1[B](o.Beta2), m, tile.F32T1[B](o.Rest2)*g)
}

// LionFactors are what a step of [Lion] multiplies by.
type LionFactors struct {
	Rate         float32
	Beta1, Beta2 float32
	Rest1, Rest2 float32 // 1 - β₁ and 1 - β₂
	Kept         float32 // times p is left of p
}
