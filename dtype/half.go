package dtype

// Float16 is an IEEE 754 binary16 number, held as its bits.
//
//cutile:type f16
type Float16 uint16

// BFloat16 is a bfloat16 number, the upper half of a float32, held as its bits.
//
//cutile:type bf16
type BFloat16 uint16
