// Package cost counts what a kernel does: bytes loaded and stored, and floating-point operations, for given arguments
// and a grid, without running it.
//
// # What is counted
//
// A load or store through a view counts the bytes of the tile that lie inside the tensor; one through pointers those of
// the elements whose mask is true; an atomic update counts as both. These are the bytes that a block asks for: caches
// are not modelled. An element of a tile counts one operation for addf, subf, mulf, divf, remf, minf and maxf, two for
// fma, and one special operation for exp, sqrt, sin and the like. A matrix product counts 2mnk, under the element type
// of its factors; one of integers is kept apart. A reduction of n elements combines n-1 times, and so does a scan.
// Comparisons, conversions, moves and integer arithmetic count nothing.
//
// # How
//
// Integers that follow from the arguments, the block's index and loop counters are evaluated as ranges, for all blocks
// of the grid and all iterations of a loop at once. Where an answer is not the same for a whole range (a tile at the
// edge of a tensor, a bound that depends on the block), the range is halved. So each block and iteration is counted
// exactly, and few of them one by one. What depends on data is stated in a [Note] and counted from above, as far as
// there is a bound.
package cost
