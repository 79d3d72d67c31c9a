// Package plainbits has no kernels, and numbers that become bits.
package plainbits

import "github.com/cutile-go/cutile/dtype"

var numbers = []dtype.BFloat16{-0x1 & 0xffff, 2} // want `2 is taken as the bits of a dtype.BFloat16, which mean 1.84e-40: write dtype.BFloat16FromFloat32\(2\) for numbers, or 0x2 for these bits`
