package conformance

import "github.com/cutile-go/cutile/tile"

// The functions of this file loop over numbers, as those of kernels_control.go branch, and the kernels over tiles.

func loopCount(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i * i
	}
	return sum
}

func loopStep(n int) int {
	sum := 0
	for i := 3; i < n; i += 4 {
		sum = sum*2 + i
	}
	for i := n; i > 0; i-- {
		sum += i
	}
	for i := n; i >= 2; i -= 3 {
		sum -= i * 2
	}
	for i := 0; i <= n; i++ {
		sum++
	}
	return sum
}

func loopWhile(n int) int {
	steps := 0
	for n > 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func loopForever(n int) int {
	i, sum := 0, 0
	for {
		if i >= n {
			break
		}
		i++
		if i%3 == 0 {
			continue
		}
		sum += i
		if sum > 40 {
			break
		}
	}
	return sum*1000 + i
}

func loopRange(n int) int {
	sum := 0
	for i := range n {
		sum += i
	}
	for range n {
		sum += 100
	}
	for i := range 5 {
		sum += i
	}
	for i, v := range []int{7, 8, 9} {
		sum += i * v
	}
	return sum
}

func loopGeometric(n int) int {
	sum := 0
	for i := 1; i < n; i *= 2 {
		sum += i
	}
	for i := n; i > 0; i /= 3 {
		sum += i
	}
	for i, j := 0, n; i < j; i, j = i+1, j-1 {
		sum += i * j
	}
	return sum
}

func loopNested(n int) int {
	a, b, c := 0, 1, 0
	for i := range n {
		for j := i; j < n; j += 2 {
			if j == 5 {
				continue
			}
			for k := 0; k < j; k++ {
				if k > 4 {
					break
				}
				c += a + k
			}
			a, b = b, a+j
		}
		if a > 30 {
			break
		}
	}
	return a*10000 + b*100 + c
}

func loopLimit(n int) int {
	// The limit is read anew each time, the number of a range once.
	sum := 0
	for i := 0; i < n; i++ {
		sum += n
		if i < 2 {
			n--
		}
	}
	for i := range n {
		n += 2
		sum += i + n
	}
	return sum
}

// tilesInLoops carries tiles, numbers and truth values through loops and branches.
func tilesInLoops(x tile.In[tile.I32T1[tile.D8]], n int, z tile.Out[tile.I32T1[tile.D8]]) {
	var sum, peak tile.I32T1[tile.D8]
	even, turns := true, 0
	for i := range x.Tiles(0) {
		v := x.Load(i)
		if even {
			sum += v
		} else {
			sum -= v
		}
		if i == n {
			peak = max(peak, v)
			turns++
		} else if i > n {
			sum += peak
		}
		even = !even
	}
	z.Store(sum + tile.I32T1[tile.D8](turns))
}

// maskInLoop carries a mask, which the loop stops by.
func maskInLoop(x tile.In[tile.I32T1[tile.D8]], z, steps tile.Out[tile.I32T1[tile.D8]]) {
	v := x.Load(z.Index(0))
	var n tile.I32T1[tile.D8]
	for range 200 {
		on := tile.BoolTile1[tile.D8](v > 1)
		if !tile.Reshape[tile.BoolTile0](on.Any0()) {
			break
		}
		odd := v%2 == 1
		v = tile.Where(on, tile.Where(odd, 3*v+1, v/2), v)
		n += tile.Where(on, tile.I32T1[tile.D8](1), 0)
	}
	z.Store(v)
	steps.Store(n)
}
