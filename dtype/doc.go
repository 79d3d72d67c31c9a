// Package dtype has the element types of tensors: the floats of 4, 8, 16 and 19 bits that Go lacks, the list of element
// types that host memory may have, and fast conversions between slices of them.
//
// Conversions to a narrower float round once, to the nearest and ties to even; what is too large becomes an infinity,
// what is too small a subnormal number or a zero of the same sign, and a NaN stays a quiet NaN. Conversions to the floats
// of 4 and 8 bits give the greatest finite number where others give an infinity, as kernels do.
package dtype
