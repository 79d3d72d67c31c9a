// Package dtype provides the element types of tensors: the floats of 4, 8, 16 and 19 bits that Go lacks, the list of element
// types of host memory, and fast conversions between slices of them.
//
// Conversions to a narrower float round once, to nearest with ties to even. Numbers that are too large become infinities,
// numbers that are too small become subnormal or a zero of the same sign, and a NaN stays a quiet NaN. Conversions to the
// floats of 4 and 8 bits return the greatest finite number instead of an infinity, as in kernels.
package dtype
