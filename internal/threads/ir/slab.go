package ir

// slab gives room for values of a type, many at once: kernels have thousands of small lists, which live as long as they.
type slab[T any] struct{ free []T }

// slabSize is how many values get their room at once.
const slabSize = 256

// take gives room for n values.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, slabSize))
	}
	room := s.free[:n:n]
	s.free = s.free[n:]
	return room
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }

// copy gives a list of its own.
func (s *slab[T]) copy(list []T) []T {
	room := s.take(len(list))
	copy(room, list)
	return room
}
