package linear_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/cutile-go/cutile/internal/threads/linear"
)

// randomMap makes a map of n bits to bits.
func randomMap(r *rand.Rand, n, bits int) Map {
	m := make(Map, n)
	for i := range m {
		m[i] = r.IntN(1 << bits)
	}
	return m
}

// invertible makes a map that has an inverse.
func invertible(r *rand.Rand, n int) Map {
	for {
		if m := randomMap(r, n, n); m.Rank() == n {
			return m
		}
	}
}

func laws(t *testing.T, check func(t *testing.T, r *rand.Rand)) {
	for seed := range uint64(500) {
		check(t, rand.New(rand.NewPCG(seed, 1)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestMaps(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		m, n := randomMap(r, r.IntN(8), 8), randomMap(r, 8, 10)
		both := m.Then(n)
		images := map[int]bool{}
		for x := range 1 << len(m) {
			y := r.IntN(1 << len(m))
			if m.Apply(x^y) != m.Apply(x)^m.Apply(y) {
				t.Errorf("%v is not linear", m)
			}
			if both.Apply(x) != n.Apply(m.Apply(x)) {
				t.Errorf("%v then %v at %d", m, n, x)
			}
			images[m.Apply(x)] = true
		}
		if len(images) != 1<<m.Rank() {
			t.Errorf("%v has rank %d and %d images", m, m.Rank(), len(images))
		}
		for image := range 1 << 8 {
			x, ok := m.Preimage(image)
			if ok != images[image] || ok && m.Apply(x) != image || m.Has(image) != ok {
				t.Errorf("%v: preimage of %d is %d, %v", m, image, x, ok)
			}
		}
		if m.Disjoint() {
			for x := range 1 << len(m) {
				sum := 0
				for i, b := range m {
					sum += x >> i & 1 * b
				}
				if sum != m.Apply(x) {
					t.Errorf("%v is not disjoint", m)
				}
			}
		}
		kernel := map[int]bool{0: true}
		for _, k := range m.Kernel() {
			for x := range maps.Clone(kernel) {
				kernel[x^k] = true
			}
		}
		for x := range 1 << len(m) {
			if kernel[x] != (m.Apply(x) == 0) {
				t.Errorf("%v: whether %d is in the kernel: %v", m, x, kernel[x])
			}
		}
		if free := m.Zeros(); m.Apply(free) != 0 {
			t.Errorf("%v: bits %b matter", m, free)
		}
	})
}

func TestInverse(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		m := invertible(r, 1+r.IntN(7))
		inverse, ok := m.Inverse()
		if !ok || !slices.Equal(m.Then(inverse), Identity(len(m))) || !slices.Equal(inverse.Then(m), Identity(len(m))) {
			t.Errorf("the inverse of %v is %v, %v", m, inverse, ok)
		}
		m[r.IntN(len(m))] = m[0] ^ m[len(m)-1]
		if _, ok := m.Inverse(); ok != (m.Rank() == len(m)) {
			t.Errorf("%v has an inverse: %v", m, ok)
		}
	})
}

func TestSqueeze(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		n, mask := r.IntN(1<<12), r.IntN(1<<12)
		if got := Spread(Squeeze(n, mask), mask); got != n&^mask {
			t.Errorf("%b without %b comes back as %b", n, mask, got)
		}
	})
}

// randomShape makes a shape of at most 1<<12 elements.
func randomShape(r *rand.Rand) Shape {
	s := make(Shape, 1+r.IntN(4))
	for i := range s {
		s[i] = 1 << r.IntN(4)
	}
	return s
}

// randomLayout makes a layout that holds all elements of a shape.
func randomLayout(r *rand.Rand, s Shape) *Layout {
	b := Block{Lanes: 1 + r.IntN(5), Warps: r.IntN(3)}
	order := r.Perm(len(s))
	vec := 1 << r.IntN(1+Log2(s[order[0]]))
	if r.IntN(2) == 0 {
		return b.Blocked(s, order, vec)
	}
	return b.Lines(s, order, vec, 1<<r.IntN(6))
}

// elements calls f with each register, thread and element.
func elements(l *Layout, f func(reg, thread, element int)) {
	for thread := range 1 << (len(l.Lane) + len(l.Warp)) {
		for reg := range l.Regs() {
			f(reg, thread, l.Element(reg, thread))
		}
	}
}

func TestBlocked(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		s := randomShape(r)
		l := randomLayout(r, s)
		if !l.Covers(s.Size()) || !l.Permutes() {
			t.Errorf("%v of %v: not all elements, or twice in a thread", l, s)
		}
		count := map[int]int{}
		elements(l, func(_, _, e int) { count[e]++ })
		copies := 1 << (len(l.All()) - Log2(s.Size()))
		for e := range s.Size() {
			if count[e] != copies {
				t.Errorf("%v of %v has element %d %d times", l, s, e, count[e])
			}
		}
		if !l.Compact().Equal(l) || !l.Covers(s.Size()) || l.Covers(2*s.Size()) {
			t.Errorf("%v of %v is not compact", l, s)
		}
		for thread := range 1 << (len(l.Lane) + len(l.Warp)) {
			if l.Element(0, thread) != l.Element(0, thread&^l.Duplicates()) {
				t.Errorf("%v: thread %d is no copy", l, thread)
			}
		}
	})
}

func TestSlice(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		s := randomShape(r)
		l, dim := randomLayout(r, s), r.IntN(len(s))
		sliced, rest := l.Slice(s, dim), slices.Delete(slices.Clone(s), dim, dim+1)
		if !sliced.Covers(rest.Size()) {
			t.Errorf("%v of %v without %d: %v", l, s, dim, sliced)
		}
		have := map[[2]int]bool{}
		elements(sliced, func(_, thread, e int) { have[[2]int{thread, e}] = true })
		elements(l, func(_, thread, e int) {
			if !have[[2]int{thread, Squeeze(e, s.Mask(dim))}] {
				t.Errorf("%v of %v without %d: thread %d lost %d", l, s, dim, thread, e)
			}
		})
	})
}

func TestUnbroadcast(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		to := randomShape(r)
		from := slices.Clone(to)
		for d := range from {
			if r.IntN(2) == 0 {
				from[d] = 1
			}
		}
		l := randomLayout(r, to)
		source := l.Unbroadcast(from, to)
		have := map[[2]int]bool{}
		elements(source, func(_, thread, e int) { have[[2]int{thread, e}] = true })
		elements(l, func(_, thread, e int) {
			coords := make([]int, len(to))
			for d := range to {
				coords[d] = min(to.Coord(d, e), from[d]-1)
			}
			if n := from.Number(coords...); n != Source(from, to, e) || !have[[2]int{thread, n}] {
				t.Errorf("%v of %v from %v: thread %d has no %d", l, to, from, thread, n)
			}
		})
	})
}

func TestPermuted(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		s := randomShape(r)
		p := r.Perm(len(s))
		to := make(Shape, len(s))
		for i := range p {
			to[i] = s[p[i]]
		}
		l := randomLayout(r, s)
		m := l.Permuted(s, p)
		elements(l, func(reg, thread, e int) {
			coords := make([]int, len(s))
			for i := range p {
				coords[i] = s.Coord(p[i], e)
			}
			if got := m.Element(reg, thread); got != to.Number(coords...) {
				t.Errorf("%v of %v permuted by %v: %d is %d", l, s, p, e, got)
			}
		})
	})
}

func TestAlong(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand) {
		s := randomShape(r)
		l := randomLayout(r, s)
		unit := 1 << s.Shift(r.IntN(len(s)))
		m := l.Along(unit)
		if !m.SameThreads(l) || len(m.Reg) != len(l.Reg) || m.Reg.Rank() != l.Reg.Rank() || m.Reg.Span() != l.Reg.Span() {
			t.Errorf("%v along %d is %v, which holds other elements", l, unit, m)
		}
		if slices.Contains(l.Reg, unit) && m.Run(unit, 2) != 2 {
			t.Errorf("%v along %d is %v: neighbours do not come first", l, unit, m)
		}
	})
}
