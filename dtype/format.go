package dtype

import "strconv"

// text is the shortest decimal number that rounds to the number with these bits. It tries one digit more until the number
// comes back; five are enough for 11 bits.
func (t Type) text(bits uint64) string {
	f := t.FloatFromBits(bits)
	for digits := 1; digits < 6; digits++ {
		s := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := strconv.ParseFloat(s, 64); err == nil && t.FloatBits(back) == bits {
			return s
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float16) String() string { return F16.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h BFloat16) String() string { return BF16.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h TensorFloat32) String() string { return TF32.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float8E4M3FN) String() string { return F8E4M3FN.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float8E5M2) String() string { return F8E5M2.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float8E8M0FNU) String() string { return F8E8M0FNU.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float8E5M3FNU) String() string { return F8E5M3FNU.text(uint64(h)) }

// String returns the shortest decimal number that rounds to h, in the format %g.
func (h Float4E2M1FN) String() string { return F4E2M1FN.text(uint64(h)) }
