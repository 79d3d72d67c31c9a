package cutile_test

import "github.com/cutile-go/cutile/tile"

// A chain of functions that each call the one before twice: as many calls as 2 to the power of their number.
func f0(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return x * x }
func f1(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f0(x) * f0(x) }
func f2(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f1(x) * f1(x) }
func f3(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f2(x) * f2(x) }
func f4(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f3(x) * f3(x) }
func f5(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f4(x) * f4(x) }
func f6(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f5(x) * f5(x) }
func f7(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f6(x) * f6(x) }
func f8(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f7(x) * f7(x) }
func f9(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16]  { return f8(x) * f8(x) }
func f10(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f9(x) * f9(x) }
func f11(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f10(x) * f10(x) }
func f12(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f11(x) * f11(x) }
func f13(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f12(x) * f12(x) }
func f14(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f13(x) * f13(x) }
func f15(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f14(x) * f14(x) }
func f16(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f15(x) * f15(x) }
func f17(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f16(x) * f16(x) }
func f18(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f17(x) * f17(x) }
func f19(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f18(x) * f18(x) }
func f20(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return f19(x) * f19(x) }

func doubling(x tile.In[tile.F32T1[tile.D16]], z tile.Out[tile.F32T1[tile.D16]]) {
	z.Store(f20(x.Load(z.Index(0))))
}

// long is a function of many operations, which calls nothing.
func long(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] {
	var parts [2]tile.F32T1[tile.D16]
	for i := range 250 {
		parts[i%2] += x * tile.F32T1[tile.D16](i)
	}
	return parts[0] - parts[1]
}

func callsLong(x tile.In[tile.F32T1[tile.D16]], z tile.Out[tile.F32T1[tile.D16]]) {
	z.Store(long(x.Load(z.Index(0))))
}

// nested has unrolled loops in one another: 80 turns of 80 of 80, as each index of the array must be known.
func nested(z tile.Out[tile.F32T1[tile.D16]]) {
	var a [80]int
	for i := range 80 {
		for j := range 80 {
			for k := range 80 {
				a[i] += a[j] + a[k]
			}
		}
	}
	z.Store(tile.F32T1[tile.D16](a[3]))
}

// doubledText is a constant text of 2 to the power of 60 bytes.
func doubledText(z tile.Out[tile.F32T1[tile.D16]]) {
	s := "x"
	var a [60]int
	for i := range 60 {
		s += s
		a[i] = len(s)
	}
	z.Store(tile.F32T1[tile.D16](a[59]))
}

// lists is arrays of arrays, with more elements than memory holds.
func lists(z tile.Out[tile.F32T1[tile.D16]]) {
	var a [60000][60000]float32
	z.Store(tile.F32T1[tile.D16](a[1][2]))
}

// slow takes long for a great n.
func slow(x tile.InOut[tile.F32T1[tile.D16]], n int) {
	v := x.Load(0)
	for range n {
		v = v*0.5 + 1
	}
	x.Store(v, 0)
}

// endless never ends.
func endless(z tile.Out[tile.F32T1[tile.D16]]) {
	x := tile.F32T1[tile.D16](1)
	for z.Index(0) < 1000 {
		x = x + 1
		z.Store(x)
	}
}

// printing prints a number.
func printing(z tile.Out[tile.F32T1[tile.D16]]) {
	tile.Print("block %d\n", z.Index(0))
}
