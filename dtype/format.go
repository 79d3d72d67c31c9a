package dtype

import "strconv"

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h Float16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return Float16FromFloat64(f) == h })
}

// String is the shortest decimal number that rounds to h, as %g writes it.
func (h BFloat16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return BFloat16FromFloat64(f) == h })
}

// shortest tries one digit more until the number comes back; five are enough for 11 bits.
func shortest(f float64, same func(float64) bool) string {
	for digits := 1; digits < 6; digits++ {
		s := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := strconv.ParseFloat(s, 64); err == nil && same(back) {
			return s
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
