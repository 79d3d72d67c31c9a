package tile

// A kernel that puts two axes of a tile into one, or splits one in two, has extents that follow from others. They are written
// as what they are, so that the caller chooses only those that are free. Of each instance the kernel compiler computes them: an
// extent is a power of two up to 65536, and a kernel that is given others is refused with the place and both numbers.

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
