package tile

import "github.com/cutile-go/cutile/tile/op"

// The combiners below reduce a value and its index at once. They order equal values by index, and prefer any number to
// NaN, so that the result does not depend on the order in which elements are combined.

func firstMax[E NumTile](peak E, at I32, x E, i I32) (E, I32) {
	better := x > peak || x == peak && i < at
	if op.IsFloat[E]() {
		better = better || peak != peak && (x == x || i < at)
	}
	return Where(better, x, peak), Where(better, i, at)
}

func firstMin[E NumTile](low E, at I32, x E, i I32) (E, I32) {
	better := x < low || x == low && i < at
	if op.IsFloat[E]() {
		better = better || low != low && (x == x || i < at)
	}
	return Where(better, x, low), Where(better, i, at)
}
