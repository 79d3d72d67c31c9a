package tile

// Indices1 returns the indices of the elements of tile i of a tensor, counted in elements: i·A, i·A+1, ….
func Indices1[A Dim](i int) I64T1[A] { return I64T1[A](i*Extent[A]()) + I64T1[A](Iota[A]()) }

// Indices2 returns the row and the column of each element of the tile at (i, j) of a tensor, counted in elements; for the tile
// at (0, 0) they are those in the tile itself.
func Indices2[A, B Dim](i, j int) (rows, columns I64T2[A, B]) {
	return I64T2[A, B](Reshape[I64T2[A, D1]](Indices1[A](i))), I64T2[A, B](Indices1[B](j))
}

// Indices3 returns the index along each axis of each element of the tile at (i, j, k) of a tensor, counted in elements.
func Indices3[A, B, C Dim](i, j, k int) (first, second, third I64T3[A, B, C]) {
	rows, columns := Indices2[B, C](j, k)
	return I64T3[A, B, C](Reshape[I64T3[A, D1, D1]](Indices1[A](i))), I64T3[A, B, C](rows), I64T3[A, B, C](columns)
}
