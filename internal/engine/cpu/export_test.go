package cpu

// WithStrip gives options for strips of so many elements, none where it is negative.
func WithStrip(o Options, n int) Options {
	o.strip = n
	return o
}
