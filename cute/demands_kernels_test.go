package cute_test

import "github.com/cutile-go/cutile/cute"

func oneThread() cute.Launch { return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)} }

// chosen stores a number if it is told to.
func chosen(x cute.Tensor[int32], n int32, on bool) (_ cute.Kernel) {
	if on {
		x.Set(n, 0)
	}
	return
}

// runChosen launches with a truth value that it computes, and with one that it was given.
var runChosen = cute.Jit(func(x, y cute.Tensor[int32], n int, on bool) error {
	for i := 0; i < n; i++ {
		chosen(x, int32(i), i%2 == 0 && on).Launch(oneThread())
	}
	chosen(y, 7, on).Launch(oneThread())
	return nil
})

// everyLane has each lane of a warp store its number, or the same one, at one place.
func everyLane(x cute.Tensor[int32], same bool) (_ cute.Kernel) {
	n := int32(cute.ThreadIdx().X)
	if same {
		n = 5
	}
	x.Set(n, 0)
	return
}

var runEveryLane = cute.Jit(func(x cute.Tensor[int32], same bool) error {
	everyLane(x, same).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(32, 1, 1)})
	return nil
})

// infinities stores numbers of bits that are known.
func infinities(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(float32(cute.Bitcast[cute.Float8E5M2](uint8(0x7c))), 0)
	x.Set(float32(cute.Bitcast[cute.Float8E5M2](uint8(0xfc))), 1)
	x.Set(float32(cute.Bitcast[cute.Float16](uint16(0x7c00))), 2)
	x.Set(float32(cute.Bitcast[cute.Float8E4M3FN](uint8(0x7e))), 3)
	return
}

var runInfinities = cute.Jit(func(x cute.Tensor[float32]) error {
	infinities(x).Launch(oneThread())
	return nil
})

// firstSix are the first six elements of x as 3 by 2, made in the kernel.
func firstSix(x, z cute.Tensor[int32]) (_ cute.Kernel) {
	store6(cute.Composition(x, cute.MakeLayout(cute.S(3, 2))), z)
	return
}

// sixOf stores the elements of a tensor that the host function made.
func sixOf(y, z cute.Tensor[int32]) (_ cute.Kernel) {
	store6(y, z)
	return
}

func store6(y, z cute.Tensor[int32]) {
	for i := range 6 {
		z.Set(y.At(i), i)
	}
}

var runFirstSix = cute.Jit(func(x, z cute.Tensor[int32]) error {
	firstSix(x, z).Launch(oneThread())
	return nil
})

var runSixOf = cute.Jit(func(x, z cute.Tensor[int32]) error {
	sixOf(cute.Composition(x, cute.MakeLayout(cute.S(3, 2))), z).Launch(oneThread())
	return nil
})

// pairs stores the sum of the first pairs of two rows of x, from a column on.
func pairs(x cute.Tensor[int16], z cute.Tensor[int32], column int) (_ cute.Kernel) {
	y := cute.Recast[int32](cute.DomainOffset(cute.S(0, column), x))
	z.Set(y.At(0, 0)+y.At(1, 0), 0)
	return
}

var runPairs = cute.Jit(func(x cute.Tensor[int16], z cute.Tensor[int32], column int) error {
	pairs(x, z, column).Launch(oneThread())
	return nil
})

// tileSize stores the size and an element of a tile whose layout is computed from dynamic numbers.
func tileSize(x, z cute.Tensor[int32], n int) (_ cute.Kernel) {
	y := cute.LocalTile(x, cute.S(n, 2), cute.Nest(cute.All, cute.I(0)))
	z.Set(int32(y.Size()*cute.CeilDiv(x.Size(0), n)), 0)
	z.Set(y.At(0, 1, 0), 1)
	return
}

var runTileSize = cute.Jit(func(x, z cute.Tensor[int32], n int) error {
	tileSize(x, z, n).Launch(oneThread())
	return nil
})
