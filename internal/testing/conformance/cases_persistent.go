package conformance

import (
	"math/rand/v2"
	"slices"
)

// persistents are the cases of tensors whose tiles the blocks own in turn.
func persistents() []Case {
	twice := func(v, t int32, _ int) int32 { return v + 2*t }
	return []Case{
		owned("persistent/1", inst("owned1", "D4"), 3, 0, []int{4}, []int{41}, nil),
		owned("persistent/few", inst("owned1", "D4"), 5, 0, []int{4}, []int{9}, nil),
		owned("persistent/one", inst("owned1", "D8"), 1, 0, []int{8}, []int{64}, nil),
		owned("persistent/2", inst("owned2", "D2", "D4"), 4, 0, []int{2, 4}, []int{9, 13}, nil),
		withTwos(owned("persistent/grouped", inst("owned2In", "D2", "D4"), 3, 3, []int{2, 4}, []int{15, 18}, twice)),
		withTwos(owned("persistent/low", inst("owned2In", "D4", "D2"), 2, 3, []int{4, 2}, []int{7, 5}, twice)),
		owned("persistent/3", inst("owned3", "D2", "D2", "D2"), 4, 2, []int{2, 2, 2}, []int{3, 7, 6}, nil),
		owned("persistent/4", inst("owned4", "D1", "D2", "D2", "D4"), 5, 0, []int{1, 2, 2, 4}, []int{2, 3, 5, 6}, func(v, t int32, turn int) int32 {
			if v += t; turn%2 == 0 {
				v = -v
			}
			return v
		}),
	}
}

// owned is a case in which each element becomes f of itself, the number of its tile in order, and the number of tiles that
// its block has had before. Rows are how many rows of tiles an order goes down; 0 for row-major.
func owned(name string, kernel any, blocks, rows int, tile, shape []int, f func(v, t int32, turn int) int32) Case {
	if f == nil {
		f = func(v, t int32, _ int) int32 { return v + t }
	}
	return Case{Name: name, Kernel: kernel, Grid: []int{blocks}, Setup: func(r *rand.Rand) Setup {
		v := small[int32](r, product(shape), -1000, 1000)
		tiles := make([]int, len(shape))
		for i := range tiles {
			tiles[i] = (shape[i] + tile[i] - 1) / tile[i]
		}
		turns := inOrder(tiles, rows)
		want := make([]int32, len(v))
		for e := range v {
			rest, at, size := e, 0, 1
			for i := len(shape) - 1; i >= 0; i-- {
				at += rest % shape[i] / tile[i] * size
				rest, size = rest/shape[i], size*tiles[i]
			}
			want[e] = f(v[e], int32(turns[at]), turns[at]/blocks)
		}
		x := arr(v, shape...)
		return Setup{Args: []any{x}, Want: []Want{exactly(x, want)}}
	}}
}

// withTwos gives the kernel of a case an array of twos as the first argument, of the shape of the other one.
func withTwos(c Case) Case {
	without := c.Setup
	c.Setup = func(r *rand.Rand) Setup {
		s := without(r)
		shape := s.Args[0].(*Array).View.Shape
		s.Args = slices.Insert(s.Args, 0, any(arr(slices.Repeat([]int32{2}, product(shape)), shape...)))
		return s
	}
	return c
}

// inOrder gives by row-major number of a tile when its turn is.
func inOrder(tiles []int, rows int) []int {
	turns := make([]int, product(tiles))
	if rows == 0 {
		for i := range turns {
			turns[i] = i
		}
		return turns
	}
	m, n := tiles[len(tiles)-2], tiles[len(tiles)-1]
	turn := 0
	for plane := range len(turns) / (m * n) {
		for first := 0; first < m; first += rows {
			for j := range n {
				for i := first; i < min(first+rows, m); i++ {
					turns[(plane*m+i)*n+j] = turn
					turn++
				}
			}
		}
	}
	return turns
}
