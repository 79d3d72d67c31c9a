// Package emit writes the kernels of a graph as Tile IR. A block computes one tile of a kernel's result; the values of an
// expression that do not depend on an axis are computed once for the tile, and have the extent 1 along it.
//
// A parameter points to the first element of an array that the kernel may access, from where its places are counted. Elements that lie
// in memory at a sum of multiples of the axes are loaded through a view, others through pointers.
package emit
