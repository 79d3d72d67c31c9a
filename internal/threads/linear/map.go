package linear

import "math/bits"

// Map is a linear map over GF(2): basis i is the image of the number 1<<i.
type Map []int

// Identity takes the numbers of n bits to themselves.
func Identity(n int) Map {
	m := make(Map, n)
	for i := range m {
		m[i] = 1 << i
	}
	return m
}

// Apply gives the image of a number, whose bits beyond the last basis do not count.
func (m Map) Apply(n int) (image int) {
	for i, b := range m {
		if n>>i&1 != 0 {
			image ^= b
		}
	}
	return image
}

// Then is the map that applies m and, to its image, next.
func (m Map) Then(next Map) Map { return m.Mapped(next.Apply) }

// Mapped applies a linear function to each image.
func (m Map) Mapped(f func(int) int) Map {
	out := make(Map, len(m))
	for i, b := range m {
		out[i] = f(b)
	}
	return out
}

// Span is the union of the bits of all images.
func (m Map) Span() (all int) {
	for _, b := range m {
		all |= b
	}
	return all
}

// Zeros is the mask of the bits that do not matter, because their basis is 0.
func (m Map) Zeros() (mask int) {
	for i, b := range m {
		if b == 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// Disjoint reports whether no two bases have a bit in common, so that images can be added with or, and even with plus.
func (m Map) Disjoint() bool {
	seen := 0
	for _, b := range m {
		if seen&b != 0 {
			return false
		}
		seen |= b
	}
	return true
}

// Rank is the number of bases that are independent of each other: the map has 1<<Rank images.
func (m Map) Rank() int {
	rows, _ := reduced(m)
	return len(rows)
}

// Kernel gives a basis of the numbers whose image is 0.
func (m Map) Kernel() []int {
	_, kernel := reduced(m)
	return kernel
}

// Has reports whether a number is an image.
func (m Map) Has(image int) bool {
	_, ok := m.Preimage(image)
	return ok
}

// Preimage gives a number with an image, of several the one that needs no basis which those before it make up; ok is false if
// there is none.
func (m Map) Preimage(image int) (n int, ok bool) {
	rows, _ := reduced(m)
	for _, r := range rows {
		if image>>r.top&1 != 0 {
			image, n = image^r.image, n^r.from
		}
	}
	return n, image == 0
}

// row is a combination of bases: image is that of from, and no other row that [reduced] gives has the bit top.
type row struct{ image, from, top int }

// reduced gives independent rows that span the images, by Gaussian elimination, and a basis of the kernel. The highest bit of each row is
// its own.
func reduced(m Map) (rows []row, kernel []int) {
	for i, b := range m {
		r := row{image: b, from: 1 << i}
		for _, q := range rows {
			if r.image>>q.top&1 != 0 {
				r.image, r.from = r.image^q.image, r.from^q.from
			}
		}
		if r.image == 0 {
			kernel = append(kernel, r.from)
			continue
		}
		r.top = bits.Len(uint(r.image)) - 1
		for k := range rows {
			if rows[k].image>>r.top&1 != 0 {
				rows[k].image, rows[k].from = rows[k].image^r.image, rows[k].from^r.from
			}
		}
		rows = append(rows, r)
	}
	return rows, kernel
}

// Inverse takes each image back; ok is false unless the map takes the numbers of len(m) bits one to one to themselves.
func (m Map) Inverse() (inverse Map, ok bool) {
	if m.Rank() != len(m) || m.Span() != 1<<len(m)-1 {
		return nil, false
	}
	inverse = make(Map, len(m))
	for i := range inverse {
		inverse[i], _ = m.Preimage(1 << i)
	}
	return inverse, true
}

// Squeeze takes the bits of a mask out of a number; those above them move down.
func Squeeze(n, mask int) (out int) {
	at := 0
	for i := 0; n>>i != 0; i++ {
		if mask>>i&1 == 0 {
			out |= n >> i & 1 << at
			at++
		}
	}
	return out
}

// Spread is the reverse of [Squeeze]: it makes room, with zeros, for the bits of a mask.
func Spread(n, mask int) (out int) {
	for i := 0; n != 0; i++ {
		if mask>>i&1 == 0 {
			out |= n & 1 << i
			n >>= 1
		}
	}
	return out
}
