package strided_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device/strided"
)

func rowMajor(t *testing.T, shape ...int) strided.View {
	t.Helper()
	v, err := strided.RowMajor(shape)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// places lists where each element lies, in row-major order, straight from the definition.
func places(v strided.View) []int {
	at := []int{v.Offset}
	for axis, n := range v.Shape {
		var next []int
		for _, base := range at {
			for i := range n {
				next = append(next, base+i*v.Strides[axis])
			}
		}
		at = next
	}
	return at
}

func TestChanges(t *testing.T) {
	whole := rowMajor(t, 2, 3, 4)
	cases := []struct {
		name   string
		change func(strided.View) (strided.View, error)
		shape  []int
		want   []int
	}{
		{"narrow", func(v strided.View) (strided.View, error) { return v.Narrow(2, 1, 3) }, []int{2, 3, 2}, []int{1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22}},
		{"narrow to nothing", func(v strided.View) (strided.View, error) { return v.Narrow(0, 2, 2) }, []int{0, 3, 4}, nil},
		{"select", func(v strided.View) (strided.View, error) { return v.Select(1, 2) }, []int{2, 4}, []int{8, 9, 10, 11, 20, 21, 22, 23}},
		{"permute", func(v strided.View) (strided.View, error) { return v.Permute([]int{2, 0, 1}) }, []int{4, 2, 3},
			[]int{0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
		{"reshape", func(v strided.View) (strided.View, error) { return v.Reshape([]int{6, 4}) }, []int{6, 4}, count(24)},
		{"broadcast", func(v strided.View) (strided.View, error) {
			v, _ = v.Select(0, 1)
			v, _ = v.Narrow(0, 0, 1)
			v, _ = v.Narrow(1, 0, 2)
			return v.Broadcast([]int{2, 2, 2})
		}, []int{2, 2, 2}, []int{12, 13, 12, 13, 12, 13, 12, 13}},
	}
	for _, c := range cases {
		v, err := c.change(whole)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := places(v); !slices.Equal(v.Shape, c.shape) || !slices.Equal(got, c.want) {
			t.Errorf("%s: shape %v, places %v; want %v, %v", c.name, v.Shape, got, c.shape, c.want)
		}
		if !slices.Equal(whole.Shape, []int{2, 3, 4}) || !slices.Equal(whole.Strides, []int{12, 4, 1}) {
			t.Fatalf("%s changed the view that it was made of: %v", c.name, whole)
		}
	}
}

func count(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestMistakes(t *testing.T) {
	whole := rowMajor(t, 2, 3)
	turned, _ := whole.Transpose()
	line := rowMajor(t, 5)
	cases := []struct {
		want   string
		change func() (strided.View, error)
	}{
		{"shape [2 3] has no axis 2", func() (strided.View, error) { return whole.Narrow(2, 0, 1) }},
		{"shape [2 3] has no axis -1", func() (strided.View, error) { return whole.Select(-1, 0) }},
		{"range [2, 4) is not within axis 1 of shape [2 3]", func() (strided.View, error) { return whole.Narrow(1, 2, 4) }},
		{"range [2, 1) is not within axis 1 of shape [2 3]", func() (strided.View, error) { return whole.Narrow(1, 2, 1) }},
		{"index 2 is not within axis 0 of shape [2 3]", func() (strided.View, error) { return whole.Select(0, 2) }},
		{"axes [0] do not name each axis of shape [2 3] once", func() (strided.View, error) { return whole.Permute([]int{0}) }},
		{"axes [1 1] do not name each axis of shape [2 3] once", func() (strided.View, error) { return whole.Permute([]int{1, 1}) }},
		{"axes [0 1 2] do not name each axis of shape [2 3] once", func() (strided.View, error) { return whole.Permute([]int{0, 1, 2}) }},
		{"shape [5] has no two axes to swap", func() (strided.View, error) { return line.Transpose() }},
		{"shape [2 3] has 6 elements, shape [4] has 4", func() (strided.View, error) { return whole.Reshape([]int{4}) }},
		{"shape [3 2] with strides [1 3] cannot be seen as shape [6] without a copy", func() (strided.View, error) { return turned.Reshape([]int{6}) }},
		{"shape [2 3] does not spread to [4 3]: axis 0 has extent 2, not 1", func() (strided.View, error) { return whole.Broadcast([]int{4, 3}) }},
		{"shape [2 3] does not spread to [3], which has fewer axes", func() (strided.View, error) { return whole.Broadcast([]int{3}) }},
		{"shape [2 -1]: the extent of axis 1 is negative", func() (strided.View, error) { return strided.RowMajor([]int{2, -1}) }},
		{"too many elements", func() (strided.View, error) { return strided.RowMajor([]int{1 << 40, 1 << 40}) }},
		{"too many elements", func() (strided.View, error) { return strided.RowMajor([]int{0, 1 << 40, 1 << 40}) }},
	}
	for _, c := range cases {
		if v, err := c.change(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, %v; want the error %q", v, err, c.want)
		}
	}
}

// random makes a view of a row-major tensor by random changes.
func random(r *rand.Rand, v strided.View) strided.View {
	for range r.IntN(4) {
		if len(v.Shape) == 0 {
			return v
		}
		axis := r.IntN(len(v.Shape))
		n := v.Shape[axis]
		switch r.IntN(3) {
		case 0:
			from := r.IntN(n + 1)
			v, _ = v.Narrow(axis, from, from+r.IntN(n-from+1))
		case 1:
			if n > 0 {
				v, _ = v.Select(axis, r.IntN(n))
			}
		case 2:
			v, _ = v.Permute(r.Perm(len(v.Shape)))
		}
	}
	return v
}

// TestRandom compares overlap, ranges, copies and reshapes of random views with the lists of their places.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	overlaps, reshapes := 0, 0
	for range 20000 {
		whole := rowMajor(t, 1+r.IntN(4), 1+r.IntN(4), 1+r.IntN(4))
		a, b := random(r, whole), random(r, whole)
		pa, pb := places(a), places(b)
		if from, to := a.Range(); len(pa) > 0 && (from != slices.Min(pa) || to != slices.Max(pa)+1) {
			t.Fatalf("%v: range %d to %d, but places %v", a, from, to, pa)
		}
		share := slices.ContainsFunc(pa, func(p int) bool { return slices.Contains(pb, p) })
		if got := strided.Overlap(a, b); got != share {
			t.Fatalf("Overlap(%v, %v) is %v; places %v and %v", a, b, got, pa, pb)
		} else if got {
			overlaps++
		}
		if want := slices.IsSortedFunc(pa, func(x, y int) int { return x - y - 1 }) && consecutive(pa); a.IsRowMajor() != want {
			t.Fatalf("%v: row-major is %v, places %v", a, a.IsRowMajor(), pa)
		}
		memory := count(whole.Len())
		got := make([]int, len(pa))
		strided.Gather(got, memory, a)
		if !slices.Equal(got, pa) {
			t.Fatalf("Gather of %v: %v, want %v", a, got, pa)
		}
		back := make([]int, len(memory))
		strided.Scatter(back, got, a)
		for i := range back {
			if want := i * len(slices.DeleteFunc(slices.Clone(pa), func(p int) bool { return p != i })); back[i] != want {
				t.Fatalf("Scatter of %v: %v", a, back)
			}
		}
		shape := []int{a.Len()}
		if n := a.Len(); n%2 == 0 {
			shape = []int{n / 2, 1, 2}
		}
		if seen, err := a.Reshape(shape); err == nil {
			reshapes++
			if !slices.Equal(places(seen), pa) {
				t.Fatalf("%v as %v: places %v, want %v", a, shape, places(seen), pa)
			}
		} else if isView(pa, shape) {
			t.Fatalf("%v as %v: %v, but strides exist", a, shape, err)
		}
	}
	if overlaps < 1000 || reshapes < 1000 {
		t.Fatalf("only %d overlaps and %d reshapes", overlaps, reshapes)
	}
}

func consecutive(p []int) bool {
	for i := range p {
		if p[i] != p[0]+i {
			return false
		}
	}
	return true
}

// isView reports whether some strides put the elements of a shape [n] or [n, 1, 2] at these places.
func isView(p, shape []int) bool {
	if len(p) < 2 {
		return true
	}
	v := strided.View{Shape: shape, Strides: []int{p[1] - p[0]}, Offset: p[0]}
	if len(shape) == 3 {
		v.Strides = []int{p[min(2, len(p)-1)] - p[0], 0, p[1] - p[0]}
	}
	return slices.Equal(places(v), p)
}

// TestStride: along an extent of 1 the stride that code sees does not depend on how the view was made.
func TestStride(t *testing.T) {
	whole := rowMajor(t, 4, 6, 8)
	row, _ := whole.Narrow(0, 1, 2)
	column, _ := whole.Narrow(2, 3, 4)
	cases := []struct {
		v    strided.View
		want []int
	}{
		{whole, []int{48, 8, 1}},
		{row, []int{48, 8, 1}},
		{column, []int{48, 8, 1}},
		{strided.View{Shape: []int{1, 1, 5}, Strides: []int{7, 9, 2}}, []int{10, 10, 2}},
		{strided.View{Shape: []int{1, 1}, Strides: []int{7, 9}}, []int{1, 1}},
	}
	for _, c := range cases {
		got := make([]int, len(c.v.Shape))
		for axis := range got {
			got[axis] = c.v.Stride(axis)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("strides of %v: %v, want %v", c.v, got, c.want)
		}
	}
}

func ExampleOverlap() {
	whole, _ := strided.RowMajor([]int{4, 8})
	left, _ := whole.Narrow(1, 0, 4)
	right, _ := whole.Narrow(1, 4, 8)
	fmt.Println(strided.Overlap(left, right), strided.Overlap(left, whole))
	// Output: false true
}

// TestNarrowToNothing: an empty part begins where its tensor does, since there may be no memory at its place.
func TestNarrowToNothing(t *testing.T) {
	whole := rowMajor(t, 2, 3)
	for at := range 4 {
		v, err := whole.Narrow(1, at, at)
		if err != nil {
			t.Fatal(err)
		}
		if v.Offset != 0 || v.Shape[1] != 0 {
			t.Errorf("from %d to %d: offset %d, shape %v", at, at, v.Offset, v.Shape)
		}
	}
}

// TestRepeats compares with all offsets of random shapes and strides.
func TestRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	found := map[bool]int{}
	for range 100_000 {
		v := strided.View{Shape: make([]int, r.IntN(6)), Offset: r.IntN(5)}
		for range v.Shape {
			v.Strides = append(v.Strides, r.IntN(1+r.IntN(200)))
		}
		for a := range v.Shape {
			v.Shape[a] = r.IntN(1 + r.IntN(7))
		}
		seen, want := map[int]bool{}, false
		var visit func(axis, at int)
		visit = func(axis, at int) {
			if axis == len(v.Shape) {
				want = want || seen[at]
				seen[at] = true
				return
			}
			for i := range v.Shape[axis] {
				visit(axis+1, at+i*v.Strides[axis])
			}
		}
		visit(0, v.Offset)
		if got := v.Repeats(); got != want {
			t.Fatalf("shape %v with strides %v: %v, want %v", v.Shape, v.Strides, got, want)
		}
		if len(v.Shape) > 2 && v.Len() > 4 {
			found[want]++
		}
	}
	if found[true] < 1000 || found[false] < 1000 {
		t.Errorf("the cases are %v: too few of a kind", found)
	}
	for _, c := range []struct {
		shape, strides []int
		want           bool
	}{
		{[]int{2, 3}, []int{3, 2}, false},
		{[]int{8, 8}, []int{1, 1}, true},
		{[]int{1 << 20, 1 << 20}, []int{1<<20 - 1, 1 << 20}, false},
		{[]int{1 << 20, 1 << 20}, []int{1<<20 - 1, 1<<20 - 2}, true},
		{[]int{1 << 12, 1 << 12, 1 << 12}, []int{1 << 40, 1<<40 + 10007, 1<<40 + 20011}, true}, // not found out that it does not
	} {
		v, err := strided.Given(c.shape, c.strides)
		if err != nil || v.Repeats() != c.want {
			t.Errorf("shape %v with strides %v: %v, %v, want %v", c.shape, c.strides, v.Repeats(), err, c.want)
		}
	}
}
