package attention_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// window is where a window of size begins for place i of n.
func window(i, size, n int) int {
	from := i - size/2
	for from+size > n {
		from--
	}
	for from < 0 {
		from++
	}
	return from
}

func runNeighbours[E element](t *testing.T, p problem, rows, columns, width, down, right int, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, rows, columns, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, rows, columns, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, rows, columns, width)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, rows, columns, width)
	kerneltest.Must(t, attention.RunNeighbours(t.Context(), dev, q, k, v, o, down, right, attention.Scale(p.dim)))
	p.queries, p.keys = rows*columns, rows*columns
	m := mask{chosen: func(_, _, i, j int) bool {
		y, x := window(i/columns, down, rows), window(i%columns, right, columns)
		return j/columns >= y && j/columns < y+down && j%columns >= x && j%columns < x+right
	}}
	want := p.wide(qs, ks, vs, width, m, func(int, int) int { return 0 })
	kerneltest.Near(t, fmt.Sprint("neighbours ", p, rows, columns, down, right), o, want, tolerance)
}

func TestRunNeighbours(t *testing.T) {
	p := problem{batch: 2, heads: 2, groups: 1, dim: 12}
	for _, c := range [][4]int{{9, 11, 3, 5}, {13, 7, 4, 2}, {5, 20, 5, 20}, {12, 12, 1, 1}, {1, 150, 1, 7}, {150, 1, 7, 1}, {1, 1, 1, 1}, {3, 70, 2, 9}} {
		runNeighbours[float32](t, p, c[0], c[1], 20, c[2], c[3], 2e-5)
	}
	runNeighbours[float32](t, p, 0, 3, 4, 1, 1, 2e-5)
	runNeighbours[dtype.Float16](t, problem{batch: 1, heads: 4, groups: 4, dim: 32}, 8, 10, 32, 5, 5, 4e-3)
	runNeighbours[dtype.BFloat16](t, problem{batch: 1, heads: 2, groups: 2, dim: 16}, 1, 40, 16, 1, 9, 2e-2)
}

func runSelected[E element](t *testing.T, p problem, width, most int, tolerance float64) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.queries, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, width)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.queries, width)
	hostile := []int{-1, 1<<31 - 1, -1 << 31, p.keys}
	var list []int
	for range p.batch * p.groups * p.queries {
		order := r.Perm(p.keys)
		for i := range most {
			if i < len(order) && r.IntN(4) > 0 {
				list = append(list, order[i])
			} else {
				list = append(list, hostile[r.IntN(len(hostile))])
			}
		}
	}
	for i := range min(most, len(list)) {
		list[i] = hostile[i%len(hostile)] // the first query sees nothing
	}
	kerneltest.Must(t, attention.RunSelected(t.Context(), dev, q, k, v, ints(t, dev, list...).Reshape(p.batch, p.groups, p.queries, most), o, attention.Scale(p.dim)))
	m := mask{chosen: func(b, h, i, j int) bool {
		row := (b*p.groups+h/(p.heads/p.groups))*p.queries + i
		for _, n := range list[row*most:][:most] {
			if n == j {
				return true
			}
		}
		return false
	}}
	want := p.wide(qs, ks, vs, width, m, func(int, int) int { return 0 })
	kerneltest.Near(t, fmt.Sprint("selected ", p, most), o, want, tolerance)
}

func TestRunSelected(t *testing.T) {
	p := problem{2, 6, 2, 5, 90, 12}
	for _, most := range []int{0, 1, 7, 64, 80} {
		runSelected[float32](t, p, 20, most, 2e-5)
	}
	runSelected[float32](t, problem{1, 2, 1, 3, 0, 4}, 4, 3, 1e-5) // no keys
	runSelected[float32](t, problem{1, 2, 1, 0, 3, 4}, 4, 3, 1e-5) // no queries
	runSelected[dtype.Float16](t, problem{1, 16, 1, 3, 40, 192}, 128, 20, 4e-3)
	runSelected[dtype.BFloat16](t, problem{1, 2, 1, 3, 40, 16}, 16, 20, 2e-2)
	dev := kerneltest.CPU(t) // one key twice
	q, o, k := kerneltest.New[float32](t, dev, 1, 1, 1, 1), kerneltest.New[float32](t, dev, 1, 1, 1, 1), kerneltest.New[float32](t, dev, 1, 1, 2, 1)
	v, _ := kerneltest.Tensor[float32](t, dev, []float64{3, 6}, 1, 1, 2, 1)
	kerneltest.Must(t, attention.RunSelected(t.Context(), dev, q, k, v, ints(t, dev, 1, 0, 1).Reshape(1, 1, 1, 3), o, 1))
	kerneltest.Near(t, "twice", o, []float64{5}, 1e-6)
}

func TestNearMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	image, q := x(1, 2, 3, 4, 5), x(1, 2, 3, 4)
	for _, c := range []struct {
		err  error
		want string
	}{
		{attention.RunNeighbours(t.Context(), dev, image, image, image, image, 4, 3, 1),
			"attention.RunNeighbours: windows have 4 rows and 3 columns, expected 1 to 3 and 1 to 4, those of the image"},
		{attention.RunNeighbours(t.Context(), dev, image, image, image, image, 1, 0, 1),
			"attention.RunNeighbours: windows have 1 rows and 0 columns, expected 1 to 3 and 1 to 4, those of the image"},
		{attention.RunNeighbours(t.Context(), dev, image, image, x(1, 2, 3, 5, 5), image, 1, 1, 1),
			"attention.RunNeighbours: v has shape [1 2 3 5 5], expected [batch groups rows columns width]: axis 3 is 5, but columns is 4 along axis 3 of q"},
		{attention.RunSelected(t.Context(), dev, q, q, q, ints(t, dev, 1, 2, 3, 4).Reshape(1, 2, 2, 1), q, 1),
			"attention.RunSelected: list has shape [1 2 2 1], expected [batch groups queries most]: axis 2 is 2, but queries is 3 along axis 2 of q"},
		{attention.RunSelected(t.Context(), dev, x(1, 200, 1, 4), x(1, 1, 3, 4), x(1, 1, 3, 4), ints(t, dev, 1).Reshape(1, 1, 1, 1), x(1, 200, 1, 4), 1),
			"attention.RunSelected: 200 heads share keys and values, expected at most 128"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
	if err := attention.RunNeighbours(t.Context(), dev, image.Permute(0, 1, 3, 2, 4), image.Permute(0, 1, 3, 2, 4), image.Permute(0, 1, 3, 2, 4), image.Permute(0, 1, 3, 2, 4), 1, 1, 1); err == nil {
		t.Error("rows that do not follow each other are accepted")
	}
}
