package cutile_test

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have variables of all kinds, which debuggers see.

// span has numbers of two types.
type span struct {
	lo, hi float32
	rows   int
}

// bounded keeps elements in a span.
func bounded[A tile.Dim](v tile.F32T1[A], s span) tile.F32T1[A] {
	low := max(v, tile.F32T1[A](s.lo)) // low
	out := min(low, tile.F32T1[A](s.hi))
	out += tile.F32T1[A](s.lo) // out
	return out * 2             // bounds
}

// watched adds up its rows.
func watched[A tile.Dim](x tile.In[tile.F32T2[tile.D1, A]], z tile.Out[tile.F32T1[A]], rows int32, scale float32) {
	block := z.Index(0)
	known := 3
	sum := tile.F32T1[A](0)
	limits := span{-scale, scale, known} // limits
	even := true
	for i := int32(0); i < rows; i++ {
		row := tile.Reshape[tile.F32T1[A]](x.Load(int(i), block))
		sum += row   // adds
		even = !even // turns
		if even {
			sum *= tile.F32T1[A](scale) // scales
		}
	}
	limits.rows += block
	pair := []float32{scale, 2} // which debuggers do not see: its elements change while it does not
	pair[0] *= pair[1]
	result := bounded(sum, limits) * tile.F32T1[A](pair[0])
	z.Store(result + tile.F32T1[A](limits.rows)) // stores
}

// twofold is called in several places.
func twofold(n int32) int32 {
	double := n + n
	tile.Print("double=%d\n", double)
	if double > 6 {
		double -= 100
		tile.Print("double=%d\n", double)
	}
	tile.Print("n=%d\n", n)
	return double
}

// told prints what its variables hold.
func told(x tile.In[tile.F32T1[tile.D64]], z tile.Out[tile.F32T1[tile.D64]], rows int32, scale float32) {
	total, last, wide := int32(0), int32(-1), int64(rows)<<40
	v := x.Load(0)
	weight := scale
	var list [3]int32
	for i := int32(0); i < rows; i++ {
		tile.Print("total=%d\n", total)
		step := total - i
		if i%3 == 1 {
			total += step * i
			last = 7
			tile.Print("last=%d\n", last)
			if total > 10 {
				tile.Print("step=%d\n", step)
				continue
			}
		} else if i%3 == 2 {
			total = twofold(total)
			tile.Print("total=%d\n", total)
			last = 9
		} else {
			last = 7
		}
		tile.Print("last=%d\n", last)
		tile.Print("i=%d\n", i)
		weight *= 0.5
		v += tile.F32T1[tile.D64](weight)
		tile.Print("weight=%g\n", weight)
		tile.Print("v=%g\n", v)
	}
	tile.Print("total=%d\n", total)
	for k := range list {
		list[k] = total + int32(k)
		tile.Print("k=%d\n", k)
	}
	half := tile.BF16(-1.5)
	tile.Print("half=%g\n", half)
	old := total
	for total > -50 {
		total -= twofold(rows)
		wide += int64(total)
		tile.Print("wide=%d\n", wide)
		if total == 3 {
			break
		}
	}
	var last3 []func() int32
	for n := int32(0); n < 3; n++ {
		n := n * 2
		last3 = append(last3, func() int32 { n++; tile.Print("n=%d\n", n); return n })
		tile.Print("n=%d\n", n)
	}
	for at := int32(0); at < 3; at++ {
		last3[at]()
		ref := &at
		list[*ref] += 5
		tile.Print("at=%d\n", at)
		if at == 1 {
			*ref = 1
			tile.Print("at=%d\n", at)
		}
	}
	set := func(to *int32, by int32) {
		*to += by
		tile.Print("by=%d\n", by)
	}
	set(&last, total)
	tile.Print("last=%d\n", last)
	func() {
		old := old + 1
		tile.Print("old=%d\n", old)
		total++
	}()
	tile.Print("old=%d\n", old)
	tile.Print("total=%d\n", total)
	tile.Print("weight=%g\n", weight)
	z.Store(v + tile.F32T1[tile.D64](total+list[0]+list[2]+last))
}
