// Package dtype has the element types of tensors: the 16-bit floats that Go lacks, the list of element types that host
// memory may have, and fast conversions between slices of them.
//
// Conversions to a narrower float round once, to the nearest and ties to even; what is too large becomes an infinity,
// what is too small a subnormal number or a zero of the same sign, and a NaN stays a quiet NaN.
package dtype
