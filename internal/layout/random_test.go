package layout_test

import (
	"math/rand"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// A random layout for the tests of laws: nested shapes of a few hundred elements, strides of every kind. A failure
// names the operands, so the seed needs no flag.

const rounds = 1200

var (
	anySizes  = []int{1, 2, 2, 3, 4, 4, 5, 6, 8, 12}
	twoPowers = []int{1, 2, 2, 4, 4, 8}
)

func randomShape(r *rand.Rand, sizes []int, depth int) layout.Tuple {
	if depth == 0 || r.Intn(3) == 0 {
		return layout.Leaf(layout.N(sizes[r.Intn(len(sizes))]))
	}
	modes := make([]layout.Tuple, 1+r.Intn(3))
	for i := range modes {
		modes[i] = randomShape(r, sizes, depth-1)
	}
	return layout.T(modes...)
}

// randomLayout has at most 512 elements. Its strides are compact in a random order, with gaps, or now and then 0.
func randomLayout(r *rand.Rand, sizes []int) layout.Layout {
	for {
		shape := randomShape(r, sizes, 2)
		if n, _ := shape.Product().Static(); n > 512 {
			continue
		}
		leaves := shape.Leaves()
		order := r.Perm(len(leaves))
		strides := make([]int, len(leaves))
		next := 1
		for _, i := range order {
			if r.Intn(8) == 0 {
				next *= 2
			}
			n, _ := leaves[i].IsLeaf()
			size, _ := n.Static()
			if r.Intn(12) > 0 {
				strides[i] = next
			}
			next *= size
		}
		return must(layout.New(shape, renest(shape, &strides)))
	}
}

// injective is a random layout that hits no offset twice.
func injective(r *rand.Rand, sizes []int) layout.Layout {
	for {
		if l := randomLayout(r, sizes); distinct(offsets(l)) {
			return l
		}
	}
}

func renest(shape layout.Tuple, strides *[]int) layout.Tuple {
	if _, ok := shape.IsLeaf(); ok {
		d := (*strides)[0]
		*strides = (*strides)[1:]
		return layout.Leaf(layout.N(d))
	}
	var modes []layout.Tuple
	for _, m := range shape.Modes() {
		modes = append(modes, renest(m, strides))
	}
	return layout.T(modes...)
}

// leaves gives sizes and strides of a static layout, left to right: what the reference functions below work on.
func leaves(l layout.Layout) (sizes, strides []int) {
	ds := l.Stride().Leaves()
	for i, s := range l.Shape().Leaves() {
		n, _ := s.IsLeaf()
		d, _ := ds[i].IsLeaf()
		size, ok1 := n.Static()
		stride, ok2 := d.Static()
		if !ok1 || !ok2 {
			panic("not static: " + l.String())
		}
		sizes, strides = append(sizes, size), append(strides, stride)
	}
	return sizes, strides
}

// offsets lists a layout's values, first mode fastest.
func offsets(l layout.Layout) []int {
	sizes, strides := leaves(l)
	out := []int{0}
	for i, n := range sizes {
		var next []int
		for j := range n {
			for _, o := range out {
				next = append(next, o+j*strides[i])
			}
		}
		out = next
	}
	return out
}

// value is a layout at an integer that may lie beyond the domain: the last leaf goes on.
func value(l layout.Layout, i int) int {
	sizes, strides := leaves(l)
	v := 0
	for k, n := range sizes {
		if k == len(sizes)-1 {
			return v + i*strides[k]
		}
		v += i % n * strides[k]
		i /= n
	}
	return v
}

func distinct(xs []int) bool {
	seen := map[int]bool{}
	for _, x := range xs {
		if seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}

// enough fails a test of a law that accepted too few of its random operands to mean anything.
func enough(t *testing.T, done, want int) {
	t.Helper()
	if done < want {
		t.Errorf("only %d of the random cases were answered, want %d", done, want)
	}
}
