package tile

// A kernel that joins two axes of a tile, or splits an axis in two, has extents that follow from others. They are
// written as products and quotients, so that the caller chooses only the independent extents. The kernel compiler
// computes them for each instance. An extent is a power of two up to 65536; the compiler rejects other results with an
// error that has the position and both numbers.

// Product is the extent A·B.
//
//cutile:type extent(product(A, B))
type Product[A, B Dim] struct{}

// Quotient is the extent A/B, which must be a whole number.
//
//cutile:type extent(quotient(A, B))
type Quotient[A, B Dim] struct{}

func (Product[A, B]) extent() int {
	var a A
	var b B
	return a.extent() * b.extent()
}

func (Quotient[A, B]) extent() int {
	var a A
	var b B
	return a.extent() / b.extent()
}
