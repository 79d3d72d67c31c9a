package tile

// The combiners below fold a value and its place at once. They order equal values by place, so that the result does not
// depend on the order in which elements are combined.

func firstMax[E NumTile](peak E, at I32, x E, i I32) (E, I32) {
	better := x > peak || x == peak && i < at
	return Where(better, x, peak), Where(better, i, at)
}

func firstMin[E NumTile](low E, at I32, x E, i I32) (E, I32) {
	better := x < low || x == low && i < at
	return Where(better, x, low), Where(better, i, at)
}
