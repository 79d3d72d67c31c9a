package dtype

// Float16 is an IEEE 754 binary16 number, stored as its bits.
//
//cutile:type f16
type Float16 uint16

// BFloat16 is a bfloat16 number, stored as its bits, which are the upper half of those of a float32.
//
//cutile:type bf16
type BFloat16 uint16

// Float8E4M3FN is an 8-bit float with 4 exponent and 3 fraction bits, stored as its bits. Its greatest number is 448; it has
// NaN but no infinity.
//
//cutile:type f8e4m3fn
type Float8E4M3FN uint8

// Float8E5M2 is an 8-bit float with 5 exponent and 2 fraction bits, stored as its bits. Its greatest number is 57344; it has
// infinities and NaN.
//
//cutile:type f8e5m2
type Float8E5M2 uint8

// Float8E8M0FNU is a power of two from 2^-127 to 2^127, stored as its exponent, that scales a block of other numbers. It has
// NaN, but neither zero nor sign: conversions drop the sign.
//
//cutile:type f8e8m0fnu
type Float8E8M0FNU uint8

// Float8E5M3FNU is an 8-bit float with 5 exponent and 3 fraction bits and without a sign, stored as its bits. Its greatest
// number is 114688; it has NaN but no infinity. Conversions drop the sign.
//
//cutile:type fnv8e5m3fnu
type Float8E5M3FNU uint8

// Float4E2M1FN is a 4-bit float, stored in the low half of a byte: 0, 0.5, 1, 1.5, 2, 3, 4 or 6 with either sign. Tensors
// cannot have such elements: they hold bytes with two elements each ([PackHalves]), which kernels unpack.
//
//cutile:type f4e2m1fn
type Float4E2M1FN uint8

// TensorFloat32 is a float32 whose last 13 bits are zero, stored as the bits of that float32. Tensor cores multiply such
// numbers.
//
//cutile:type tf32
type TensorFloat32 uint32

// Int4 is a 4-bit integer, stored in the low half of a byte. Tensors cannot have such elements: kernels unpack them from bytes.
//
//cutile:type i4
type Int4 int8
