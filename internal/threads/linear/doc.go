// Package linear has linear layouts: which element of a tile each register of each thread of a block holds, as maps that are
// linear over GF(2), the field of the bits with exclusive or as its sum.
//
// All extents of tiles are powers of two, and so are the numbers of registers, lanes and warps. A [Map] takes the bits of a
// number to bits of another one, and is written as one basis, the image, for each bit. A [Layout] takes register, lane and
// warp to the row-major number of an element. A basis of 0 means that the bit does not matter: registers or threads hold
// copies. Blocked layouts, the fragments of matrix instructions, slices of both, and swizzled places in shared memory are all
// such maps, and what compilers need to know of them is linear algebra: see Zhou et al., Linear Layouts: Robust Code
// Generation of Efficient Tensor Computation Using F2, ASPLOS 2026.
//
// The package knows nothing of an intermediate representation. Its laws are tested on random maps.
package linear
